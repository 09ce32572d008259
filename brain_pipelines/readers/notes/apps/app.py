"""The `App` record: how an app writes its notes as JSON. Each app has a file with its `APP`, a line in a registry."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import tzinfo
from typing import Any

from brain_pipelines.readers.notes.note import Note

# A note, and the entry of the export that it was read from.
Found = tuple[Note, Any]


@dataclass(frozen=True)
class App:
    """An app that exports notes as JSON.

    A file is of the app if its first 64 kB begin with `opening` and have every one of `marks`, and of `either` one.
    `notes` yields the notes in a parsed file in its order. `alone` returns for a parsed file a function that gives the
    value of a file with some of its entries alone; without it a file is one note. With `by_day` the notes of a day are
    one item: posts of a few words.
    """

    name: str
    opening: bytes
    marks: Sequence[bytes]
    notes: Callable[[Any, tzinfo], Iterator[Found]]
    alone: Callable[[Any], Callable[[list[Any]], Any]] | None = None
    by_day: bool = False
    either: Sequence[bytes] = ()

    def fits(self, start: bytes) -> bool:
        """Return whether a file begins as this app writes it."""
        known = start.startswith(self.opening) and all(mark in start for mark in self.marks)
        return known and (not self.either or any(mark in start for mark in self.either))


def marked_first(entry: dict[str, Any], *keys: str) -> dict[str, Any]:
    """Return an entry with the keys that tell its app in front, so that a part with a long text is recognised."""
    return {key: entry[key] for key in keys if key in entry} | entry
