"""What is of another thing, though the word for it is the same: codes, fees and appointments, and what was sold."""

from typing import Any

import pytest

from brain_retrieval.knowledge.memories.compared.bearers import of_other_bearers
from brain_retrieval.knowledge.memories.facets import Facet
from brain_retrieval.language.concepts import MARK, PART
from tests.retrieval.knowledge.memories.rows import row
from tests.retrieval.knowledge.memories.test_changes import ends, named

OWNER = {"entity_id": "user", "name": "user", "type": "Person", "role": "speaker"}


def lines(before: str, after: str, **changes: Any) -> list[dict[str, Any]]:
    return [row("a", before, "2026-01-02"), row("b", after, "2026-02-02", **changes)]


@pytest.mark.parametrize(
    ("before", "after", "language", "apart"),
    [
        ("Cellar door code 4417", "Dad changed the alarm code, 9206 now", "en", {"code"}),
        ("The fee per table is 18", "Late booking fee is 40", "en", {"fee"}),
        ("Parish tax band B", "Parish letter: market moves to Friday", "en", {"parish"}),
        ("Locker 12, code 880", "Gran has a new alarm, code 1185", "en", {"code"}),
        ("Cellar door code 4417", "The cellar code is 5520 now", "en", set()),
        ("The fee is 18", "Booking fee is 40", "en", set()),
        ("Hautarzt: Termin am 3. Mai", "Schule: Termin am 9. Mai", "de", {"termi"}),
        ("Termin Hautarzt 3. Mai", "Termin beim Hautarzt ist am 9. Mai", "de", set()),
        ("Code du portail 3310", "Le code de l'alarme est 7741", "fr", {"code"}),
        ("Jefe de la cocina: Anselmo", "Jefe de la recepción: Dario", "es", {"jefe"}),
        ("La cheffe de la chorale est Inès", "La cheffe du club est Maud", "fr", {"cheff"}),
        ("Trainerin der Turner ist Ute", "Trainer der Schwimmer ist Olaf", "de", set()),
        ("Leiter der Wache ist Ulf", "Leiter des Bades ist Jan", "de", {"leiter"}),
        ("a loan of 840 euros", "a loan of the bank", "en", set()),
        ("Cita para la revisión el 3 de mayo", "Cita del notario el 9 de mayo", "es", {"cita"}),
    ],
)
def test_a_word_for_what_many_things_have_is_of_one_of_them(
    before: str, after: str, language: str, apart: set[str]
) -> None:
    a, b = (Facet(one | {"language": language}) for one in lines(before, after, cue="strong"))
    common = a.words & b.words
    assert of_other_bearers(a, b, common) & {*apart, "code", "fee", "termi", "cita", "parish", "loan"} == apart


def test_the_code_of_one_thing_ends_that_of_no_other() -> None:
    assert not ends(lines("Cellar door code 4417", "Dad changed the alarm code, 5206 now", cue="strong"))["a"]
    assert ends(lines("Alarm code 4417", "Dad changed the alarm code, 5206 now", cue="strong"))["a"]


def test_a_thing_spoken_of_for_the_first_time_is_another_one() -> None:
    rent = row("a", "The studio costs 310 euros.", "2026-01-02", values=[("EUR", "310")])
    offer = row("b", "A studio near the port costs 290 euros.", "2026-02-02", values=[("EUR", "290")])
    own = row("b", "The studio costs 335 euros.", "2026-02-02", values=[("EUR", "335")])
    assert not ends([rent, offer])["a"]
    assert ends([rent, own])["a"] == [("b", "value")]


def test_what_others_sold_stays_sold() -> None:
    house = row("a", "Mrs Bird sold her house.", "2026-01-02", kind="event", entities=[named("Mrs Bird", "subject")])
    assert not ends([house, row("b", "Car sold, 3,200 for it", "2026-02-02", cue="strong")])["a"]
    assert not ends([house, row("b", "House bought from the Lind family", "2026-02-02", cue="weak")])["a"]


def test_what_one_person_gives_up_ends_nothing_else_of_that_person() -> None:
    allergy = row("a", "Nell allergic to nuts", "2026-01-02", entities=[OWNER])
    nell = [named("Nell", "subject")]
    judo = row("b", "Nell gave up judo.", "2026-02-02", cue="strong", kind="event", entities=nell)
    assert not ends([allergy, judo])["a"]
    trainer = row("a", "Judo trainer is Nell", "2026-01-02", entities=[OWNER])
    assert ends([trainer, judo])["a"]
    retired = row("b", "Nell has retired.", "2026-02-02", cue="strong", kind="event", entities=nell)
    assert ends([trainer, retired])["a"]


def test_a_number_of_oneself_is_no_other_number_of_oneself() -> None:
    jotted = row("a", "Cholesterol 5.1", "2026-01-02", values=[("number", "5.1")], entities=[OWNER])
    moved = row("b", "Moved to 3 Larch Row", "2026-02-02", values=[("number", "3")], entities=[OWNER], cue="strong")
    assert not ends([jotted, moved])["a"]


