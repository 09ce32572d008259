"""Features from scores, people, dates and form, worked out by hand."""

from dataclasses import replace
from datetime import date
from math import exp, log

import numpy as np
import pytest

from brain_retrieval.models.embedding.word_codes import CODE_BYTES, WordCodes
from brain_retrieval.query.analysis import DateMention, QuestionTime
from brain_retrieval.query.candidates import Arm
from brain_retrieval.query.features.dates import dates
from brain_retrieval.query.features.form import form
from brain_retrieval.query.features.memories import memories
from brain_retrieval.query.features.people import people
from brain_retrieval.query.features.pool import Pool
from brain_retrieval.query.features.scores import scores, standardised
from tests.retrieval.query.pools import Result, asking, candidates_of, place, pool_of, texts

SPEAKERS = [["Ana Maria López"], ["Ben"], ["Diana Cruz", "Ana"], [], ["Banana"]]


def test_scores_of_both_retrievers() -> None:
    rows = {key: place(key, 0) for key in "abc"}
    found = candidates_of(rows, Result("lexical", {"a": 4.0, "b": 2.0}), Result("vector", {"c": 0.9, "a": 0.5}))
    normalised = {"lexical": np.array([1.0, 0.5, np.nan]), "vector": np.array([0.5, np.nan, 1.0])}
    group = scores(Pool(asking(), found, normalised, np.array([0.75, 0.25, 0.5])))
    assert group["fused"].tolist() == [0.75, 0.25, 0.5]
    assert group["lexical"].tolist() == [1.0, 0.5, 0.0]
    assert group["lexical_z"].tolist() == pytest.approx([1.0, -1.0, -2.0])  # mean 3, deviation 1
    assert group["lexical_rank"].tolist() == pytest.approx([1 / 5, 1 / 6, 0.0])
    assert group["vector"].tolist() == [0.5, 0.0, 1.0]
    assert group["vector_z"].tolist() == pytest.approx([-1.0, -2.0, 1.0])
    assert group["vector_rank"].tolist() == pytest.approx([1 / 6, 0.0, 1 / 5])
    assert group["cosine"].tolist() == [0.5, 0.0, 0.9]
    assert group["both"].tolist() == [1.0, 0.0, 0.0]


def test_scores_of_late_interaction() -> None:
    rows = {key: place(key, 0) for key in "abc"}
    found = candidates_of(rows, Result("lexical", dict.fromkeys("abc", 1.0)))
    found = found.with_arm(Arm("late_interaction", np.array([0.6, 0.8, 0.7]), np.array([0, 1, 2])))
    normalised = {"late_interaction": np.array([0.0, 1.0, 0.5])}
    group = scores(Pool(asking(), found, normalised, np.zeros(3)))
    assert group["late_interaction"].tolist() == [0.0, 1.0, 0.5]
    assert group["late_interaction_z"].tolist() == pytest.approx([-(1.5**0.5), 1.5**0.5, 0.0])
    assert group["late_interaction_rank"].tolist() == pytest.approx([0.0, 1 / 5, 1 / 6])
    assert group["closeness"].tolist() == [0.6, 0.8, 0.7]


def test_how_the_best_memory_of_a_passage_fits() -> None:
    rows = {key: place(key, 0, text="so that is what we did with it") for key in "abc"}
    found = candidates_of(rows, Result("lexical", dict.fromkeys("abc", 1.0)), Result("memories", {"b": 0.9, "a": 0.4}))
    normalised = {"memories": np.array([0.4, 0.9, np.nan])}
    group = memories(Pool(asking(), found, normalised, np.zeros(3)))
    assert {key: values.tolist() for key, values in group.items()} == {
        "fit": [0.4, 0.9, 0.0],
        "rank": [1 / 6, 1 / 5, 0.0],
        "compared": [1.0, 1.0, 1.0],
        "share": [1.0, 1.0, 1.0],
        "silent": [0.0, 0.0, 0.0],
    }
    several = replace(asking(), statements=("fined in spain for adverts", "sponsors a marathon run in may"))
    assert memories(Pool(several, found, normalised, np.zeros(3)))["share"].tolist() == [0.6, 0.6, 0.6]
    listed = replace(asking(), lists=True)
    assert memories(Pool(listed, found, normalised, np.zeros(3)))["share"].tolist() == [1.4, 1.4, 1.4]
    without = memories(pool_of(rows))
    assert {key: values.tolist() for key, values in without.items()} == {key: [0.0, 0.0, 0.0] for key in group}


