"""Claims taken apart by word lists: statements, subject, object, polarity, type, anchors, amounts and dates."""

from collections import Counter

import pytest

from brain_retrieval.evidence.claims.amounts import agreement
from brain_retrieval.evidence.claims.claim import OPEN, Quantity
from brain_retrieval.evidence.claims.parsed import loaded, parser_for
from brain_retrieval.evidence.claims.quantities import quantities_in
from brain_retrieval.evidence.claims.reading import key_of
from brain_retrieval.evidence.stance.coverage import forms_in
from brain_retrieval.settings import Settings
from tests.retrieval.evidence.reading import claim_of, lines


def test_labelled_claims_are_read_as_labelled() -> None:
    right: Counter[str] = Counter()
    labelled = lines("read_claims.txt")
    for count, kind, polarity, subject, rest, text in labelled:
        claim = claim_of(text)
        first = claim.statements[0]
        right["statements"] += str(len(claim.statements)) == count
        right["type"] += claim.type == kind
        right["polarity"] += first.negated == (polarity == "-")
        right["subject"] += set(forms_in(first.subject, "en")) == set(forms_in(subject, "en"))
        right["object"] += set(forms_in(first.object, "en")) == set(forms_in(rest, "en"))
        right["anchors"] += all(2 <= len(one.anchors) <= 5 for one in claim.statements)
    shares = {name: round(count / len(labelled), 2) for name, count in right.items()}
    assert len(labelled) >= 60
    assert min(shares.values()) >= 0.92, shares


def test_parts_of_a_claim() -> None:
    found = claim_of("Bob lives in Lisbon and does not work at Acme since 3 May 2025.")
    home, work = found.statements
    assert (home.subject, home.object, home.family, home.negated) == ("Bob", "Lisbon", "live", False)
    assert (work.subject, work.object, work.family, work.negated) == ("Bob", "Acme", "work", True)
    assert [when.to_json() for when in work.dates] == ["2025-05-03"]
    assert "Bob" in home.anchors
    assert "residence" in found.topics


def test_used_to_speaks_of_then_and_denies_nothing() -> None:
    first = claim_of("Marek used to drink coffee.").statements[0]
    assert (first.then, first.negated) == (True, False)


def test_the_key_is_the_same_for_other_blanks_and_case() -> None:
    assert key_of("The  Rent is 840") == key_of("the rent is 840")
    assert key_of("the rent is 840") != key_of("the rent is 841")


@pytest.mark.parametrize(
    ("text", "dimension", "low", "high"),
    [
        ("40 % of the patients", "%", 39.5, 40.5),
        ("between 30 and 40 percent", "%", 29.5, 40.5),
        ("more than 20 kg", "g", 20_000, OPEN),
        ("at most half of them", "%", -OPEN, 50),
        ("about 2 hours", "second", 4680, 9720),
        ("1.2 million people", "peopl", 1_150_000, 1_250_000),
        ("840 euros a month", "EUR/month", 839.5, 840.5),
        ("three children", "childr", 2.5, 3.5),
    ],
)
def test_amounts_are_ranges(text: str, dimension: str, low: float, high: float) -> None:
    found = quantities_in(text, "en")
    assert [(one.dimension, pytest.approx(one.low), pytest.approx(one.high)) for one in found] == [
        (dimension, low, high)
    ]


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ("40 %", "4 %", "conflict"),
        ("40 %", "40.3 percent", "agree"),
        ("0.4 m", "40 cm", "agree"),
        ("two hours", "120 minutes", "agree"),
        ("840 euros", "840 euros a month", "agree"),
        ("840 euros", "840 dollars", "none"),
        ("more than 60 %", "62 %", "agree"),
        ("more than half of it", "less than half of it", "conflict"),
        ("40 %", "40 patients", "none"),
    ],
)
def test_amounts_agree_or_conflict(one: str, other: str, expected: str) -> None:
    assert agreement(quantities_in(one), quantities_in(other)) == expected
    assert agreement(quantities_in(other), quantities_in(one)) == expected


def test_numbers_that_say_which_one_are_no_amounts() -> None:
    assert quantities_in("Plot 12 belongs to Noor in 2024") == []


def test_an_open_range_is_json() -> None:
    assert Quantity("g", 1.0, OPEN, "over 1 g").to_json() == {
        "dimension": "g",
        "low": 1.0,
        "high": None,
        "text": "over 1 g",
    }


def test_the_parser_gives_the_words_of_claims_back() -> None:
    settings = Settings()
    parse = parser_for(settings, "en")
    if parse is None:
        pytest.skip("the parser of the extra is not installed")
    strings = loaded(settings.nlp.model, settings.models_dir).vocab.strings
    parse("Bob lives in Lisbon.")
    before = len(strings)
    found = [parse(f"Qworl{number}x leads Vrond{number}y.") for number in range(3)]
    assert [one[0].subject for one in found] == ["Qworl0x", "Qworl1x", "Qworl2x"]
    assert len(strings) == before
