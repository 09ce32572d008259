"""Lines of a chat written as text: a stamp, who, and what was said. One line at a time, without the file around it.

12/07/24, 19:44 - Ann: good morning         phones, Android
[12.07.24, 19:44:03] Ann: good morning      phones, iOS
[12-Jul-24 07:44 PM] ann                    servers of chats: the words stand below
[19:44:03] <ann> good morning               IRC; also with a day, and without brackets
2026-01-05 19:44:03	@ann	good morning     IRC, with tabs (WeeChat)
--- Day changed Tue Mar 05 2024             IRC: the day of the lines below that have only a clock
"""

import re
import unicodedata
from dataclasses import dataclass
from datetime import date, time

from brain_retrieval.language.lexicon import SHARED, number_of

_MONTHS = {name[:3].lower(): number for name, number in number_of(SHARED.read("dates").listed("months")).items()}
_UNSEEN = re.compile("[\u200b-\u200f\u202a-\u202e\u2066-\u2069\ufeff]")  # marks of direction
# A mention as phones write it, "@\u2068Ann Lee\u2069", before a large word, which else looks like a part of the name.
_MENTION = re.compile(r"(@\u2068[^\u2068\u2069\n]{1,60}\u2069)(?=[ \u00a0][^\W\d_])")
MARK = "\u200e"  # phones put it before what they write themselves: "image omitted"
_DAY = r"(?P<day>\d{1,4}[./-](?:\d{1,2}|[A-Za-z]{3,4}\.?)[./-]\d{2,4})"
_CLOCK = r"(?P<hour>\d{1,2})[:.](?P<minute>\d\d)(?:[:.](?P<second>\d\d))?"
_HALF = r"(?:[ \u00a0\u202f]?(?P<half>[AaPp])\.?[ \u00a0\u202f]?[Mm]\.?)?"
_STAMP = re.compile(
    rf"(?P<open>\[)?{_DAY}(?P<comma>,)?[ \u00a0\u202f]{_CLOCK}{_HALF}(?:(?P<close>\])[ ]?| [-\u2013] )(?P<rest>.*)"
)
_SAID = re.compile(r"(?:~[ \u00a0\u202f]?)?(?P<name>[^:\n\t<>\"\u201c\u201e]{1,60}):(?:[ \u00a0](?P<text>.*)|\Z)")
_IRC = re.compile(
    rf"\[?(?:{_DAY}[T ]{{1,2}})?{_CLOCK}\]?[ \t]{{1,4}}"
    r"(?:<[ @+%&~]?(?P<name>[^\s<>]{1,40})>[ \t]{1,4}(?P<text>\S.*)"
    r"|(?P<notice>(?:\*{1,3}|-!-|-->|<--|--|=-=|-[^\s<>]{1,40}-)[ \t].*))"
)
_TABBED = re.compile(
    r"(?P<day>\d{4}-\d\d-\d\d) (?P<hour>\d\d):(?P<minute>\d\d):(?P<second>\d\d)\t"
    r"(?:(?P<notice>[ ]?\*|-->|<--|--|=!=|)|[@+%&~]?(?P<name>[^\s<>]{1,40}))\t(?P<text>.*)"
)
_NEW_DAY = re.compile(
    r"(?:--- (?:Log opened|Day changed) |\*{4} BEGIN LOGGING AT )"
    r"[A-Z][a-z]{2} (?P<month>[A-Z][a-z]{2})  ?(?P<day>\d{1,2})(?: \d\d:\d\d:\d\d)? (?P<year>\d{4})"
    r"|-- \w{2,4}, (?P<second>\d{1,2}) (?P<third>[A-Z][a-z]{2}) (?P<last>\d{4}) --"
)
_LEVEL = re.compile(r"(?:DEBUG|ERROR|FATAL|INFO|NOTE|NOTICE|TRACE|WARN|WARNING|CRITICAL)\b")
_WORDS_OF_PHONE = re.compile(r"<[^<>]{3,60}>")  # "<Media omitted>", in the language of the phone
# "<attached: 0034-PHOTO.jpg>", "IMG-20240712-WA0003.jpg (file attached)", in the language of the phone
_ATTACHED = re.compile(
    r" {0,3}<[^<>:\n]{2,30}: ?[^<>\n]{1,200}\.\w{2,5}>"
    r"|(?:^|(?<=\n))[A-Z]{3}-\d{8}-WA\d{4}\.\w{2,5} \([^()\n]{4,40}\)"
)
# What phones add behind what was said, in their language: "\u200e<This message was edited>", and behind the words
# of a message with a picture "\u200eimage omitted".
_EDITED = re.compile(rf"[ \u00a0]{{0,3}}{MARK}<[^<>\n]{{3,60}}>$")
_OMITTED = re.compile(rf"(?<=[^:\s])[ \u00a0]{{1,3}}{MARK}[^{MARK}<>\n]{{2,60}}$")
_POLL = re.compile(rf": {MARK}[^\W\d_]{{2,20}}:$")  # "\u200ePOLL:", the question and the options stand below
_ISO = re.compile(r"\d{4}-")
_AROUND = " ~*_"
_JOINERS = "\u200d\ufe0e\ufe0f"  # what joins and colours emoji
_KEYCAP = re.compile("[0-9#*]\ufe0f?\u20e3")
_SIGNS = ("So", "Sk")  # other symbols, and the colours of skin
_ORDERED = re.compile(r"[.A-Za-z]")  # the month is never first: 12.07.24, 12-Jul-24


