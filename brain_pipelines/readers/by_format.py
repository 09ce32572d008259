"""Dispatch of a file to the reader of its detected format; a suffix that disagrees becomes a repair."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path, PurePosixPath

from brain_pipelines.readers.contract import Reading
from brain_pipelines.readers.document.plain_text import FORMAT as TEXT
from brain_pipelines.readers.extracted import AS_DETECTED, Extracted
from brain_pipelines.readers.formats import Reader
from brain_pipelines.readers.registry import FORMATS
from brain_pipelines.readers.unread import EMPTY
from brain_retrieval.errors import BadInputError


def promised_by(suffix: str) -> tuple[str, ...]:
    """Return the names of the formats that a suffix implies; () if it implies none."""
    return tuple(name for name, one in FORMATS.items() if one.promises(suffix))


def read_by_format(
    path: Path, reading: Reading, *, detected: str, name: str, readers: Mapping[str, Reader], source: str
) -> Extracted:
    """Return the content of a file, read by its detected format whatever its name.

    Args:
        path: the file.
        reading: limits, and the scratch directory for pictures and sound that are recognised later.
        detected: name of its format as detected from its bytes.
        name: original file name, a weak hint where the bytes are ambiguous.
        readers: the formats that the source reads.
        source: the source's name, for error messages.

    Raises:
        BadInputError: if the source does not read the format, or the reader refuses the file.
    """
    suffix = PurePosixPath(name).suffix.lower()
    promised = promised_by(suffix)
    if detected == EMPTY.name:
        raise BadInputError("empty file (0 bytes)")
    if detected == TEXT.name and promised and FORMATS[promised[0]].in_pieces:
        detected = promised[0]
    kind = FORMATS[detected]
    if detected not in readers:
        but = (
            f"named {suffix}, but it is {kind.label}"
            if promised and detected not in promised
            else f"it is {kind.label}"
        )
        raise BadInputError(f"{but}, which the source '{source}' does not read{kind.advice}")
    if not promised or detected in promised:
        return _read(path, reading, readers[detected], detected)
    try:
        found = _read(path, reading, readers[detected], detected)
    except BadInputError as error:
        raise BadInputError(f"named {suffix}, but it is {kind.label}; {error}") from None
    return replace(found, repairs=[f"named {suffix}, but it is {kind.label}; read as that", *found.repairs])


def _read(path: Path, reading: Reading, reader: Reader, detected: str) -> Extracted:
    found = reader(path, reading.limits, reading.scratch)
    return replace(found, format=detected) if found.format == AS_DETECTED else found
