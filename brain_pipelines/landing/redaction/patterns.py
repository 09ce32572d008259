"""Recognisers of personal data with a recognisable format: addresses, numbers with check digits, secrets.

Each yields spans of one kind. A format shared with ordinary numbers is only accepted with a valid check digit or next
to a word that names it. Names of people have no format; see `names.py`.
"""

import ipaddress
import re
from collections.abc import Callable, Iterator

from brain_pipelines.landing.redaction.checksums import (
    IBAN_LENGTHS,
    is_base58_address,
    is_bech32_address,
    is_card,
    is_iban,
)
from brain_pipelines.landing.redaction.credentials import find_secrets
from brain_pipelines.landing.redaction.found import Found, digits_of, without_overlaps
from brain_pipelines.landing.redaction.identities import find_identities
from brain_pipelines.landing.redaction.places import find_births, find_streets
from brain_pipelines.landing.redaction.telephones import find_phones

_EMAIL = re.compile(r"(?<![\w.+%-])[\w.+%'-]{1,64}@(?:[^\W_](?:[\w-]{0,61}[^\W_])?\.)+[^\W\d_]{2,24}(?![\w-])")
_CARD = re.compile(r"\d(?<![\w.+-]\d)(?:[ .-]?\d){12,18}(?![\w-])")
_IBAN = re.compile(r"(?<![A-Za-z0-9])[A-Za-z]{2}\d{2}(?=[ ]?[A-Za-z0-9]{4})")
_IPV4 = re.compile(r"\d(?<![\w.]\d)\d{0,2}\.(?:\d{1,3}\.){2}\d{1,3}(?![\w]|\.\d)")
_IPV6 = re.compile(r"(?<![\w:.])(?:[0-9A-Fa-f]{0,4}:){3,7}[0-9A-Fa-f]{0,4}(?![\w:])")
_SECTION = re.compile(r"\d\.\d\.\d\.\d")  # section numbers and version numbers look like IPv4 addresses
_VERSION = re.compile(r"(?i)(?:\bversion|\bv|\brelease|\bbuild)[ .]?$")
_BASE58 = re.compile(r"[13](?<!\w[13])[1-9A-HJ-NP-Za-km-z]{25,34}(?!\w)")
_BECH32 = re.compile(r"(?<!\w)(?:bc|tb|ltc)1[02-9ac-hj-np-z]{11,71}(?!\w)")
_ETHER = re.compile(r"0(?<!\w0)x[0-9a-fA-F]{40}(?!\w)")


def find_patterns(text: str) -> list[Found]:
    """Return the personal data in a text, in order and without overlaps; the more reliable kind wins."""
    found = [one for recognise in RECOGNISERS for one in recognise(text)]
    return without_overlaps(found)


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
        if is_card(digits := digits_of(match[0])):
            yield Found(match.start(), match.end(), "CARD", digits)


def _crypto(text: str) -> Iterator[Found]:
    for pattern, holds in ((_BASE58, is_base58_address), (_BECH32, is_bech32_address), (_ETHER, bool)):
        for match in pattern.finditer(text):
            if holds(match[0]):
                yield Found(match.start(), match.end(), "CRYPTO", match[0])


def _addresses(text: str) -> Iterator[Found]:
    for match in (*_IPV4.finditer(text), *_IPV6.finditer(text)):
        try:
            address = ipaddress.ip_address(match[0])
        except ValueError:
            continue
        before = text[max(0, match.start() - 9) : match.start()]
        no_host = address.is_loopback or address.is_unspecified or (address.version == 4 and address.packed[0] == 255)
        if no_host or _VERSION.search(before) or _SECTION.fullmatch(match[0]):
            continue
        yield Found(match.start(), match.end(), "IP", str(address))


# Most reliable first: of two overlapping spans the first wins.
RECOGNISERS: tuple[Callable[[str], Iterator[Found]], ...] = (
    find_secrets,
    _emails,
    _ibans,
    _cards,
    _crypto,
    _addresses,
    find_identities,
    find_births,
    find_phones,
    find_streets,
)
