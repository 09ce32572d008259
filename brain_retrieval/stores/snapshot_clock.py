"""Knowledge days that cannot be yet: snapshots made while the clock of this machine was ahead."""

import logging
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from functools import cache
from pathlib import Path

LARGEST_OFFSET = timedelta(hours=14)  # of the time zones of the world: there it is tomorrow already
LOGGER = logging.getLogger(__name__)


def latest_day() -> str:
    """Return the last day (ISO) that has begun anywhere on earth."""
    return (datetime.now(UTC) + LARGEST_OFFSET).date().isoformat()


def ahead(days: Iterable[str]) -> list[str]:
    """Return those of `days` that have not begun yet."""
    latest = latest_day()
    return [day for day in days if day > latest]


@cache
def warn_of(folder: Path, day: str) -> None:
    """Log once that a snapshot is ignored."""
    LOGGER.warning(
        "the snapshot %s in %s is dated in the future and ignored: it was made while the clock was ahead",
        day,
        folder,
    )
