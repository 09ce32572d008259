"""What a forgetting removes, as decided by its preview; stored until it is finished, so that a killed one is resumed.

The stored plan holds words of what is forgotten, which the check at the end searches for. It is removed last.
"""

import json
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Literal

from brain_retrieval.errors import BrainError
from brain_retrieval.home import Space
from brain_retrieval.stores.durable import write_bytes

Kind = Literal["source", "day", "mentions", "user"]
NAME = "forgetting.json"


class NothingToForgetError(BrainError, LookupError):
    """Nothing stored matches what is to be forgotten."""

    exit_code = 3


@dataclass(frozen=True)
class Scope:
    """What is asked to be forgotten.

    Args:
        kind: of what.
        value: id or uri of a source, ISO day, name of a person; "" for a whole user.
        source: limits a day to one source type.
    """

    kind: Kind
    value: str = ""
    source: str | None = None


@dataclass(frozen=True, order=True)
class Target:
    """One landed item that is forgotten; `day` is its partition."""

    source_id: str
    source: str
    day: str
    file: str
    fragment: str
    sha256: str
    digest: str
    url: str

    @property
    def uri(self) -> str:
        return f"{self.file}#{self.fragment}" if self.fragment else self.file


@dataclass(frozen=True)
class Needles:
    """What the check searches for: rare words, phrases and ids that nothing else of the user contains."""

    words: tuple[str, ...] = ()
    phrases: tuple[str, ...] = ()
    ids: tuple[str, ...] = ()

    @property
    def texts(self) -> tuple[str, ...]:
        return (*self.words, *self.phrases, *self.ids)


@dataclass(frozen=True)
class Before:
    """What is noted when a forgetting begins, because its first steps destroy it.

    Args:
        shared: blobs that hold items that go and items that stay.
        first: user -> the first snapshot that knows an item that goes.
        complete: user -> the complete snapshots from then on.
        recalled: user -> kind of item -> ids in the access log that the newest snapshot knows.
    """

    shared: list[str]
    first: dict[str, str]
    complete: dict[str, list[str]]
    recalled: dict[str, dict[str, list[str]]]


@dataclass(frozen=True)
class Plan:
    """One forgetting: its items, what to search for afterwards, and once it has begun what was there before.

    `copies` are the uris of items with the same content that stay.
    """

    user: str
    kind: Kind
    command: str  # brain forget | dagster
    asked_at: str  # UTC, ISO 8601
    targets: tuple[Target, ...]
    needles: Needles
    readers: dict[str, dict[str, list[str]]] = field(default_factory=dict)  # who read a team's items -> partitions
    before: Before | None = None
    counts: dict[str, dict[str, int]] = field(default_factory=dict)  # by store, before
    copies: tuple[str, ...] = ()

    @property
    def ids(self) -> set[str]:
        return {target.source_id for target in self.targets}

    @property
    def days(self) -> dict[str, list[str]]:
        """The partitions that hold the items: source type -> ISO days, sorted."""
        return days_of(self.targets)

    def store(self, space: Space) -> None:
        """Write the plan into the user's directory."""
        write_bytes(_path(space), json.dumps(asdict(self), sort_keys=True).encode())

    @staticmethod
    def discard(space: Space) -> None:
        """Remove the stored plan."""
        _path(space).unlink(missing_ok=True)

    @classmethod
    def unfinished(cls, space: Space) -> "Plan | None":
        """Return the plan of a forgetting that was begun and not finished; a damaged one counts as not begun."""
        try:
            stored: dict[str, Any] = json.loads(_path(space).read_text("utf-8"))
        except (FileNotFoundError, ValueError):
            return None
        targets = tuple(Target(**one) for one in stored.pop("targets"))
        needles = Needles(**{name: tuple(texts) for name, texts in stored.pop("needles").items()})
        before = Before(**found) if (found := stored.pop("before")) else None
        copies = tuple(stored.pop("copies", ()))
        return cls(targets=targets, needles=needles, before=before, copies=copies, **stored)


def days_of(targets: Iterable[Target]) -> dict[str, list[str]]:
    """Return the partitions of items: source type -> ISO days, sorted."""
    found: dict[str, set[str]] = defaultdict(set)
    for target in targets:
        found[target.source].add(target.day)
    return {source: sorted(days) for source, days in sorted(found.items())}


def _path(space: Space) -> Path:
    return space.root / NAME
