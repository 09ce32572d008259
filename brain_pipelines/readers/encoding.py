"""Bytes to characters: byte order mark, UTF-8, declared encoding, then a guess. The result is "the decoded original"
that `raw_start`/`raw_end` count in, so nothing is normalised here.

A file of mixed encodings is decoded line by line; text that was decoded wrongly before it reached us (mojibake)
is corrected by `repair_mojibake`, after the spans have been recorded.
"""

from collections.abc import Container
from dataclasses import dataclass, field
from pathlib import Path

from brain_pipelines.readers.text_shape import WIDE_BOMS, is_text, utf16_without_mark
from brain_retrieval.errors import BadInputError
from brain_retrieval.settings import Limits

_BOMS = ((b"\xef\xbb\xbf", "utf-8-sig"), *WIDE_BOMS)
_WIDE = ["utf_16", "utf_16_be", "utf_16_le", "utf_32", "utf_32_be", "utf_32_le"]
MEGABYTE = 1 << 20
# Beginnings of the names of encodings that files of the last thirty years have; others are of DOS and mainframes.
_USUAL = ("cp125", "iso8859", "iso2022", "gb", "big5", "shift", "euc", "koi8", "tis", "cp93", "cp94", "cp95")
_ONE_BYTE = ("cp1252", "cp1250", "iso8859_2", "cp1254", "cp1257", "cp1251", "koi8_r", "cp1253", "cp1255")
SAME_LETTERS = 0.5
_LETTERS = frozenset("äöüÄÖÜßéèêëÉÈÊàâáãåæÀÁÃÅÆçÇñÑíìîïÍóòôõøÓÔÕØœŒúùûÚÙ")
_JOINING = frozenset("’·–\xad")
_MARKS = frozenset("„“”‚‘«»‹›—…•€£§°º²³½©®™¿¡´\xa0") | _JOINING


@dataclass(frozen=True)
class Decoded:
    """Decoded text, its original encoding ("mixed" for several) and the corrections made."""

    text: str
    encoding: str
    repairs: list[str] = field(default_factory=list)


def check_size(path: Path, limit: int) -> int:
    """Return the size of a file in bytes.

    Raises:
        BadInputError: if it is 0 or above `limit`; nothing has been read then.
    """
    size = path.stat().st_size
    if size == 0:
        raise BadInputError("empty file (0 bytes)")
    if size > limit:
        raise BadInputError(f"too large: {size / MEGABYTE:.1f} MB, the limit is {limit / MEGABYTE:.1f} MB")
    return size


def read_decoded(path: Path, limits: Limits, *, declared: str | None = None) -> Decoded:
    """Return the text of a file of at most `limits.max_file_bytes`.

    Raises:
        BadInputError: empty, too large, or not a text.
    """
    check_size(path, limits.max_file_bytes)
    return decode(path.read_bytes(), declared=declared)


def decode(data: bytes, *, declared: str | None = None) -> Decoded:
    """Return the characters of `data`.

    Args:
        data: a whole file.
        declared: the encoding that the file itself names; believed if the bytes agree.

    Raises:
        BadInputError: if the bytes are not a text.
    """
    for mark, name in _BOMS:
        if data.startswith(mark):
            return Decoded(data.decode(name, "replace"), name)
    if not is_text(data[: 1 << 16]):
        raise BadInputError("not a text: binary data")
    if wide := utf16_without_mark(data):
        return Decoded(data.decode(wide, "replace"), wide)
    for name in ("utf-8", declared):
        if name and (text := _strict(data, name)) is not None:
            return Decoded(text, name.lower())
    return _decode_lines(data) or _guess(data)


def _strict(data: bytes, encoding: str) -> str | None:
    try:
        return data.decode(encoding)
    except (UnicodeDecodeError, LookupError):
        return None


def _decode_lines(data: bytes) -> Decoded | None:
    """Return the text if some lines with non-ASCII bytes are UTF-8 and some are not, else None."""
    lines = data.split(b"\n")
    strict = [_strict(line, "utf-8") for line in lines]
    wrong = [n for n, text in enumerate(strict) if text is None]
    wide = sum(1 for n, text in enumerate(strict) if text is not None and not lines[n].isascii())
    if not wide:
        return None
    # The lines that are not UTF-8 share one origin, so their encoding is guessed together: one line is not enough.
    others = b"\n".join(lines[n] for n in wrong)
    encoding = _of_same_letters(others, "".join(text for text in strict if text)) or _guess(others).encoding
    for n in wrong:
        strict[n] = lines[n].decode(encoding, "replace")
    numbers = ", ".join(str(n + 1) for n in wrong[:20]) + (f" and {len(wrong) - 20} more" if len(wrong) > 20 else "")
    repair = f"mixed encodings: UTF-8, but {encoding} in line {numbers}"
    return Decoded("\n".join(text or "" for text in strict), "mixed", [repair])


def _of_same_letters(data: bytes, text: str) -> str | None:
    """Return the encoding in which bytes have the most letters of `text`, of the same file; None if that is under half.

    A few words are too little for a guess by themselves: Polish ones were read as Japanese.
    """
    known = {char for char in text.casefold() if not char.isascii() and char.isalpha()}
    shares = {name: _share_of(decoded, known) for name in _ONE_BYTE if (decoded := _strict(data, name)) is not None}
    best = max(shares, key=lambda name: shares[name], default=None)  # the first of several, which is the most common
    return best if best and shares[best] >= SAME_LETTERS else None


def _share_of(text: str, known: Container[str]) -> float:
    found = [char for char in text.casefold() if not char.isascii()]
    return sum(char in known for char in found) / len(found) if found else 0.0


def _guess(data: bytes) -> Decoded:
    from charset_normalizer import from_bytes

    # Some single-byte table always fits; the detector prefers the one whose text reads least like noise. On short
    # texts that is a draw between many, which the most common of them wins.
    matches = from_bytes(data[:MEGABYTE], cp_exclusion=_WIDE)
    best = matches.best()
    western = next((m for m in matches if "cp1252" in (m.encoding, *m.could_be_from_charset)), None)
    if best is None or (western and western.chaos <= best.chaos + 0.1 and western.coherence >= best.coherence - 0.1):
        encoding = "cp1252"
    else:
        encoding = best.encoding
    if not encoding.startswith(_USUAL) and _reads_western(data[:MEGABYTE]):
        encoding = "cp1252"
    text = data.decode(encoding, "replace")
    if text == _strict(data, "cp1252"):  # the likelier name for the same characters
        encoding = "cp1252"
    return Decoded(text, encoding, [f"not UTF-8; read as {encoding}"])


def _reads_western(data: bytes) -> bool:
    """Return whether the bytes read in cp1252 are words of western Europe: no mark or rare letter within a word.

    A short text gives the detector too little: "Tür" was read as "T³r", in the code page of Baltic DOS.
    """
    text = _strict(data, "cp1252")
    if text is None:
        return False
    for at, char in enumerate(text):
        if char.isascii() or char in _LETTERS:
            continue
        within = at > 0 and text[at - 1].isalpha() and text[at + 1 : at + 2].isalpha()
        if char not in _MARKS or (within and char not in _JOINING):
            return False
    return True


def repair_mojibake(text: str) -> str:
    """Return `text` with characters restored that an earlier program decoded with the wrong table ("Ã©" for "é")."""
    if text.isascii():
        return text
    from ftfy import fix_encoding
    from ftfy.badness import is_bad

    return "\n".join(fix_encoding(line) if is_bad(line) else line for line in text.split("\n"))
