"""The order of the lines that answer a question: what an assistant said stands behind what people did."""

from brain_retrieval.knowledge.memories.asked.lines import in_order
from brain_retrieval.knowledge.memories.seen import CURRENT, Seen
from tests.retrieval.knowledge.memories.rows import row


def seen(key: str, speaker: str | None, match: float) -> Seen:
    return Seen(row(key, "The boat lies in Hull.", "2026-01-02", speaker=speaker), CURRENT, (), match, {"boat": match})


def test_an_assistant_comes_last_of_what_holds() -> None:
    found = [seen("a", "assistant", 1.0), seen("b", "user", 0.9), seen("c", "assistant", 0.8), seen("d", None, 0.6)]
    lines = in_order(found, lambda one: True, 10, filled=False)
    assert [one.row["memory_id"] for one in lines] == ["b", "d", "a", "c"]
