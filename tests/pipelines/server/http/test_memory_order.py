"""Statements over HTTP come in the order of `Brain.facts`, at the times that a request states."""

from typing import Any

import pytest

from brain_retrieval.brain import Brain
from tests.pipelines.server.http.conftest import Served
from tests.retrieval.query.packs.made_hits import memory

ORDERED = [memory("The second one."), memory("The first one.")]


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/api/memory/query", {"query": "which one", "as_of": "2026-02-01", "k": 0, "limit": 7}),
        ("/api/memory/facts/query-at-time", {"about": "which one", "at": "2026-02-01", "limit": 7}),
    ],
)
def test_statements_come_in_the_order_of_the_library(
    served: Served, monkeypatch: pytest.MonkeyPatch, path: str, body: dict[str, Any]
) -> None:
    assert served.as_user("alice", "POST", "/api/messages", json={"content": "This one is the first one."}).is_success
    seen: list[dict[str, Any]] = []
    monkeypatch.setattr(Brain, "facts", lambda _self, about, **how: seen.append({"about": about, **how}) or ORDERED)
    answer = served.as_user("alice", "POST", path, json=body).json()
    assert [one["memory_id"] for one in answer["memories"]] == [one.memory_id for one in ORDERED]
    (how,) = seen
    assert (how["about"], str(how["as_of"])[:10], how["known_at"], how["limit"]) == ("which one", "2026-02-01", None, 7)
