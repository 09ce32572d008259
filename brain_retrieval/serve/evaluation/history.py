"""Measures of past evaluations, one line a day in the user's folder: numbers only, no question and no text."""

import json
from collections.abc import Mapping
from pathlib import Path

from brain_retrieval.home import Space

KEPT_DAYS = 365
Measures = Mapping[str, float | None]


def remember(space: Space, day: str, measures: Measures) -> dict[str, dict[str, float | None]]:
    """Store the measures of a day in place of earlier ones of that day; return those of all days, oldest first."""
    days = past(space) | {day: dict(measures)}
    kept = dict(sorted(days.items())[-KEPT_DAYS:])
    path = _file(space)
    written = path.with_suffix(".new")
    written.write_text("".join(json.dumps({"day": key, **row}) + "\n" for key, row in kept.items()), "utf-8")
    written.replace(path)  # atomic: a kill leaves the old file or the new one
    return kept


def past(space: Space) -> dict[str, dict[str, float | None]]:
    """Return day -> measures, oldest first; a damaged line is left out."""
    found: dict[str, dict[str, float | None]] = {}
    lines = _file(space).read_text("utf-8").splitlines() if _file(space).is_file() else []
    for line in lines:
        try:
            row = json.loads(line)
            day = str(row.pop("day"))
            found[day] = {str(name): value for name, value in row.items()}
        except (ValueError, KeyError, TypeError, AttributeError):
            continue
    return dict(sorted(found.items()))


def _file(space: Space) -> Path:
    return space.root / "golden-history.jsonl"
