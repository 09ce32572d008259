"""Clauses, scopes, expansion, language, and questions that are meant to cost time."""

import re
import time

import pytest

from brain_retrieval.language.lexicon import SHARED
from brain_retrieval.query.analysis import analyse, grammar, names, scopes, time_forms, times, wants
from brain_retrieval.query.analysis.expansion import expansion_of
from brain_retrieval.query.analysis.question import Question
from tests.regular_expressions import Found
from tests.test_regular_expressions import slowness, timer
from tests.worst_texts import worst_texts

__all__ = ["timer"]  # the fixture that breaks off a match
LANGUAGES = ("en", "de", "es", "fr", "it", "pt")


def asked(text: str, language: str | None = "en") -> Question:
    return analyse(text, max_characters=8000, language=language)


def test_a_question_of_several_parts_is_split() -> None:
    question = asked("Which company was fined in Spain and also sponsors the Quill marathon?")
    assert len(question.clauses) == 2
    assert "Quill" in question.clauses[1]
    assert asked("Where does Bob work?").clauses == ()


@pytest.mark.parametrize(
    ("text", "clauses"),
    [
        ("rent increase letter, kitchen repair bill", ["rent increase letter", "kitchen repair bill"]),
        ("Who sold the flat in Basel, which garden did she plant?", ["sold flat Basel", "garden plant"]),
        ("rent in Basel, kitchen repair bill", ["rent Basel", "kitchen repair bill"]),
        ("Tell me about the boat trip, ok, and the new kitchen", ["boat trip", "ok new kitchen"]),
        ('Which famous English author wrote "And Then There Were None"?', []),
        (
            "What did Bob say about the monthly rent, a new kitchen, an old bike, garden fences, and boilers at home?",
            ["Bob monthly rent", "new kitchen", "old bike", "garden fences"],  # four at most
        ),
    ],
)
def test_clauses_have_two_content_words_at_least(text: str, clauses: list[str]) -> None:
    assert list(asked(text).clauses) == clauses


def test_polite_words_are_not_part_of_what_is_asked() -> None:
    assert asked("could you please tell me where Anna lives").wants == "place"
    assert not asked("could you please tell me where Anna lives").yes_no
    assert asked("Is Anna Bob's boss?").yes_no
    assert not asked("Is it cheaper or dearer?").yes_no
    assert [asked(text).wants for text in ("Is it in Rome?", "What is the date of the launch?")] == ["thing", "time"]


def test_a_word_that_is_another_one_without_its_accent_keeps_it() -> None:
    assert asked("Où habite Anna ?", "fr").wants == "place"
    assert asked("Préfère-t-elle le thé ou le café ?", "fr").wants == "thing"


def test_both_sides_of_a_comparison_are_searched() -> None:
    clauses = asked("Is the flat in Basel cheaper than the one in Bern?").clauses
    assert [("Basel" in clause, "Bern" in clause) for clause in clauses] == [(True, False), (False, True)]


@pytest.mark.parametrize(
    ("text", "sources"),
    [
        ("What did Bob write in his last email?", ("email",)),
        ("What did Slack say about it?", ("slack-thread",)),
        ("What is Anna's email address?", ()),
        ("When is the meeting?", ()),
        ("Was stand in der Mail von Petra?", ("email",)),
        ("what is in my notes and in the pdf", ("note", "document")),
    ],
)
def test_sources_are_those_pointed_at(text: str, sources: tuple[str, ...]) -> None:
    assert asked(text).sources == sources


def test_buckets_are_named() -> None:
    assert asked("what did I write in my personal notes").buckets == ("PERSONAL_LIFE",)
    assert asked("what is new across my projects").buckets == ("PROJECTS",)


def test_expansion_can_be_switched_off() -> None:
    assert "wage" in asked("What is Bob's salary?").expansion
    assert analyse("What is Bob's salary?", max_characters=99, expand=False).expansion == ()
    assert expansion_of("salary", None) == expansion_of("salary", "tr") == ()  # a language without such words


def test_the_language_of_the_question_is_found() -> None:
    assert asked("Wo arbeitet Anna?", "en").language == "de"
    assert asked("Where does Anna work?", "de").language == "en"
    assert asked("Phoenix launch", "de").language == "de"
    assert asked("Onde trabalha a Joana?", "en").language == "pt"
    assert asked("where Phoenix", "tr").language is None  # one word is too little against a user's own language
    assert asked("where is Phoenix", "tr").language == "en"
    german = asked("Wo wohnt die Anna seit dem 3. Mai 2024?", None)
    assert (german.language, german.words, len(german.dates)) == ("de", "wohnt Anna 3 Mai 2024", 1)
    texts = {"qual endereço": "pt", "adresse de Ana": "fr", "la madre de Ana": "es", "la mère de Ana": "fr"}
    assert {text: asked(text, "en").language for text in texts} == texts  # by letters and nouns, the rest is even
    unknown = asked("Anna nerede çalışıyor?", "tr")
    assert (unknown.language, unknown.intent, unknown.words) == (None, "factual", "Anna nerede çalışıyor")
    assert not (unknown.asks_then or unknown.lists or unknown.yes_no)


def patterns(language: str) -> list[re.Pattern[str]]:
    """Return every expression that the word lists of a language are made into."""
    keys = [key for key in SHARED.read(grammar.QUESTIONS).keys if key != "plural"]
    found = [grammar.pattern(key, language) for key in keys]
    found += [form for form, _, _ in time_forms._forms(language)]
    found += [times._event_marker(language), times._bare_month(language), times._before("before", language)]
    found += [times._joint(language), times._before_year(language), scopes._pointed(language), scopes._named(language)]
    return [*found, grammar.raw_pattern("plural", language), names._QUOTED, names._CODE, wants._starts(language)]


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_expression_of_a_lexicon_is_slow(language: str) -> None:
    found = [Found(pattern, f"{language} {pattern.pattern[:60]}", anchored=False) for pattern in patterns(language)]
    assert [slow for one in found if (slow := slowness(one))] == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_hostile_questions_end_soon(language: str) -> None:
    hostile = [text for pattern in patterns(language)[::7] for text in list(worst_texts(pattern, 8000))[:2]]
    hostile += ["A" * 8000, "who " * 2000, "Anna " * 1600, '"' * 8000, "since since " * 700, "1 2 3 4 " * 1000]
    for text in hostile:
        before = time.process_time()
        if text.strip():
            asked(text, language)
        assert time.process_time() - before < 5
