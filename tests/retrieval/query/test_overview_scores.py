"""How far a storyline is about a question, by its words and by what was found, and how it is written with citations."""

from dataclasses import replace
from datetime import UTC, date, datetime

import pytest

from brain_retrieval.knowledge.cards import Mentioned, Sentence, StorylineCard, StoryPart
from brain_retrieval.knowledge.memories.shown.coming import Coming
from brain_retrieval.query.overview import Overview, Theme, _by_source, _next, _score, _sources
from tests.retrieval.query.packs.made_hits import memory

AT = datetime(2026, 1, 5, tzinfo=UTC)
CARD = StorylineCard(
    "s1", "storyline", "e1", "Phoenix", "Phoenix grows", "The budget grew.", True, "active", 0.5, 2, 2, AT,
    AT.replace(day=9), None, "extractive",
)  # fmt: skip


def test_each_source_counts_by_its_best_passage_as_a_share_of_all() -> None:
    assert _by_source([("a", 0.2), ("a", 0.6), ("b", 0.2), ("a", 0.1)]) == {"a": 0.6 / 0.8, "b": 0.2 / 0.8}
    assert _by_source([("a", 0.0)]) == _by_source([]) == {}


@pytest.mark.parametrize(
    ("question", "found", "score"),
    [
        ("Phoenix budget", {}, 0.4),  # all words, nothing found
        ("Phoenix weather", {}, 0.2),
        (None, {}, 0.0),
        ("weather", {"a": 0.5, "b": 0.25, "z": 0.25}, 0.6 * (0.75 - 2 / 10)),  # beyond what two of ten have by chance
        ("weather", {"a": 0.1}, 0.0),
        ("Phoenix", {"a": 0.5, "b": 0.5}, 0.4 + 0.6 * 0.8),
    ],
)
def test_the_score_is_of_words_and_of_what_was_found(question: str | None, found: dict, score: float) -> None:
    assert _score(CARD, {"a", "b"}, question, found, 10) == pytest.approx(score)


def test_the_sources_of_a_macro_are_those_of_its_storylines() -> None:
    def mentioned(source_id: str) -> Mentioned:
        return Mentioned(source_id, "note", f"inbox:note/{source_id}", source_id, AT)

    parts = [replace(CARD, id=f"s{n}", sources=(mentioned(f"a{n}"), mentioned("b"))) for n in range(3)]
    macro = replace(CARD, id="m", level="macro", storyline_ids=("s0", "s2"))
    assert _sources(macro, [*parts, macro]) == {"a0", "a2", "b"}
    assert _sources(parts[1], parts) == {"a1", "b"}


def test_a_theme_is_one_line_with_its_citations() -> None:
    assert Theme(CARD, 0.5, (1, 3)).text == (
        "Phoenix grows (2026-01-05 – 2026-01-09, goes on, 2 sources): The budget grew. [1][3]"
    )
    parts = (StoryPart("beginning", AT, "It began."), StoryPart("now", AT, "It grew."))
    ended = replace(CARD, open=False, parts=parts)
    assert Theme(ended, 0.5, (2, 1)).text.endswith("ended, 2 sources): It began. [2] It grew. [1]")
    assert Theme(ended, 0.5, (2,)).text.endswith("The budget grew. [2]")  # not one for each sentence


def test_what_a_storyline_has_a_day_for_next() -> None:
    def at(month: int, text: str, source_id: str = "a") -> Coming:
        return Coming(date(2026, month, 3), memory(text, source_id=source_id, quote=text))

    other, elsewhere = at(2, "The boiler is checked on 3 February."), at(2, "Phoenix ships on 3 February.", "z")
    own, later = at(3, "Phoenix ships on 3 March."), at(4, "Phoenix is shown on 3 April.")
    assert _next(CARD, {"a"}, [other, elsewhere, own, later]) is own
    assert _next(CARD, {"a"}, [other, elsewhere]) is None
    assert _next(replace(CARD, open=False), {"a"}, [own]) is None
    # "November" in a name is in every sentence with a day of November
    assert _next(replace(CARD, name="Phoenix, February 2026"), {"a"}, [other]) is None
    cited = replace(CARD, citations=(Sentence("a", own.card.uri, own.card.span),))
    assert _next(cited, {"a"}, [own, later]) is None  # it is told already, as how things are now
    assert Theme(CARD, 0.5, (1,), own, 2).text.endswith("The budget grew. [1] Next: Phoenix ships on 3 March. [2]")


def test_what_is_coming_up_stands_in_front() -> None:
    soon = Coming(date(2026, 1, 9), memory("The boiler is checked on the 9th.", values=(("date", "2026-01-09"),)))
    found = Overview("2026-01-05", None, (Theme(CARD, 0.5, (1,)),), (("s1", "inbox:note/1.md", (0, 3)),), ((soon, 1),))
    assert found.text.split("\n") == [
        "Coming up:",
        "- 2026-01-09: The boiler is checked on the 9th. [1]",
        "",
        Theme(CARD, 0.5, (1,)).text,
    ]
    document = found.to_json()
    assert [(one["day"], one["citation"], one["memory_id"]) for one in document["coming"]] == [
        ("2026-01-09", 1, soon.card.memory_id)
    ]
    assert document["themes"][0]["next"] is None