def test_a_table_and_a_picture_could_hold_no_memory() -> None:
    table, said = "Avatar | ready | 2\nTable | planned | 5\nMenu | ready | 1", "what we did was not of use to us at all"
    texts = {
        "a": (table, "note"),
        "b": (table, "note"),
        "c": (said, "note"),
        "d": (said, "image"),
        "e": ("# Menu", "note"),
    }
    rows = {key: place(key, 0, text=text, source=source) for key, (text, source) in texts.items()}
    found = candidates_of(rows, Result("lexical", dict.fromkeys("abcde", 1.0)), Result("memories", {"a": 0.9}))
    group = memories(Pool(asking(), found, {"memories": np.array([1.0, *[np.nan] * 4])}, np.zeros(5)))
    assert group["silent"].tolist() == [0.0, 1.0, 0.0, 1.0, 0.0]


def test_a_retriever_that_is_missing_counts_as_the_lowest() -> None:
    group = scores(pool_of({"a": place("s", 0)}, [0.5]))
    assert (group["vector"][0], group["vector_z"][0], group["vector_rank"][0], group["cosine"][0]) == (0, -2, 0, 0)


def test_standardised_scores_are_cut_off() -> None:
    assert standardised(np.array([1.0, 1.0])).tolist() == [0.0, 0.0]
    far = standardised(np.array([100.0, *[0.0] * 99, np.nan]))
    assert (far[0], far[-1]) == (6.0, -2.0)
    assert standardised(np.array([np.nan])).tolist() == [-2.0]


def said(question: str) -> tuple[list[float], list[float]]:
    rows = {f"p{n}": place("s", n, speakers=who) for n, who in enumerate(SPEAKERS)}
    found = people(pool_of(rows, question=asking(text=question)))
    return found["speaker"].tolist(), found["other_speaker"].tolist()


def test_a_speaker_with_an_article_is_not_named_by_it() -> None:
    rows = {f"p{n}": place("s", n, speakers=(who,)) for n, who in enumerate(("The Chair", "Ana López"))}
    asked = ("What did the treasurer report?", "What did the chair of the club report?")
    found = [people(pool_of(rows, question=asking(text=text)))["speaker"].tolist() for text in asked]
    assert found == [[0, 0], [1, 0]]


def test_a_speaker_is_named_by_the_first_or_the_last_name() -> None:
    assert said("What did Ana's sister say?") == ([1, 0, 1, 0, 0], [0, 1, 0, 0, 1])
    assert said("and LÓPEZ?") == ([1, 0, 0, 0, 0], [0, 1, 1, 0, 1])
    assert said("Did Ben-Gurion call") == ([0, 1, 0, 0, 0], [1, 0, 1, 0, 1])


def test_without_a_speaker_named_no_one_is_another() -> None:
    for question in ("Was Maria there?", "Mariana, Benedict, bandana", ""):  # a middle name is not enough
        assert said(question) == ([0] * 5, [0] * 5)


def test_a_word_of_two_letters_does_not_name_a_speaker() -> None:
    rows = {"a": place("s", 0, speakers=["Al Jones"]), "b": place("s", 1, speakers=["Ana Li"])}
    for question, own in (("Is Al or Li there?", [0.0, 0.0]), ("Is Jones there?", [1.0, 0.0])):
        assert people(pool_of(rows, question=asking(text=question)))["speaker"].tolist() == own


def test_dates_named_and_dates_near() -> None:
    days = ["2026-01-05", "2026-01-12", "2026-02-10", "2026-02-10"]
    rows = {f"p{n}": place("s", n, day) for n, day in enumerate(days)}
    found = dates(pool_of(rows, question=asking(DateMention(2026, 1, 5), DateMention(None, 2, None))))
    assert found["date"].tolist() == [1.0, 0.0, 0.5, 0.5]
    assert found["date_near"].tolist() == pytest.approx([1.0, exp(-1), exp(-36 / 7), exp(-36 / 7)])
    assert found["newer"].tolist() == [0.0, 0.5, 1.0, 1.0]


