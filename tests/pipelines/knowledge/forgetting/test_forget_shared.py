"""Forgetting where something is shared: a file with several items, a team's sources, Dagster's records, the command."""

import json
import shutil
from datetime import UTC, datetime

import pytest
from typer.testing import CliRunner

from brain_pipelines.commands.app import app
from brain_pipelines.connectors.agent_recorder import AgentRecorder
from brain_pipelines.connectors.crawl.frontier import Frontier, Kept
from brain_pipelines.connectors.crawl.job import CrawlConfig, new_job
from brain_pipelines.definitions import build_defs
from brain_pipelines.ingest.instance_folder import dagster_home
from brain_pipelines.ingest.local_runs import open_instance
from brain_pipelines.knowledge.forgetting.forget import forget, preview
from brain_pipelines.knowledge.forgetting.landed import remove_crawl_records
from brain_pipelines.knowledge.forgetting.plan import Scope
from brain_pipelines.knowledge.team_extraction import extract_for_reader, request_batch
from brain_pipelines.landing.landing import open_landing
from brain_pipelines.landing.scan import scan_inbox
from brain_pipelines.orchestration.cells.names import Names
from brain_pipelines.orchestration.forgetting_job import forget_runs
from brain_pipelines.orchestration.partitions import range_tags
from brain_retrieval.home import Home
from brain_retrieval.stores.catalog import Catalog
from brain_retrieval.stores.lake import Lake
from tests.pipelines.conftest import Bench
from tests.pipelines.days import DAYS
from tests.pipelines.knowledge.forgetting.test_forget import bytes_with
from tests.pipelines.orchestration.snapshot_steps import read

DAY = "2026-01-05"
AT = datetime(2026, 1, 5, 10, tzinfo=UTC)
QUIET = {"loggers": {"console": {"config": {"log_level": "CRITICAL"}}}}
TEAMS = '[teams.apollo]\nmembers = ["alice"]\n'
SESSIONS = "".join(
    json.dumps({"session_id": name, "role": "user", "content": text, "timestamp": f"{DAY}T09:00:00Z"}) + "\n"
    for name, text in {"one": "The harbour plan is due in May.", "two": "The marzipan catalogue costs 412."}.items()
)


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Bench:
    """A team with two notes, both extracted for its member alice."""
    bench = Bench(Home(tmp_path_factory.mktemp("teams") / "home"))
    bench.home.path.mkdir()
    (bench.home.path / "brain.toml").write_text(TEAMS)
    for name, text in {"kept.md": "Priya Raman leads Phoenix.", "gone.md": "Wilhelmina Zwart leads Helios."}.items():
        bench.land(bench.drop("apollo", "note", name, text, day=DAY), "apollo")
    read(bench, [DAY], "apollo")
    bench.space().create()
    request_batch(bench.home, "alice", "apollo", bench.settings)
    extract_for_reader(bench.home, "alice", [DAY], bench.settings, run_id="test")
    return bench


@pytest.fixture
def team(bench: Bench, template: Bench) -> Bench:
    shutil.copytree(template.home.path, bench.home.path, dirs_exist_ok=True)
    return bench


def subjects(bench: Bench) -> set[str]:
    with Catalog(bench.space()) as catalog:
        return set(Lake(bench.space(), catalog).read("entities")["name"].to_pylist())


def test_members_of_a_team_forget_its_source_too(team: Bench) -> None:
    assert subjects(team) >= {"Wilhelmina Zwart", "Priya Raman"}
    plan = preview(team.home, "apollo", Scope("source", "note/gone.md"), command="test")
    assert plan.counts["reader 1"]["requests"] == 1
    receipt = forget(team.home, plan)
    assert receipt["complete"] and set(receipt["stores"]["reader 1"]["requests"].values()) == {0, 1}
    assert "Priya Raman" in subjects(team) and bytes_with(team.home.path, ("wilhelmina", "zwart", *plan.ids)) == []


