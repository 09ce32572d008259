"""A transcript of a call as Otter and others write it: who and the seconds since its start in a line, the words below.

Ann Lee  0:05
Good morning, the budget is 40,000.
"""

import re
from datetime import UTC, date, datetime, time, timedelta, tzinfo

from brain_pipelines.readers.chat.exports.export import Chat, Export

_TURN = re.compile(
    r"^(?P<name>[^\W\d_][^\n:\t]{0,60}?)[ \t]{2,6}(?P<clock>\d{1,2}:\d{2}(?::\d{2})?)[ \t\r]*$", re.MULTILINE
)
_FOOT = re.compile(r"\n\s*Transcribed by https?://\S+\s*\Z")
NOON = time(12)
LEAST = 2


def _chats(text: str, zone: tzinfo, day: date | None) -> list[Chat]:
    text = _FOOT.sub("", text.removeprefix("\ufeff"))
    turns = list(_TURN.finditer(text))
    ends = [*(turn.start() for turn in turns[1:]), len(text)]
    start = datetime.combine(day, NOON, zone).astimezone(UTC) if day else None
    messages = [
        {
            "speaker": turn["name"].strip(),
            "content": " ".join(text[turn.end() : end].split()),
            "timestamp": start + _since(turn["clock"]) if start else None,
        }
        for turn, end in zip(turns, ends, strict=True)
    ]
    return [{"id": "", "title": "", "messages": [one for one in messages if one["content"]]}]


def _since(clock: str) -> timedelta:
    seconds = 0
    for part in clock.split(":"):
        seconds = seconds * 60 + int(part)
    return timedelta(seconds=seconds)


def _fits(head: str) -> bool:
    return _TURN.match(head.lstrip("\ufeff\r\n ")) is not None and len(_TURN.findall(head)) >= LEAST


EXPORT = Export("transcript", _fits, _chats)
