"""Snapshots end to end: independent of processing order, reversible by edits, published atomically, one per user."""

import json
import random
import shutil
from datetime import UTC, datetime

import dagster as dg
import polars as pl
import pytest
from typer.testing import CliRunner

from brain_pipelines.commands.app import app
from brain_pipelines.engine.run_stage import StageFailedError
from brain_pipelines.ingest.local_runs import open_instance
from brain_pipelines.knowledge.registry import SNAPSHOT_STAGES
from brain_retrieval.errors import InvalidQueryError
from brain_retrieval.knowledge.reader import Knowledge
from brain_retrieval.stores.snapshots import SnapshotStore
from tests.pipelines.orchestration.snapshot_steps import (
    DAY,
    NOTES,
    content,
    home_of,
    objects,
    read,
    snapshot,
    write,
)


def test_snapshot_has_current_and_ended_facts(bench, known) -> None:
    known = Knowledge(bench.space(), bench.settings)
    card = known.entity("Bob Lee")
    assert card.entity_class == "Person" and card.source_count == 3 and card.distinct_source_days == 3
    assert home_of(bench) == "Lisbon"
    lives = next(f.predicate for f in card.facts if f.object == "Lisbon")
    assert objects(bench, "Bob Lee", lives, history=True) == ["Berlin", "Lisbon"]
    assert objects(bench, "Bob Lee", lives, as_of="2026-01-20") == ["Berlin"]
    history = {f.object: f for f in known.facts("Bob Lee", predicate=lives, history=True)}
    assert history["Berlin"].superseded_by_fact_id == history["Lisbon"].fact_id
    assert history["Lisbon"].evidence[0].quote == "Bob Lee lives in Lisbon."
    assert not [f for f in card.facts if "Acme" in f.object and f.polarity == "affirmed" and f.status == "current"]


def test_snapshot_is_independent_of_processing_order(bench, known, tmp_path) -> None:
    expected = content(bench)
    for seed in range(2):
        shutil.rmtree(bench.space().root)
        shutil.rmtree(bench.home.inbox)
        order = random.Random(seed).sample(list(NOTES), len(NOTES))
        write(bench, NOTES, order=order)
        for earlier in range(seed):  # earlier snapshots do not influence the result
            snapshot(bench, f"2026-02-2{earlier + 1}")
        snapshot(bench)
        assert content(bench) == expected


def test_unchanged_snapshot_is_skipped_and_deleted_one_is_rebuilt(bench, known) -> None:
    before = content(bench)
    assert {name for name, skipped in snapshot(bench).items() if not skipped} == set()
    SnapshotStore(bench.space()).remove()
    assert not any(snapshot(bench).values())
    assert content(bench) == before


def test_the_second_unchanged_night_writes_nothing(bench) -> None:
    """The first one also compacts the closed months, which are several files of one day each."""
    write(bench, NOTES, order=NOTES)
    snapshot(bench)
    tables = bench.space().knowledge / "tables"
    before = {path.name for path in tables.iterdir()}
    manifest = (tables.parent / f"{DAY}.json").read_bytes()
    snapshot(bench)
    assert {path.name for path in tables.iterdir()} == before
    assert (tables.parent / f"{DAY}.json").read_bytes() == manifest


def test_removing_source_removes_only_facts_it_supported(bench) -> None:
    write(bench, {name: NOTES[name] for name in NOTES if name != "lisbon.md"})
    snapshot(bench)
    before = content(bench)
    assert home_of(bench) == "Berlin"
    write(bench, {"lisbon.md": NOTES["lisbon.md"]})
    snapshot(bench)
    assert home_of(bench) == "Lisbon"
    bench.remove(bench.space().inbox / "note" / "lisbon.md")
    read(bench, [NOTES["lisbon.md"][0]])
    snapshot(bench)
    assert home_of(bench) == "Berlin"
    assert content(bench) == before


def test_fact_stated_twice_survives_one_removal(bench, known) -> None:
    bench.remove(bench.space().inbox / "note" / "again.md")
    read(bench, [NOTES["again.md"][0]])
    snapshot(bench)
    [fact] = [f for f in Knowledge(bench.space(), bench.settings).facts("Phoenix") if f.subject == "Priya Raman"]
    assert fact.source_count == 1 and fact.status == "current"


