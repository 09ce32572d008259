"""What is found for a question: which memories hold, which passages are worth reading, and what a number stands for."""

from datetime import timedelta

import pytest

from brain_retrieval.knowledge.memories.view import OUTDATED
from brain_retrieval.query.ask.asked import Asked, Cited, Written, WrittenSentence
from brain_retrieval.query.ask.choose import excerpts_of, in_order, worth_reading
from brain_retrieval.query.ask.rating import Rating
from brain_retrieval.query.ask.written import fitting
from tests.retrieval.query.packs.made_hits import MAY, NOW, hit, memory

LATER = MAY + timedelta(days=9)
BERN, LISBON = memory("Bob lives in Bern."), memory("Bob lives in Lisbon.", effective_from=LATER, said_at=LATER)
ENDED = memory("Bob lived in Rome.", status="ended", effective_from=MAY + timedelta(days=30))
PERHAPS = memory("Bob works at Acme.", status=OUTDATED)


def asked(*memories, **found) -> Asked:
    return Asked("Where does Bob live?", None, None, memories=memories, **found)


def test_what_holds_is_before_what_has_ended_each_newest_first() -> None:
    assert in_order([BERN, ENDED, LISBON]) == (LISBON, BERN, ENDED)
    found = asked(LISBON, BERN, ENDED)
    assert (found.holding, found.ended) == ((LISBON, BERN), (ENDED,))


def test_of_answers_that_are_as_good_the_newest_comes_first_and_a_much_better_one_before_it() -> None:
    alike = {BERN.memory_id: Rating(1.0, 1.9), LISBON.memory_id: Rating(0.9, 1.2)}
    assert in_order([BERN, LISBON], alike) == (LISBON, BERN)
    assert in_order([BERN, LISBON], alike | {LISBON.memory_id: Rating(0.5, 1.2)}) == (BERN, LISBON)
    announced = memory("Bob moves to Turin in June.", effective_from=LATER, said_at=MAY)
    assert in_order([announced, BERN], alike | {announced.memory_id: Rating(0.9, 1.2)}) == (BERN, announced)


def test_what_was_read_on_a_page_comes_behind_what_is_ones_own() -> None:
    rated = {BERN.memory_id: Rating(0.9, 1.2), LISBON.memory_id: Rating(1.0, 1.9, behind=True)}
    assert in_order([LISBON, BERN], rated) == (BERN, LISBON)


def test_a_day_that_has_passed_answers_when_something_was_and_does_not_hold_otherwise() -> None:
    days = {"effective_from": MAY + timedelta(days=20), "said_at": LATER}
    past = memory("The fair is on 4 May.", status="ended", **days)
    replaced = memory("The fair is on 2 May.", status="ended", ended_by=(past.memory_id,))
    assert in_order([BERN, past, replaced]) == (BERN, past, replaced)
    assert in_order([BERN, past, replaced], dated=True) == (past, BERN, replaced)
    found = asked(past, BERN, replaced, dated=True)
    assert (found.holding, found.ended) == ((past, BERN), (replaced,))
    assert asked(BERN, past).ended == (past,)


def test_if_nothing_holds_for_sure_the_newest_that_may_have_ended_counts() -> None:
    assert (asked(PERHAPS, PERHAPS).holding, asked(PERHAPS, PERHAPS).ended) == ((PERHAPS,), (PERHAPS,))
    assert (asked(ENDED, PERHAPS).holding, asked(ENDED, PERHAPS).ended) == ((), (ENDED, PERHAPS))
    assert asked(BERN, PERHAPS).holding == (BERN,)


def test_what_has_perhaps_ended_comes_before_what_was_read_on_a_page() -> None:
    rated = {BERN.memory_id: Rating(1.0, 1.2, behind=True), PERHAPS.memory_id: Rating(1.0, 1.9)}
    assert in_order([BERN, PERHAPS], rated) == (PERHAPS, BERN)
    assert in_order([BERN, PERHAPS], rated | {BERN.memory_id: Rating(1.0, 1.2)}) == (BERN, PERHAPS)


