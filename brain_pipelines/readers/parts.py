"""The parts of a file that hold what was written on different days: the notes of an export."""

from dataclasses import dataclass, field
from datetime import datetime

LEFT_OUT = "left-out"  # key of what could not be taken, and of the reason in its metadata


@dataclass(frozen=True)
class Part:
    """A note of an export, with the bytes of a file of the same format that holds it alone.

    An attachment has the bytes of its own file, and in `parent` the key of its note. What could not be taken of the
    file is a part without bytes, whose `meta` says why under LEFT_OUT.
    """

    key: str
    name: str
    content: bytes | None
    time: datetime | None = None
    parent: str = ""
    meta: dict[str, str] = field(default_factory=dict)
