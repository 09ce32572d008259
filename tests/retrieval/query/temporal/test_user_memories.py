"""Which memories of a user count for a search: those received by then that repeat no text which was retrieved."""

from datetime import UTC, datetime
from pathlib import Path

from brain_retrieval.home import Home, Space
from brain_retrieval.query.hits import Clocks
from brain_retrieval.query.temporal.user_memories import endings_at
from brain_retrieval.stores.snapshots import SnapshotStore
from tests.pipelines.knowledge.frames import frame
from tests.retrieval.library import row
from tests.retrieval.query.temporal.statements import STATEMENTS, state

ROWS = [
    row("note", item, day, text, received_at=datetime.fromisoformat(f"{day}T12:00:00+00:00"))
    for day, item, text, _ in STATEMENTS
]
JENA, KIEL, BIKE = (one["source_id"] for one in ROWS)
FEBRUARY = datetime(2026, 2, 20, tzinfo=UTC)


def counted(space: Space, known_at: datetime | None = None) -> set[str]:
    found = endings_at(space, Clocks(None, known_at))
    assert found is not None
    endings, moment = found
    rows = endings.index.rows
    return set((rows if moment.visible is None else rows.filter(moment.visible))["source_id"])


def write_echoes(space: Space, day: str, *sources: str) -> None:
    echoes = [
        {"echo_id": one, "source_id": one, "start": 0, "end": 99, "of_source_id": JENA, "similarity": 1.0}
        for one in sources
    ]
    store = SnapshotStore(space)
    store.write_stage(day, "echoes", {"echoes": frame("echoes", *echoes)}, code_version="1")
    store.complete(day, ["echoes"])


def test_echoes_and_what_came_later_do_not_count(tmp_path: Path) -> None:
    space = Home(tmp_path / "home").space("dana").create()
    assert endings_at(space, Clocks(None, None)) is None  # nothing is remembered yet
    state(space, ROWS)
    assert counted(space) == {JENA, KIEL, BIKE}
    assert counted(space, FEBRUARY) == {JENA, KIEL}
    write_echoes(space, "2026-03-02", KIEL)
    assert counted(space) == {JENA, BIKE}
    assert counted(space, FEBRUARY) == {JENA}
    write_echoes(space, "2026-03-03", BIKE)  # the newest snapshot counts
    assert counted(space) == {JENA, KIEL}


def test_memories_are_judged_at_the_time_asked_about(tmp_path: Path) -> None:
    space = Home(tmp_path / "home").space("dana").create()
    state(space, ROWS)
    january = datetime(2026, 1, 20, tzinfo=UTC)
    for clocks, at in ((Clocks(january, FEBRUARY), january), (Clocks(None, FEBRUARY), FEBRUARY)):
        found = endings_at(space, clocks)
        assert found is not None
        assert found[1].at == at
