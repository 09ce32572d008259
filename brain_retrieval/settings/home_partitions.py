"""The partitions of a home as Brain or `brain init` chose them: `<home>/partitions.json`.

The environment and `brain.toml` come before it, the defaults after it.
"""

import json
import os
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path
from typing import Any, Literal

from brain_retrieval.errors import InvalidSettingsError

FILE = "partitions.json"
PartitionUnit = Literal["day", "month"]
By = Literal["files", "owner", "before"]


@dataclass(frozen=True)
class HomePartitions:
    """What was chosen, None for what was not.

    Attributes:
        by: who chose the first day: the oldest file, the owner of the home, or a version of Brain from before there
            was a choice. Only the first is moved when older files arrive.
    """

    first_day: date | None = None
    by: By | None = None
    partitions: PartitionUnit | None = None

    @property
    def values(self) -> dict[str, Any]:
        """The settings that are chosen, by name."""
        found = {"first_day": self.first_day, "partitions": self.partitions}
        return {name: value for name, value in found.items() if value is not None}


def read_home_partitions(home: Path | None) -> HomePartitions:
    """Return what is chosen for a home.

    Raises:
        InvalidSettingsError: the file is damaged.
    """
    path = home / FILE if home else None
    if path is None or not path.is_file():
        return HomePartitions()
    try:
        found = json.loads(path.read_text("utf-8"))
        first_day = found.get("first_day")
        return HomePartitions(
            date.fromisoformat(first_day) if first_day else None, found.get("by"), found.get("partitions")
        )
    except (OSError, ValueError, AttributeError) as error:
        raise InvalidSettingsError(f"cannot read {path}: {error}") from None


def write_home_partitions(home: Path, chosen: HomePartitions) -> None:
    """Replace what is chosen for a home, in one step."""
    content = {
        "first_day": chosen.first_day.isoformat() if chosen.first_day else None,
        "by": chosen.by,
        "partitions": chosen.partitions,
    }
    path = home / FILE
    new = path.with_name(f"{FILE}.new")
    new.write_text(json.dumps(content, indent=2) + "\n", "utf-8")
    new.replace(path)


def keep_first_day(home: Path, first_day: date) -> None:
    """Keep the first day of a home from before there was a choice, unless one has been chosen."""
    chosen = read_home_partitions(home)
    if chosen.first_day is None:
        write_home_partitions(home, replace(chosen, first_day=first_day, by="before"))


def set_by_owner(home: Path, name: str) -> str:
    """Return where the environment or `brain.toml` sets a setting of partitions, "" if neither does."""
    variable = f"BRAIN_{name.upper()}"
    if any(one.upper() == variable for one in os.environ):
        return f"the variable {variable}"
    path = home / "brain.toml"
    if not path.is_file():
        return ""
    try:
        settings: Mapping[str, Any] = tomllib.loads(path.read_text("utf-8"))
    except (OSError, ValueError):
        return str(path)
    return str(path) if name in settings else ""
