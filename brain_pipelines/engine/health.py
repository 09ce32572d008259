"""The record of a check-up of a user's stores, which `orchestration/doctor.py` makes and `brain status` shows."""

import json
from dataclasses import asdict, dataclass, field
from typing import Any

from brain_retrieval.home import Space
from brain_retrieval.stores.durable import write_bytes

NAME = "health.json"


@dataclass(frozen=True)
class Finding:
    """One thing that is not as it should be. `source` and `day` name the days to compute again, "" for none."""

    store: str  # of `STORES` in `examination.py`
    place: str  # an inbox uri, a path below the user's directory, or a day
    what: str
    source: str = ""
    day: str = ""
    stage: str = ""

    def to_json(self) -> dict[str, Any]:
        return asdict(self)


@dataclass
class Health:
    """The result of a check-up: what was found and is healed, what remains, when, and how long it took."""

    checked_at: str
    seconds: float = 0.0
    healed: list[Finding] = field(default_factory=list)
    remaining: list[Finding] = field(default_factory=list)

    def to_json(self) -> dict[str, Any]:
        found = {"healed": self.healed, "remaining": self.remaining}
        lists = {name: [one.to_json() for one in findings] for name, findings in found.items()}
        return {"checked_at": self.checked_at, "seconds": round(self.seconds, 3), **lists}

    def record(self, space: Space) -> None:
        """Write the result for `brain status`."""
        write_bytes(space.root / NAME, json.dumps(self.to_json(), ensure_ascii=False).encode())


def last_check_up(space: Space) -> dict[str, Any] | None:
    """Return the recorded result of the last check-up; None if there was none."""
    try:
        return json.loads((space.root / NAME).read_bytes())
    except (OSError, ValueError):
        return None
