"""Memories of a broad question: each is judged as all are together, and only those that can be shown are."""

from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

import polars as pl
import pytest

from brain_retrieval.home import Home
from brain_retrieval.knowledge.memories.seen import CURRENT, Seen
from brain_retrieval.knowledge.memories.view import Together
from brain_retrieval.knowledge.reader import Knowledge
from brain_retrieval.query.analysis.rules import analyse
from brain_retrieval.query.ask.broad.answer import MOST, broad_answer
from brain_retrieval.query.ask.broad.forms import broad_of
from brain_retrieval.query.ask.broad.selected import where
from brain_retrieval.settings import load_settings
from brain_retrieval.stores.catalog import Catalog
from brain_retrieval.stores.lake import Lake
from tests.pipelines.knowledge.frames import frame
from tests.retrieval.query.broad.test_broad_answers import DAY, NOW, line

BERTHS = [
    line(f"berth{day:02}", f"2026-09-{day:02}", f"We decided to give berth {day} a new cleat.", kind="decision")
    for day in range(1, 25)
]
FEES = [
    line("fee1", "2026-02-01", "The mooring fee is 310 euros.", values=[("EUR", "310")]),
    line("fee2", "2026-08-01", "The mooring fee is now 345 euros.", values=[("EUR", "345")], cue="strong"),
    line("fee3", "2026-11-10", "We need to pay the mooring fee of 345 euros.", values=[("EUR", "345")]),
]


@pytest.fixture(scope="module")
def knowledge(tmp_path_factory: pytest.TempPathFactory) -> Knowledge:
    home = Path(tmp_path_factory.mktemp("selected"))
    space = Home(home).space("alice").create()
    rows = frame("memories", *({**one, "day": DAY} for one in (*BERTHS, *FEES)))
    with Catalog(space) as catalog:
        Lake(space, catalog).replace("memories", "note", DAY, rows.to_arrow())
    return Knowledge(space, load_settings(home))


def test_memories_are_judged_as_all_of_them_are_together(knowledge: Knowledge) -> None:
    reader = knowledge.memory_reader
    every = reader.cards_of(reader.index.rows["memory_id"].to_list(), at=NOW)
    selected = where(reader, pl.col("said_at").is_not_null(), at=NOW)
    assert [card.memory_id for card in selected.cards] == [card.memory_id for card in every]
    assert {card.memory_id for card in every if card.status != CURRENT} == {"fee1"}
    for card in every:
        assert selected.judged([card.memory_id]) == [card]


def test_memories_of_a_later_time_are_not_among_those_selected(knowledge: Knowledge) -> None:
    early = where(knowledge.memory_reader, pl.col("said_at").is_not_null(), at=datetime(2026, 8, 20, tzinfo=UTC))
    assert {card.memory_id for card in early.cards} == {"fee1", "fee2"}


@pytest.mark.parametrize("text", ["What did we decide in September?", "What is still open?", "What is new?"])
def test_a_broad_question_judges_few_of_many_memories(
    knowledge: Knowledge, monkeypatch: pytest.MonkeyPatch, text: str
) -> None:
    judged: list[str] = []
    judge = Together.judged

    def counted(together: Together, waiting: Sequence[Seen]) -> list[Seen]:
        judged.extend(one.row["memory_id"] for one in waiting)
        return judge(together, waiting)

    monkeypatch.setattr(Together, "judged", counted)
    question = analyse(text, max_characters=2000, language="en", now=NOW)
    broad = broad_of(question)
    assert broad is not None
    answer = broad_answer(knowledge, broad, question.time, at=NOW, timeless=True)
    assert answer
    assert len(judged) <= 2 * MOST
