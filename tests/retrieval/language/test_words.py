"""Folding, sentences and negation as all parts of Brain share them."""

import pytest

from brain_retrieval.language.folding import fold, fold_with_places, plain_forms, without_accents
from brain_retrieval.language.negation import negation, not_denials
from brain_retrieval.language.sentences import sentences
from brain_retrieval.language.stop_words import function_words, question_words, talk_words


@pytest.mark.parametrize(
    ("written", "folded"),
    [("  O’Neill\tGmbH ", "o'neill gmbh"), ("STRASSE", "strasse"), ("Straße", "strasse"), ("ＡＢＣ", "abc"), ("", "")],
)
def test_spellings_fold_to_one_form(written: str, folded: str) -> None:
    assert fold(written) == folded
    assert fold(folded) == folded


def test_accents_go_only_where_asked_and_only_in_latin() -> None:
    assert fold("Müller") == "müller"
    assert plain_forms("müller") == {"muller", "mueller"}
    assert without_accents("łódź") == "lodz"
    assert without_accents("が") == "が"


def test_each_folded_character_knows_its_place() -> None:
    folded, places = fold_with_places("A  „Straße“")
    assert folded == 'a "strasse"'
    assert [places[folded.index("ss")], places[-1]] == [8, 10]


def texts(text: str, language: str | None = None) -> list[str]:
    return [text[start:end] for start, end in sentences(text, language=language)]


def test_abbreviations_of_a_language_end_no_sentence() -> None:
    assert texts("Das gilt z.B. Heute nicht. Morgen schon.", "de") == ["Das gilt z.B. Heute nicht.", "Morgen schon."]
    assert texts("It cost 3.50 at St. Mary. He paid.", "en") == ["It cost 3.50 at St. Mary.", "He paid."]
    assert texts("Miete Teichstr. 8: 980, bei Fr. Lorenz. Neu: 13.1. 8:30 Uhr.", "de") == [
        "Miete Teichstr. 8: 980, bei Fr. Lorenz.",
        "Neu: 13.1. 8:30 Uhr.",
    ]
    assert texts("Proprietario Sig. Ghini. Paga Ada.", "it") == ["Proprietario Sig. Ghini.", "Paga Ada."]
    assert texts("Sie wohnt in der Teichstr. Dort ist es laut.", "de")[1:] == ["Dort ist es laut."]
    assert len(texts("Das gilt usw. Er ging.", "en")) == 2  # no abbreviation of English
    assert len(texts("Das gilt usw. Er ging.")) == 1  # of an unknown language all are kept


@pytest.mark.parametrize(
    ("text", "language", "count"),
    [
        ("she doesn't own it", "en", 1),
        ("nobody said she can't", "en", 2),
        ("it is not here", "de", 0),
        ("sie hat keinen Hund", "de", 1),
        ("il n'a jamais dit cela", "fr", 1),
        ("not a word of this language is known", "xx", 0),
        ("notable nonsense", "en", 0),
    ],
)
def test_negations_of_each_language(text: str, language: str, count: int) -> None:
    assert len(negation(language).findall(text)) == count


def test_absence_counts_where_it_is_asked_for() -> None:
    assert not negation("en").search("coffee without milk")
    assert negation("en", absence=True).search("coffee without milk")
    assert not_denials("de").search("nicht nur heute")


def test_one_stop_list_with_its_uses() -> None:
    assert function_words() < question_words()
    assert function_words() < talk_words()
    assert "und" in function_words("de-AT")
    assert function_words("xx") == frozenset()