@dataclass(frozen=True)
class Stamp:
    """When a line was said. `day` has the numbers as written, first to last; None: only the clock is stated."""

    day: tuple[int, int, int] | None
    clock: time
    ordered: bool = False  # the day is surely before the month
    half: bool = False  # "7:44 PM"


@dataclass(frozen=True)
class LogLine:
    """A line with a stamp. `name` is None for what the program says; `text` None: the words follow below."""

    stamp: Stamp
    name: str | None
    text: str | None
    irc: bool = False


def without_notes(line: str, *, pictured: bool) -> str:
    """Return a line without what the phone adds at its end; `pictured`: of a message with a picture or a file."""
    line = _EDITED.sub("", line.rstrip())
    while pictured and (found := _OMITTED.search(line)):
        line = line[: found.start()]
    return line


def has_picture(line: str) -> bool:
    """Return whether a line begins a message with a picture or a file: the phone marks it."""
    return line.lstrip("\ufeff").startswith(MARK)


def read_line(line: str) -> LogLine | None:
    """Return a line that has a stamp, None for any other."""
    line = _with_mentions_apart(without_notes(line, pictured=has_picture(line)))
    bare = _UNSEEN.sub("", line).strip()
    if found := _IRC.fullmatch(bare):
        stamp = _stamp(found)
        return stamp and LogLine(stamp, found["name"], found["text"] or "", irc=True)
    if found := _TABBED.fullmatch(_UNSEEN.sub("", line).rstrip()):
        stamp = _stamp(found)
        return stamp and LogLine(stamp, found["name"], found["text"] or "", irc=True)
    found = _STAMP.fullmatch(bare)
    if not found or bool(found["open"]) != bool(found["close"]) or _of_program(found):
        return None
    stamp = _stamp(found)
    return _said(stamp, found["rest"], line) if stamp else None


def _of_program(found: re.Match[str]) -> bool:
    """Return whether a stamp is of a program's log: "[2026-01-05 10:11:12] ERROR: …"; Signal's has no seconds."""
    plain_iso = _ISO.match(found["day"]) is not None and not found["comma"]
    return plain_iso and (bool(found["second"]) or not found["open"])


def new_day(line: str) -> date | None:
    """Return the day that a program writes between the lines of a log, for those below it; None for any other line."""
    found = _NEW_DAY.fullmatch(_UNSEEN.sub("", line).strip())
    if found is None:
        return None
    month = _MONTHS.get((found["month"] or found["third"]).lower(), 0)
    try:
        return date(int(found["year"] or found["last"]), month, int(found["day"] or found["second"]))
    except ValueError:
        return None


def _said(stamp: Stamp, rest: str, line: str) -> LogLine | None:
    said = _SAID.fullmatch(rest)
    if said is None:
        return LogLine(stamp, None, None)
    if _LEVEL.match(said["name"]):
        return None
    text = (said["text"] or "").strip()
    by_phone = (f": {MARK}" in line and not _POLL.search(line)) or _WORDS_OF_PHONE.fullmatch(text)
    return LogLine(stamp, None if by_phone else _bare(said["name"]), text)


def _bare(name: str) -> str:
    """Return a display name without ornaments: "~Ann~", "Bo 🐔", "Cy 4️⃣ Lund"; of nothing else it stays as it is."""
    words = " ".join(name.split())
    plain_name = "".join(" " if _is_sign(char) else char for char in _KEYCAP.sub(" ", words))
    return " ".join(plain_name.split()).strip(_AROUND) or words


def _is_sign(char: str) -> bool:
    return char in _JOINERS or unicodedata.category(char) in _SIGNS


def header_name(line: str) -> str:
    """Return who speaks below a line that has a stamp and no words: the rest of it."""
    found = _STAMP.fullmatch(_UNSEEN.sub("", line).strip())
    return " ".join(found["rest"].split())[:60] if found else ""


def plain(text: str) -> str:
    """Return a text without invisible marks and the names of attached files."""
    return _ATTACHED.sub("", _UNSEEN.sub("", _with_mentions_apart(text)))


def _with_mentions_apart(text: str) -> str:
    """Return a text with a comma behind a mention that a large word follows: "@Ann Lee, Good luck"."""
    if "@\u2068" not in text:
        return text
    return _MENTION.sub(lambda found: f"{found[1]}," if text[found.end() + 1].isupper() else found[1], text)


def _stamp(found: re.Match[str]) -> Stamp | None:
    hour, half = int(found["hour"]), found.groupdict().get("half")
    if half:
        hour = hour % 12 + (12 if half in "pP" else 0)
    try:
        clock = time(hour, int(found["minute"]), int(found["second"] or 0))
    except ValueError:
        return None
    if not found["day"]:
        return Stamp(None, clock)
    numbers = [_number(part) for part in re.split(r"[./-]", found["day"].replace(".-", "-")) if part]
    if len(numbers) != 3 or None in numbers:
        return None
    first, second, third = (number or 0 for number in numbers)
    return Stamp((first, second, third), clock, _ORDERED.search(found["day"]) is not None, bool(half))


def _number(part: str) -> int | None:
    return int(part) if part.isdigit() else _MONTHS.get(part[:3].lower())


def possible_days(day: tuple[int, int, int], *, day_first: bool) -> date | None:
    """Return the day that three numbers name in an order, None if they name none."""
    first, second, third = day
    year, month, number = (first, second, third) if first > 31 else (third, second, first)
    if first <= 31 and not day_first:
        month, number = first, second
    try:
        return date(year + 2000 if year < 100 else year, month, number)
    except ValueError:
        return None
