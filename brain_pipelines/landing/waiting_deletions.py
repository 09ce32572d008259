"""Deletions that wait for a confirmation: files missing from the inbox whose sources are still there."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from brain_pipelines.landing.landing import Landing


@dataclass(frozen=True)
class WaitingDeletion:
    """A file that is missing from the inbox and not deleted yet, and when it will be without a confirmation."""

    uri: str
    since: str
    until: str

    def to_json(self) -> dict[str, Any]:
        return {"uri": self.uri, "since": self.since, "until": self.until}


def waiting_deletions(landing: Landing) -> list[WaitingDeletion]:
    """Return the deletions of a user that wait for a confirmation."""
    grace = timedelta(days=landing.deletion.confirm_days)
    rows = landing.waiting().items()
    return [WaitingDeletion(uri, since, (datetime.fromisoformat(since) + grace).isoformat()) for uri, since in rows]
