"""Resolution of the entity an agent names: a name or id is looked up in the newest snapshot.

Without a snapshot, names are used as given.
"""

from collections.abc import Iterable
from typing import Any

from brain_pipelines.knowledge.entities.names import normalise
from brain_pipelines.readers.agent.memory_operation import ENTITY_ID, End
from brain_pipelines.stages.extraction.local.names.operation_names import type_of_name
from brain_retrieval.errors import BadInputError
from brain_retrieval.home import Space
from brain_retrieval.knowledge.vocabulary import ENTITY_CLASSES, entity_class
from brain_retrieval.language.folding import fold
from brain_retrieval.stores.snapshots import SnapshotStore

ARTICLE = {"Person": "a person", "Concept": "a concept", "Entity": "an entity"}


def is_text(words: str) -> bool:
    """Return whether the text can be encoded as UTF-8; undecodable command line bytes (surrogates) cannot."""
    try:
        words.encode()
    except UnicodeEncodeError:
        return False
    return True


class Targets:
    """Lookup of a user's entities in the newest snapshot.

    >>> Targets(space).find("bob lee", "Person").name  # doctest: +SKIP
    'Bob Lee'
    """

    def __init__(self, space: Space) -> None:
        self._store = SnapshotStore(space)
        self.snapshot = self._store.newest()

    def find(self, key: str, wanted: str | None = None) -> End:
        """Return the entity of a name or id, with its class and type; an unknown name becomes a new entity.

        Args:
            wanted: the class it must have, of ENTITY_CLASSES.

        Raises:
            BadInputError: if the key is empty or too long, an id that no snapshot has, or known only as another class.
        """
        key = " ".join(key.split())
        if not key:
            raise BadInputError("the target is empty")
        if not is_text(key):
            raise BadInputError("the target is not valid UTF-8")
        if wanted is not None and wanted not in ENTITY_CLASSES:
            raise BadInputError(f"the class must be one of {', '.join(ENTITY_CLASSES)}, not {wanted!r:.40}")
        rows = self._rows(key)
        fitting = [row for row in rows if wanted in (None, row["entity_class"])]
        if fitting:
            return self._end(key, fitting[0])
        if rows:
            raise BadInputError(
                f"{rows[0]['display']} is {ARTICLE[rows[0]['entity_class']]}, not {ARTICLE[wanted or 'Entity']}"
            )
        if ENTITY_ID.fullmatch(key):
            raise BadInputError(f"no entity has the id {key}" + ("" if self.snapshot else ": no snapshot has run yet"))
        kind: Any = type_of_name(key, wanted)
        known: Any = wanted or entity_class(kind)
        return End(key=key, name=key, entity_class=known, type=kind)

    def is_new(self, key: str) -> bool:
        """Return whether a snapshot exists and does not contain the key."""
        return self.snapshot is not None and not self._rows(key)

    def shown(self, key: str) -> str:
        """Return the display name for a name or id: the name itself, or the name of the entity with this id.

        Raises:
            BadInputError: if it is an id that no snapshot has.
        """
        return self.find(key).name if ENTITY_ID.fullmatch(key.strip()) else " ".join(key.split())

    def named(self, keys: Iterable[str]) -> list[str]:
        """Return the keys with entity ids replaced by names; ids of other kinds stay as they are."""
        found = [(key, self._rows(key) if ENTITY_ID.fullmatch(key) else []) for key in keys]
        return list(dict.fromkeys(self._end(key, rows[0]).name if rows else key for key, rows in found))

    def names_of(self, key: str) -> set[str]:
        """Return all names of the entity behind a key in lower case, and the key itself if it is a name."""
        rows = self._rows(" ".join(key.split()))
        names = {row["name"] for row in rows} | {row["display"].casefold() for row in rows}
        if rows and self.snapshot:
            import polars as pl

            known = self._store.read(self.snapshot, "entity_names", ["entity_id", "display"])
            mine = known.filter(pl.col("entity_id") == rows[0]["entity_id"])
            names |= {name.casefold() for name in mine["display"]}
        return names if ENTITY_ID.fullmatch(key.strip()) else names | {fold(key)}

    def _rows(self, key: str) -> list[dict[str, Any]]:
        """Return the snapshot's rows for a key, most mentioned first."""
        if self.snapshot is None:
            return []
        import polars as pl

        names = self._store.read(self.snapshot, "entity_names")
        if ENTITY_ID.fullmatch(key):
            found = names.filter((pl.col("name_id") == key) | (pl.col("entity_id") == key))
        else:
            forms = [(pl.col("entity_class") == c) & (pl.col("name") == normalise(key, c)) for c in ENTITY_CLASSES]
            found = names.filter(pl.any_horizontal(forms))
        return found.sort("source_count", "entity_id", "name_id", descending=[True, False, False]).to_dicts()

    def _end(self, key: str, row: dict[str, Any]) -> End:
        known = self._entity(row["entity_id"])
        return End(
            key=key,
            name=known.get("name") or row["display"],
            entity_class=known.get("entity_class") or row["entity_class"],
            type=known.get("type"),
            entity_id=row["entity_id"],
        )

    def _entity(self, entity_id: str) -> dict[str, Any]:
        import polars as pl

        columns = ["entity_id", "name", "entity_class", "type"]
        known = self._store.read(self.snapshot or "", "known_entities", columns).filter(
            pl.col("entity_id") == entity_id
        )
        return next(iter(known.to_dicts()), {})


def as_fields(prefix: str, end: End) -> dict[str, str]:
    """Return the operation fields that describe an end: `entity_key`, `entity_name`, … or `from_entity_key`, …"""
    key = (
        "entity_key" if prefix == "entity" else f"{prefix}_entity_key" if prefix in ("from", "to") else f"{prefix}_key"
    )
    fields = {key: end.key, f"{prefix}_name": end.name, f"{prefix}_class": end.entity_class}
    fields |= {f"{prefix}_type": end.type, f"{prefix}_id": end.entity_id}
    return {name: value for name, value in fields.items() if value is not None}


def same(ends: Iterable[End]) -> bool:
    """Return whether all ends are the same entity."""
    return len({end.entity_id or (end.entity_class, end.name.casefold()) for end in ends}) == 1
