"""Compact forms of keys and JSON texts in the embedded graph. Both are exact: any key and any text comes back.

A key `<kind>_<24 hex digits>` becomes 13 bytes. A JSON text is shortened in three steps: values that the columns of the
row hold too become one byte each, ids and times become 13 and 9 bytes, and the rest is compressed (DEFLATE) against a
dictionary of typical rows. Control characters mark the parts, as JSON has none.
"""

import re
import zlib
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache, partial
from json.encoder import encode_basestring

from brain_retrieval.stores.graph.protocol import EDGE_KINDS

Key = bytes | str

# Positions are stored: append only, or raise the layout of the tables.
KINDS = ("entity", "fact", "literal", "macro", "note", "source", "storyline", "evidence", *EDGE_KINDS)
_NUMBER = {kind: number for number, kind in enumerate(KINDS)}
_KEY = re.compile(r"([A-Za-z_]+)_([0-9a-f]{24})")
# Both begin with literal characters, which makes scanning several times faster.
_ID = re.compile(rb"_([0-9a-f]{24})(?![0-9a-f])")
_TIME = re.compile(rb'":([0-9]{16})(?=[,}])')
_PACKED = re.compile(rb"\x01(.{12})|\x02(.{7})", re.DOTALL)
FIRST = 3  # the byte that stands for the first of a row's own values
MOST = 6  # own values
WINDOW, MEMORY = -13, 5  # raw DEFLATE over 8 KB: most of the time of a short text is spent on setting up


def pack_key(key: str) -> Key:
    """Return the stored form of a key: bytes, or the key itself if it is not of the usual form."""
    found = _KEY.fullmatch(key)
    number = _NUMBER.get(found[1]) if found else None
    return key if found is None or number is None else bytes([number]) + bytes.fromhex(found[2])


@lru_cache(maxsize=16_384)
def unpack_key(stored: Key) -> str:
    """Return the key of a stored form."""
    return stored if isinstance(stored, str) else f"{KINDS[stored[0]]}_{stored[1:].hex()}"


class TextCodec:
    """Packs and unpacks the JSON texts of one table."""

    def __init__(self, dictionary: bytes) -> None:
        # Copies of a prepared compressor are several times faster than new ones.
        self._compressor = zlib.compressobj(6, zlib.DEFLATED, WINDOW, MEMORY, zdict=dictionary)
        self._dictionary = dictionary

    def pack(self, text: str, own: Sequence[str | int | None] = ()) -> bytes:
        """Return the packed form of a text; `own` are values of the row's columns."""
        compressor = self._compressor.copy()
        return compressor.compress(shorten(text, own)) + compressor.flush()

    def unpack(self, packed: bytes, own: Sequence[str | int | None] = ()) -> str:
        """Return the text; `own` as it was packed with."""
        short = zlib.decompressobj(WINDOW, zdict=self._dictionary).decompress(packed)
        text = _PACKED.sub(_long, short)
        for mark, value in _marked(own):
            text = text.replace(mark, value)
        return text.decode()

    def later(self, packed: bytes, own: Sequence[str | int | None] = ()) -> Callable[[], str]:
        """Return a function that unpacks when called."""
        return partial(self.unpack, packed, own)


def shorten(text: str, own: Sequence[str | int | None]) -> bytes:
    """Return a text before compression, with marks in place of own values, ids and times."""
    short = text.encode()
    for mark, value in _marked(own):
        short = short.replace(value, mark)
    short = _ID.sub(_short_id, short)
    return _TIME.sub(_short_time, short)


def codecs(dictionaries: Mapping[str, bytes]) -> dict[str, TextCodec]:
    """Return the codec of each table."""
    return {table: TextCodec(dictionary) for table, dictionary in dictionaries.items()}


def _marked(own: Sequence[str | int | None]) -> list[tuple[bytes, bytes]]:
    """Return each own value as JSON has it, with the byte that stands for it."""
    found = []
    for number, value in enumerate(own[:MOST], FIRST):
        if value is not None and (not isinstance(value, int) or value >= 10**9):
            text = str(value) if isinstance(value, int) else encode_basestring(value)
            found.append((bytes([number]), text.encode()))
    return found


def _short_id(found: re.Match[bytes]) -> bytes:
    return b"\x01" + bytes.fromhex(found[1].decode())


def _short_time(found: re.Match[bytes]) -> bytes:
    return b'":\x02' + int(found[1]).to_bytes(7, "big")


def _long(found: re.Match[bytes]) -> bytes:
    if found[1] is not None:
        return b"_" + found[1].hex().encode()
    return b"%016d" % int.from_bytes(found[2], "big")
