"""Import under another user id: ids of sources contain the user, so those in the truth are made again."""

import sqlite3
from contextlib import closing

from brain_retrieval.errors import BadInputError
from brain_retrieval.home import Space
from brain_retrieval.ids import content_id


def rename_user(space: Space, name: str) -> list[str]:
    """Give the items of a user the ids that they have under another name; return what is lost by that, in sentences.

    Raises:
        BadInputError: bytes are encrypted; their key contains the user id.
    """
    if any(space.blobs.glob("*/*.enc")):
        raise BadInputError(
            f"the bytes of {space.user!r} are encrypted with a key of that name: import them without --user"
        )
    with closing(sqlite3.connect(space.landing, isolation_level=None)) as connection:
        rows = connection.execute("SELECT source_id, source, file, fragment FROM item").fetchall()
        new = {old: content_id("source", name, source, _uri(*rest)) for old, source, *rest in rows}
        connection.execute("BEGIN IMMEDIATE")
        connection.execute("UPDATE item SET source_id = 'old ' || source_id")  # an id may be both old and new
        changes = [(one, old) for old, one in new.items()]
        connection.executemany("UPDATE item SET source_id = ? WHERE source_id = 'old ' || ?", changes)
        connection.executemany("UPDATE item SET parent_id = ? WHERE parent_id = ?", changes)
        connection.execute("DELETE FROM dirty")
        connection.execute("COMMIT")
    lost = _rename_recalls(space, new)
    notes = [f"imported as {name!r}: ids of sources are new; notes of agents refer to the former ones"]
    return notes + ([f"{lost} recalls of entities, facts and chunks were left out: their ids are new"] if lost else [])


def _rename_recalls(space: Space, new: dict[str, str]) -> int:
    path = space.root / "access.sqlite"
    if not path.is_file():
        return 0
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("BEGIN IMMEDIATE")
        changes = [(one, old) for old, one in new.items()]
        connection.executemany("UPDATE recall SET item_id = ? WHERE item = 'source' AND item_id = ?", changes)
        marks = set(new.values())
        rows = connection.execute("SELECT item, item_id, occasion FROM recall").fetchall()
        lost = [row for row in rows if row[0] != "source" or row[1] not in marks]
        connection.executemany("DELETE FROM recall WHERE item = ? AND item_id = ? AND occasion = ?", lost)
        connection.execute("COMMIT")
    return len(lost)


def _uri(file: str, fragment: str) -> str:
    return f"{file}#{fragment}" if fragment else file
