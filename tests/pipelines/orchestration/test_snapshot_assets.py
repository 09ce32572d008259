"""Snapshots end to end: independent of processing order, reversible by edits, published atomically, one per user."""

import json
import random
import shutil
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta

import dagster as dg
import polars as pl
import pytest
from typer.testing import CliRunner

from brain_pipelines.commands.app import app
from brain_pipelines.engine.run_stage import StageFailedError, materialize
from brain_pipelines.ingest.local_runs import open_instance
from brain_pipelines.knowledge.due import due_users
from brain_pipelines.knowledge.registry import SNAPSHOT_STAGES
from brain_pipelines.knowledge.run_snapshot import run_stage
from brain_pipelines.orchestration.snapshot_assets import snapshot_requests
from brain_pipelines.sources.registry import SOURCES_BY_NAME
from brain_pipelines.stages.registry import STAGES_BY_NAME
from brain_retrieval.brain import Brain
from brain_retrieval.errors import InvalidQueryError, NoSnapshotError
from brain_retrieval.knowledge.reader import Knowledge
from brain_retrieval.stores.snapshots import SnapshotStore

DAY = "2026-03-01"  # everything is received at noon of this day
NOTES = {
    "move.md": ("2026-01-05", "Bob Lee lives in Berlin. Bob Lee works at Acme Corp."),
    "lead.md": ("2026-01-07", "Priya Raman leads Phoenix. Phoenix depends on Kafka."),
    "lisbon.md": ("2026-02-01", "Bob Lee lives in Lisbon."),
    "again.md": ("2026-02-03", "Priya Raman leads Phoenix."),
    "denied.md": ("2026-02-10", "Bob Lee does not work at Acme Corp."),
}
READ = ("raw", "text", "enrichments", "extractions")


def write(bench, notes: dict[str, tuple[str, str]], *, user: str = "alice", order: Iterable[str] | None = None) -> None:
    """Land notes and run their days, one after the other in the order given, without the search index."""
    for name in order or notes:
        day, text = notes[name]
        bench.land(bench.drop(user, "note", name, text, day=day), user)
        read(bench, [day], user)


def read(bench, days: Iterable[str], user: str = "alice") -> None:
    for stage in READ:
        arguments = (STAGES_BY_NAME[stage], SOURCES_BY_NAME["note"], bench.space(user), list(days))
        materialize(*arguments, settings=bench.settings, run_id="test")


def snapshot(bench, day: str = DAY, user: str = "alice", *, force: bool = False) -> dict[str, bool]:
    """Run every stage of a snapshot; return which were skipped."""
    return {
        stage.name: run_stage(
            stage, SNAPSHOT_STAGES, bench.space(user), day, settings=bench.settings, force=force
        ).skipped
        for stage in SNAPSHOT_STAGES
    }


def content(bench, day: str = DAY, user: str = "alice") -> dict[str, str]:
    """Return the digest of each table of a snapshot: files are named by their content."""
    return {name: table.file for name, table in SnapshotStore(bench.space(user)).manifest(day).items()}


def objects(bench, about: str, predicate: str, user: str = "alice", **options) -> list[str]:
    known = Knowledge(bench.space(user), bench.settings)
    return [fact.object for fact in known.facts(about, predicate=predicate, **options) if fact.polarity == "affirmed"]


def home_of(bench) -> str:
    [fact] = [f for f in Knowledge(bench.space(), bench.settings).facts("Bob Lee") if f.object in ("Berlin", "Lisbon")]
    return fact.object


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


def test_missing_snapshot_error_says_how_to_create_one(bench) -> None:
    write(bench, {"move.md": NOTES["move.md"]})
    with pytest.raises(NoSnapshotError, match="brain nightly --user alice"):
        Knowledge(bench.space(), bench.settings).facts()


def test_memories_and_entities_answer_before_the_first_snapshot(bench, known) -> None:
    SnapshotStore(bench.space()).remove()
    known = Knowledge(bench.space(), bench.settings)
    assert any("Lisbon" in card.text for card in known.memories("Bob Lee"))
    card = known.entity("Bob Lee")
    assert card.snapshot is None and card.source_count > 1 and card.sources[0].uri.startswith("inbox:note/")
    with pytest.raises(InvalidQueryError, match="did you mean Bob Lee"):
        known.entity("Bob Leee")
    shown = CliRunner().invoke(app, ["facts", "--about", "Bob Lee", "--user", "alice"])
    assert shown.exit_code == 0 and "Lisbon" in shown.output


