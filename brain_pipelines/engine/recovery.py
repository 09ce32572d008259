"""What a landing record was recovered from, as it is recorded and shown; `landing_recovery.py` recovers it."""

import json
from dataclasses import asdict, dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from brain_retrieval.home import Space
from brain_retrieval.stores.durable import write_bytes

NAME = "recovered.json"
SHOWN_FOR = timedelta(days=30)


@dataclass(frozen=True)
class Recovery:
    """What a landing record was recovered from; `unread` lake files could not be read."""

    at: str
    backup: str | None  # when the backup was made
    of_backup: int  # items
    of_lake: int  # items that the backup did not have, or had in an older version
    unread: int

    def sentence(self) -> str:
        """Return in words what was recovered and what was not."""
        source = (
            f"{self.of_backup} items from the backup of {self.backup[:16]}" if self.backup else "there is no backup"
        )
        lost = f"; {self.unread} files of the lake could not be read" if self.unread else ""
        return (
            f"the landing record was recovered: {source}, {self.of_lake} items with their receipt times from the lake"
            f"{lost}; files that no run had read count as received after {self.at[:16]}"
        )

    def record(self, space: Space) -> None:
        """Write what was recovered, for `brain status`."""
        write_bytes(space.root / NAME, json.dumps(asdict(self)).encode())


def last_recovery(space: Space) -> dict[str, Any] | None:
    """Return the record of the last recovery, with its `sentence`; None if there was none within a month."""
    try:
        stored = json.loads((space.root / NAME).read_bytes())
        if datetime.now(UTC) - datetime.fromisoformat(stored["at"]) > SHOWN_FOR:
            return None
        return {**stored, "sentence": Recovery(**stored).sentence()}
    except (OSError, ValueError, TypeError, KeyError):
        return None
