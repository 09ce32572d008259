"""Choice of the source type of a file sent without one: by its format, and if that is ambiguous by its name.

The source types declare which files are theirs (see `Source`).
"""

import re
from pathlib import Path

from brain_pipelines.readers.detect import HEAD_BYTES, detect_format
from brain_pipelines.sources import document
from brain_pipelines.sources.registry import SOURCES

# The "type" of a JSON object, near its beginning.
_TYPE = re.compile(rb'\s*\{[^{\[]{0,500}?"type"\s*:\s*"([\w-]{1,40})"')


def choose_source(path: Path) -> str:
    """Return the name of the source type for the file at `path`. Reads at most 64 kB, and the directory of a zip."""
    detected = detect_format(path).name
    with path.open("rb") as file:
        head = file.read(HEAD_BYTES)
    if claimed := _by_type(detected, head) or _by_claim(path, detected, head):
        return claimed
    usual = next((one.name for one in SOURCES if detected in one.usual_for), document.SOURCE.name)
    hinted = (one.name for one in SOURCES if one.named and one.instead_of == usual and one.named.search(path.name))
    return next(hinted, usual)


def _by_type(detected: str, head: bytes) -> str | None:
    said = _TYPE.match(head) if detected == "json" else None
    kind = said[1].decode() if said else ""
    return next((one.name for one in SOURCES if kind in one.json_types), None)


def _by_claim(path: Path, detected: str, head: bytes) -> str | None:
    return next((one.name for one in SOURCES if one.claims and one.claims(path, detected, head)), None)