def test_user_without_data_can_have_snapshot(bench) -> None:
    bench.space().create()
    snapshot(bench)
    assert Knowledge(bench.space(), bench.settings).storylines() == []


def test_job_runs_every_stage_and_quality_check(bench, known) -> None:
    SnapshotStore(bench.space()).remove()
    result = CliRunner().invoke(app, ["nightly", "--user", "alice", "--day", DAY, "--json"])
    assert result.exit_code == 0, result.output
    report = json.loads(result.output)
    assert report["success"] and report["rows"]["known_facts"] > 3 and all(row["passed"] for row in report["quality"])
    with open_instance(bench.home.path) as instance:
        for stage in SNAPSHOT_STAGES:
            found = instance.get_materialized_partitions(dg.AssetKey([stage.group, stage.name]))
            assert found == {f"{DAY}|alice"}
        checks = instance.event_log_storage.get_latest_asset_check_execution_by_key(
            [dg.AssetCheckKey(dg.AssetKey(["knowledge", "quality"]), "orphan_edges")]
        )
        assert [record.status.value for record in checks.values()] == ["SUCCEEDED"]


def test_commands_show_snapshot_content(bench, known) -> None:
    run = CliRunner().invoke
    card = json.loads(run(app, ["entity", "bob lee", "--user", "alice", "--json"]).output)
    assert card["name"] == "Bob Lee" and card["facts"][0]["evidence"][0]["uri"].startswith("inbox:note/")
    shown = run(app, ["entity", "Bob Lee", "--user", "alice"])
    assert shown.exit_code == 0 and "Lisbon" in shown.output and "Mentioned" in shown.output
    shown = json.loads(run(app, ["relations", "--about", "Bob Lee", "--history", "--user", "alice", "--json"]).output)
    assert {"Berlin", "Lisbon"} <= {relation["object"] for relation in shown["relations"]}
    said = json.loads(run(app, ["facts", "--about", "Bob Lee", "--all", "--user", "alice", "--json"]).output)
    assert {"current", "ended"} <= {memory["status"] for memory in said["memories"]}
    assert "Lisbon" in run(app, ["facts", "--about", "Bob Lee", "--user", "alice"]).output
    assert "no storylines yet" in run(app, ["storylines", "--user", "alice"]).output
    unknown = run(app, ["entity", "Bob Leee", "--user", "alice"])
    assert unknown.exit_code == 2 and "did you mean" in unknown.output
    assert run(app, ["facts", "--user", "nobody"]).exit_code == 3
    assert run(app, ["nightly", "--user", "alice", "--day", "soon"]).exit_code == 2


def test_preference_changes_over_time(bench) -> None:
    notes = {
        "tea.md": ("2026-01-05", "Bob Lee prefers tea."),
        "coffee.md": ("2026-02-05", "Bob Lee prefers coffee."),
        "lisbon.md": NOTES["lisbon.md"],
    }
    write(bench, notes)
    snapshot(bench)
    chains = Knowledge(bench.space(), bench.settings).drift("Bob Lee")
    assert [[fact.object for fact in chain] for chain in chains.values()] == [["tea", "coffee"]]
    shown = CliRunner().invoke(app, ["relations", "--about", "Bob Lee", "--drift", "--user", "alice", "--json"])
    assert [fact["object"] for fact in json.loads(shown.output)["relations"]] == ["tea", "coffee"]
    assert CliRunner().invoke(app, ["relations", "--drift", "--user", "alice"]).exit_code == 2


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


