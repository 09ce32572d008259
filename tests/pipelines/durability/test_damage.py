"""Damage is noticed and repaired by the next run or by `brain doctor`; what cannot be repaired is kept and named."""

import json
import os
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from brain_pipelines.commands.status import status
from brain_pipelines.engine.healing import ensure_catalog, index_of
from brain_pipelines.landing.landing import open_landing
from brain_pipelines.landing.scan import scan_inbox
from brain_pipelines.orchestration import sensors
from brain_pipelines.orchestration.doctor import check_up
from brain_retrieval.home import Home
from brain_retrieval.stores.catalog import Catalog
from brain_retrieval.stores.index.index_rows import vector_matrix
from brain_retrieval.stores.index.lance import lance_table
from tests.pipelines.conftest import Bench

DAYS = ("2026-01-05", "2026-01-06")


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Bench:
    """A home with a note on each of two days; tests damage copies of it."""
    bench = Bench(Home(tmp_path_factory.mktemp("sound") / "home"))
    for day in DAYS:
        path = bench.drop("alice", "note", f"{day}.md", f"On {day} Alice Chen leads the redesign.\n", day=day)
        bench.land(path)
    bench.run()
    return bench


@pytest.fixture
def copied(bench: Bench, sound: Bench) -> Bench:
    # with the change times of the inbox files, which a copy alone would not keep
    shutil.copytree(sound.home.path, bench.home.path, dirs_exist_ok=True)
    return bench


def flip(path: Path) -> None:
    """Turn over one bit in the middle of a file."""
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 4
    path.write_bytes(content)


def flip_vector(bench: Bench) -> None:
    """Turn over one bit of a vector in the index; LanceDB has no checksum and notices nothing."""
    vector = vector_matrix(index_of(bench.space(), bench.settings).read().column("vector"))[0].tobytes()[:24]
    [path] = [path for path in (table(bench) / "data").iterdir() if vector in path.read_bytes()]
    content = bytearray(path.read_bytes())
    content[content.index(vector)] ^= 4
    path.write_bytes(content)


def deface(path: Path) -> None:
    """Turn over a bit in each name of an encoding, as LanceDB writes them at the end of a file."""
    content = path.read_bytes()
    assert b"/lance.encodings" in content
    path.write_bytes(content.replace(b"/lance.encodings", b"/lance.enc\xefdings"))


def table(bench: Bench) -> Path:
    return next(bench.space().index.glob("*.lance"))


def manifest(bench: Bench) -> Path:
    return min((table(bench) / "_versions").glob("*.manifest"))  # versions count down


FAULTS = {
    "a torn manifest": lambda b: os.truncate(manifest(b), 40),
    "no manifests": lambda b: shutil.rmtree(table(b) / "_versions"),
    "empty data": lambda b: [os.truncate(path, 0) for path in (table(b) / "data").iterdir()],
    "zeros": lambda b: [path.write_bytes(bytes(path.stat().st_size)) for path in (table(b) / "data").iterdir()],
    "no text index": lambda b: shutil.rmtree(table(b) / "_indices"),
    "no names of encodings": lambda b: [deface(path) for path in (table(b) / "data").iterdir()],
    "a file in its place": lambda b: (shutil.rmtree(table(b)), (b.space().index / table_name(b)).touch()),
}


def table_name(bench: Bench) -> str:
    with Catalog(bench.space()) as catalog:
        model, dim = (catalog.get_meta("active_index") or "").split("|")
    return f"{lance_table.table_name(model, int(dim))}.lance"


@pytest.mark.parametrize("fault", FAULTS)
def test_a_damaged_index_is_rebuilt_by_the_next_run_of_any_day(copied: Bench, sound: Bench, fault: str) -> None:
    FAULTS[fault](copied)
    reports = copied.run(days=[DAYS[0]])
    assert not reports["embeddings"].failed
    assert copied.digests() == sound.digests()
    assert list(copied.space().damaged.iterdir())


def test_rows_that_the_index_lost_are_rebuilt(copied: Bench, sound: Bench) -> None:
    index_of(copied.space(), copied.settings).replace("note", [DAYS[1]], [])
    copied.run(days=[DAYS[0]])
    assert copied.digests() == sound.digests()


@pytest.mark.parametrize("damage", [b"", b"not a database" * 100])
def test_a_damaged_catalog_is_replaced_and_every_day_computed_again(copied: Bench, sound: Bench, damage: bytes) -> None:
    reader = Catalog(copied.space())
    assert len(reader.ledger(stage="text")) == 2
    for path in copied.space().root.glob("catalog.sqlite*"):
        path.unlink()
    copied.space().catalog.write_bytes(damage)
    assert ensure_catalog(copied.space(), copied.settings)
    assert [(day.source, day.day) for day in sensors.tick(copied.home, copied.settings, None).taken] == [
        ("note", day) for day in DAYS
    ]
    assert reader.ledger(stage="text") == []  # it does not go on with the old file
    reader.close()
    copied.run(days=list(DAYS))
    assert copied.digests() == sound.digests()


