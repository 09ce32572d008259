"""Recognisers of personal data with a recognisable format: addresses, numbers with check digits, secrets.

Each yields spans of one kind. A format shared with ordinary numbers is only accepted with a valid check digit or next
to a word that names it. Names of people have no format; see `names.py`.
"""

import ipaddress
import re
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from brain_pipelines.landing.redaction.checksums import (
    IBAN_LENGTHS,
    is_base58_address,
    is_bech32_address,
    is_card,
    is_iban,
)

VERSION = "1"


@dataclass(frozen=True)
class Found:
    """Characters `start` to `end` are personal data; `key` is the normalised value, equal for every spelling."""

    start: int
    end: int
    kind: str
    key: str


_EMAIL = re.compile(r"(?<![\w.+%-])[\w.+%'-]{1,64}@(?:[^\W_](?:[\w-]{0,61}[^\W_])?\.)+[^\W\d_]{2,24}(?![\w-])")
_CARD = re.compile(r"(?<![\w.+-])\d(?:[ -]?\d){12,18}(?![\w-])")
_IBAN = re.compile(r"(?<![A-Za-z0-9])[A-Za-z]{2}\d{2}(?=[ ]?[A-Za-z0-9]{4})")
_SSN = re.compile(r"(?<![\w-])(?!000|666|9)\d{3}([- ])(?!00)\d{2}\1(?!0000)\d{4}(?![\w-])")
_SSN_NAMED = re.compile(
    r"(?i)\b(?:ssn|social security(?: number| no\.?)?)\W{0,4}(?:is\W{1,2})?(\d{3}-?\d{2}-?\d{4})(?!\d)"
)
_IPV4 = re.compile(r"(?<![\w.])(?:\d{1,3}\.){3}\d{1,3}(?![\w]|\.\d)")
_IPV6 = re.compile(r"(?<![\w:.])(?:[0-9A-Fa-f]{0,4}:){3,7}[0-9A-Fa-f]{0,4}(?![\w:])")
_SECTION = re.compile(r"\d\.\d\.\d\.\d")  # section numbers and version numbers look like IPv4 addresses
_VERSION = re.compile(r"(?i)(?:\bversion|\bv|\brelease|\bbuild)[ .]?$")
_BASE58 = re.compile(r"(?<!\w)[13][1-9A-HJ-NP-Za-km-z]{25,34}(?!\w)")
_BECH32 = re.compile(r"(?<!\w)(?:bc|tb|ltc)1[02-9ac-hj-np-z]{11,71}(?!\w)")
_ETHER = re.compile(r"(?<!\w)0x[0-9a-fA-F]{40}(?!\w)")
_EXTENSION = r"(?: ?(?:x|ext\.?) ?\d{1,6})?"
_PHONE_WORLD = re.compile(
    # many other numbers begin with 00, so require separators or the length of an international number
    rf"(?:(?<![\w+])\+(?=[1-9])|(?<![\w+./-])00(?=[1-9]\d{{0,2}}[ ()/.\u00a0-]|[1-9]\d{{9}}))"
    rf"\d(?:[ .()\u00a0/-]{{0,2}}\d){{6,14}}{_EXTENSION}(?!\w)"
)
_PHONE_US = re.compile(
    rf"(?<![\w.+-])(?:1[ .-])?(?:\([2-9]\d\d\) ?|[2-9]\d\d([ .-]))[2-9]\d\d(?(1)\1|[ .-])\d{{4}}{_EXTENSION}(?![\w-])"
)
_PHONE_NAMED = re.compile(
    r"(?i)(?<![\w./])(?:tel(?:efon|ephone|éfono|éphone)?|phone|mobile?|cell|handy|fax|whatsapp|ring|"
    r"call(?: me| her| him)?(?: at| on)?|text me(?: at| on)?|nummer|número|numéro)\b\.?[ :#]*"
    r"(?:number |no\.? |is |ist )?(\(?\d(?:[ ./()-]{0,3}\d){5,14})(?!\w)"
)
_PASSPORT = re.compile(
    r"(?i)\b(?:passport|reisepass|pasaporte|passeport|passaporte?|driver'?s licen[cs]e|id card|ausweis)(?:nummer)?"
    r"(?: number| no\.?| nr\.?| n[º°]\.?)?\W{0,3}(?:is |ist )?((?=[a-z]*\d[a-z]*\d)[a-z0-9]{6,12})(?!\w)"
)
_SECRETS = (
    re.compile(
        r"-----BEGIN [A-Z0-9 ]{0,30}PRIVATE KEY(?: BLOCK)?-----(?:[^-]|-(?!----)){0,20000}"
        r"(?:-----END [A-Z0-9 ]{0,30}PRIVATE KEY(?: BLOCK)?-----)?"
    ),
    re.compile(r"(?<!\w)(?:AKIA|ASIA|AROA|AIDA)[0-9A-Z]{16}(?!\w)"),
    re.compile(r"(?<!\w)(?:gh[pousr]_[A-Za-z0-9]{30,}|github_pat_\w{22,}|glpat-[\w-]{20,}|npm_[A-Za-z0-9]{36})"),
    re.compile(r"(?<!\w)(?:sk|rk|pk)[-_](?:live_|test_|proj-|ant-|or-)?[\w-]{18,}"),
    re.compile(r"(?<!\w)xox[abeprs]-[\w-]{10,}"),
    re.compile(r"(?<!\w)(?:AIza[\w-]{35}|ya29\.[\w-]{20,}|hf_[A-Za-z0-9]{30,}|pypi-[\w-]{40,})"),
    re.compile(r"(?<![\w-])eyJ[\w-]{8,}\.eyJ[\w-]{8,}\.[\w-]{8,}"),
    re.compile(r"(?<=://)[^\s/:@]{1,128}:[^\s/@]{1,128}(?=@)"),
)
_PASSWORD = re.compile(
    r"(?i)(?:\b|_)(pass(?:word|wd|phrase|code|wort)|pwd|kennwort|contraseña|senha|mot de passe|secret(?:[_ ]key)?|"
    r"api[_ -]?key|(?:access|auth|bearer)[_ -]?token|pin)\b[\"']?(\s*[:=]\s*|\s+(?:is|ist|es|est|é|to)\s+)"
    r"[\"'`“]?([^\s\"'`“”,;]{4,128})"
)
_ORDINARY = frozenset(
    "required optional none null string true false text here change changed wrong reset empty".split()
)


