"""What the owner, or an agent in their name, decided about who is who. It wins over every rule of resolution."""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal


@dataclass(frozen=True, order=True)
class Decision:
    """That two names are one, or are not, as said at a time. The newest word about a pair counts.

    `left` and `right` are names, or ids of entities or names.
    """

    at: datetime
    kind: Literal["merge", "unmerge"]
    left: str
    right: str
    source_id: str  # of the operation that says so
