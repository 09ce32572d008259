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
    `notes` yields the notes in a parsed file in its order. `alone` returns the value of a file with some of the entries
    alone; without it a file is one note. With `by_day` the notes of a day are one item: posts of a few words.
    """

    name: str
    opening: bytes
    marks: Sequence[bytes]
    notes: Callable[[Any, tzinfo], Iterator[Found]]
    alone: Callable[[Any, list[Any]], Any] | None = None
    by_day: bool = False
    either: Sequence[bytes] = ()

    def fits(self, start: bytes) -> bool:
        """Return whether a file begins as this app writes it."""
        known = start.startswith(self.opening) and all(mark in start for mark in self.marks)
        return known and (not self.either or any(mark in start for mark in self.either))


def listed(value: Any, *keys: str) -> list[dict[str, Any]]:
    """Return the objects in the list under some keys of a value; of anything else nothing."""
    for key in keys:
        value = value.get(key) if isinstance(value, dict) else None
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []


def text_of(value: Any, *keys: str) -> str:
    """Return the string under some keys of a value, "" if there is none."""
    for key in keys:
        value = value.get(key) if isinstance(value, dict) else None
    return value.strip() if isinstance(value, str) else ""


def names_in(value: Any, key: str, inner: str = "") -> list[str]:
    """Return the strings in a list under a key, or those under `inner` of the objects in it."""
    entries = value.get(key) if isinstance(value, dict) else None
    found = (text_of(one, inner) if inner else one for one in entries) if isinstance(entries, list) else ()
    return [" ".join(one.split()) for one in found if isinstance(one, str) and one.strip()]


def marked_first(entry: dict[str, Any], *keys: str) -> dict[str, Any]:
    """Return an entry with the keys that tell its app in front, so that a part with a long text is recognised."""
    return {key: entry[key] for key in keys if key in entry} | entry
