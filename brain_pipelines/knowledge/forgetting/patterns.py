"""The needles of a check, prepared once, and whether bytes or rows hold one of them.

Two engines look for many patterns at once. RE2, by PyArrow, is three to four times as fast as the automaton of Polars,
but only while its own automaton fits into its memory: measured on bytes of texts and of vectors, up to about 13,000
characters of patterns; above 17,000 it is some twenty times slower. So it says whether there is anything, where the
patterns are few, and Polars does otherwise and says which ones there are.
"""

import re
from collections.abc import Collection, Iterator
from io import BytesIO

import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.compute as pc

GROUP_CHARS, MOST_GROUPS = 6_000, 2
_PLAIN = re.compile(r"[0-9a-z ]")


class Patterns:
    """Texts to look for, with A to Z and a to z taken for the same.

    Args:
        texts: as they are said; empty ones are left out.
        packed: bytes to look for, read as Latin-1, in lower case.
    """

    def __init__(self, texts: Collection[str], packed: Collection[str] = ()) -> None:
        # As they look when UTF-8 bytes are read as Latin-1, with A to Z in lower case.
        self.texts = sorted(({text.encode().lower().decode("latin-1") for text in texts} | set(packed)) - {""})
        self._groups = _regular_expressions(self.texts)

    def found(self, content: bytes | bytearray) -> int:
        """Return how many of the patterns occur in bytes."""
        if not self.texts or not self.may_be_in(content):
            return 0
        text = pl.Series([content.lower().decode("latin-1")])
        if not text.str.contains_any(self.texts)[0]:  # several times as fast as listing what there is
            return 0
        return text.str.extract_many(self.texts, overlapping=True).explode().drop_nulls().n_unique()

    def found_in_rows(self, rows: pa.RecordBatch) -> int:
        """Return how many of the patterns occur in rows, written as lines of JSON."""
        if not self.texts or not self.found(b"\n".join(part for column in rows.columns for part in _texts(column))):
            return 0
        written = BytesIO()
        pl.DataFrame(pl.from_arrow(rows)).write_ndjson(written)
        return self.found(written.getvalue())

    def may_be_in(self, content: bytes | bytearray) -> bool:
        """Return False if none of the patterns occurs in bytes, and nearly always True only if one does."""
        if not self._groups or not content:
            return bool(content)
        offsets = pa.py_buffer(np.array([0, len(content)], dtype=np.int64))
        value = pa.Array.from_buffers(pa.large_binary(), 1, [None, offsets, pa.py_buffer(content)])
        options = [pc.MatchSubstringOptions(group) for group in self._groups]
        return any(pc.call_function("match_substring_regex", [value], one)[0].as_py() for one in options)


def _regular_expressions(texts: list[str]) -> list[str]:
    """Return expressions for RE2 that find at least what `texts` are found in; none if they are too many for it."""
    groups, size = [list[str]()], 0
    for text in texts:
        if size + len(text) > GROUP_CHARS and groups[-1]:
            groups.append([])
            size = 0
        groups[-1].append("".join(one if _PLAIN.match(one) else f"\\x{{{ord(one):02x}}}" for one in text))
        size += len(text)
    return ["(?i)" + "|".join(group) for group in groups if group] if len(groups) <= MOST_GROUPS else []


def _texts(column: pa.Array) -> Iterator[bytes]:
    """Yield the texts within a column, one after the other as they lie in memory."""
    kind = column.type
    if pa.types.is_dictionary(kind):
        yield from _texts(column.dictionary)
    elif pa.types.is_nested(kind):
        parts = column.flatten()  # of a list its values, of a struct its fields
        for part in parts if isinstance(parts, list) else [parts]:
            yield from _texts(part)
    elif not (pa.types.is_primitive(kind) or pa.types.is_null(kind) or pa.types.is_decimal(kind)):
        plain = column.cast(pa.large_binary())
        _, offsets, content = plain.buffers()
        if len(plain) and content is not None:
            bounds = np.frombuffer(offsets, np.int64)[plain.offset : plain.offset + len(plain) + 1]
            yield content[int(bounds[0]) : int(bounds[-1])]
