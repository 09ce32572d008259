"""How much of a question a memory has: by its words, their other forms, titles and what they stand for."""

from typing import Any

import pytest

from brain_retrieval.knowledge.memories.facets import Facet
from brain_retrieval.language.concepts import TITLED, concepts_of
from brain_retrieval.language.content_words import content_words
from brain_retrieval.query.ask.coverage import Coverage, Wanted
from brain_retrieval.query.ask.small_words import small_words
from tests.retrieval.knowledge.memories.rows import row


def facet(text: str, language: str = "en", title: str = "", before: str = "", **changes: Any) -> Facet:
    words = (*content_words(f"{text} {before}", language), *concepts_of(text, language))
    titles = (TITLED + word for word in content_words(title, language))
    return Facet(row("m1", text, "2026-01-05", **{"anchors": [*words, *titles], **changes}))


def share(question: str, one: Facet, language: str = "en") -> float:
    return round(Wanted(question, language).in_memory(one, {}).share, 2)


@pytest.mark.parametrize(
    ("question", "language", "words"),
    [
        ("Wie hoch ist die Miete?", "de", {"hoch": 0.3, "miet": 1.0}),
        ("wer ist meine Chefin", "de", {"chefi": 1.0}),
        ("¿Cuánto pago de alquiler por el piso?", "es", {"pago": 1.0, "alquiler": 1.0, "piso": 1.0}),
        ("Was darf Bruno fressen?", "de", {"darf": 0.3, "bruno": 1.0, "fress": 1.0}),
        ("Do you know where Bob works?", "en", {"bob": 1.0, "work": 0.3}),
        ("Do you know Bob?", "en", {"bob": 1.0}),
        ("Please", "en", {"pleas": 1.0}),
        ("Which database does Larkspur use?", "en", {"databas": 1.0, "larkspur": 1.0, "use": 0.3}),
    ],
)
def test_function_words_of_the_questions_language_ask_for_nothing(
    question: str, language: str, words: dict[str, float]
) -> None:
    assert dict(Wanted(question, language).weights) == words


def test_a_word_is_found_in_the_text_in_another_form_in_a_title_and_by_what_it_means() -> None:
    assert share("oboe", facet("The oboe is mended.")) == 1.0
    assert share("the reeds", facet("Bought in Ghent.", before="Two oboe reeds")) == 0.8
    assert share("Am I allergic?", facet("Penicillin allergy, says the doctor.")) == 0.8
    assert share("larkspur", facet("Moved to another server.", title="Larkspur")) == 0.8
    assert share("address", facet("We moved to Ghent.")) == 0.6
    assert share("oboe", facet("We moved to Ghent.")) == 0.0


def test_a_short_german_question_has_its_one_word_in_the_answer() -> None:
    rent = facet("Die Miete bleibt bei 640 Euro.", "de")
    assert share("Wie hoch ist die Miete?", rent, "de") == pytest.approx(0.77)
    assert share("Wie hoch ist der Strompreis?", rent, "de") < 0.5


def test_an_attribute_is_as_good_as_its_word() -> None:
    lives = facet("Ann is in Ghent now.", slot_attribute="lives_in", slot_subject="Ann", slot_value="Ghent")
    assert share("where does Ann live", lives) == 1.0


def test_a_light_word_is_no_part_of_another_word() -> None:
    assert share("where do I work", facet("The slot is at Workday.")) == 0.0


def test_names_and_other_words_are_told_apart() -> None:
    wanted = Wanted("When is Ann's birthday?", "en", names=frozenset({"ann"}))
    assert wanted.in_memory(facet("Ann has the key."), {}) == Coverage(0.5, 1.0, 0.0, 1.0)
    assert Wanted("Who is Ann?", "en", names=frozenset({"ann"})).in_memory(facet("Ann sings."), {}).topic is None


def test_what_is_known_of_a_word_counts() -> None:
    likes = Wanted("tea", "en")
    assert likes.in_memory(facet("I had tea."), {"tea": 0.0}).share == 0.0
    assert likes.in_memory(facet("Coffee is best."), {"tea": 1.0}).share == 1.0


def test_who_a_name_is_to_the_owner_need_not_be_said_again() -> None:
    assert dict(Wanted("Where does my brother Ivo row?", "en").weights) == {"brother": 0.3, "ivo": 1.0, "row": 1.0}
    assert Wanted("Where does my brother row?", "en").weights["brother"] == 1.0


@pytest.mark.parametrize(
    ("question", "language", "counted"),
    [
        ("How many pupils are there?", "en", {"pupil"}),
        ("Wie viele Kinder kommen mit?", "de", {"kinder", "komm"}),
        ("How much is the rent?", "en", set[str]()),
        ("Combien de chaises avons-nous ?", "fr", {"chais"}),
    ],
)
def test_what_is_counted_stands_behind_how_many(question: str, language: str, counted: set[str]) -> None:
    assert Wanted(question, language).counted == counted


def test_a_text_has_words_of_what_is_asked_or_only_of_the_names() -> None:
    wanted = Wanted("What does Ivo's oboe lesson cost?", "en", names=frozenset({"ivo"}))
    assert wanted.has_of("Ivo is back.") == (False, True)
    assert wanted.has_of("The oboes are mended.") == (True, False)
    assert wanted.has_of("The lawn is mown.") == (False, False)


def test_a_word_with_a_small_letter_is_no_name_where_the_question_writes_capitals() -> None:
    assert small_words("Who is Ben's vet?", "en") == {"vet"}
    assert small_words("who is ben's vet?", "en") == frozenset()
    assert small_words("Where do I live?", "en") == frozenset()
    assert "zahnar" not in str(small_words("Wer ist unser Zahnarzt?", "de"))


def test_a_text_has_a_word_in_another_form_and_in_part_what_it_stands_for() -> None:
    wanted = Wanted("which salad is Ann allergic to", "en")
    assert wanted.share_in("Ann's allergy: celery salad") > 0.9 > wanted.share_in("Ann likes salad")
    assert Wanted("where does Ann live", "en").share_in("Ann moved to Ghent") == pytest.approx(0.8)
    assert wanted.share_in("Nothing of this") == 0.0
