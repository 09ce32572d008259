"""What went wrong with one item, in words for the person who dropped it."""

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True)
class Issue:
    """An item, or a part of one, that was refused ("rejected") or taken with a correction ("repaired")."""

    source_id: str
    uri: str
    reason: str
    kind: Literal["rejected", "repaired"]
    detail: str = ""
