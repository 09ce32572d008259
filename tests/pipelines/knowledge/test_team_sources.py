"""Team sources: parsed once, extracted only for readers who request them, and updated when the team changes them."""

import shutil
from datetime import UTC, datetime
from pathlib import Path

import pytest
from typer.testing import CliRunner

from brain_pipelines.commands.app import app
from brain_pipelines.ingest.files import ingest, rerun
from brain_pipelines.ingest.local_runs import launch, open_instance
from brain_pipelines.knowledge.team_extraction import extract_for_reader, pending, request_batch
from brain_pipelines.landing.run_planning import SpanRequest
from brain_pipelines.orchestration.team_assets import TEAM, run_requests
from brain_retrieval.brain import Brain
from brain_retrieval.errors import BrainError
from brain_retrieval.home import Home
from brain_retrieval.stores.catalog import Catalog
from brain_retrieval.stores.lake import Lake
from brain_retrieval.teams import NotAMemberError, check_member, split_shared
from tests.pipelines.conftest import Bench

TEAMS = '[teams.team-apollo]\nmembers = ["alice", "bob", "charlie"]\n[teams.other]\nmembers = ["dora"]\n'
SHARED = "team-apollo--note"
DAY = "2026-01-05"


def facts(bench, user: str) -> list[dict]:
    with Catalog(bench.space(user)) as catalog:
        return Lake(bench.space(user), catalog).read("facts", source=SHARED).to_pylist()


def stages_run(bench, user: str) -> set[tuple[str, str]]:
    with Catalog(bench.space(user)) as catalog:
        return {(row.source, row.stage) for row in catalog.ledger()}


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Bench:
    """A home with two members who have a space, and a team's note that is parsed and indexed; tests work on copies."""
    bench = Bench(Home(tmp_path_factory.mktemp("template") / "home"))
    bench.home.path.mkdir()
    (bench.home.path / "brain.toml").write_text(TEAMS)
    path = bench.drop(
        "team-apollo", "note", "plan.md", "Priya Raman leads Phoenix. Phoenix depends on Kafka.\n", day=DAY
    )
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("DAGSTER_HOME", raising=False)
        assert ingest(bench.home, user="team-apollo", source="note", paths=[path]).success
    for user in ("alice", "bob", "charlie"):
        bench.space(user).create()
    return bench


@pytest.fixture
def team(bench: Bench, template: Bench) -> Bench:
    shutil.copytree(template.home.path, bench.home.path, dirs_exist_ok=True)
    return bench


def test_team_source_is_parsed_once_and_extracted_per_requesting_reader(team) -> None:
    space = team.space("team-apollo")
    with Catalog(space) as catalog:
        lake = Lake(space, catalog)
        assert lake.read("text").num_rows == 1 and lake.read("facts").num_rows == 0
    with Brain.open(team.home.path, user="alice") as brain, brain.team("team-apollo") as shared:
        assert "Priya" in shared.search("who leads Phoenix?", k=1)[0].text

    assert [d.day for d in pending(team.home, "alice", team.settings)] == [DAY]
    assert pending(team.home, "bob", team.settings) == []
    [request] = run_requests(team.home, team.settings)
    assert request.tags["brain/user"] == "alice"
    with open_instance(team.home.path) as instance:
        [outcome] = launch(team.home, instance, [SpanRequest("alice", TEAM, DAY, DAY, (DAY,), "")])
    assert outcome.success, outcome.error
    assert {f["relation"] for f in facts(team, "alice")} >= {"DEPENDS_ON"}
    assert pending(team.home, "alice", team.settings) == [] and run_requests(team.home, team.settings) == []
    # a second reader causes no parsing and no embedding; a reader without requests causes no work at all
    assert stages_run(team, "alice") == {(SHARED, "extractions")}
    assert stages_run(team, "bob") == stages_run(team, "charlie") == set()


def test_readers_have_separate_stores(team) -> None:
    for user in ("alice", "bob"):
        assert request_batch(team.home, user, "team-apollo", team.settings) == 1
        assert request_batch(team.home, user, "team-apollo", team.settings) == 0
        extract_for_reader(team.home, user, [DAY], team.settings, run_id="r")
    assert [f["fact_id"] for f in facts(team, "alice")] == [f["fact_id"] for f in facts(team, "bob")] != []
    assert not facts(team, "charlie")


