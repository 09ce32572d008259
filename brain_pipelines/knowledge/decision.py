"""Manual merge decisions: the owner states that two names mean one entity, or that they do not.

They are applied by `entities/manual.py`.
"""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal


@dataclass(frozen=True)
class Decision:
    """`left` and `right` are names, or ids of an entity or of one of its names, from this snapshot or an earlier one.

    Of several decisions about one pair the latest by `at` applies; `source_id` is the source that records it.
    """

    kind: Literal["merge", "unmerge"]
    left: str
    right: str
    at: datetime
    source_id: str
