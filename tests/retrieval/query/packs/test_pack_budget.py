"""The budget of a pack: kept to the token, whole passages before cut ones, sentences by the question, duplicates."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from brain_retrieval.errors import InvalidQueryError
from brain_retrieval.query.hits import SearchResult
from brain_retrieval.query.packs.build import build_context
from brain_retrieval.settings import EmbeddingSettings
from tests.retrieval.query.packs.made_hits import Characters, Words, hit, pack, texts

LONG = (
    "The fair opened with music. The launch of Phoenix is on the first of April. The weather was mild. "
    "Many people came from far away. Nina leads the launch team."
)


@pytest.fixture(scope="module")
def counter():
    from brain_retrieval.models.embedding.tokenizer import build_tokenizer

    return build_tokenizer(EmbeddingSettings())


@given(budget=st.integers(1, 400), count=st.integers(0, 8), words=st.integers(1, 60))
def test_budget_is_kept_and_every_hit_is_packed_or_dropped(counter, budget: int, count: int, words: int) -> None:
    hits = [hit(text, rank) for rank, text in enumerate(texts(count, words), start=1)]
    found = build_context(SearchResult(hits), max_tokens=budget, counter=counter, question="river0 stone1 orbit2")
    assert found.total_tokens == counter.count(found.text) <= budget
    assert len(found.items) + len(found.dropped) == count
    assert [item.citation for item in found.items] == list(range(1, len(found.items) + 1))


@pytest.mark.parametrize("question", ["When is the launch?", "", "étude"])
def test_sixty_tokens_hold_the_best_sentence(counter, question: str) -> None:
    long = hit(LONG, title="A report of the fair in the town with a very long title that takes up all the room")
    found = build_context(SearchResult([long]), max_tokens=60, counter=counter, question=question)
    assert found.total_tokens <= 60
    assert found.items[0].cut
    assert ("first of April" if "launch" in question else "fair opened") in found.text


def test_a_sentence_longer_than_the_room_is_cut_inside(counter) -> None:
    endless = "and so " * 200 + "the launch is on the first of April " + "and so " * 200
    found = build_context(SearchResult([hit(endless)]), max_tokens=60, counter=counter, question="When is the launch?")
    assert "…launch is on the first of April" in found.text
    assert found.total_tokens <= 60


def test_a_cut_passage_says_so_with_marks_in_the_text_and_in_its_item() -> None:
    found = pack([hit(LONG)], 42, question="When is the launch, and who leads it?")
    assert "> … The launch of Phoenix is on the first of April. … Nina leads the launch team." in found.text
    item = found.items[0]
    assert item.cut == "cut to 2 of 5 sentences"
    assert item.to_json()["cut"] == item.cut
    assert f"> {item.shown}\n" in found.text
    whole = pack([hit(LONG)], 200, question="When is the launch?")
    assert (whole.items[0].cut, whole.items[0].shown) == ("", "")
    assert "shown" not in whole.items[0].to_json()


def test_passages_that_fit_whole_go_before_those_that_must_be_cut() -> None:
    hits = [hit("first short one", 1), hit(LONG, 2), hit("another brief thing", 3)]
    found = pack(hits, 48, question="When is the launch?")
    assert [(item.hit.rank, bool(item.cut)) for item in found.items] == [(1, False), (3, False), (2, True)]
    assert "first of April" in found.text


def test_a_passage_without_a_word_of_the_question_is_skipped_rather_than_cut() -> None:
    hits = [hit("The launch is near.", 1), hit(" ".join(texts(1, 90)), 2), hit("another brief thing", 3)]
    found = pack(hits, 60, question="When is the launch?")
    assert [item.hit.rank for item in found.items] == [1, 3]
    assert found.dropped[0].hit.rank == 2
    assert re.fullmatch(r"over the budget: \d+ tokens, \d+ left", found.dropped[0].reason)


def test_a_budget_is_used_to_the_last_token() -> None:
    first, second = (hit(text, rank) for rank, text in enumerate(texts(2, 60), start=1))
    exact = pack([first, second], 1000).total_tokens
    assert len(pack([first, second], exact).items) == 2
    short = pack([first, second], exact - 1)
    assert [item.hit for item in short.items] == [first]
    assert short.dropped[0].reason == "over the budget: 66 tokens, 65 left"


def test_a_text_that_is_longer_than_its_parts_loses_its_last_entry() -> None:
    hits = [hit("one two three"), hit("four five six seven eight", 2)]
    exact = len(pack(hits, 10_000, Characters()).text)
    assert len(pack(hits, exact, Characters()).items) == 2
    found = pack(hits, exact - 1, Characters())
    assert [item.hit.rank for item in found.items] == [1]
    assert found.total_tokens == len(found.text)
    assert [drop.hit.rank for drop in found.dropped] == [2]


@pytest.mark.parametrize("budget", [1, 5, 14])
def test_without_room_for_a_passage_there_is_no_frame_either(budget: int) -> None:
    found = pack([hit("one two three")], budget)
    assert (found.text, found.items, found.total_tokens, len(found.dropped)) == ("", (), 0, 1)


def test_near_duplicates_are_dropped_with_the_citation_they_repeat() -> None:
    text = "Project Phoenix is led by Nina and the launch is planned for the first of April in Berlin."
    hits = [hit(text, 1), hit(text.upper() + "!", 2), hit("Sourdough needs a starter that is fed every day.", 3)]
    found = pack(hits, 500)
    assert [item.hit.rank for item in found.items] == [1, 3]
    assert found.dropped[0].reason == "nearly the same as [1]"


def test_overlapping_spans_of_one_source_are_one_passage() -> None:
    a, b, c = texts(3, 12)
    hits = [hit(a, 1, source_id="s"), hit(b, 2, source_id="s", start=10), hit(c, 3, source_id="s", start=5000)]
    assert [item.hit.rank for item in pack(hits, 900).items] == [1, 3]


@pytest.mark.parametrize("budget", [0, -5, 1.5, True, "100"])
def test_a_budget_is_a_positive_whole_number(budget: object) -> None:
    with pytest.raises(InvalidQueryError):
        pack([], budget)  # pyright: ignore[reportArgumentType]


def test_words_that_few_candidates_have_decide_which_sentence_stays() -> None:
    rare = "The launch went well for all of us here. The launch budget was seven million in the end."
    hits = [hit("The launch is near.", 1), hit("Nina saw the launch.", 2), hit(rare, 3)]
    exact = pack(hits[:2], 1000, Words()).total_tokens
    found = pack(hits, exact + 18, question="launch budget")
    assert found.items[-1].shown == "… The launch budget was seven million in the end."


def test_titles_and_tags_are_no_answers(counter) -> None:
    note = (
        "Tags: launch, dates\n# Launch moved\nThe fair is long past now.\n"
        "The launch moved to 16 March. " + "Many people came from far away, whatever the weather was. " * 4
    )
    found = build_context(SearchResult([hit(note)]), max_tokens=60, counter=counter, question="When is the launch?")
    assert "The launch moved to 16 March." in found.text
    assert "Tags" not in found.text