def test_a_flipped_bit_in_the_lake_survives_no_run(copied: Bench, sound: Bench) -> None:
    for path in copied.space().lake.rglob("*.parquet"):
        flip(path)
    copied.run()
    assert copied.digests() == sound.digests()
    assert check_up(copied.space(), copied.settings, heal=False).remaining == []


def test_a_damaged_lake_file_of_an_older_version_is_healed(copied: Bench, sound: Bench) -> None:
    with Catalog(copied.space()) as catalog:
        [file] = catalog.lake_files("text", source="note", days=[DAYS[0]])
        old = file.path.rpartition("-")[0] + ".parquet"  # without a checksum in its name
        (copied.space().lake / file.path).rename(copied.space().lake / old)
        catalog.swap_lake_files([replace(file, path=old)], [], now=0.0)
    (copied.space().lake / old).write_bytes(b"PAR1 damaged")
    health = check_up(copied.space(), copied.settings)
    assert [one.store for one in health.healed] == ["lake"] and health.remaining == []
    assert copied.digests() == sound.digests()


def test_a_forged_blob_is_not_served_and_what_was_read_stays(copied: Bench) -> None:
    before = copied.texts()
    with open_landing(copied.space(), copied.settings) as landing:
        item = landing.items("note", DAYS[0])[0]
    copied.space().blob(item.sha256).write_bytes(b"On 2026-01-05 Mallory leads the redesign.\n".ljust(item.bytes))
    from brain_pipelines.engine.run_stage import materialize
    from brain_pipelines.sources.registry import SOURCES_BY_NAME
    from brain_pipelines.stages.registry import STAGES

    for stage in STAGES[:2]:
        report = materialize(
            stage, SOURCES_BY_NAME["note"], copied.space(), [DAYS[0]],
            settings=copied.settings, run_id="forced", force=True,
        )  # fmt: skip
        assert report.failed == [DAYS[0]]
    assert copied.texts() == before
    shown = status(copied.home, user="alice")["users"][0]
    assert any("damaged" in row["reason"] for row in shown["quarantine"])


def test_doctor_heals_everything_and_says_so(copied: Bench, sound: Bench) -> None:
    with open_landing(copied.space(), copied.settings) as landing:
        item = landing.items("note", DAYS[0])[0]
    flip(copied.space().blob(item.sha256))
    flip(next((copied.space().lake / "text").rglob("*.parquet")))
    flip_vector(copied)
    health = check_up(copied.space(), copied.settings)
    assert health.remaining == []
    assert {"blobs", "lake", "index"} == {one.store for one in health.healed}
    assert copied.digests() == sound.digests()
    assert check_up(copied.space(), copied.settings).healed == []


def test_lost_bytes_are_named_in_status_until_they_are_dropped_again(copied: Bench, sound: Bench) -> None:
    with open_landing(copied.space(), copied.settings) as landing:
        item = landing.items("note", DAYS[0])[0]
    copied.space().blob(item.sha256).unlink()
    path = copied.home.inbox / "alice" / "note" / f"{DAYS[0]}.md"
    kept = path.read_bytes()
    path.unlink()
    [finding] = check_up(copied.space(), copied.settings).remaining
    assert (finding.store, finding.what) == ("blobs", "its stored bytes are missing")
    shown = status(copied.home, user="alice")["users"][0]
    assert json.dumps(shown["health"]["remaining"]).count("missing") == 1
    copied.land(copied.drop("alice", "note", path.name, kept, day=DAYS[0]))
    assert check_up(copied.space(), copied.settings).remaining == []
    assert copied.texts() == sound.texts()


@pytest.mark.parametrize("left", [b"", b"On 2026-01-05 Ali", bytes(42)])
def test_a_file_cut_short_does_not_replace_what_was_read(copied: Bench, left: bytes) -> None:
    before = copied.texts()
    copied.drop("alice", "note", f"{DAYS[0]}.md", left, day=DAYS[0])
    with open_landing(copied.space(), copied.settings) as landing:
        scan_inbox(copied.space(), landing, until=float("inf"), settle_seconds=0)
        [(uri, reason)] = landing.refused()
    assert uri.endswith(f"{DAYS[0]}.md") and "what was read before is kept" in reason
    copied.run()
    assert copied.texts() == before


def test_a_shortened_file_is_taken_if_a_person_names_it(copied: Bench) -> None:
    copied.land(copied.drop("alice", "note", f"{DAYS[0]}.md", "On 2026-01-05 Ali", day=DAYS[0]))
    copied.run()
    assert "On 2026-01-05 Ali" in copied.texts().values()


def test_a_damaged_snapshot_is_computed_again(bench: Bench, known: None) -> None:
    from brain_retrieval.stores.snapshots import SnapshotStore

    store = SnapshotStore(bench.space())
    day = store.newest()
    assert day is not None
    before = store.manifest(day)
    flip(bench.space().knowledge / "tables" / before["known_entities"].file)
    health = check_up(bench.space(), bench.settings)
    assert [one.store for one in health.healed] == ["snapshots"] and health.remaining == []
    assert store.manifest(day)["known_entities"] == before["known_entities"]
