"""Names of a user from real stores: speakers of the chunks, entities of sources and of a snapshot."""

from pathlib import Path

import polars as pl
import pytest

from brain_retrieval.home import Home, Space
from brain_retrieval.query.names_of_user import NamesOfUser
from brain_retrieval.schemas.tables import ENTITIES
from brain_retrieval.stores.catalog import Catalog
from brain_retrieval.stores.knowledge_tables import ENTITY_NAMES, KNOWN_ENTITIES
from brain_retrieval.stores.lake import Lake
from brain_retrieval.stores.snapshots import SnapshotStore
from tests.retrieval.library import RECEIVED, talk_rows

DAY, LATER = "2026-01-05", "2026-01-06"


@pytest.fixture
def space(tmp_path: Path) -> Space:
    return Home(tmp_path).space("alice").create()


def entity_row(name: str, entity_id: str) -> dict:
    filler = {"string": "x", "double": 0.9, "int64": 1, "int32": 1, "bool": False}
    row = {field.name: filler.get(str(field.type)) for field in ENTITIES if not field.nullable}
    row |= {field.name: [] for field in ENTITIES if str(field.type).startswith("list")}
    row |= {field.name: RECEIVED for field in ENTITIES if str(field.type).startswith("timestamp")}
    return row | {"entity_id": entity_id, "name": name, "type": "Project", "source": "note", "day": DAY}


def write_snapshot(space: Space, name: str = "Bob Lee") -> None:
    filler = {field.name: None for field in KNOWN_ENTITIES}
    filler |= {"canonical_name": "bob-lee", "is_owner": False, "description": "", "mention_count": 1}
    filler |= {"source_count": 1, "distinct_source_days": 1, "confidence": 1.0}
    filler |= {name: RECEIVED for name in filler if name.endswith("_at")}
    bob = filler | {"entity_id": "e-bob", "entity_class": "Person", "type": "Person", "name": name}
    names = [("e-bob", "e-bob", name.lower(), name, "Person", 5)]
    tables = {
        "known_entities": pl.DataFrame([bob | {"aliases": ["Rob"]}]).select(KNOWN_ENTITIES.names),
        "entity_names": pl.DataFrame(names, schema=ENTITY_NAMES.names, orient="row"),
    }
    store = SnapshotStore(space)
    store.write_stage(DAY, "resolve", tables, code_version="")
    store.complete(DAY, ["resolve"])


def test_speakers_and_entities_before_a_snapshot(space: Space) -> None:
    with Catalog(space) as catalog:
        names = NamesOfUser(space, catalog)
        assert not names.index().lookup("ana")
        lake = Lake(space, catalog)
        rows = [row | {"chunk_id": f"c{number}"} for number, row in enumerate(talk_rows(DAY))]
        lake.replace("chunks", "conversation", DAY, rows)
        lake.replace("entities", "note", DAY, [entity_row("Project Phoenix", "e-phoenix")])
        index = names.index()
        assert [known.speaker for known in index.lookup("ana")] == ["Ana"]
        assert [(known.entity_id, known.kind) for known in index.lookup("project phoenix")] == [
            ("e-phoenix", "Project")
        ]
        assert names.index() is index  # nothing has changed


def test_entities_of_a_snapshot_and_their_aliases(space: Space) -> None:
    with Catalog(space) as catalog:
        names = NamesOfUser(space, catalog)
        before = names.index()
        write_snapshot(space)
        index = names.index()
        assert index is not before
        assert [(known.entity_id, known.how) for known in index.lookup("bob lee")] == [("e-bob", "exact")]
        assert [(known.canonical, known.how) for known in index.lookup("rob")] == [("Bob Lee", "alias")]
        assert [known.how for known in index.lookup("bob")] == ["alias"]  # the first name


def test_names_are_made_again_for_another_speaker_or_snapshot_alone(space: Space) -> None:
    with Catalog(space) as catalog:
        names, lake = NamesOfUser(space, catalog), Lake(space, catalog)
        write_snapshot(space)
        rows = [row | {"chunk_id": f"c{number}"} for number, row in enumerate(talk_rows(DAY))]
        lake.replace("chunks", "conversation", DAY, rows)
        first = names.index()
        lake.replace("chunks", "conversation", LATER, [row | {"day": LATER} for row in rows])  # the same speakers
        assert names.index() is first
        lake.replace("chunks", "conversation", LATER, [])
        lake.replace("chunks", "conversation", DAY, [])
        assert not names.index().lookup("ana")
        write_snapshot(space, name="Bob Leigh")  # of the same day
        assert names.index().lookup("bob leigh")
