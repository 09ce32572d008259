"""Test whether a text begins like an e-mail: with a combination of headers that hardly occurs in other texts.

Standard library only and bounded, because it runs at every landing.
"""

import re

_HEADER = re.compile(rb"([A-Za-z][A-Za-z0-9-]{1,60}):[ \t\r\n]")
_USUAL = frozenset(
    b"from to cc subject date received message-id mime-version return-path delivered-to content-type reply-to".split()
)
_CERTAIN = frozenset(b"received message-id mime-version return-path delivered-to".split())
MAX_HEADERS = 200


def header_block(start: bytes) -> bytes:
    """Return the bytes before the first empty line."""
    return re.split(rb"\r?\n\r?\n", start, maxsplit=1)[0]


def header_names(start: bytes) -> set[bytes]:
    """Return the names of the headers that a text begins with, in lower case; empty if it begins otherwise."""
    if not _HEADER.match(start):
        return set()
    lines = [line for line in header_block(start).splitlines() if line[:1] not in (b" ", b"\t")]
    return {found[1].lower() for line in lines[:MAX_HEADERS] if (found := _HEADER.match(line + b"\n"))}


def is_mail(names: set[bytes]) -> bool:
    """Return whether headers with these names are those of a mail."""
    return len(names & _USUAL) >= 3 and bool(names & _CERTAIN or names >= {b"from", b"subject"})
