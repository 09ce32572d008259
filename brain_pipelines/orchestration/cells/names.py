"""The names that a home has in its Dagster instance, where other homes may be too.

Keys of assets and names of dynamic partitions are global to an instance: of two homes that use the same ones, one
hides the other's assets, and a backfill for a user of one runs in the other. A home that is a cell therefore has the
cell's name before each asset key and in the name of its users' partitions. A home that stands alone has neither.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from brain_retrieval.settings import Settings

if TYPE_CHECKING:  # `brain status` needs the names, and no Dagster
    import dagster as dg

LOCATION = "brain"  # the code location of a home that stands alone, as in workspace.yaml
USERS = "users"
CELL_TAG = "brain/cell"
OF_A_MACHINE = frozenset(("ocr", "speech"))  # pools for what each machine has of its own; others hold for all cells


@dataclass(frozen=True)
class Names:
    """The names of a home; `cell` is "" for one that stands alone."""

    cell: str = ""

    @classmethod
    def of(cls, settings: Settings) -> Names:
        """Return the names that settings ask for."""
        return cls(settings.cells.name)

    @property
    def users(self) -> str:
        """The name of the dynamic partitions that are the users."""
        return f"{USERS}-{self.cell}" if self.cell else USERS

    @property
    def location(self) -> str:
        """The name of the code location."""
        return self.cell or LOCATION

    @property
    def tags(self) -> dict[str, str]:
        """What a run is tagged with, so that runs of one cell can be found and limited."""
        return {CELL_TAG: self.cell} if self.cell else {}

    def users_partitions(self) -> dg.DynamicPartitionsDefinition:
        """Return the partitions that are the users."""
        import dagster as dg

        return dg.DynamicPartitionsDefinition(name=self.users)

    def asset(self, *path: str) -> dg.AssetKey:
        """Return the key of an asset, `note/text` or `<cell>/note/text`."""
        import dagster as dg

        return dg.AssetKey([self.cell, *path] if self.cell else list(path))

    def step(self, *path: str) -> str:
        """Return the name that Dagster gives the step of an asset."""
        return "__".join(part.replace("-", "_") for part in self.asset(*path).path)

    def pool(self, name: str) -> str:
        """Return the name of a pool in this home: one for what each machine has of its own also names the cell."""
        return f"{name}_{self.cell}" if self.cell and name in OF_A_MACHINE else name


ALONE = Names()


def is_users(name: str | None) -> bool:
    """Return whether dynamic partitions of this name are the users of a home."""
    return name == USERS or bool(name and name.startswith(f"{USERS}-"))


def cell_of(key: dg.AssetKey) -> str:
    """Return the cell of an asset; "" for one of a home that stands alone."""
    return key.path[0] if len(key.path) > 2 else ""
