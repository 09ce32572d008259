"""Robustness of snapshots: damaged or lost files, sources received during a run, kills, invalid days."""

import json
import shutil
from contextlib import closing
from datetime import UTC, datetime, timedelta

import dagster as dg
import pytest
from typer.testing import CliRunner

from brain_pipelines.commands.app import app
from brain_pipelines.definitions import build_defs
from brain_pipelines.ingest.agent_tools import AgentTools
from brain_pipelines.ingest.local_runs import open_instance
from brain_pipelines.knowledge.due import due_users
from brain_pipelines.knowledge.registry import SNAPSHOT_STAGES
from brain_pipelines.knowledge.run_snapshot import end_of, run_stage
from brain_pipelines.orchestration.resources import BrainResource
from brain_retrieval.home import Home
from brain_retrieval.knowledge.reader import Knowledge
from brain_retrieval.stores.access_log import AccessLog
from brain_retrieval.stores.graph.embedded import EmbeddedGraph
from brain_retrieval.stores.graph.protocol import Node
from brain_retrieval.stores.graph.rows import GraphRows
from brain_retrieval.stores.snapshot_clock import latest_day
from brain_retrieval.stores.snapshots import SnapshotStore
from tests.pipelines.conftest import Bench
from tests.pipelines.knowledge.snapshot_victim import victim
from tests.pipelines.orchestration.snapshot_steps import DAY, NOTES, content, home_of, read, snapshot, write
from tests.victims import run_until_killed


def graph_of(bench) -> tuple[str | None, GraphRows, list[Node]]:
    """Return all that the graph holds; the numbers of its rows depend on what it held before."""
    with closing(EmbeddedGraph(bench.space())) as graph:
        return graph.digest(), graph._load(), graph.find("b", prefix=True)


def _lose_graph(knowledge) -> None:
    (knowledge.parent / "graph.sqlite").unlink()


def _garble_manifest(knowledge) -> None:
    (knowledge / f"{DAY}.json").write_bytes(b"\xff{")


def _garble_stage(knowledge) -> None:
    manifest = json.loads((knowledge / f"{DAY}.json").read_text("utf-8"))
    manifest["stages"]["entities"] = [1]
    (knowledge / f"{DAY}.json").write_text(json.dumps(manifest))


def _garble_table(knowledge) -> None:
    next((knowledge / "tables").glob("known_facts-*")).write_bytes(b"PAR1 half")


@pytest.mark.parametrize(
    "damage", [_lose_graph, _garble_manifest, _garble_stage, _garble_table], ids=lambda f: f.__name__
)
def test_rerun_after_damage_restores_snapshot_and_graph(bench, known, damage) -> None:
    before, graph = content(bench), graph_of(bench)
    damage(bench.space().knowledge)
    snapshot(bench)
    assert content(bench) == before and graph_of(bench) == graph
    assert home_of(bench) == "Lisbon" and Knowledge(bench.space(), bench.settings).entity("Bob Lee").state
    assert all(snapshot(bench).values())


@pytest.fixture(scope="module")
def moved(tmp_path_factory: pytest.TempPathFactory) -> Bench:
    """A home with one note and the snapshot of its day; tests work on copies of it."""
    template = Bench(Home(tmp_path_factory.mktemp("moved") / "home"))
    write(template, {"move.md": NOTES["move.md"]})
    snapshot(template)
    return template


@pytest.mark.parametrize("moment", ["entities", "quality", "graph"])
def test_sources_received_during_a_run_belong_to_the_next_snapshot(bench, moved: Bench, moment: str) -> None:
    shutil.copytree(moved.home.path, bench.home.path, dirs_exist_ok=True)
    before = content(bench)
    SnapshotStore(bench.space()).remove()
    for stage in SNAPSHOT_STAGES:
        if stage.name == moment:
            write(bench, {"lisbon.md": NOTES["lisbon.md"]})
        run_stage(stage, SNAPSHOT_STAGES, bench.space(), DAY, settings=bench.settings)
    assert content(bench) == before and home_of(bench) == "Berlin"
    assert due_users(bench.home, bench.settings, DAY) == ["alice"]
    snapshot(bench)
    assert home_of(bench) == "Lisbon" and due_users(bench.home, bench.settings, DAY) == []


def test_sources_received_after_midnight_belong_to_the_next_day(bench) -> None:
    write(bench, {"move.md": NOTES["move.md"]})
    late = bench.drop("alice", "note", "lisbon.md", NOTES["lisbon.md"][1], day=NOTES["lisbon.md"][0])
    bench.land(late, now=datetime(2026, 3, 2, 1, tzinfo=UTC))
    read(bench, [NOTES["lisbon.md"][0]])
    snapshot(bench, "2026-03-01")  # the run at 03:00 of the second of March
    assert home_of(bench) == "Berlin"
    assert due_users(bench.home, bench.settings, "2026-03-02") == ["alice"]
    snapshot(bench, "2026-03-02")
    assert home_of(bench) == "Lisbon" and due_users(bench.home, bench.settings, "2026-03-03") == []
    with AccessLog(bench.space()) as log:  # likewise what was recalled after the snapshot's day
        log.record([("entity", "entity_0")], at=datetime(2026, 3, 3, 1, tzinfo=UTC))
    snapshot(bench, "2026-03-02", force=True)
    assert due_users(bench.home, bench.settings, "2026-03-03") == ["alice"]


