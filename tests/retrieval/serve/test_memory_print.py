"""Memories as lines: many are printed plainly, with the same words as few."""

from datetime import UTC, datetime

import pytest

from brain_retrieval.knowledge.memories.cards import MemoryCard
from brain_retrieval.serve import memory_print
from brain_retrieval.serve.hit_print import of_nearest
from brain_retrieval.serve.times_print import began

DAY = datetime(2026, 3, 2, tzinfo=UTC)


def card(number: int, **changes: object) -> MemoryCard:
    made: dict[str, object] = {
        "memory_id": f"m{number}", "text": f"Kiln [{number}] is \a hot.", "kind": "fact", "status": "current",
        "effective_from": DAY, "from_stated": False, "valid_to": None, "said_at": DAY, "received_at": DAY,
        "speaker": None, "polarity": "affirmed", "modality": "asserted", "keep": 0.9, "method": "local",
        "entities": (), "values": (), "attribute": None, "ended_by": (), "source_id": "s", "uri": "inbox:note/a",
        "span": (0, 9), "quote": "",
    }  # fmt: skip
    return MemoryCard(**(made | changes))  # pyright: ignore[reportArgumentType]


CARDS = [
    card(0, status="ended", ended_by=("m1",), valid_to=DAY, support=3),
    card(1, from_stated=True),
    card(2, modality="reported", status="reported"),
    card(3, modality="reported", status="ended"),
]


def test_many_lines_have_the_words_of_few(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    memory_print.print_memories(CARDS)
    few = capsys.readouterr().out
    monkeypatch.setattr(memory_print, "MOST_STYLED", 3)
    memory_print.print_memories(CARDS)
    assert capsys.readouterr().out == few
    assert "then 2026-03-02: Kiln [1]" in few


def test_a_list_without_lines_tells_where_the_others_are(capsys: pytest.CaptureFixture[str]) -> None:
    memory_print.print_memories([])
    memory_print.print_memories([], memory_print.NOTHING_FIRST)
    known, first = capsys.readouterr().out.splitlines()
    assert (known, "--all" in first) == ("nothing is known", True)


SHOWN = {"text": "The kiln is lit on 5 March [2026-03-05].", "effective_from": DAY.replace(day=5)}


@pytest.mark.parametrize(
    ("changes", "days"),
    [
        ({}, "2026-03-02"),
        ({"from_stated": True}, "since 2026-03-02"),
        ({"from_stated": True, "kind": "event"}, "on 2026-03-02"),
        ({"from_stated": True, "kind": "event", "effective_from": DAY.replace(day=1)}, "since 2026-03-01"),
        ({"from_stated": True, "kind": "plan"} | SHOWN, "2026-03-02"),
        ({"from_stated": True, "valid_to": DAY.replace(day=9)} | SHOWN, "since 2026-03-05"),
    ],
)
def test_a_line_says_since_when_or_on_which_day(changes: dict[str, object], days: str) -> None:
    assert began(card(1, **changes)) == days


def test_what_is_likely_by_its_words_is_not_said_to_be_unlikely() -> None:
    assert (of_nearest(0.125), of_nearest(0.6)) == ("probably no answer (12.5%)", "which does not state it")
