"""A clock that was ahead: what was dated in the future neither hides nor blocks what comes after."""

from datetime import UTC, datetime, timedelta

from brain_pipelines.engine.healing import ensure_catalog
from brain_pipelines.knowledge.due import FINGERPRINT, is_due
from brain_pipelines.landing.landing import open_landing
from brain_pipelines.orchestration import sensors
from brain_pipelines.orchestration.doctor import check_up
from brain_retrieval.stores.catalog import Catalog
from brain_retrieval.stores.snapshots import SnapshotStore

FUTURE = (datetime.now(UTC) + timedelta(days=400)).date().isoformat()


def test_a_snapshot_of_the_future_is_ignored_and_due_again(bench, known, caplog) -> None:
    store = SnapshotStore(bench.space())
    day = store.newest()
    folder = bench.space().knowledge
    (folder / f"{FUTURE}.json").write_bytes((folder / f"{day}.json").read_bytes())
    assert store.newest() == day and store.ahead() == [FUTURE]
    assert "dated in the future" in caplog.text
    with Catalog(bench.space()) as catalog:
        made_of = (catalog.get_meta(FINGERPRINT) or "").split(" ")[1]
        catalog.set_meta(FINGERPRINT, f"{FUTURE} {made_of}")
    assert is_due(bench.space(), bench.settings, str(day))
    store.prune(1)
    assert store.newest() == day  # the one of the future does not count as the one to keep


def test_a_failure_and_a_receipt_of_the_future_are_corrected(bench, monkeypatch) -> None:
    ahead = datetime.now(UTC) + timedelta(days=400)
    bench.land(bench.drop("alice", "note", "a.md", "hello"), now=ahead)
    with open_landing(bench.space(), bench.settings) as landing:
        [day] = landing.dirty()
        landing.queue([day], 1, now=ahead)
        assert landing.dirty(accepted=1) == [day]  # queued in the future: offered again
    bench.run()
    assert not ensure_catalog(bench.space(), bench.settings)
    with Catalog(bench.space()) as catalog:
        catalog.record_attempt("note", "text", day.day, "", "hash", run_id="r", error="broken")
        [row] = catalog.ledger(source="note", stage="text")
        from dataclasses import replace

        catalog.put_ledger(replace(row, state="failed", input_hash="hash", started_at=ahead))
    assert [key for _, key in sensors.failed_spans(bench.space(), now=datetime.now(UTC))]

    health = check_up(bench.space(), bench.settings)
    assert [one.store for one in health.healed] == ["landing"] and health.remaining == []
    with open_landing(bench.space(), bench.settings) as landing:
        assert landing.received_after(datetime.now(UTC)) == []
