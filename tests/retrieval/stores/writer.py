"""A writer in a process of its own: `python -m tests.retrieval.stores.writer HOME STORE SOURCE DAYS PREFIX ROUNDS`.

Each round replaces all days of the source with rows that carry `PREFIX<round>`. ROUNDS = 0 goes on until killed.
"""

import sys
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


def main() -> None:
    home, store, source, days, prefix, rounds = sys.argv[1:]
    space = Home(Path(home)).space("alice")
    for number in count():
        if rounds != "0" and number == int(rounds):
            break
        write(space, store, source, days.split(","), f"{prefix}{number}")
        sys.stdout.write("written\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
