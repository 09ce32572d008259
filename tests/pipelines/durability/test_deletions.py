"""Deletions: many at once wait, an inbox that is not there deletes nothing, and what was deleted can come back."""

import shutil
from datetime import UTC, datetime, timedelta

import pytest

from brain_pipelines.commands.status import status
from brain_pipelines.ingest import deletions
from brain_pipelines.ingest.deletions import NotDeletedError, confirm, list_waiting, restore
from brain_pipelines.landing.landing import open_landing
from brain_pipelines.landing.scan import scan_inbox
from brain_pipelines.landing.upkeep import keep_up
from brain_pipelines.orchestration import sensors
from brain_retrieval.home import Home
from tests.pipelines.conftest import RECEIVED, Bench

NOTES = [f"n{number}.md" for number in range(6)]


@pytest.fixture(scope="module")
def six(tmp_path_factory: pytest.TempPathFactory) -> Bench:
    """A home with six notes of one user, landed."""
    bench = Bench(Home(tmp_path_factory.mktemp("six") / "home"))
    for name in NOTES:
        bench.land(bench.drop("alice", "note", name, f"Alice wrote note {name} about the redesign.\n"))
    return bench


@pytest.fixture
def inbox(bench: Bench, six: Bench):
    shutil.copytree(six.home.path, bench.home.path, dirs_exist_ok=True)
    scan(bench)  # the copies have other change times
    return bench.space().inbox / "note"


def scan(bench: Bench) -> set[str]:
    """Scan the inbox; return the uris of the files that are landed afterwards."""
    with open_landing(bench.space(), bench.settings) as landing:
        scan_inbox(bench.space(), landing, until=float("inf"), settle_seconds=0)
        return set(landing.landed())


def test_an_emptied_inbox_deletes_nothing_until_confirmed(bench: Bench, inbox, monkeypatch) -> None:
    ran = []  # running the days is tested with a restored source
    monkeypatch.setattr(deletions, "run_spans", lambda home, spans, bars, report: ran.extend(spans))
    for name in NOTES:
        (inbox / name).unlink()
    assert len(scan(bench)) == 6
    assert [one.uri for one in list_waiting(bench.home, "alice")] == [f"inbox:note/{name}" for name in NOTES]
    assert len(status(bench.home)["users"][0]["waiting_deletions"]) == 6
    assert sensors.tick(bench.home, bench.settings, None).held == 6
    bench.drop("alice", "note", NOTES[0], f"Alice wrote note {NOTES[0]} about the redesign.\n")
    (inbox.parent / "mail").mkdir()
    waiting = [one.uri for one in list_waiting(bench.home, "alice")]
    deleted, report = confirm(bench.home, "alice", waiting)
    assert deleted == waiting[1:]
    assert [(span.source, span.days) for span in ran] == [("note", ("2026-01-05",))]
    assert [row["uri"] for row in report.skipped] == [f"inbox:note/{NOTES[0]}"]
    assert scan(bench) == {f"inbox:note/{NOTES[0]}"}


def test_files_that_come_back_no_longer_wait(bench: Bench, inbox) -> None:
    moved = inbox.parent.parent / "elsewhere"
    inbox.rename(moved)
    assert len(scan(bench)) == 6
    moved.rename(inbox)
    assert len(scan(bench)) == 6
    assert list_waiting(bench.home, "alice") == []


def test_few_deletions_are_carried_out_and_many_in_small_steps_wait(bench: Bench, inbox) -> None:
    for count, name in enumerate(NOTES[:4], start=1):
        (inbox / name).unlink()
        assert len(scan(bench)) == 6 - count
    (inbox / NOTES[4]).unlink()
    assert len(scan(bench)) == 2


def test_what_waits_is_deleted_after_the_days_of_grace_but_not_from_an_empty_inbox(bench: Bench, inbox) -> None:
    shutil.rmtree(inbox)
    later = datetime.now(UTC) + timedelta(days=8)
    missing = [f"inbox:note/{name}" for name in NOTES]
    assert len(scan(bench)) == 6
    with open_landing(bench.space(), bench.settings) as landing:
        assert landing.deletions_due(missing, empty=True, now=later) == []
        assert landing.deletions_due(missing, empty=False, now=later - timedelta(days=2)) == []
        assert landing.deletions_due(missing, empty=False, now=later) == missing


def test_an_inbox_that_is_not_mounted_deletes_nothing(bench: Bench, inbox) -> None:
    for name in NOTES[:5]:  # one file is left: too few for the rule of many
        (inbox / name).unlink()
        with open_landing(bench.space(), bench.settings) as landing:
            landing.remove(f"inbox:note/{name}")
    for there in (inbox.parent / "note", inbox.parent):
        shutil.rmtree(there)  # the folder of the mount is empty, then gone
        assert scan(bench) == {f"inbox:note/{NOTES[5]}"}


def test_a_deleted_source_comes_back_with_its_receipt_time_and_rows(bench: Bench, inbox) -> None:
    bench.run()
    before, path = bench.digests(), inbox / NOTES[2]
    content, changed = path.read_bytes(), path.stat().st_mtime_ns
    path.unlink()
    scan(bench)
    bench.run()
    assert len(bench.texts()) == 5
    report = restore(bench.home, "alice", [f"note/{NOTES[2]}"])
    assert [row["uri"] for row in report.stored] == [f"inbox:note/{NOTES[2]}"]
    assert (path.read_bytes(), path.stat().st_mtime_ns) == (content, changed)
    with open_landing(bench.space(), bench.settings) as landing:
        assert {item.received_at for item in landing.all_items()} == {RECEIVED}
        assert landing.removed() == []
    assert bench.digests() == before


def test_a_purged_source_does_not_come_back_and_shared_bytes_stay(bench: Bench, inbox) -> None:
    twin = bench.drop("alice", "note", "twin.md", (inbox / NOTES[0]).read_bytes())
    bench.land(twin)
    for name in NOTES[:2]:
        (inbox / name).unlink()
    scan(bench)
    with open_landing(bench.space(), bench.settings) as landing:
        hashes = [one.sha256 for one in landing.removed()]
    assert keep_up(bench.space(), bench.settings) == {"purged_sources": 0, "backups": 1, "pruned_answers": 0}
    later = datetime.now(UTC) + timedelta(days=31)
    with open_landing(bench.space(), bench.settings) as landing:
        assert landing.purge([]) == 0 and len(landing.removed()) == 2
        assert landing.purge(one.uri for one in landing.removed()) == 2
        assert [landing.raw.state(sha256) for sha256 in hashes] == ["intact", "missing"]
    with pytest.raises(NotDeletedError):
        restore(bench.home, "alice", [f"note/{NOTES[1]}"])
    (inbox / NOTES[2]).unlink()
    scan(bench)
    assert keep_up(bench.space(), bench.settings, later) == {"purged_sources": 1, "backups": 1, "pruned_answers": 0}
