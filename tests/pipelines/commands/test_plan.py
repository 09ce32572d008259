"""`brain plan` and `brain apply`: reasons, costs, and that a change of one stage runs this one only."""

import json
import shutil
import threading
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import dagster as dg
import pytest
from typer.testing import CliRunner

from brain_pipelines.commands.app import app
from brain_pipelines.commands.planning.costing import open_costing
from brain_pipelines.commands.planning.plan import plan
from brain_pipelines.commands.status import status
from brain_pipelines.engine.healing import ensure_catalog
from brain_pipelines.ingest.apply import apply
from brain_pipelines.ingest.interrupts import InterruptedCommandError
from brain_pipelines.ingest.local_runs import open_instance
from brain_pipelines.ingest.stale import Stale
from brain_pipelines.orchestration.behind import waiting_spans
from brain_pipelines.orchestration.sensors import failed_spans
from brain_pipelines.stages import extractions_llm
from brain_retrieval.brain import Brain
from brain_retrieval.home import Home
from brain_retrieval.stores.catalog import Catalog
from brain_retrieval.stores.ledger import LedgerRow
from tests.fake_openai import FakeOpenAI
from tests.fake_openai_replies import server_error
from tests.pipelines.conftest import Bench
from tests.pipelines.stages.extraction.llm.scripted_model import reads

DAYS = ("2026-01-05", "2026-01-06", "2026-01-07")


@pytest.fixture(scope="module")
def server() -> Iterator[FakeOpenAI]:
    with FakeOpenAI(dim=16, chat=reads) as running:
        yield running


def use_server(monkeypatch: pytest.MonkeyPatch, server: FakeOpenAI) -> None:
    variables = {"EMBEDDING__PROVIDER": "openai", "EMBEDDING__MODEL": "e1", "EMBEDDING__DIMENSIONS": "16"}
    variables |= {"EMBEDDING__BASE_URL": server.base_url, "EMBEDDING__MAX_ATTEMPTS": "1", "EMBEDDING__API_KEY": "k"}
    variables |= {"LLM__BASE_URL": server.base_url, "LLM__MODEL": "m1", "LLM__MAX_ATTEMPTS": "1"}
    variables |= {"EXTRACTION__PROVIDER": "llm", "LLM__INPUT_PRICE": "0.4", "EMBEDDING__INPUT_PRICE": "0.02"}
    for name, value in variables.items():
        monkeypatch.setenv(f"BRAIN_{name}", value)