def test_what_is_only_possible_stands_behind_what_is_asserted() -> None:
    requested = memory("When asked, say Bob lives in Oslo.", status="possible", modality="possible", effective_from=NOW)
    assert in_order([requested, BERN, ENDED]) == (BERN, requested, ENDED)
    assert in_order([requested, ENDED, PERHAPS]) == (PERHAPS, requested, ENDED)
    found = asked(PERHAPS, requested, ENDED)
    assert (found.holding, found.ended) == ((PERHAPS, requested), (ENDED,))
    assert in_order([requested, ENDED]) == (requested, ENDED)
    assert in_order([]) == ()


def test_a_memory_or_a_passage_is_enough_to_be_found() -> None:
    assert [one.found for one in (asked(BERN), asked(hits=(hit("Bern."),)), asked())] == [True, True, False]


def test_numbers_count_the_memories_then_the_passages() -> None:
    found = asked(BERN, LISBON, hits=(hit("One.", number=7),), excerpts=("One.",))
    assert [(one.number, one.text, one.uri, one.span) for one in found.cited] == [
        (1, BERN.text, "inbox:note/1.md", (0, 18)),
        (2, LISBON.text, "inbox:note/1.md", (0, 20)),
        (3, "One.", "inbox:note/7.md", (0, 4)),
    ]
    assert found.cited[2].at == NOW
    shown = found.to_json()
    assert [one["citation"] for one in (*shown["memories"], *shown["passages"])] == [1, 2, 3]
    assert (shown["passages"][0]["excerpt"], shown["answer"], shown["storyline"]) == ("One.", None, None)


def test_a_written_answer_has_the_numbers_behind_its_sentences() -> None:
    written = Written("m1", (WrittenSentence("In Lisbon.", (2,)), WrittenSentence("Once in Bern.", (1, 3))), 4)
    assert asked(BERN, written=written).to_json()["answer"] == {
        "model": "m1",
        "text": "In Lisbon. [2] Once in Bern. [1][3]",
        "sentences": [{"text": "In Lisbon.", "citations": [2]}, {"text": "Once in Bern.", "citations": [1, 3]}],
        "dropped": 4,
    }
    assert Written("m1", ()).dropped == 0


@pytest.mark.parametrize(
    ("ranks", "most", "kept"),
    [
        ((1, 2, 4, 5), 9, 3),  # a quarter of the best score is enough
        ((1, 2, 4, 5), 2, 2),
        ((20, 40), 9, 1),  # the least score is 0.05
        ((21,), 9, 0),
        ((), 9, 0),
    ],
)
def test_passages_worth_reading(ranks: tuple[int, ...], most: int, kept: int) -> None:
    hits = [hit("text", rank) for rank in ranks]  # whose score is 1 / rank
    assert worth_reading(hits, most) == tuple(hits[:kept])


def test_a_short_passage_is_shown_whole_without_labels_and_a_long_one_by_what_is_asked() -> None:
    long = "The fair opened with music and a long parade. " * 5 + "Nina leads the launch. " + "It rained again. " * 9
    passages = [hit("# Fair\n\nNina leads.\n"), hit("# Only a title"), hit(long), hit("word " * 60)]
    shown = excerpts_of("Who leads the launch?", passages)
    assert shown[:2] == ("Nina leads.", "# Only a title")
    assert "Nina leads the launch." in shown[2] and len(shown[2].split()) <= 45
    assert len(shown[3].split()) <= 46 and shown[3].endswith("…")


def test_as_many_passages_go_to_a_model_as_fit_into_one_request() -> None:
    def cited(*sizes: int) -> list[Cited]:
        return [Cited(n, "x" * size, NOW, f"s{n}", "", (0, size)) for n, size in enumerate(sizes, start=1)]

    assert [one.number for one in fitting(cited(8000, 4000, 1))] == [1, 2]
    assert [one.number for one in fitting(cited(8000, 4001, 1))] == [1]
    assert fitting(cited(12_001)) == []
