"""Changing the embedding model through the pipeline: built beside, swapped when complete, nothing else re-run."""

from collections.abc import Iterator
from datetime import UTC, datetime

import pytest

from brain_pipelines.engine.run_stage import StageFailedError, materialize
from brain_pipelines.sources.registry import SOURCES_BY_NAME
from brain_pipelines.stages.registry import STAGES_BY_NAME
from brain_retrieval.brain import Brain
from brain_retrieval.errors import ModelMissingError
from brain_retrieval.models.chat.chat_costs import CostLedger, month_of
from brain_retrieval.stores.catalog import Catalog
from tests.fake_openai import FakeOpenAI
from tests.fake_openai_replies import Reply, server_error

DAYS = ("2026-01-05", "2026-01-07")


@pytest.fixture
def server() -> Iterator[FakeOpenAI]:
    with FakeOpenAI(dim=16) as running:
        yield running


@pytest.fixture
def filled(bench):
    for day in DAYS:
        bench.land(bench.drop("alice", "note", f"{day}.md", f"The heron nested by the weir on {day}.", day=day))
    bench.run()
    return bench


def use_remote(monkeypatch: pytest.MonkeyPatch, server: FakeOpenAI) -> None:
    for name, value in {
        "PROVIDER": "openai",
        "MODEL": "remote-16",
        "BASE_URL": server.base_url,
        "API_KEY": "sk-test",
        "DIMENSIONS": "16",
        "MAX_TOKENS": "256",  # as the local model, so that the chunks stay as they are
        "MAX_ATTEMPTS": "1",
    }.items():
        monkeypatch.setenv(f"BRAIN_EMBEDDING__{name}", value)


def active(bench) -> str | None:
    with Catalog(bench.space()) as catalog:
        return catalog.get_meta("active_index")


def test_searches_stay_on_the_old_index_until_the_new_one_is_complete(filled, server, monkeypatch) -> None:
    old = active(filled)
    use_remote(monkeypatch, server)
    first = filled.run(days=[DAYS[0]])
    assert [name for name, report in first.items() if report.computed] == ["embeddings", "memory_vectors"]
    assert active(filled) == old
    with Brain.open(filled.home.path, user="alice") as brain:
        assert len(brain.search("heron by the weir")) == 2
    filled.run(days=[DAYS[1]])
    assert active(filled) != old and (active(filled) or "").endswith("|16")
    with Brain.open(filled.home.path, user="alice") as brain:
        hits = brain.search("heron by the weir")
        assert len(hits) == 2 and not hits.warnings


def test_a_remote_failure_leaves_the_old_index_and_a_reason(filled, server, monkeypatch) -> None:
    old, before = active(filled), filled.digests()
    use_remote(monkeypatch, server)
    server.script(server_error())
    with pytest.raises(StageFailedError, match="note/embeddings: ModelCallError"):
        filled.run()
    assert (active(filled), filled.digests()) == (old, before)
    with Catalog(filled.space()) as catalog:
        assert {row.stage for row in catalog.ledger(state="failed")} == {"embeddings"}
    filled.run()
    assert active(filled) != old


def test_days_that_were_embedded_before_an_outage_are_not_paid_for_again(bench, server, monkeypatch) -> None:
    use_remote(monkeypatch, server)
    monkeypatch.setenv("BRAIN_EMBEDDING__BATCH_SIZE", "1")
    for day in DAYS:
        bench.land(bench.drop("alice", "note", f"{day}.md", f"The heron nested by the weir on {day}.", day=day))
    names = ("raw", "text", "chunks", "embeddings")

    def run(run_id: str) -> None:
        for name in names:
            args = {"settings": bench.settings, "run_id": run_id}
            materialize(STAGES_BY_NAME[name], SOURCES_BY_NAME["note"], bench.space(), DAYS, **args)

    server.script(Reply(), server_error(503))
    with pytest.raises(StageFailedError, match="503"):
        run("first")
    with Catalog(bench.space()) as catalog:
        rows = {row.day: row for row in catalog.ledger(stage="embeddings")}
    assert (rows[DAYS[0]].state, rows[DAYS[0]].rows) == ("ok", 1)
    assert rows[DAYS[1]].state == "failed" and rows[DAYS[1]].error.startswith("waiting: ")
    server.requests.clear()
    run("second")
    assert len(server.requests) == 1
    with CostLedger(bench.space()) as ledger:
        assert ledger.totals(month_of(datetime.now(UTC)), "source")["note"].requests == 2


def found(bench, query: str) -> list[str]:
    with Brain.open(bench.home.path, user="alice") as brain:
        return [hit.text for hit in brain.search(query, log=False) if query in hit.text]


def test_what_changes_meanwhile_is_found_and_what_is_gone_is_not(filled, server, monkeypatch) -> None:
    old = active(filled)
    use_remote(monkeypatch, server)
    filled.land(filled.drop("alice", "note", "new.md", "An otter was seen at the sluice.", day=DAYS[0]))
    filled.land(filled.drop("alice", "note", "later.md", "Two grebes came to the pond.", day="2026-01-09"))
    filled.run(days=[DAYS[0], "2026-01-09"])
    assert active(filled) == old
    assert len(found(filled, "otter")) == len(found(filled, "grebes")) == 1
    assert len(found(filled, "heron")) == 2
    filled.land(filled.drop("alice", "note", "new.md", "A beaver was seen at the sluice.", day=DAYS[0]))
    filled.run(days=[DAYS[0]])
    assert active(filled) == old
    assert (len(found(filled, "otter")), len(found(filled, "beaver"))) == (0, 1)
    filled.run()
    assert active(filled) != old
    assert len(found(filled, "beaver")) == len(found(filled, "grebes")) == 1


def test_without_the_old_model_what_is_gone_is_removed_all_the_same(filled, server, monkeypatch) -> None:
    old = active(filled)
    use_remote(monkeypatch, server)
    monkeypatch.setattr("brain_pipelines.engine.carry_over.index_embedder", lambda *_: _missing())
    filled.land(filled.drop("alice", "note", f"{DAYS[0]}.md", "An otter was seen at the sluice.", day=DAYS[0]))
    filled.run(days=[DAYS[0]])
    assert active(filled) == old
    assert (len(found(filled, "heron")), len(found(filled, "otter"))) == (1, 0)
    filled.run()
    assert len(found(filled, "otter")) == 1


def _missing() -> None:
    raise ModelMissingError("the weights are not here")