@pytest.fixture(scope="module")
def template(server: FakeOpenAI, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home with three days of notes, embedded and extracted from by the server; tests work on copies of it."""
    made = Bench(Home(tmp_path_factory.mktemp("plan") / "home"))
    made.home.path.mkdir()
    with pytest.MonkeyPatch.context() as monkeypatch:
        use_server(monkeypatch, server)
        for number, day in enumerate(DAYS):
            text = f"Alice Chen leads Apollo{number}. The heron nested by the weir."
            made.land(made.drop("alice", "note", f"{number}.md", text, day=day))
        made.run()
    return made.home.path


@pytest.fixture
def remote(bench: Bench, template: Path, server: FakeOpenAI, monkeypatch: pytest.MonkeyPatch) -> FakeOpenAI:
    """The server, with a copy of the template as the home."""
    shutil.copytree(template, bench.home.path, dirs_exist_ok=True)
    use_server(monkeypatch, server)
    server.requests.clear()
    return server


def calls(server: FakeOpenAI) -> dict[str, int]:
    return dict(Counter(request.path.rpartition("/v1/")[2] for request in server.requests))


def reasons(bench) -> list[tuple[str, str, str, int]]:
    [found] = plan(bench.home)
    return [(group.stage, group.reason, group.detail, len(group.partitions)) for group in found.groups]


def test_a_changed_prompt_runs_extraction_only_and_a_changed_embedder_embeddings_only(
    bench, remote: FakeOpenAI, monkeypatch
) -> None:
    assert reasons(bench) == []
    before = extractions_llm.VERSION
    monkeypatch.setattr(extractions_llm, "VERSION", "next")
    monkeypatch.setenv("BRAIN_COSTS__CACHE", "false")
    assert reasons(bench) == [
        ("extractions", "prompt", f"{before} → next", 3),
        ("memory_vectors", "follows", "extractions", 3),
    ]
    cost = plan(bench.home)[0].groups[0].cost
    assert cost.requests == 1 and cost.input_tokens > 0 and cost.money
    assert cost.seconds > 0 and not remote.requests
    done = apply(bench.home, user="alice")
    assert (done.planned, done.left, done.success) == (3, [], True)
    assert calls(remote) == {"chat/completions": 1}
    [run] = done.runs
    with open_instance(bench.home.path) as instance:
        record = instance.get_run_by_id(run["run_id"])
        assert {key.to_user_string() for key in record.asset_selection} == {"note/extractions", "note/memory_vectors"}
    remote.requests.clear()
    monkeypatch.setenv("BRAIN_EMBEDDING__MODEL", "e2")
    monkeypatch.setenv("BRAIN_EMBEDDING__TOKENIZER", "minilm-tokenizer")  # the chunks stay as they are
    assert [one[:2] for one in reasons(bench)] == [("embeddings", "model"), ("memory_vectors", "settings")]
    assert "e1 → e2" in [one[2] for one in reasons(bench)]
    assert apply(bench.home, user="alice", stage="embeddings").success
    assert calls(remote) == {"embeddings": 1}
    assert [one[0] for one in reasons(bench)] == ["memory_vectors"]
    assert apply(bench.home, user="alice").success and set(calls(remote)) == {"embeddings"}
    assert reasons(bench) == [] and apply(bench.home, user="alice").planned == 0


def test_reasons_of_input_code_settings_and_what_follows(bench, remote: FakeOpenAI, monkeypatch) -> None:
    bench.land(bench.drop("alice", "note", "new.md", "Bob Reed leads Hermes.", day="2026-01-09"))
    bench.land(bench.drop("alice", "note", "0.md", "Alice Chen leads Zeus.", day=DAYS[0]))
    found = reasons(bench)
    assert ("raw", "input", "", 1) in found and ("raw", "never done", "", 1) in found
    assert ("text", "follows", "raw", 1) in found and ("embeddings", "never done", "", 1) in found
    assert apply(bench.home, user="alice").success and reasons(bench) == []
    with Catalog(bench.space()) as catalog:
        old = catalog.get_ledger("note", "enrichments", DAYS[1])
        catalog.put_ledger(type(old)(**{**vars(old), "code_version": "0"}))
    monkeypatch.setenv("BRAIN_CHUNKING__NOTE__MAX_SIZE", "400")
    found = {one[0]: one[1:] for one in reasons(bench)}
    assert found["chunks"] == ("settings", "max_size", 4)
    assert found["embeddings"] == ("follows", "chunks", 4)
    assert found["enrichments"][0] == "code" and found["enrichments"][1].startswith("0 → ")


def test_searches_go_on_while_the_embedder_changes(bench, remote: FakeOpenAI, monkeypatch) -> None:
    monkeypatch.setenv("BRAIN_EMBEDDING__MODEL", "e2")
    ended, failed, answered, models = threading.Event(), [], [], set()

    def search() -> None:
        with Brain.open(bench.home.path, user="alice") as brain:
            while not ended.is_set() or not models >= {"e2"}:
                try:
                    hits = brain.search("heron by the weir", k=3)
                except Exception as error:
                    failed.append(error)
                    return
                answered.append(len(hits))
                failed.extend(hits.warnings)
                with Catalog(bench.space()) as catalog:
                    models.add((catalog.get_meta("active_index") or "").partition("|")[0])

    thread = threading.Thread(target=search)
    thread.start()
    try:
        while len(answered) < 3 and thread.is_alive():
            ended.wait(0.01)
        report = apply(bench.home, user="alice")
        while report.success and "e2" not in models and thread.is_alive():
            ended.wait(0.01)
    finally:
        ended.set()
        thread.join(120)
    assert report.success and not failed and models == {"e1", "e2"}
    assert len(answered) > 3 and set(answered) == {3}


def test_an_outage_keeps_what_is_there_and_the_next_run_asks_for_the_rest(
    bench, remote: FakeOpenAI, monkeypatch
) -> None:
    monkeypatch.setenv("BRAIN_LLM__MODEL", "m2")
    digests = bench.digests()
    remote.script(server_error(503))
    report = apply(bench.home, user="alice")
    assert not report.success and len(report.left) == 3 and bench.digests() == digests
    [waiting] = status(bench.home)["users"][0]["models"]["waiting"]
    assert (waiting["stage"], waiting["days"], waiting["held"]) == ("extractions", 3, False)
    assert "503" in waiting["reason"]
    now = datetime.now(UTC)
    assert failed_spans(bench.space(), now=now) == []
    assert waiting_spans(bench.space(), bench.settings, now=now) == []
    [(request, _)] = waiting_spans(bench.space(), bench.settings, now=now + timedelta(minutes=11))
    assert request.days == DAYS
    with open_instance(bench.home.path) as instance:
        event = instance.get_latest_materialization_event(dg.AssetKey(["note", "extractions"]))
        assert event.asset_materialization.metadata["waiting"].value == 1
        check = instance.event_log_storage.get_asset_check_execution_history(
            dg.AssetCheckKey(dg.AssetKey(["note", "extractions"]), "nothing_quarantined"), limit=9
        )
        said = [one.event.dagster_event.asset_check_evaluation_data for one in check]
        assert [one.metadata["waiting_for_a_model"].value for one in said if one.partition] == [1, 1, 1]
    remote.requests.clear()
    assert apply(bench.home, user="alice").success and calls(remote) == {"chat/completions": 1}
    assert status(bench.home)["users"][0]["models"]["waiting"] == [] and reasons(bench) == []


def test_a_spent_budget_is_said_and_asked_again_under_another(bench, remote: FakeOpenAI, monkeypatch) -> None:
    monkeypatch.setenv("BRAIN_COSTS__MONTHLY_TOKENS", "100")
    bench.land(bench.drop("alice", "note", "new.md", "Bob Reed leads Hermes.", day="2026-01-09"))
    assert not apply(bench.home, user="alice").success
    assert "chat/completions" not in calls(remote)
    user = status(bench.home)["users"][0]["models"]
    by_stage = {one["stage"]: one for one in user["waiting"]}
    assert by_stage["extractions"]["held"] and "100 tokens" in by_stage["extractions"]["reason"]
    assert user["budget"]["tokens"]["limit"] == 100
    now = datetime.now(UTC)
    later, next_month = now + timedelta(hours=2), now + timedelta(days=32)
    in_month = later if later.month == now.month else now
    assert waiting_spans(bench.space(), bench.settings, now=in_month) == []
    assert waiting_spans(bench.space(), bench.settings, now=next_month)  # which has a budget of its own
    assert {one.reason for one in plan(bench.home)[0].groups} == {"budget spent"}
    shown = CliRunner().invoke(app, ["status", "--user", "alice"]).output
    assert "1 day waiting for the model of extractions" in " ".join(shown.split())
    monkeypatch.setenv("BRAIN_COSTS__MONTHLY_TOKENS", "1000000")
    assert {one[:2] for one in reasons(bench)} == {("extractions", "waiting"), ("memory_vectors", "follows")}
    assert waiting_spans(bench.space(), bench.settings, now=later)


def test_commands_print_in_80_columns_and_json(bench, remote: FakeOpenAI, monkeypatch) -> None:
    run = CliRunner().invoke
    assert "every day is up to date" in run(app, ["plan"]).output
    monkeypatch.setenv("BRAIN_LLM__MODEL", "a-model-with-quite-a-long-name-2026-01-01")
    shown = run(app, ["plan", "--user", "alice"], env={"COLUMNS": "80"}).output
    assert "extractions" in shown and "`brain apply --user alice` runs them" in shown
    table = shown.partition("partitions to run")[0].splitlines()[:-1]
    assert max(map(len, table)) <= 80
    [user] = json.loads(run(app, ["plan", "--json"]).output)["users"]
    assert user["partitions"] == 3 and user["total"]["requests"] == 1 and user["groups"][0]["reason"] == "model"
    [applied] = json.loads(run(app, ["apply", "--stage", "extractions", "--json"]).output)["users"]
    assert (applied["planned"], applied["done"], applied["left"]) == (3, 3, [])
    assert run(app, ["apply", "--user", "alice", "--stage", "nothing"]).exit_code == 2
    assert run(app, ["plan", "--user", "unknown"]).exit_code == 3


def test_an_interrupt_says_how_far_it_came(bench, remote: FakeOpenAI, monkeypatch) -> None:
    monkeypatch.setenv("BRAIN_LLM__MODEL", "m2")

    def stop(*_args, **_options):
        raise KeyboardInterrupt

    monkeypatch.setattr("brain_pipelines.ingest.local_runs.launch", stop)
    with pytest.raises(InterruptedCommandError, match="0 of 3 partitions are up to date; run the same command again"):
        apply(bench.home, user="alice")


def test_one_huge_day_is_not_expected_on_every_day(bench) -> None:
    bench.space().create()
    ensure_catalog(bench.space(), bench.settings)
    outcome = LedgerRow("document", "text", DAYS[0], "ok", "i", "1", "c", "o", 7, "", "", datetime.now(UTC), 0.1)
    with Catalog(bench.space()) as catalog:
        for day, seconds in zip(DAYS, (0.1, 0.2, 600.0), strict=True):
            catalog.put_ledger(replace(outcome, day=day, seconds=seconds))
    with open_costing(bench.space(), bench.settings) as costing:
        waiting = [Stale("email", "text", day, "never done") for day in DAYS]
        assert costing.of("email", "text", waiting).seconds == pytest.approx(0.6)
