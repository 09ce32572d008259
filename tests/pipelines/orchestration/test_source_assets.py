"""The asset graph of the sources: its keys and jobs, and runs through Dagster."""

import dagster as dg
import pytest
from dagster._core.definitions.assets.graph.base_asset_graph import BaseAssetGraph
from dagster._core.definitions.data_version import CachingStaleStatusResolver, StaleStatus
from dagster._core.loader import LoadingContextForTest

from brain_pipelines.definitions import build_defs
from brain_pipelines.orchestration.asset_catalogue import group_of
from brain_pipelines.orchestration.partitions import range_tags
from brain_pipelines.orchestration.source_assets import BACKFILL_POLICY, job_name
from brain_pipelines.sources.registry import SOURCES
from brain_pipelines.stages.registry import STAGES
from brain_retrieval.models.vision.build import FACES
from tests.pipelines.days import DAYS

SOURCE_NAMES = """
    note document conversation slack-thread agent-output message agent-note email calendar voice-memo meeting video
    image screenshot web-page web-crawl
""".split()
VERSION = "dagster/data_version"
QUIET = {"loggers": {"console": {"config": {"log_level": "CRITICAL"}}}}


@pytest.fixture
def instance():
    with dg.DagsterInstance.ephemeral() as instance:
        yield instance


def run(bench, instance: dg.DagsterInstance, source: str, *, user: str = "alice", start: str, end: str):
    if user not in instance.get_dynamic_partitions("users"):
        instance.add_dynamic_partitions("users", [user])
    job = build_defs(bench.home).resolve_job_def(source)
    tags = range_tags(user, start, end, DAYS)
    return job.execute_in_process(instance=instance, tags=tags, raise_on_error=False, run_config=QUIET)


def test_asset_keys(bench) -> None:
    """Renaming a key orphans its materialisation history, so all keys are listed here."""
    keys = {key.to_user_string() for key in build_defs(bench.home).resolve_all_asset_keys()}
    stages = ("raw", "text", "chunks", "embeddings", "extractions", "memory_vectors", "enrichments")
    knowledge = ("sources", "echoes", "entities", "facts", "notes", "quality", "graph")
    memory = ("storylines", "macros", "habits", "summaries", "salience")
    nightly = {*(f"knowledge/{stage}" for stage in knowledge), *(f"memory/{stage}" for stage in memory)}
    shared = {"maintenance/stores", "maintenance/health", "team/extractions"}
    assert keys == {f"{source}/{stage}" for source in SOURCE_NAMES for stage in stages} | nightly | shared


def test_every_source_has_job_and_same_backfill_policy(bench) -> None:
    defs = build_defs(bench.home)
    dg.Definitions.validate_loadable(defs)
    for source in SOURCES:
        assert defs.resolve_job_def(job_name(source.name)).name == job_name(source.name)
        for stage in STAGES:
            asset = defs.resolve_assets_def([source.name, stage.name])
            assert asset.backfill_policy == BACKFILL_POLICY
            assert asset.group_names_by_key[dg.AssetKey([source.name, stage.name])] == group_of(source.name)


def test_ranged_run_materialises_each_day_and_runs_every_check(bench, instance) -> None:
    for day in ("2026-01-05", "2026-01-07"):
        bench.land(bench.drop("alice", "note", f"{day}.md", f"Alice Chen wrote this on {day}.", day=day))
    result = run(bench, instance, "note", start="2026-01-05", end="2026-01-07")
    assert result.success
    for stage in STAGES:
        done = instance.get_materialized_partitions(dg.AssetKey(["note", stage.name]))
        assert done == {f"2026-01-0{n}|alice" for n in (5, 6, 7)}
    checks = result.get_asset_check_evaluations()
    assert all(c.passed for c in checks)
    assert {c.check_name for c in checks} >= {"ids_unique", "chunks_are_slices", "vectors_normalised"}
    assert len(bench.texts()) == 2
    order = [event.step_key for event in result.all_events if event.is_step_success]
    assert order == [f"note__{stage.name}" for stage in STAGES]  # searchable before anything is extracted
    (tags, *_) = (event.tags for event in result.asset_materializations_for_node("note__chunks"))
    assert len(tags["dagster/input_data_version/note/text"]) == 6 and len(tags[VERSION]) == 64
    graph = build_defs(bench.home).resolve_asset_graph()
    assert chunks_status(graph, instance, "2026-01-05|alice") == StaleStatus.FRESH
    changed = dg.AssetMaterialization("note/text".split("/"), partition="2026-01-05|alice", tags={VERSION: "changed"})
    instance.report_runless_asset_event(changed)
    assert chunks_status(graph, instance, "2026-01-05|alice") == StaleStatus.STALE
    assert chunks_status(graph, instance, "2026-01-07|alice") == StaleStatus.FRESH