def test_late_files_do_not_change_older_snapshots(bench) -> None:
    write(bench, {name: NOTES[name] for name in ("move.md", "lead.md")})
    snapshot(bench, "2026-03-01")
    before = content(bench, "2026-03-01")
    late = bench.drop("alice", "note", "lisbon.md", NOTES["lisbon.md"][1], day=NOTES["lisbon.md"][0])
    bench.land(late, now=datetime(2026, 3, 5, 9, tzinfo=UTC))
    read(bench, [NOTES["lisbon.md"][0]])
    snapshot(bench, "2026-03-05")
    snapshot(bench, "2026-03-01", force=True)
    assert content(bench, "2026-03-01") == before
    assert home_of(bench) == "Lisbon"  # the newest snapshot
    earlier = Knowledge(bench.space(), bench.settings, known_at="2026-03-02").facts("Bob Lee")
    assert {f.object for f in earlier} >= {"Berlin"} and "Lisbon" not in {f.object for f in earlier}


def test_snapshots_are_isolated_per_user(bench) -> None:
    write(bench, {"move.md": NOTES["move.md"]})
    write(bench, {"lead.md": NOTES["lead.md"]}, user="bob")
    snapshot(bench)
    snapshot(bench, user="bob")
    with pytest.raises(InvalidQueryError, match="nothing is known of 'Priya Raman'"):
        Knowledge(bench.space(), bench.settings).entity("Priya Raman")
    assert Knowledge(bench.space("bob"), bench.settings).entity("Priya Raman").source_count == 1


def test_job_runs_every_stage_and_quality_check(bench, known) -> None:
    SnapshotStore(bench.space()).remove()
    result = CliRunner().invoke(app, ["nightly", "--user", "alice", "--day", DAY, "--json"])
    assert result.exit_code == 0, result.output
    report = json.loads(result.output)
    assert report["success"] and report["rows"]["known_facts"] > 3 and all(row["passed"] for row in report["quality"])
    with open_instance(bench.home.path) as instance:
        assert not instance.all_logs(report["run_id"], of_type=dg.DagsterEventType.STEP_UP_FOR_RETRY)
        for stage in SNAPSHOT_STAGES:
            found = instance.get_materialized_partitions(dg.AssetKey([stage.group, stage.name]))
            assert found == {f"{DAY}|alice"}
        checks = instance.event_log_storage.get_latest_asset_check_execution_by_key(
            [dg.AssetCheckKey(dg.AssetKey(["knowledge", "quality"]), "orphan_edges")]
        )
        assert [record.status.value for record in checks.values()] == ["SUCCEEDED"]


def test_snapshot_failing_quality_gate_is_not_published(bench, monkeypatch: pytest.MonkeyPatch) -> None:
    from brain_pipelines.knowledge import quality

    write(bench, {"move.md": NOTES["move.md"]})
    snapshot(bench)
    before = content(bench)
    write(bench, {"lisbon.md": NOTES["lisbon.md"]})
    monkeypatch.setitem(quality.LIMITS, "orphan_edges", -1.0)
    for _ in range(2):  # the second run skips the stages but must still not publish
        result = CliRunner().invoke(app, ["nightly", "--user", "alice", "--day", DAY])
        assert result.exit_code == 1 and "orphan edges 0 (at most -1); readers keep what they had" in result.output
        assert content(bench) == before and home_of(bench) == "Berlin"
    shown = CliRunner().invoke(app, ["status", "--user", "alice"]).output
    assert f"the quality gate stopped the snapshot of {DAY}: orphan edges" in shown
    with pytest.raises(StageFailedError, match="held back by the quality gate: orphan_edges 0"):
        snapshot(bench)
    assert content(bench) == before


def test_snapshot_tables_are_consistent(bench, known) -> None:
    store = SnapshotStore(bench.space())
    tables = {name: store.read(DAY, name) for name in store.manifest(DAY)}
    known = set(tables["known_entities"]["entity_id"])
    assert set(tables["entity_members"]["entity_id"]) == known
    assert set(tables["entity_names"]["entity_id"]) == known
    sources = tables["entity_members"].group_by("entity_id").agg(pl.col("source_id").n_unique().alias("n"))
    counts = tables["known_entities"].join(sources, on="entity_id")
    assert (counts["n"] == counts["source_count"]).all()
    salience = set(tables["salience"]["item_id"])
    assert known | set(tables["known_facts"]["fact_id"]) | set(tables["known_sources"]["source_id"]) == salience
    owner = tables["salience"].filter(pl.col("ttl_policy") == "keep_forever")
    assert owner["anchor_salience"].to_list() == [1.0] * owner.height
