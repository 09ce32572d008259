"""Word lists for closings, device lines and disclaimers in mails, in several languages.

Those of thirteen languages come from mail-parser-reply, a maintained list, with additions. Its regular expressions over
whole texts are not used, because they take exponential time.
"""

import re
from functools import cache

from brain_pipelines.readers.lexicons import LEXICONS

_MAIL = LEXICONS.every_language("mail")
FROM_FIELDS = _MAIL.expression("from_fields")
SUBJECT_FIELDS = _MAIL.expression("subject_fields")
OTHER_FIELDS = _MAIL.expression("other_fields")
_FORWARD, _REPLY = _MAIL.expression("forward_prefixes"), _MAIL.expression("reply_prefixes", "forward_prefixes")
FORWARD_SUBJECT = re.compile(rf"\s*(?:\[[^\]]{{1,40}}\]\s*)?(?:{_FORWARD})\s*:", re.I)
REPLY_PREFIX = re.compile(rf"\s*(?:(?:{_REPLY})(?:\s*[\[(]?\d+[\])]?)?\s*[:：]|\[[^\]]{{1,40}}\])", re.I)
_FORWARDED = _MAIL.expression("forwarded")
FORWARDED = re.compile(rf"[-_*\s]*+(?:{_FORWARDED})\b.{{0,60}}|[-_*\s]{{5,}}+(?:{_FORWARDED})\b.{{0,160}}", re.I)
ORIGINAL = re.compile(rf"[-_*\s]{{3,}}+(?:{_MAIL.expression('original')})[-_*\s]*", re.I)
WROTE = re.compile(rf"\b(?:{_MAIL.expression('wrote')})", re.I)
_NAMED = r"[^\W\d_a-zß-ÿ][\w.'’-]{0,25}(?: (?:(?:de|da|van|von|der|la|le) ){0,2}[^\W\d_a-zß-ÿ][\w.'’-]{0,25}){1,3}"
# "…, Ann Lee <ann@example.org> wrote:", "… schrieb Ann Lee <ann@example.org>:"; the words of a day are no name.
_BY, _IN_BRACKETS = _MAIL.expression("wrote"), r"(?:[<(\[]{1,2}[^<>()\[\]]{3,160}[>)\]]{1,2})?"
WROTE_BY = re.compile(
    rf"(?<![\w.])\"?(?P<before>{_NAMED})\"?,?\s?{_IN_BRACKETS},?\s?(?i:\b(?:a\s)?(?:{_BY}))"
    rf"|(?i:\b(?:{_BY}))\s\"?(?P<behind>{_NAMED})\"?\s?{_IN_BRACKETS}\s?:"
)
BEHALF = re.compile(rf"\b(?:{_MAIL.expression('behalf')})\s+(?P<name>[^<>\[\];:]{{2,60}})", re.I)
_STARTS, _DAYS = _MAIL.expression("starts"), _MAIL.expression("weekdays")
STARTS = re.compile(rf"(?:(?:{_STARTS})\s|\d|(?:{_DAYS})\w{{0,7}}[,.]?\s)", re.I)
WHEN = re.compile(r"\d{1,2}[:.h]\d{2}|\b(?:19|20)\d\d\b|\d{1,2}[./-]\d{1,2}[./-]\d{2}|年")
ADDRESS = re.compile(r"[^\s<>@]{1,64}@[^\s<>@]{1,250}|(?<=[<(])[^\s<>@]{1,64} at [^\s<>@]{1,250}(?=[>)])")  # archives
PHONE = re.compile(r"(?:\+|\(?\d)[\d\s().\-/]{6,20}\d")
LINK = re.compile(r"https?://\S|\bwww\.\S", re.I)
DASHES = re.compile(r"\s*(?:[-_—–=*~#][\s.]?){1,120}\s*")
DISCLAIMER = re.compile(_MAIL.expression("disclaimers"), re.I | re.S)


@cache
def closings() -> re.Pattern[str]:
    """Return a pattern for a whole line that is the closing of a letter ("Best regards,")."""
    return re.compile(rf"\s*(?:{'|'.join([_MAIL.expression('closings'), *_listed('signatures')])})[\s,.!;:–-]*", re.I)


@cache
def device_lines() -> re.Pattern[str]:
    """Return a pattern for the beginning of a line that a mail program appends ("Sent from my …")."""
    return re.compile(rf"\s*(?:{'|'.join([_MAIL.expression('device_lines'), *_listed('sent_from')])})\b", re.I)


@cache
def disclaimer_marks() -> re.Pattern[str]:
    """Return a pattern for the beginning of a paragraph that may be a disclaimer."""
    return re.compile(rf"\s*+(?:{'|'.join(_listed('disclaimers'))})", re.I)


def _listed(key: str) -> list[str]:
    from mailparser_reply.constants import MAIL_LANGUAGES

    found: list[str] = []
    for words in MAIL_LANGUAGES.values():
        listed = words.get(key) or []
        found += [listed] if isinstance(listed, str) else listed
    return [one.rstrip(",") for one in found if one and one != r"/\w+"]
