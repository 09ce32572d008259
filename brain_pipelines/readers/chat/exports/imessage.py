"""A chat of Apple's Messages as imessage-exporter writes it: the time in a line, then who, then the words.

May 17, 2022  5:29:42 PM (Read by you after 1 hour, 49 seconds)
Ann Lee
Are we still on for Friday?
"""

import re
from datetime import date, tzinfo

from brain_pipelines.readers.chat.exports.export import Chat, Export
from brain_pipelines.readers.event_time import parse_time

_STAMP = re.compile(
    r"^[ ]{0,8}(?P<time>[A-Z][a-z]{2} \d{2}, \d{4}  ?\d{1,2}:\d{2}:\d{2} [AP]M)(?: \([^()\n]{1,100}\))?[ \t\r]*$",
    re.MULTILINE,
)
_TAPBACK = re.compile(r"(?:Loved|Liked|Disliked|Laughed|Emphasized|Questioned|[^\w\s]{1,4}) by \S.{0,80}")
_NO_WORDS = re.compile(
    r"(?:Tapbacks:|Edited .{0,60}|Sent with .{1,60}|This message responded to an earlier message\.|"
    r"[^\s/]{0,200}(?:/[^\s/]{1,200}){1,20})"  # the path of an attachment
)
LEAST = 2


def _chats(text: str, zone: tzinfo, _day: date | None) -> list[Chat]:
    stamps = list(_STAMP.finditer(text))
    ends = [*(stamp.start() for stamp in stamps[1:]), len(text)]
    messages = []
    for stamp, end in zip(stamps, ends, strict=True):
        lines = [line.strip() for line in text[stamp.end() : end].strip("\r\n").split("\n")]
        words = [line for line in lines[1:] if line and not _TAPBACK.fullmatch(line) and not _NO_WORDS.fullmatch(line)]
        if lines and words:
            time = parse_time(" ".join(stamp["time"].split()), zone)
            messages.append({"speaker": lines[0], "content": "\n".join(words), "timestamp": time})
    return [{"id": "", "title": "", "messages": messages}]


def _fits(head: str) -> bool:
    return _STAMP.match(head.lstrip("\ufeff")) is not None and len(_STAMP.findall(head)) >= LEAST


EXPORT = Export("Messages", _fits, _chats)
