"""What the owner of the data decided about two names: they are one, or they are not. Obeyed in `resolution/`."""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal


@dataclass(frozen=True)
class Decision:
    """`left` and `right` are names, or ids of an entity or of one of its names, of this snapshot or an earlier one.

    Of several decisions about one pair the latest by `at` holds; `source_id` is where it was said.
    """

    kind: Literal["merge", "unmerge"]
    left: str
    right: str
    at: datetime
    source_id: str
