"""A chat of LINE: a line with the day, then a line a message: the clock, who, and the words, with tabs between."""

import re
from datetime import date, datetime, time, tzinfo

from brain_pipelines.readers.chat.exports.export import Chat, Export

_FRONT = re.compile(r"\ufeff?\[LINE\] ")
_DAY = re.compile(
    r"(?:\w{2,4}, )?(?:(?P<year>\d{4})[/.](?P<month>\d{1,2})[/.](?P<day>\d{1,2})"
    r"|(?P<second>\d{1,2})/(?P<third>\d{1,2})/(?P<last>\d{4}))(?:\(\w{1,5}\.?\))?"
)
_SAID = re.compile(r"(?P<hour>\d{1,2}):(?P<minute>\d{2})(?: ?(?P<half>[AP])M)?\t(?P<name>[^\t\n]{1,80})\t(?P<words>.*)")


def _chats(text: str, zone: tzinfo, _day: date | None) -> list[Chat]:
    lines = text.removeprefix("\ufeff").split("\n")
    messages: list[dict[str, object]] = []
    on: date | None = None
    for line in lines[1:]:
        bare = line.rstrip("\r")
        if found := _DAY.fullmatch(bare.strip()):
            on = _date(found) or on
        elif (said := _SAID.fullmatch(bare)) and on:
            messages.append(
                {"speaker": said["name"], "content": said["words"].strip('"'), "timestamp": _time(said, on, zone)}
            )
        elif bare.strip() and messages and "\t" not in bare:
            messages[-1]["content"] = f"{messages[-1]['content']}\n{bare.strip()}"
    title = lines[0].removeprefix("[LINE] ").strip()
    return [{"id": "", "title": title, "messages": messages}]


def _date(found: re.Match[str]) -> date | None:
    try:
        if found["year"]:
            return date(int(found["year"]), int(found["month"]), int(found["day"]))
        return date(int(found["last"]), int(found["second"]), int(found["third"]))
    except ValueError:
        return None


def _time(said: re.Match[str], on: date, zone: tzinfo) -> datetime | None:
    hour = int(said["hour"])
    if said["half"]:
        hour = hour % 12 + (12 if said["half"] == "P" else 0)
    return datetime.combine(on, time(hour % 24, min(int(said["minute"]), 59)), zone)


EXPORT = Export("LINE", lambda head: _FRONT.match(head) is not None, _chats)
