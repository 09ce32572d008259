"""A writer for a process of its own."""

from itertools import count
from pathlib import Path

from brain_retrieval.home import Home, Space
from brain_retrieval.stores.catalog import Catalog
from brain_retrieval.stores.index.lance.lance_index import LanceIndex
from brain_retrieval.stores.lake import Lake
from tests.retrieval.stores.rows import DIM, chunks, indexed

ROWS = 12


def write(space: Space, store: str, source: str, days: list[str], mark: str) -> None:
    """Replace the span in the lake, the index or both, as a stage would."""
    rows = {day: chunks(source, day, ROWS, text=f"budget {mark}", salt=mark) for day in days}
    if store in ("lake", "both"):
        with Catalog(space) as catalog:
            Lake(space, catalog).replace_many("chunks", source, rows)
    if store in ("index", "both"):
        flat = [row for day in days for row in rows[day]]
        LanceIndex(space, model="test-model", dim=DIM).replace(source, days, indexed(flat))


def write_rounds(home: Path, store: str, source: str, days: list[str], prefix: str, rounds: int, wrote: Path) -> None:
    """Replace all days of the source in each round with rows that carry `prefix<round>`; 0 rounds: until killed.

    The file `wrote` is there once the first round is done. If a number of rounds is given, the one before
    the last is repeated until that file is removed.
    """
    space = Home(home).space("alice")
    for number in range(rounds) if rounds else count():
        while rounds and number == rounds - 1 and wrote.exists():
            write(space, store, source, days, f"{prefix}{number - 1}")
        write(space, store, source, days, f"{prefix}{number}")
        if not number:
            wrote.touch()