@pytest.mark.parametrize("moment", ["half-a-file", "half-a-graph", "visible-without-graph", "published-not-recorded"])
def test_rerun_after_kill_equals_clean_run(bench, known, moment: str) -> None:
    tables, graph = content(bench), graph_of(bench)
    SnapshotStore(bench.space()).remove()
    (bench.space().root / "graph.sqlite").unlink()
    run_until_killed(victim, bench.home.path, DAY, moment)
    snapshot(bench)
    assert content(bench) == tables and graph_of(bench) == graph


def test_a_day_that_changes_nothing_writes_one_small_file(bench) -> None:
    write(bench, NOTES)
    tools = AgentTools(bench.home, "alice")
    tools.add_note("Bob Lee", "Likes tea.")
    today = datetime.now(UTC).date()
    days = [(today + timedelta(days=n)).isoformat() for n in range(4)]
    for day in days[:2]:  # the second reads the files of the lake that the first compacted
        snapshot(bench, day)
    before = stored(bench)
    for day in days[2:]:
        snapshot(bench, day)
        assert content(bench, day) == content(bench, days[0])
    written = {path: size for path, size in stored(bench).items() if path not in before}
    assert sorted(path for path, _ in written) == [f"{day}.json" for day in days[2:]]
    assert max(written.values()) < 4096
    assert before.items() <= stored(bench).items()


def stored(bench) -> dict[tuple[str, int], int]:
    """Return the size of each file of snapshots and graph, by its name and the time it was written."""
    files = [*bench.space().knowledge.rglob("*"), bench.space().root / "graph.sqlite"]
    found = [(path, path.stat()) for path in files if path.is_file()]
    return {(path.name, stat.st_mtime_ns): stat.st_size for path, stat in found}


def test_rerun_of_an_old_snapshot_keeps_the_newest_graph(bench, moved: Bench) -> None:
    shutil.copytree(moved.home.path, bench.home.path, dirs_exist_ok=True)
    snapshot(bench, "2026-03-09")
    before = graph_of(bench)
    snapshot(bench, "2026-03-01", force=True)
    assert graph_of(bench) == before and SnapshotStore(bench.space()).newest() == "2026-03-09"


@pytest.mark.parametrize("day", ["soon", "", "2026-02-30", "1999-01-01", "2999-01-01"])
def test_invalid_and_future_days_are_rejected(bench, day: str) -> None:
    bench.space().create()
    result = CliRunner().invoke(app, ["nightly", "--user", "alice", f"--day={day}", "--json"])
    assert result.exit_code == 2 and "--day" in json.loads(result.stdout)["message"]
    assert SnapshotStore(bench.space()).days() == []


@pytest.mark.parametrize(("zone", "midnight"), [("Pacific/Auckland", "11:00"), ("America/Los_Angeles", "08:00")])
def test_knowledge_day_ends_at_local_midnight(bench, zone: str, midnight: str) -> None:
    (bench.home.path / "brain.toml").write_text(f'time_zone = "{zone}"\n')
    end = end_of("2026-03-01", bench.settings)
    assert end.strftime("%H:%M %Z") == f"{midnight} UTC"
    for number, received in enumerate((end - timedelta(microseconds=1), end)):
        path = bench.drop("alice", "note", f"{number}.md", f"Bob Lee lives in Berlin. {number}")
        read(bench, bench.land(path, now=received))
    store = SnapshotStore(bench.space())
    for day, sources in (("2026-03-01", 1), ("2026-03-02", 2)):
        snapshot(bench, day)
        assert store.read(day, "known_sources").height == sources


def test_removing_a_merge_and_a_note_restores_the_snapshot(bench) -> None:
    write(bench, NOTES)
    day = latest_day()  # has all that follows, also if midnight passes
    snapshot(bench, day)
    before, graph = content(bench, day), graph_of(bench)
    tools = AgentTools(bench.home, "alice")
    written = [tools.merge("Bob Lee", "Priya Raman"), tools.add_note("Bob Lee", "Likes tea.")]
    snapshot(bench, day)
    card = Knowledge(bench.space(), bench.settings).entity("Bob Lee")
    assert "Priya Raman" in card.aliases and card.notes
    days = [bench.remove(bench.space().inbox / receipt.uri.removeprefix("inbox:")) for receipt in written]
    bench.run("alice", "agent-note", sorted(set().union(*days)))
    snapshot(bench, day)
    assert content(bench, day) == before and graph_of(bench) == graph


def test_schedule_requests_yesterdays_snapshot_and_registers_users(bench) -> None:
    write(bench, {"move.md": NOTES["move.md"]})
    bench.space("bob").create()  # a user without data needs no snapshot
    with open_instance(bench.home.path) as instance:
        schedule = build_defs(bench.home).resolve_schedule_def("nightly")
        # Left open, the context would leave its instance behind for the definitions of later tests.
        with dg.build_schedule_context(
            instance=instance,
            scheduled_execution_time=datetime(2026, 3, 2, 3, tzinfo=UTC),
            resources={"brain": BrainResource(home=str(bench.home.path))},
        ) as context:
            [request] = schedule.evaluate_tick(context).run_requests or []
            assert request.tags["dagster/asset_partition_range_start"] == f"{DAY}|alice"
            assert instance.get_dynamic_partitions("users") == ["alice"]
            snapshot(bench)
            assert schedule.evaluate_tick(context).skip_message == "no user needs a new snapshot"
