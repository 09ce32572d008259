"""The form of one line of a text: prose, a field `key: value`, a comment, or data of a program without doubt."""

import re
from dataclasses import dataclass
from enum import Enum

from brain_pipelines.stages.extraction.local.names.gazetteers import given_names

Span = tuple[int, int]
_SENTENCE = re.compile(r"(?:[^\W_]{1,60}(?:[’'-][^\W_]{1,60}){0,4},?\s{1,4}){3}.*[.!?…][\"'”’)]{0,4}\s{0,4}")
_LEVEL = r"(?:TRACE|DEBUG|INFO|WARN|WARNING|ERROR|CRITICAL|FATAL)"
_STAMP = (
    r"\d{4}[-/]\d\d[-/]\d\d[T ]\d\d:\d\d:\d\d\S{0,12}|[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d"
    r"|\d\d/[A-Z][a-z]{2}/\d{4}:\d\d\S{0,12}"
)
_LOG = re.compile(
    rf"\s*(?:\S{{1,40}}\s){{0,3}}\[?(?:{_STAMP})\]?(?P<rest>.*)"  # seconds: people write minutes
    rf"|\s*(?:\[{_LEVEL}\]|{_LEVEL}:\S+:|{_LEVEL}\s+[\[\d]).*"
    r"|.*\.\.\. ?\d{1,3}\s?%.*|Traceback \(most.*|\s+(?:File \"|at )\S.*?(?:line \d+|:\d+\)).*"
)
_IDENTIFIER = re.compile(r"\w:\w|\d\.\d+[.-]|/[^/]+/|\(\w+-")  # in the last word of a line "Unpacking x:amd64 ..."
# A line of a chat.
_SAID = re.compile(
    rf"[\])]?\s{{0,20}}(?:(?:[-–]\s{{0,20}})?(?!{_LEVEL})[^\W\d_][\w.'’ -]{{0,40}}:|<[ @+%&~]?[^\s<>]{{1,32}}>)\s+\S"
)
_KEYWORDS = r"import|from|def|class|return|const|let|var|function|export|public|private|fn|if|for|while|else"
_CODE = re.compile(
    r"\s*[-*+]?\s*`[^`]+`\s*|\s*(?:\$|>>>|PS>)\s+[a-z./].*"  # code in the text, a prompt
    rf"|\s*(?:{_KEYWORDS})\s.*[;({{=]\s*|\s*(?:def|class)\s\w+.*:\s*"
    r"|\s*(?:from\s\S+\s)?import\s[\w.]+(?:\sas\s\w+)?(?:,\s\w+)*\s*|\s*(?:#include\b.*|@[\w.]+(?:\(.*\))?)"
    r"|.*\w\(.*\)\s*;\s*|[^=]*\s=\s.*;\s*|.*\s\{\s*|.*\w\(.*\)\s?:\s*"
    r"|\s*[\[\](){},;]+\s*|\s*[\"'][^\"']*[\"']\s*(?:,(?:\s*#.*)?|\]|\)|:\s?.*)\s*"
    r"|\s*\[{1,2}[\w.:@/\" -]{1,80}\]{1,2}\s*(?:[#;].*)?"  # the heading of a section of settings
)
_HINT = re.compile(r"[=:;{}\[\]<>()`$|@#/_\\\"'%]|\.\.|^\s*[-*^~+>]")  # a line without any is no data by itself
_MARKUP = re.compile(
    r"\s*</?[a-zA-Z!?][^>]*(?:>.*)?|\s*\.\.\s[\w-]+::?(?:\s.*)?|\s*:[A-Za-z-]+:(?:\s.*)?|\s*[-=~^*_+]{4,}\s*"
)
# Notes of Logseq and Org: what the program keeps beside a line ("collapsed:: true", "CLOCK: [2026-01-05 10:11:12]").
_KEPT = re.compile(r"\s{0,60}(?:[-*+]\s{1,4})?(?:[a-z][\w.-]{0,40}::(?:\s.*)?|CLOCK:\s?\[.*)")
_LINKED = re.compile(
    r"\s{0,40}(?:(?:[-*+•]|\d{1,3}[.)])\s{0,20})?(?:\[[^\]]{0,200}\]\s?\([^)\s]{0,500}\)[\s,|·•]{0,40})+"
)
_CONSTANT = re.compile(r"\s*[#;]?\s?[A-Z][A-Z0-9]*_[A-Z0-9_]+(?:\s+[^\s]+){0,2}\s*")
_COMMENT = re.compile(r"\s*(?:#+|;+|//+|REM\b|--)(?:\s|$)")
_FIELD = re.compile(
    r"(?P<lead>\s*(?:[-*+]\s|[#;]\s?|//\s?)?)(?P<quote>[\"']?)(?P<key>[^\s:=\"'#][^:=\"'\n]{0,60}?)(?P=quote)\s*"
    r"(?P<mark>:(?=\s|$)|\+?=(?![=>]))\s*(?P<value>.*)"
)
_EMPHASIS = re.compile(r"(\*\*|__)(?P<bare>[^*_]{1,60})\1")
_PATH_KEY = re.compile(r"\S{0,80}?(?:\w{2}\.\w{2}|\w\[|\]\.|[$\\<>*]\w)\S*|\[\d\S*|[@./~][^\s/]{0,80}/\S*")
_MACHINE_KEY = re.compile(rf"{_PATH_KEY.pattern}|\S*_\S*")
_DAY_KEY = re.compile(r"\d{1,4}(?P<mark>[./-])\d{1,2}(?:(?P=mark)\d{0,4})?")
_NAME_KEY = re.compile(r"[A-Z][A-Za-z]{2,}(?:-[A-Z][A-Za-z]+)+|[a-z]+[A-Z]\w*")
_LOWER_KEY = re.compile(r"[a-z][a-z0-9]*(?:-[a-z0-9]+)*")
_VALUE = re.compile(r"[\"'\[{]|(?:true|false|on|off|none|null)$", re.IGNORECASE)
MOST_WORDS = 3  # of a key