def test_changed_team_source_is_extracted_again(team) -> None:
    request_batch(team.home, "alice", "team-apollo", team.settings)
    extract_for_reader(team.home, "alice", [DAY], team.settings, run_id="r")
    before = facts(team, "alice")
    path = team.drop("team-apollo", "note", "plan.md", "Ravi Shah leads Phoenix.\n", day=DAY)
    rerun(team.home, user="team-apollo")
    assert [d.day for d in pending(team.home, "alice", team.settings)] == [DAY]
    extract_for_reader(team.home, "alice", [DAY], team.settings, run_id="r")
    assert facts(team, "alice") != before
    path.unlink()
    rerun(team.home, user="team-apollo")
    extract_for_reader(team.home, "alice", [DAY], team.settings, run_id="r")
    assert facts(team, "alice") == []


def test_non_members_are_rejected(team) -> None:
    team.space("dora").create()
    with Brain.open(team.home.path, user="dora") as brain, pytest.raises(NotAMemberError):
        brain.team("team-apollo")
    with Brain.open(team.home.path, user="alice") as brain, pytest.raises(NotAMemberError):
        brain.team("nobody")
    with pytest.raises(NotAMemberError):
        request_batch(team.home, "dora", "team-apollo", team.settings)


def test_former_members_lose_access_to_team_sources(team) -> None:
    request_batch(team.home, "alice", "team-apollo", team.settings)
    (team.home.path / "brain.toml").write_text('[teams.team-apollo]\nmembers = ["bob"]\n')
    assert pending(team.home, "alice", team.settings) == []
    assert extract_for_reader(team.home, "alice", [DAY], team.settings, run_id="r") == {}
    with pytest.raises(BrainError):
        check_member(team.settings, "team-apollo", "alice")


def test_eager_team_extracts_in_its_own_space(team) -> None:
    (team.home.path / "brain.toml").write_text(TEAMS.replace("]\n[", ']\nextraction = "eager"\n[', 1))
    assert rerun(team.home, user="team-apollo").success
    with Catalog(team.space("team-apollo")) as catalog:
        assert Lake(team.space("team-apollo"), catalog).read("facts").num_rows > 0


def test_search_by_a_member_does_not_modify_team_stores(team) -> None:
    root = team.space("team-apollo").root
    before = {p: p.stat().st_mtime_ns for p in root.rglob("*.parquet")}
    with Brain.open(team.home.path, user="bob") as brain, brain.team("team-apollo") as shared:
        shared.search("Phoenix")
        shared.source(shared.search("Phoenix")[0].source_ref.uri)
    assert before == {p: p.stat().st_mtime_ns for p in root.rglob("*.parquet")}
    assert not (root / "requests.sqlite").exists() and (team.space("bob").root / "requests.sqlite").exists()


def test_names_of_shared_sources(team) -> None:
    assert split_shared(SHARED, team.settings) == ("team-apollo", "note")
    assert split_shared("note", team.settings) is None


def test_the_commands(team) -> None:
    run = CliRunner().invoke
    home = ["--home", str(team.home.path)]
    asked = run(app, ["team", "request", "team-apollo", "--user", "alice", *home, "--json"])
    assert asked.exit_code == 0 and '"new": 1' in asked.output and '"runs": 1' in asked.output
    listed = run(app, ["team", "list", "--user", "alice", *home])
    assert listed.exit_code == 0 and "1 sources asked for, 0 days pending" in " ".join(listed.output.split())
    refused = run(app, ["team", "request", "team-apollo", "--user", "dora", *home])
    assert refused.exit_code == 3 and "not a member" in " ".join(refused.output.split())
    found = run(app, ["search", "Phoenix", "--user", "bob", "--team", "team-apollo", *home])
    assert found.exit_code == 0 and "Priya" in found.output
    status = run(app, ["status", "--user", "alice", *home])
    assert status.exit_code == 0


def test_a_failed_extraction_is_not_offered_to_the_retry_of_sources(team, monkeypatch: pytest.MonkeyPatch) -> None:
    from brain_pipelines.engine.run_stage import StageFailedError
    from brain_pipelines.orchestration.sensors import failed_spans

    request_batch(team.home, "alice", "team-apollo", team.settings)
    broken = Path(team.space("team-apollo").lake)
    for file in broken.rglob("*.parquet"):
        file.write_bytes(b"damaged")
    for number in range(3):
        with pytest.raises(StageFailedError):
            extract_for_reader(team.home, "alice", [DAY], team.settings, run_id=f"r{number}")
    assert failed_spans(team.space("alice"), now=datetime(2030, 1, 1, tzinfo=UTC)) == []
    assert pending(team.home, "alice", team.settings) == []  # given up after three runs