def test_storylines_need_enough_evidence(bench) -> None:
    start = datetime(2026, 1, 1, tzinfo=UTC)
    days = [(start + timedelta(days=2 * n)).date().isoformat() for n in range(12)]
    notes = {
        f"{day}.md": (day, f"Priya Raman reviewed Phoenix on day {n}. The budget of Phoenix grew.")
        for n, day in enumerate(days)
    }
    for name, (day, text) in notes.items():
        bench.land(bench.drop("alice", "note", name, text, day=day))
    read(bench, days)
    snapshot(bench)
    found = [s for s in Knowledge(bench.space(), bench.settings).storylines("Phoenix") if s.level == "storyline"]
    assert len(found) == 1 and found[0].source_count == 12 and found[0].open
    assert found[0].description and found[0].citations[0].uri.startswith("inbox:note/")
    texts = {row["source_id"]: row["text"] for row in _texts(bench)}
    quotes = [texts[c.source_id][slice(*c.span)] for c in found[0].citations]
    assert found[0].description == " ".join(quotes)


def _texts(bench) -> list[dict]:
    from brain_retrieval.stores.catalog import Catalog
    from brain_retrieval.stores.lake import Lake

    with Catalog(bench.space()) as catalog:
        return Lake(bench.space(), catalog).read("text").to_pylist()


def test_users_are_due_when_there_is_new_data(bench) -> None:
    write(bench, {"move.md": NOTES["move.md"]})
    assert due_users(bench.home, bench.settings, DAY) == ["alice"]
    now = datetime(2026, 3, 2, 3, tzinfo=UTC)
    [request] = snapshot_requests(bench.home, bench.settings, now)
    assert request.run_key == f"nightly:alice:{DAY}" and request.tags["brain/user"] == "alice"
    snapshot(bench)
    assert due_users(bench.home, bench.settings, "2026-03-02") == []
    assert due_users(bench.home, bench.settings, "2026-03-08") == ["alice"]  # snapshots are refreshed at least weekly
    write(bench, {"lisbon.md": NOTES["lisbon.md"]})
    assert due_users(bench.home, bench.settings, "2026-03-02") == ["alice"]


def test_recall_makes_snapshot_due_and_raises_salience(bench, known) -> None:
    with Brain.open(bench.home.path, user="alice") as brain:
        brain.knowledge().entity("Bob Lee")
    today = datetime.now(UTC).date().isoformat()
    assert due_users(bench.home, bench.settings, today) == ["alice"]
    snapshot(bench, today)
    row = Knowledge(bench.space(), bench.settings).entity("Bob Lee")
    assert row.state == "active" and row.access_count == 1
    other = Knowledge(bench.space(), bench.settings).entity("Kafka")
    assert other.state in ("candidate", "archived") and other.salience < row.salience


def test_old_snapshots_are_pruned(bench) -> None:
    (bench.home.path / "brain.toml").write_text("[knowledge]\nkeep_snapshots = 2\n")
    write(bench, {"move.md": NOTES["move.md"]})
    for day in ("2026-03-01", "2026-03-02", "2026-03-03", "2026-03-04"):
        snapshot(bench, day)
    assert SnapshotStore(bench.space()).days() == ["2026-03-02", "2026-03-03", "2026-03-04"]


def test_team_member_snapshot_contains_team_sources(bench) -> None:
    from brain_pipelines.knowledge.team_extraction import extract_for_reader, request_batch

    (bench.home.path / "brain.toml").write_text('[teams.team-apollo]\nmembers = ["alice"]\n')
    write(bench, {"lead.md": NOTES["lead.md"]}, user="team-apollo")
    write(bench, {"move.md": NOTES["move.md"]})
    assert request_batch(bench.home, "alice", "team-apollo", bench.settings) == 1
    extract_for_reader(bench.home, "alice", [NOTES["lead.md"][0]], bench.settings, run_id="r")
    snapshot(bench)
    known = Knowledge(bench.space(), bench.settings)
    card = known.entity("Priya Raman")
    assert card.sources[0].source_type == "team-apollo--note" and card.facts[0].evidence[0].uri == "inbox:note/lead.md"
    assert known.table("known_sources")["team"].to_list().count("team-apollo") == 1

    (bench.home.path / "brain.toml").write_text('[teams.team-apollo]\nmembers = ["bob"]\n')
    snapshot(bench)
    with pytest.raises(InvalidQueryError):
        Knowledge(bench.space(), bench.settings).entity("Priya Raman")


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
