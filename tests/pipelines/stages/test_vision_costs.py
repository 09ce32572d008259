"""A vision model is a chat model too: its answers are remembered, counted, and stopped by the budget."""

import json
from collections.abc import Iterator
from datetime import UTC, datetime
from io import BytesIO

import pytest
from PIL import Image

from brain_pipelines.engine.run_stage import materialize
from brain_pipelines.sources.registry import SOURCES_BY_NAME
from brain_pipelines.stages.registry import STAGES_BY_NAME
from brain_retrieval.models.chat.chat_costs import CostLedger, month_of
from brain_retrieval.stores.catalog import Catalog
from tests.fake_openai import FakeOpenAI
from tests.fake_openai_replies import server_error

SEEN = {"description": "A red square.", "visibleText": [], "entities": [], "context": "", "relationships": []}


@pytest.fixture
def remote(bench, monkeypatch) -> Iterator[FakeOpenAI]:
    with FakeOpenAI(chat=lambda body: json.dumps(SEEN)) as server:
        variables = {"VISION__PROVIDER": "openai", "VISION__MODEL": "v1", "VISION__BASE_URL": server.base_url}
        for name, value in {**variables, "VISION__API_KEY": "k", "OCR__PROVIDER": "off"}.items():
            monkeypatch.setenv(f"BRAIN_{name}", value)
        yield server


def land(bench) -> None:
    picture = BytesIO()
    Image.new("RGB", (64, 64), "red").save(picture, "PNG")
    bench.land(bench.drop("alice", "image", "a.png", picture.getvalue()))


def read(bench) -> str:
    for name in ("raw", "text"):
        args = {"settings": bench.settings, "run_id": "test", "force": True}
        materialize(STAGES_BY_NAME[name], SOURCES_BY_NAME["image"], bench.space(), ["2026-01-05"], **args)
    (text,) = bench.texts(source="image").values()
    return text


def test_a_picture_is_described_and_paid_for_once(bench, remote: FakeOpenAI) -> None:
    land(bench)
    assert "A red square." in read(bench) and "A red square." in read(bench)
    assert len(remote.requests) == 1
    with CostLedger(bench.space()) as ledger:
        found = ledger.totals(month_of(datetime.now(UTC)), "source")["image"]
    assert (found.requests, found.cached, found.tokens) == (1, 1, 15)


def test_a_spent_budget_leaves_the_local_description(bench, remote: FakeOpenAI, monkeypatch) -> None:
    monkeypatch.setenv("BRAIN_COSTS__MONTHLY_TOKENS", "100")
    land(bench)
    assert "A red square." not in read(bench) and not remote.requests
    with Catalog(bench.space()) as catalog:
        assert "waiting" in {issue.kind for issue in catalog.quarantine(stage="text")}
    monkeypatch.setenv("BRAIN_COSTS__MONTHLY_TOKENS", "100000")
    args = {"settings": bench.settings, "run_id": "next"}
    again = materialize(STAGES_BY_NAME["text"], SOURCES_BY_NAME["image"], bench.space(), ["2026-01-05"], **args)
    assert again.computed and "A red square." in next(iter(bench.texts(source="image").values()))


def test_a_picture_whose_endpoint_is_down_is_never_given_up(bench, remote: FakeOpenAI, monkeypatch) -> None:
    monkeypatch.setenv("BRAIN_VISION__MAX_ATTEMPTS", "1")
    land(bench)
    names = ("raw", "text")
    for number in range(5):  # more often than other failures are tried
        if number < 4:
            remote.script(server_error(503))
        for name in names:
            args = {"settings": bench.settings, "run_id": str(number)}
            materialize(STAGES_BY_NAME[name], SOURCES_BY_NAME["image"], bench.space(), ["2026-01-05"], **args)
        with Catalog(bench.space()) as catalog:
            assert ("waiting" in {one.kind for one in catalog.quarantine(stage="text")}) == (number < 4)
    assert "A red square." in next(iter(bench.texts(source="image").values()))