def find_patterns(text: str) -> list[Found]:
    """Return the personal data in a text, in order and without overlaps; the more reliable kind wins."""
    found = [one for recognise in RECOGNISERS for one in recognise(text)]
    return without_overlaps(found)


def without_overlaps(found: Iterable[Found]) -> list[Found]:
    """Return the spans that overlap no earlier span of the input, sorted by position."""
    kept: list[Found] = []
    for one in found:
        at = bisect_left(kept, one.start, key=lambda f: f.start)
        free = at == 0 or kept[at - 1].end <= one.start
        if free and (at == len(kept) or one.end <= kept[at].start):
            kept.insert(at, one)
    return kept


def _digits(text: str) -> str:
    return "".join(char for char in text if char.isdigit())


def _secrets(text: str) -> Iterator[Found]:
    for pattern in _SECRETS:
        for match in pattern.finditer(text):
            yield Found(match.start(), match.end(), "SECRET", match[0])
    for match in _PASSWORD.finditer(text):
        value = match[3].rstrip(".)?")
        if _is_password(match[1].lower(), match[2], value):
            yield Found(match.start(3), match.start(3) + len(value), "SECRET", value)


def _is_password(name: str, joint: str, value: str) -> bool:
    """Return whether the value is a secret and not a remark such as "password: required"."""
    if len(value) < 4 or value.lower() in _ORDINARY or value.startswith(("[", "<", "{", "$", "*")):
        return False
    if name == "pin":
        return value.isdigit() and len(value) <= 8
    mixed = any(c.isdigit() for c in value) and any(not c.isdigit() for c in value)
    odd = mixed or any(not c.isalnum() and c not in "-_." for c in value)
    plain = name.startswith("pass") or name in ("pwd", "kennwort", "contraseña", "senha", "mot de passe")
    return odd or (plain and joint.strip() in (":", "=") and len(value) >= 6)


def _emails(text: str) -> Iterator[Found]:
    for match in _EMAIL.finditer(text):
        start = match.start() + len(match[0]) - len(match[0].lstrip("'.%-"))
        yield Found(start, match.end(), "EMAIL", text[start : match.end()].casefold())


def _ibans(text: str) -> Iterator[Found]:
    for match in _IBAN.finditer(text):
        size = IBAN_LENGTHS.get(match[0][:2].upper())
        compact, position = "", match.start()
        while size and len(compact) < size and position < len(text):
            if text[position].isalnum():
                compact += text[position].upper()
            elif text[position] not in " -\u00a0":
                break
            position += 1
        if size and len(compact) == size and not text[position : position + 1].isalnum() and is_iban(compact):
            yield Found(match.start(), position, "IBAN", compact)


def _cards(text: str) -> Iterator[Found]:
    for match in _CARD.finditer(text):
        if is_card(digits := _digits(match[0])):
            yield Found(match.start(), match.end(), "CARD", digits)


def _crypto(text: str) -> Iterator[Found]:
    for pattern, holds in ((_BASE58, is_base58_address), (_BECH32, is_bech32_address), (_ETHER, bool)):
        for match in pattern.finditer(text):
            if holds(match[0]):
                yield Found(match.start(), match.end(), "CRYPTO", match[0])


def _social_security(text: str) -> Iterator[Found]:
    for match in _SSN_NAMED.finditer(text):
        yield Found(match.start(1), match.end(1), "SSN", _digits(match[1]))
    for match in _SSN.finditer(text):
        yield Found(match.start(), match.end(), "SSN", _digits(match[0]))


def _addresses(text: str) -> Iterator[Found]:
    for match in (*_IPV4.finditer(text), *_IPV6.finditer(text)):
        try:
            address = ipaddress.ip_address(match[0])
        except ValueError:
            continue
        before = text[max(0, match.start() - 9) : match.start()]
        if address.is_loopback or address.is_unspecified or _VERSION.search(before) or _SECTION.fullmatch(match[0]):
            continue
        yield Found(match.start(), match.end(), "IP", str(address))


def _passports(text: str) -> Iterator[Found]:
    for match in _PASSPORT.finditer(text):
        yield Found(match.start(1), match.end(1), "ID", match[1].upper())


def _phones(text: str) -> Iterator[Found]:
    for pattern, group in ((_PHONE_WORLD, 0), (_PHONE_US, 0), (_PHONE_NAMED, 1)):
        for match in pattern.finditer(text):
            digits = _digits(match[group])
            if 7 <= len(digits) <= 21 and not (group == 0 and len(digits) < 8):
                yield Found(match.start(group), match.end(group), "PHONE", digits.removeprefix("00"))


# Most reliable first: of two overlapping spans the first wins.
RECOGNISERS: tuple[Callable[[str], Iterator[Found]], ...] = (
    _secrets,
    _emails,
    _ibans,
    _cards,
    _crypto,
    _social_security,
    _addresses,
    _passports,
    _phones,
)
