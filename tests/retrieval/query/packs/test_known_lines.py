"""Lines about what is known: how each is written, and which fit into the share of the budget of their kind."""

from datetime import UTC, datetime

import pytest

from brain_retrieval.query.packs.known import Include, entity_line, fact_line, fit, memory_line
from brain_retrieval.query.packs.pack import KnownItem
from tests.retrieval.query.packs.made_hits import Words, memory

JUNE = datetime(2026, 6, 30, tzinfo=UTC)


@pytest.mark.parametrize(
    ("status", "valid_to", "end"),
    [
        ("current", None, ""),
        ("ended", JUNE, " (until 30 Jun 2026)"),
        ("current", JUNE, " (until 30 Jun 2026)"),
        ("reported", None, " (reported)"),
    ],
)
def test_a_memory_says_until_when_it_held_or_else_what_is_not_sure(
    status: str, valid_to: datetime | None, end: str
) -> None:
    assert (
        memory_line(memory("Bob lives in Bern.", status=status, valid_to=valid_to))
        == f"[MEMORY] 4 May 2026: Bob lives in Bern.{end}"
    )


def test_entities_and_relations_are_lines() -> None:
    assert entity_line("Bob\nLee", "Person", "") == "[ENTITY: person] Bob Lee"
    assert entity_line("Bob Lee", "Person", "Leads Phoenix.") == "[ENTITY: person] Bob Lee: Leads Phoenix."
    assert fact_line("Bob leads Phoenix", None) == "[RELATION] Bob leads Phoenix"
    assert fact_line("Bob leads Phoenix", JUNE) == "[RELATION] Bob leads Phoenix (until 30 Jun 2026)"


def test_each_kind_has_a_share_of_the_budget_and_a_shorter_line_may_follow_one_that_is_too_long() -> None:
    def lines(kind: str, *sizes: int) -> list[KnownItem]:
        return [KnownItem(kind, " ".join(["word"] * size), 0, f"{kind}{size}") for size in sizes]

    found = {"memories": lines("memory", 8, 9, 4), "entities": lines("entity", 9, 10)}
    kept, dropped = fit(found, 100, Words().count)  # 15 tokens of memories, 10 of entities; a line has a dash before it
    assert [(item.id, item.tokens) for item in kept] == [("memory8", 9), ("memory4", 5), ("entity9", 10)]
    assert dropped == [
        "memories: memory9 over the share of the budget",
        "entities: entity10 over the share of the budget",
    ]


def test_kinds_are_in_the_order_of_their_sections() -> None:
    assert Include().kinds == ()
    assert Include(notes=True, memories=True).kinds == ("memories", "notes")
