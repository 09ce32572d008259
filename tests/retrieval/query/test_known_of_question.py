"""What is known about a question: its answers first, each memory once, as the comparison with the others judges it."""

from dataclasses import replace

from brain_retrieval.query.ask.known import answers_first
from tests.retrieval.query.packs.made_hits import memory


def test_answers_come_first_and_once_with_the_status_of_the_list() -> None:
    key, shed, oboe = (memory(text, source_id=text) for text in ("Ann has the key.", "The shed is red.", "An oboe."))
    outdated = replace(key, status="perhaps outdated")
    assert answers_first([oboe, key], [shed, outdated], 10) == [oboe, outdated, shed]
    assert answers_first([oboe, key], [shed, outdated], 2) == [oboe, outdated]
    assert answers_first([], [shed, outdated], 10) == [shed, outdated]