def test_the_lines_of_a_list_are_about_different_things() -> None:
    below = row("a", "Bike lock 0382", "2026-01-02")
    below |= {"anchors": [*below["anchors"], "alarm"]}  # a word of the line before
    change = row("b", "Dad changed the alarm, 6618 now", "2026-02-02", cue="strong")
    assert not ends([below, change])["a"]
    pointing = row("a", "It is 0382", "2026-01-02")
    pointing |= {"anchors": [*pointing["anchors"], "alarm"]}
    assert ends([pointing, change])["a"]


def test_an_amount_without_its_unit_may_follow_one_with_it() -> None:
    dose = row("a", "Thyroxin 75 mg in the morning", "2026-01-02", values=[("mg", "75")])
    bare = row("b", "Now thyroxin 88", "2026-02-02", values=[("number", "88")], cue="weak")
    other = row("b", "Now thyroxin 1200", "2026-02-02", values=[("number", "1200")], cue="weak")
    assert ("b", "change") in ends([dose, bare])["a"]
    wage = [named("Olga", "subject")]
    hourly = row("a", "Olga gets 9 euros an hour.", "2026-01-02", values=[("EUR/hour", "9")], entities=wage)
    asked = row("b", "Olga asked for 10.50 an hour, from today", "2026-02-02", values=[("number", "10.5")], cue="weak")
    assert ends([hourly, asked | {"entities": wage}])["a"] == [("b", "change")]
    assert not ends([hourly, other | {"entities": wage}])["a"]


def test_other_weekdays_of_one_thing_end_the_former_ones() -> None:
    before = row("a", "Swimming on Saturdays at the old baths", "2026-01-02")
    after = row("b", "Swimming is on Wednesdays now", "2026-02-02", cue="weak")
    assert ends([before, after])["a"] == [("b", "change")]
    assert not ends([before, row("b", "Ballet is on Wednesdays now", "2026-02-02", cue="weak")])["a"]


def test_who_left_a_place_has_given_it_up() -> None:
    omar = [named("Omar", "subject")]
    works = row("a", "Omar works at the tile factory.", "2026-01-02", entities=omar)
    left = row("b", "Omar left the tile factory.", "2026-02-02", cue="strong", kind="event", entities=omar)
    other = row("b", "Omar left the choir.", "2026-02-02", cue="strong", kind="event", entities=omar)
    assert ends([works, left])["a"] == [("b", "given up")]
    assert ("b", "given up") not in ends([works, other])["a"]


def test_a_unit_is_no_matter_in_common() -> None:
    cleaning = row("a", "Window cleaning costs 45 euros.", "2026-01-02", values=[("EUR", "45")])
    dues = row("b", "The dues rise to 70 euros.", "2026-02-02", values=[("EUR", "70")], cue="strong")
    assert not ends([cleaning, dues])["a"]


def compound(word: str, head: str) -> str:
    return f"{PART}{word}{MARK}{head}"


def of_compounds(before: tuple[str, str], after: tuple[str, str]) -> list[dict[str, Any]]:
    """Return two memories about things that one word begins, the later one with a cue of change."""
    rows = lines(f"The {' '.join(before)} is behind the hut", f"The {' '.join(after)} is by the lake now", cue="weak")
    return [
        one | {"anchors": [*one["anchors"], compound(*words)]} for one, words in zip(rows, (before, after), strict=True)
    ]


def test_a_word_of_two_compounds_is_no_matter_in_common() -> None:
    assert not ends(of_compounds(("boat", "trailer"), ("boat", "race")), "boat trailer")["a"]
    assert ends(of_compounds(("boat", "trailer"), ("boat", "trailer")), "boat trailer")["a"]


def test_what_another_person_has_left_or_has_now_ends_nothing() -> None:
    ann, bo = (named(name, "subject") | {"type": "Person"} for name in ("Ann", "Bo"))
    work = row("a", "Ann works at the mill in town", "2026-01-02", entities=[ann])
    left = row(
        "b", "Bo no longer works at the mill in town", "2026-02-02", entities=[bo], cue="strong", polarity="negated"
    )
    shift = row("b", "Bo works at the mill in town now", "2026-02-02", entities=[bo], cue="weak")
    own = row(
        "b", "Ann no longer works at the mill in town", "2026-02-02", entities=[ann], cue="strong", polarity="negated"
    )
    assert not ends([work, left])["a"]
    assert not ends([work, shift])["a"]
    assert ends([work, own])["a"]


def test_first_and_last_are_places_only_in_a_list() -> None:
    last = row("a", "The last day of school is Thursday, the others go on.", "2026-01-02", values=[("rank", "13")])
    first = row("b", "The others made it through the first term of school.", "2026-02-02", values=[("rank", "1")])
    assert not ends([last, first])["a"]
    fifth = row("a", "Leo goes to the fifth class of the school.", "2026-01-02", values=[("rank", "5")])
    sixth = row("b", "Leo is in the sixth class of the school.", "2026-02-02", values=[("rank", "6")])
    assert ends([fifth, sixth])["a"]