def test_dates_do_not_add_up_and_a_day_of_any_year_is_near_no_other() -> None:
    rows = {"a": place("s", 0, "2026-01-05"), "b": place("s", 1, "2026-01-06")}
    found = dates(pool_of(rows, question=asking(DateMention(None, 1, 5), DateMention(2026, 1, None))))
    assert found["date"].tolist() == [1.0, 0.5]
    assert found["date_near"].tolist() == [0.0, 0.0]
    assert found["newer"].tolist() == [0.0, 1.0]
    alone = dates(pool_of({"a": rows["a"]}))
    assert (alone["date"].tolist(), alone["newer"].tolist()) == ([0.0], [0.0])


@pytest.mark.parametrize(
    ("time", "expected"),
    [
        (None, [0, 0, 0, 0]),
        (QuestionTime(date(2026, 1, 12), date(2026, 2, 10), "absolute"), [0, 1, 1, 0]),  # both ends inclusive
        (QuestionTime(None, date(2026, 1, 12), "before"), [1, 1, 0, 0]),
        (QuestionTime(date(2026, 1, 13), None, "since"), [0, 0, 1, 1]),
        (QuestionTime(None, None, "relative"), [0, 0, 0, 0]),
        (QuestionTime(None, date(2026, 1, 12), "before", event="the launch"), [0, 0, 0, 0]),  # days not known yet
    ],
)
def test_days_inside_the_time_asked_for(time: QuestionTime | None, expected: list[float]) -> None:
    days = ["2026-01-05", "2026-01-12", "2026-02-10", "2026-02-11"]
    rows = {f"p{n}": place("s", n, day) for n, day in enumerate(days)}
    assert dates(pool_of(rows, question=asking(time=time)))["inside"].tolist() == expected


def test_a_type_of_source_named() -> None:
    rows = {name: place(name, 0, source=name) for name in ("note", "mail", "meeting")}
    found = dates(pool_of(rows, question=asking(sources=("mail", "meeting"))))
    assert found["source_named"].tolist() == [0.0, 1.0, 1.0]
    assert dates(pool_of(rows))["source_named"].tolist() == [0.0] * 3


def test_the_form_of_passage_and_question() -> None:
    found = form(pool_of(texts("", "Is?", "Seven. "), question=asking(words="one two three")))
    assert found["length"].tolist() == pytest.approx([-log(4), 0.0, log(8 / 4)])
    assert found["asks"].tolist() == [0.0, 1.0, 0.0]
    assert found["question_length"].tolist() == [3.0] * 3
    forty = " ".join(map(str, range(40)))
    assert form(pool_of(texts("Why?  "), question=asking(words=forty)))["question_length"].tolist() == [30.0]
    assert form(pool_of(texts("Why?  ")))["asks"].tolist() == [1.0]
    assert form(pool_of(texts("Why?  ")))["unknown"].tolist() == [0.0]


@pytest.mark.parametrize(("tokens", "unknown"), [((3, 2), 1.0), ((3, 1), 0.0), ((), 0.0)])
def test_a_question_is_unknown_if_each_of_its_words_is_several_tokens(tokens: tuple[int, ...], unknown: float) -> None:
    pool = pool_of(texts("A text.", "Another."))
    codes = WordCodes(("word",) * len(tokens), np.zeros((len(tokens), CODE_BYTES), np.uint8), tokens)
    asked = replace(pool, candidates=replace(pool.candidates, asked=codes))
    assert form(asked)["unknown"].tolist() == [unknown] * 2


@pytest.mark.parametrize(
    ("last", "around", "matched"),
    [
        (date(2026, 1, 5), "", [0.0, 1.0, 0.0]),
        (date(2026, 1, 11), "", [0.0, 1.0, 1.0]),  # a week
        (date(2026, 2, 3), "", [0.0, 0.5, 0.5]),  # a month
        (date(2026, 12, 31), "", [0.0, 0.0, 0.0]),  # most of a year
        (date(2026, 1, 11), "the launch", [0.0, 0.0, 0.0]),  # a guess, which counts less
    ],
)
def test_days_that_are_asked_for_by_other_words_count_like_named_ones(
    last: date, around: str, matched: list[float]
) -> None:
    rows = {key: place(key, 0, day=day) for key, day in (("a", "2026-01-04"), ("b", "2026-01-05"), ("c", "2026-01-11"))}
    asked = replace(asking(), time=QuestionTime(date(2026, 1, 5), last, "relative", around=around))
    found = candidates_of(rows, Result("lexical", dict.fromkeys(rows, 1.0)))
    group = dates(Pool(asked, found, {"lexical": np.ones(3)}, np.zeros(3)))
    assert group["date"].tolist() == matched