def chunks_status(graph: BaseAssetGraph, instance: dg.DagsterInstance, partition: str) -> StaleStatus:
    """Return what the UI says of a partition of the chunks."""
    resolver = CachingStaleStatusResolver(instance, graph, LoadingContextForTest(instance))
    return resolver.get_status(dg.AssetKey(["note", "chunks"]), partition)


def test_bad_items_appear_in_check_and_rest_is_processed(bench, instance) -> None:
    bench.land(bench.drop("alice", "note", "good.md", "A good note."))
    bench.land(bench.drop("alice", "note", "bad.txt", b"\x7fELF" + bytes(range(256)) * 20))
    result = run(bench, instance, "note", start="2026-01-05", end="2026-01-05")
    assert result.success
    quarantine = [c for c in result.get_asset_check_evaluations() if c.check_name == "nothing_quarantined"]
    assert [(c.asset_key.path[-1], c.partition) for c in quarantine if not c.passed] == [
        ("text", "2026-01-05|alice"),
        ("text", None),
    ]
    assert list(bench.texts()) == ["inbox:note/good.md"]


def test_metadata_contains_counts_and_no_text(bench, instance) -> None:
    secret = "Xylophone-7731 is the passphrase"
    bench.land(bench.drop("alice", "note", "secret-name.md", f"{secret}. {secret}."))
    result = run(bench, instance, "note", start="2026-01-05", end="2026-01-05")
    events = " ".join(str(event) for event in instance.all_logs(result.run_id))
    assert "Xylophone" not in events and "secret-name" not in events
    (event,) = result.asset_materializations_for_node("note__chunks")
    assert event.metadata["rows"].value >= 1 and event.metadata["seconds"].value > 0


def test_rectangle_of_users_and_days_is_one_run(bench, instance) -> None:
    for user in ("alice", "bob"):
        bench.land(bench.drop(user, "note", "a.md", f"{user} was here"), user)
    instance.add_dynamic_partitions("users", ["alice", "bob"])
    tags = {
        "dagster/asset_partition_range_start": "2026-01-05|alice",
        "dagster/asset_partition_range_end": "2026-01-06|bob",
    }
    job = build_defs(bench.home).resolve_job_def("note")
    assert job.execute_in_process(instance=instance, tags=tags, run_config=QUIET).success
    assert [list(bench.texts(u).values()) for u in ("alice", "bob")] == [["alice was here"], ["bob was here"]]


def test_after_failure_only_failed_and_later_stages_run(bench, instance, monkeypatch) -> None:
    bench.land(bench.drop("alice", "note", "a.md", "hello there"))
    without = bench.home.path / "no-models"
    without.mkdir()
    # Whether faces can be counted decides what is read of pictures that are attached to notes.
    (without / FACES).symlink_to(bench.settings.models_dir.absolute() / FACES)
    with monkeypatch.context() as patch:
        patch.setenv("BRAIN_MODELS_DIR", str(without))
        failed = run(bench, instance, "note", start="2026-01-05", end="2026-01-05")
    assert not failed.success
    again = run(bench, instance, "note", start="2026-01-05", end="2026-01-05")
    assert again.success
    skipped = {
        name: not again.asset_materializations_for_node(f"note__{name}")[0].metadata["computed"].value
        for name in ("raw", "text", "embeddings")
    }
    assert skipped["raw"] and skipped["text"] and not skipped["embeddings"]


