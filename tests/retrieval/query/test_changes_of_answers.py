"""Changes of what a question asks for, numbers of a question, and memories that lack its names or are of another."""

from datetime import timedelta

import pytest

from brain_retrieval.knowledge.memories.asked.answer import AMOUNT, MOMENT, PERSON
from brain_retrieval.knowledge.memories.facets import Facet
from brain_retrieval.language.content_words import content_words
from brain_retrieval.query.ask.coverage import Wanted
from brain_retrieval.query.ask.figures import figures_in
from brain_retrieval.query.ask.judged import Judge
from brain_retrieval.query.hits import Hit
from tests.retrieval.knowledge.memories.rows import row
from tests.retrieval.query.packs.made_hits import MAY, hit, memory

LATER = MAY + timedelta(days=30)


def best(
    asked: str, before: str, after: str, kind: str, *, names: str = "", cue: str = "weak", **given: str
) -> list[str]:
    """Return those of two statements that answer a question, the best first; the later one states a change by a cue."""
    language = given.get("language", "en")
    cards = {before: memory(before, source_id="s1"), after: memory(after, source_id="s2", said_at=LATER)}
    people = [
        {"entity_id": "o", "name": word, "type": "Person", "role": "subject"} for word in ("Owen",) if word in after
    ]
    changed = row("b", after, "2026-06-03", cue=cue, entities=people)
    facets = {before: Facet(row("a", before, "2026-05-04")), after: Facet(changed)}
    wanted = Wanted(asked, language, names=frozenset(content_words(names)))
    rated = Judge(wanted, frozenset(), kind, (hit(before, source_id="s1"),), {}).rated(cards, facets)
    return sorted(rated, key=lambda text: (-rated[text].whole, text != after))


@pytest.mark.parametrize(
    ("asked", "before", "after", "kind", "names"),
    [
        (
            "When do we sail the Kestrel?",
            "We sail the Kestrel on Mondays.",
            "Kestrel is Saturdays now.",
            MOMENT,
            "Kestrel",
        ),
        ("Who plays the cello?", "Ruth plays the cello.", "Owen is on cello from now on.", PERSON, ""),
    ],
)
def test_a_later_change_answers_as_well_without_the_words_of_how_it_was(
    asked: str, before: str, after: str, kind: str, names: str
) -> None:
    found = best(asked, before, after, kind, names=names)
    assert after in found
    assert after not in best(asked, before, after, kind, names=names, cue="none")


def test_news_of_something_else_of_the_same_name_is_no_change() -> None:
    party, dentist = "Nora's party is on 4 May.", "Nora's dentist is on 9 May now."
    assert best("When is Nora's party?", party, dentist, MOMENT, names="Nora") == [party]
    fee, deposit = "The Kestrel costs 40 euros.", "Kestrel is 90 euros now."
    assert best("How much is mooring the Kestrel?", fee, deposit, AMOUNT, names="Kestrel") == []


def test_what_has_none_of_the_names_needs_a_passage_that_has_one() -> None:
    works = "I work only four days now."
    cards, facets = {works: memory(works, source_id="s1")}, {works: Facet(row("a", works, "2026-05-04"))}
    wanted = Wanted("where does Vera work", "en", names=frozenset({"vera"}))

    def answers(*found: Hit) -> list[str]:
        return list(Judge(wanted, frozenset(), None, found, {}).rated(cards, facets))

    assert answers(hit(works, source_id="s1")) == []
    assert answers(hit(f"{works} Vera works at the mill.", source_id="s1")) == [works]


def test_what_begins_with_another_person_comes_behind_what_is_ones_own() -> None:
    own, other = "We burn pellets in the stove.", "Magda burns wood in the stove."
    person = {"entity_id": "m", "name": "Magda", "type": "Person", "role": "subject"}
    cards = {text: memory(text) for text in (own, other)}
    facets = {own: Facet(row("a", own, "2026-05-04")), other: Facet(row("b", other, "2026-06-03", entities=[person]))}

    def behind(asked: str, *, of_oneself: bool) -> list[str]:
        rated = Judge(Wanted(asked, "en"), frozenset(), None, (), {}, of_oneself=of_oneself).rated(cards, facets)
        return [text for text, one in rated.items() if one.behind]

    assert behind("what stove", of_oneself=True) == [other]
    assert behind("what stove", of_oneself=False) == []


@pytest.mark.parametrize(
    ("text", "figures"),
    [
        ("What is the 1,204 for?", {"1204"}),
        ("Seit wann zahlen wir 88,40?", {"8840"}),
        ("quanto são 310,00 euros", {"310"}),
        ("what happened in 2024 on 12.5.2025 at 10:30 in room 12", set()),
        ("who has AB-20931", set()),
    ],
)
def test_numbers_that_tell_what_a_question_is_about(text: str, figures: set[str]) -> None:
    assert figures_in(text) == figures


def test_a_memory_without_the_number_of_a_question_does_not_answer_it() -> None:
    texts = ("The berth is 88.40 a month from June.", "The berth is 61 a month.")
    cards = {text: memory(text) for text in texts}
    facets = {text: Facet(row(text, text, "2026-05-04")) for text in texts}
    rated = Judge(Wanted("for which berth is 88,40", "en"), frozenset(), None, (), {}).rated(cards, facets)
    assert list(rated) == [texts[0]]