class Form(Enum):
    """What a line is by itself."""

    PLAIN, BLANK, DATA, FIELD, COMMENT = range(5)


@dataclass(frozen=True)
class Line:
    """A line with its span in the text; `key` is that of a field."""

    span: Span
    text: str
    form: Form
    key: str = ""


def line_of(line: str, span: Span) -> Line:
    """Return a line that is not blank, with its form."""
    if not _HINT.search(line):
        return Line(span, line, Form.PLAIN)
    head = line[:400]
    if (
        _KEPT.fullmatch(head)
        or _is_log(head)
        or _MARKUP.fullmatch(head)
        or _LINKED.fullmatch(head)
        or _CONSTANT.fullmatch(head)
    ):
        return Line(span, line, Form.DATA)
    field = _FIELD.fullmatch(head)
    key = _EMPHASIS.sub(r"\g<bare>", field["key"]) if field else ""  # "**Priya**: …" of minutes
    if field and is_machine_key(key):
        speaks = _SENTENCE.fullmatch(field["value"]) and not _PATH_KEY.fullmatch(key)  # a name of a chat
        return Line(span, line, Form.PLAIN if speaks else Form.DATA, key)
    if _CODE.fullmatch(head) and not _SENTENCE.fullmatch(head):
        return Line(span, line, Form.DATA)
    if field and len(key.split()) <= MOST_WORDS and not _SENTENCE.fullmatch(field["value"]):
        return Line(span, line, Form.DATA if _is_assigned(field) else Form.FIELD, key)
    return Line(span, line, Form.COMMENT if _COMMENT.match(line) else Form.PLAIN)


def _is_assigned(field: re.Match[str]) -> bool:
    """Return whether a field is `key=value`, or `key = "value"`."""
    if field["mark"] == ":" or " " in field["key"]:
        return False
    around = field.string[field.end("key") : field.end("mark") + 1]
    without_blanks = not any(c.isspace() for c in around)
    return without_blanks or bool(_VALUE.match(field["value"]) or is_field_name(field["key"]))


def _is_log(line: str) -> bool:
    before, dots, after = line.rpartition(" ...")
    if dots and not after.strip() and _IDENTIFIER.search(before.rsplit(maxsplit=1)[-1] if before.strip() else ""):
        return True
    found = _LOG.fullmatch(line)
    return bool(found) and not _SAID.match(found["rest"] or "")


def is_linked(line: str) -> bool:
    """Return whether a line holds nothing but links in Markdown."""
    return bool(_LINKED.fullmatch(line[:400]))


def is_field_name(key: str) -> bool:
    """Return whether a key is written like "Content-Type" or "maxItems", and is no double first name."""
    return bool(_NAME_KEY.fullmatch(key)) and key.split("-")[0] not in given_names()


def is_machine_key(key: str) -> bool:
    """Return whether a key is an identifier or a path: "metadata.page_number", and no day: "16.10.23", "16.10."."""
    return bool(_MACHINE_KEY.fullmatch(key)) and not _DAY_KEY.fullmatch(key)


def is_lower_key(key: str) -> bool:
    """Return whether a key is one word in lower case."""
    return bool(_LOWER_KEY.fullmatch(key))