def test_figures_are_those_of_the_day_also_when_it_is_skipped(bench, instance) -> None:
    for day, count in (("2026-01-05", 1), ("2026-01-06", 2)):
        for number in range(count):
            bench.land(bench.drop("alice", "note", f"{day} {number}.md", f"Note {number} of {day}.", day=day))
    for computed in (True, False):
        result = run(bench, instance, "note", start="2026-01-05", end="2026-01-07")
        found = {e.partition: e.metadata for e in result.asset_materializations_for_node("note__raw")}
        assert {key.partition("|")[0]: values["rows"].value for key, values in found.items() if values} == {
            "2026-01-05": 1,
            "2026-01-06": 2,
        }
        assert {values["computed"].value for values in found.values() if values} == {computed}
        assert all(values["bytes"].value > 0 for values in found.values() if values)


def test_a_later_success_of_another_user_hides_nothing(bench, instance) -> None:
    bench.land(bench.drop("alice", "note", "bad.txt", b"\x7fELF" + bytes(range(256)) * 20))
    bench.land(bench.drop("bob", "note", "good.md", "A good note."), "bob")
    run(bench, instance, "note", start="2026-01-05", end="2026-01-05")
    later = run(bench, instance, "note", user="bob", start="2026-01-05", end="2026-01-05")
    checks = [c for c in later.get_asset_check_evaluations() if c.asset_key.path[-1] == "text"]
    quarantine = {c.partition: c for c in checks if c.check_name == "nothing_quarantined"}
    assert later.success and quarantine["2026-01-05|bob"].passed
    assert not quarantine[None].passed and quarantine[None].metadata["users"].value == "alice"
    again = run(bench, instance, "note", start="2026-01-05", end="2026-01-05")  # unchanged, and still red
    found = [c for c in again.get_asset_check_evaluations() if c.partition == "2026-01-05|alice"]
    assert [c.asset_key.path[-1] for c in found if not c.passed] == ["text"]
    bench.remove(bench.home.inbox / "alice/note/bad.txt")
    mended = run(bench, instance, "note", start="2026-01-05", end="2026-01-05")
    assert all(c.passed for c in mended.get_asset_check_evaluations())
    assert not (bench.space().root / "problems.json").exists()


def test_a_run_of_one_partition_reports_the_partition_and_the_asset(bench, instance) -> None:
    bench.land(bench.drop("alice", "note", "bad.txt", b"\x7fELF" + bytes(range(256)) * 20))
    bench.land(bench.drop("bob", "note", "good.md", "A good note."), "bob")
    run(bench, instance, "note", start="2026-01-05", end="2026-01-05")
    instance.add_dynamic_partitions("users", ["bob"])
    job = build_defs(bench.home).resolve_job_def("note")
    alone = job.execute_in_process(instance=instance, partition_key="2026-01-05|bob", run_config=QUIET)
    checks = [c for c in alone.get_asset_check_evaluations() if c.check_name == "nothing_quarantined"]
    assert {(c.partition, c.passed) for c in checks if c.asset_key.path[-1] == "text"} == {
        ("2026-01-05|bob", True),
        (None, False),
    }


def test_maintenance_job_changes_no_rows(bench, instance) -> None:
    for n in range(3):
        bench.land(bench.drop("alice", "note", "a.md", f"version {n} of the note"))
        bench.run()
    before = bench.digests()
    job = build_defs(bench.home).resolve_job_def("maintenance")
    result = job.execute_in_process(instance=instance, run_config=QUIET)
    assert result.success and bench.digests() == before
    (event,) = result.asset_materializations_for_node("maintenance__stores")
    assert (event.metadata["users"].value, event.metadata["failed"].value) == (1, 0)
