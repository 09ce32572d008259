"""Questions of a word or two, and words that are written as one: their language, what they ask for, their parts."""

from datetime import UTC, date, datetime

import pytest

from brain_retrieval.query.analysis import Question, analyse
from brain_retrieval.query.ask.possessed import only_of_relatives
from brain_retrieval.query.ask.then import time_asked
from brain_retrieval.query.ask.word_forms import has_beginning, has_form
from brain_retrieval.query.rewording.compounds import parts_of_compounds

KNOWN = {"garten", "zaun", "verein", "kasse", "hund", "steuer"}


def asked(text: str, *written: str, language: str = "en") -> Question:
    return analyse(text, max_characters=300, language=language, languages=written, now=datetime(2026, 5, 4, tzinfo=UTC))


@pytest.mark.parametrize(
    ("text", "written", "language", "wants"),
    [
        ("Gehalt?", ("de", "fr"), "de", "number"),
        ("Gehalt?", (), "en", "thing"),
        ("salary?", ("de",), "en", "number"),
        ("Ablieferungsfrist Roman", ("de",), "de", "time"),
        ("Stromkosten?", ("de",), "de", "number"),
        ("prix du bois ?", ("fr", "de"), "fr", "number"),
        ("alquiler?", ("es",), "es", "number"),
        ("Wie heißt der Gärtner?", ("fr",), "de", "person"),  # with words that only German has
    ],
)
def test_a_question_of_few_words_is_in_a_language_of_the_user(
    text: str, written: tuple[str, ...], language: str, wants: str
) -> None:
    question = asked(text, *written)
    assert (question.language, question.wants) == (language, wants)


@pytest.mark.parametrize(
    ("text", "language", "parts"),
    [
        ("Gartenzaun?", "de", ["garten zaun"]),
        ("Was kostet die Vereinskasse?", "de", ["verein kasse"]),  # with the "s" that joins them
        ("Hundesteuer", "de", ["hund steuer"]),
        ("Katzensteuer", "de", []),  # no memory has a cat
        ("Gartenzaun?", "fr", []),
    ],
)
def test_a_compound_that_no_memory_has_is_parted_where_they_have_its_parts(
    text: str, language: str, parts: list[str]
) -> None:
    found = parts_of_compounds(text, (), language, lambda word: int(word in KNOWN))
    assert [part for _, _, part in found] == parts
    assert list(parts_of_compounds(text, [(0, len(text))], language, lambda word: int(word in KNOWN))) == []


def test_the_end_of_a_compound_is_not_the_whole() -> None:
    assert has_beginning("gartentor", "tor", ["garten", "neu"])
    assert not has_beginning("gartentor", "tor", ["hof", "neu"])
    assert has_beginning("tor", "gartentor", [])
    assert has_form("gartentor", ["tore", "gartentore"]) and not has_form("garten", ["hof"])


@pytest.mark.parametrize(
    ("text", "question", "names"),
    [
        ("Ruth (Milo's aunt) 9 November", "When is Milo's birthday?", {"milo"}),
        ("Ruth (Milo's aunt) 9 November", "When is Milo's aunt's birthday?", set()),
        ("Milo 3 May, Ruth (Milo's aunt) 9 November", "When is Milo's birthday?", set()),
        ("Milos Tante Ruth, 9. November", "Wann hat Milo Geburtstag?", {"milo"}),
        ("La tante de Milo arrive lundi", "Quand arrive Milo ?", {"milo"}),
        ("Milo's bike is red", "What colour is Milo's bike?", set()),
    ],
)
def test_whose_relative_someone_is_is_not_who_is_spoken_of(text: str, question: str, names: set[str]) -> None:
    assert only_of_relatives(text, frozenset({"milo"}), question) == names


@pytest.mark.parametrize(
    ("text", "time"),
    [
        ("How much was the rent in March 2024?", (date(2024, 3, 1), date(2024, 3, 31))),
        ("Who was my boss in 2023?", (date(2023, 1, 1), date(2023, 12, 31))),
        ("When did we meet in 2024?", None),  # a day is asked for, which may have been said later
        ("How much is the rent in June 2027?", None),
        ("How much is the rent?", None),
    ],
)
def test_the_time_of_a_state_that_has_passed(text: str, time: tuple[date, date] | None) -> None:
    assert time_asked(asked(text), datetime(2026, 5, 4, tzinfo=UTC)) == time