def test_other_items_of_a_file_keep_their_text_without_its_bytes(bench: Bench) -> None:
    space = bench.space()
    bench.land(bench.drop("alice", "conversation", "two.jsonl", SESSIONS, day=DAY))
    bench.run(source="conversation")
    uri = "inbox:conversation/two.jsonl#two"
    receipt = forget(bench.home, preview(bench.home, "alice", Scope("source", uri), command="test"))
    assert receipt["complete"] and bytes_with(bench.home.path, ("marzipan", "catalogue")) == []
    bench.run(source="conversation", run_id="later")
    [(left, text)] = bench.texts(source="conversation").items()
    assert left == "inbox:conversation/two.jsonl#one" and "harbour plan" in text
    with open_landing(space, bench.settings) as landing:
        scan_inbox(space, landing, until=float("inf"), settle_seconds=0)  # the missing file is not a deleted one
        assert [item.fragment for item in landing.items_of("inbox:conversation/two.jsonl")] == ["one"]
        bench.drop("alice", "conversation", "two.jsonl", SESSIONS, day=DAY)
        scan_inbox(space, landing, until=float("inf"), settle_seconds=0)
        assert [item.fragment for item in landing.items_of("inbox:conversation/two.jsonl")] == ["one"]
        assert "forgotten on" in (landing.refusal("inbox:conversation/two.jsonl") or "")


def brain(*arguments: str) -> tuple[int, str]:
    result = CliRunner().invoke(app, list(arguments))
    return result.exit_code, result.stdout


def test_command_previews_and_forgets_only_if_confirmed(team: Bench) -> None:
    asked = ("forget", "day", DAY, "--user", "apollo")
    code, said = brain(*asked)
    assert code == 0 and "2 items in 2 files" in said and "nothing was forgotten" in said
    code, said = brain(*asked, "--json")
    assert code == 0 and not json.loads(said)["done"] and len(json.loads(said)["items"]) == 2
    code, said = brain(*asked, "--json", "--yes")
    assert code == 0 and json.loads(said)["receipt"]["complete"]
    assert brain(*asked, "--yes")[0] == 3
    assert brain("forget", "day", DAY, "--user", "unknown", "--yes")[0] == 3
    code, said = brain("forget", "receipts", "--user", "apollo", "--json")
    assert code == 0 and [one["kind"] for one in json.loads(said)["receipts"]] == ["day"]


def test_job_forgets_and_records_counts_only(team: Bench) -> None:
    job = build_defs(team.home).resolve_job_def("forget")
    config = {"user": "apollo", "day": DAY, "confirmed": True}
    with open_instance(team.home.path) as instance:
        run = {**QUIET, "ops": {"forget_named": {"config": config}}}
        result = job.execute_in_process(instance=instance, run_config=run, raise_on_error=False)
        assert result.success
        [output] = [event for event in result.all_events if event.is_successful_output]
        metadata = output.step_output_data.metadata
        assert metadata["lake_text"].value == 2 and metadata["places_remaining"].value == 0
        assert bytes_with(dagster_home(team.home.path), ("wilhelmina", "gone.md")) == []
        assert not job.execute_in_process(instance=instance, run_config=run, raise_on_error=False).success

        kept = instance.create_run_for_job(job, run_config=run, tags=range_tags("alice", DAY, DAY, DAYS))
        gone = instance.create_run_for_job(job, run_config=run, tags=range_tags("apollo", DAY, DAY, DAYS))
        assert forget_runs(instance, "apollo", Names()) == 1
        assert instance.get_run_by_id(gone.run_id) is None and instance.get_run_by_id(kept.run_id)


def test_recorded_session_and_crawl_record_go_with_their_items(bench: Bench) -> None:
    space, url = bench.space(), "https://pages.example/marzipan"
    recorder = AgentRecorder(bench.home, "alice", "session", "coder")
    recorder.message("user", "Where is the marzipan catalogue?", timestamp=AT)
    bench.land(recorder.complete() or recorder.spool)
    with Frontier(space) as frontier:
        job = frontier.open_job(new_job("alice", (url,), CrawlConfig()))
        visit = frontier.next(job.id, "pages.example")
        assert visit
        page = Kept(url, url, None, None, "digest", "words", None, (), AT)
        frontier.finish(job, visit, "done", name=url, kept=page)
        assert frontier.kept(url) is not None
    assert remove_crawl_records(space, {url}) >= 3
    plan = preview(bench.home, "alice", Scope("day", AT.date().isoformat()), command="test")
    assert plan.counts["own"]["recorded sessions"] == 1
    assert forget(bench.home, plan)["complete"] and not recorder.spool.exists()
    assert bytes_with(bench.home.path, ("marzipan",)) == []
