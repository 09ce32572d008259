"""Lines that a program or a form of minutes writes and that say nothing to be remembered.

| line | what it is |
|---|---|
| Start: 19:00 · Ora di fine: 17:00 · Protokoll: Ann Lee | a field of minutes |
| Ann Lee (@annlee) · Ann Lee, Bo Day and Ida May | those who were there |
| doc: update the charter #698 | the title of an issue |
| @Ann uploaded a file: plan.png · [site] ann opened pull request #20 | what a program reports |
| [23:02:44 UTC] db.cpp:566 : Warning | output of a program |
"""

import re
from functools import cache

from brain_pipelines.stages.extraction.lexicons import LEXICONS
from brain_retrieval.language.stop_words import function_words

_WORDS = LEXICONS.every_language("prose")
_FIELD = re.compile(rf"[*_\s]{{0,4}}(?:{_WORDS.pattern('minute_times')})[*_]{{0,2}}\s?:\s*(?P<value>.{{1,80}})", re.I)
_PEOPLE = re.compile(
    rf"[*_\s]{{0,4}}(?:{_WORDS.pattern('minute_people')})[*_]{{0,2}}(?:\s?[:：]\s*|\s+)(?P<value>.{{1,200}})", re.I
)
_TIME = re.compile(r"[\d\s:.,/hH–—-]{1,40}(?:(?:uhr|am|pm|h|hs|hrs|min|[a-z]{3,4})\b[\s.;,)]{0,4}){0,2}[;.,]?", re.I)
_NAME = r"[^\W\d_a-zß-ÿ][\w.'’·-]{0,30}"
_ATTENDING = re.compile(
    rf"(?:{_NAME}\s){{1,5}}\(?@[\w-]{{1,40}}\)?(?:\s[(\[][^()\[\]]{{1,40}}[)\]]){{0,2}}\s*", re.UNICODE
)
_NAMES = re.compile(r"(?:[^\W\d_]|[\s,.&'’()-](?<! - ))+")
_ISSUE = re.compile(r"(?P<title>\S.{4,200}?)\s[(\[]?#?\d{2,6}[)\]]?\s*")
_ISSUE_NUMBER = re.compile(r"#\d{2,6}[)\]]?\s*$")
_REPORTED = re.compile(_WORDS.expression("program_reports"), re.IGNORECASE)
_OUTPUT = re.compile(
    r"[\w/.-]{1,100}\.\w{1,4}:\d{1,6}(?::\d{1,6})?\s?:\s"  # "db/raw.cpp:566 : Warning"
    r"|(?:^|\s)[\w.-]{1,40}(?:@| at )[\w.-]{1,60}:[^\s$#]{0,80}[$#]\s"  # a prompt
    r"|-----(?:BEGIN|END) [A-Z]"
)
_PACKAGE = re.compile(rf"\d[.~_](?:{_WORDS.expression('package_ends')})")  # "R-core-4.5.0-3.fc42.x86_64"
LEAST_PACKAGES = 2
LEAST_NAMES, MOST_NAMES = 4, 60  # words of a list of names
LEAST_TITLE = 3  # words of the title of an issue
_TALK = frozenset({"conversation", "message", "slack-thread", "email"})
_TOKEN = re.compile(r"[^\W\d_][\w.'’-]*")


def is_record(text: str) -> bool:
    """Return whether a line is a field of minutes, an entry of those present, or the report of a program."""
    bare = text.strip()
    return _is_field(bare) or bool(_ATTENDING.fullmatch(bare)) or _is_reported(bare)


def is_title_of_issue(text: str, source: str) -> bool:
    """Return whether a line of minutes or notes is only the title of an issue with its number."""
    if source in _TALK or not _ISSUE_NUMBER.search(text) or not (found := _ISSUE.fullmatch(text.strip())):
        return False
    words = [word.casefold() for word in _TOKEN.findall(found["title"])]
    if len(words) < LEAST_TITLE or words[-1] in _before_numbers() or found["title"].rstrip().endswith(("&", ",", "+")):
        return False
    return _persons().isdisjoint(words)


def is_list_of_names(text: str) -> bool:
    """Return whether a text has only words with capital letters and what joins them: "Ann Lee, Bo Day and Ida May"."""
    words = [word.rstrip(".") for word in _TOKEN.findall(text)]
    large = [word for word in words if word[:1].isupper()]
    if len(large) < LEAST_NAMES or len(words) > MOST_NAMES or not _NAMES.fullmatch(text.strip()):
        return False
    return all(word[:1].isupper() or word in _WORDS.words("name_joints") for word in words)


def _is_field(text: str) -> bool:
    if (found := _FIELD.fullmatch(text)) and _TIME.fullmatch(found["value"]):
        return True
    named = _PEOPLE.fullmatch(text)
    if named is None:
        return False
    names = _TOKEN.findall(named["value"])
    joining = _WORDS.words("name_joints")
    return bool(names) and all(word[:1].isupper() or word in joining or f"@{word}" in text for word in names)


def _is_reported(text: str) -> bool:
    if _REPORTED.fullmatch(text) or _OUTPUT.search(text):
        return True
    return len(_PACKAGE.findall(text)) >= LEAST_PACKAGES


@cache
def _before_numbers() -> frozenset[str]:
    """Return the words after which a number is that of a thing named in a sentence: "in", "PR"."""
    return _WORDS.words("before_issue") | function_words("en")


@cache
def _persons() -> frozenset[str]:
    persons = LEXICONS.every_language("persons")
    said = persons.words("first") | persons.words("first_plural") | persons.words("second")
    return said | _WORDS.words("issue_verbs")
