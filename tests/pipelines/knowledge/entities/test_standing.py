"""Entities are named things, what the owner declared, and recurring named topics; other nouns are topics."""

from datetime import timedelta
from typing import Any

import polars as pl
import pytest

from brain_pipelines.knowledge.decision import Decision
from tests.pipelines.knowledge.entities.history import START, resolved, row


def shown(rows: list[dict[str, Any]], **more: Any) -> set[str]:
    return set(resolved(rows, **more).known_entities["name"])


@pytest.mark.parametrize(
    ("name", "kind", "confidence"),
    [
        ("dogs", "Concept", 0.5),
        ("field", "Concept", 0.5),
        ("rent", "Concept", 0.9),
        ("Dogs", "Concept", 0.5),
        ("manager", "Person", 0.5),
        ("phone call", "Event", 0.55),
        ("PNG", "Organization", 0.7),
        ("Europe/Lisbon", "Organization", 0.7),
        ("https://example.org/a", "Document", 0.95),
        ("Nutella", "Person", 0.6),
        ("Task 2", "Tool", 0.7),
        ("Phase II", "Organization", 0.7),
        ("Schritt 3", "Concept", 0.8),
        ("Rent 598 Euros", "Concept", 0.7),
        ("Deposit: One Month", "Concept", 0.7),
        ("River St) Rent", "Organization", 0.7),
        ("Subtotal", "Location", 0.7),
        ("Apologies", "Concept", 0.8),
        ("Handover Nadia", "Person", 0.8),
        ("Income - Raffle", "Organization", 0.7),
    ],
)
def test_common_nouns_and_codes_are_no_entities(name: str, kind: str, confidence: float) -> None:
    found = resolved([row("s1", name, kind, confidence=confidence), row("s2", "Alice Chen")])
    assert set(found.known_entities["name"]) == {"Alice Chen"}
    assert found.topics["name"].to_list() == [name]
    assert found.topic_members["member_id"].to_list() == [f"s1/{kind}/{name}"]


@pytest.mark.parametrize(
    "name",
    [
        "Clerk",
        "Deputy Parish Clerk",
        "Parish Councillors",
        "Residents",
        "Company",
        "Council",
        "Schriftführer",
        "Vorstand",
        "Alcaldesa",
        "Ayuntamiento",
        "Trésorière",
        "Mairie",
        "Sindaco",
        "Comitato",
        "Prefeito",
        "Câmara",
    ],
)
@pytest.mark.parametrize("kind", ["Person", "Concept"])
def test_an_office_or_a_body_alone_is_no_named_thing(name: str, kind: str) -> None:
    assert shown([row("s1", name, kind), row("s2", "Alice Chen")]) == {"Alice Chen"}


@pytest.mark.parametrize("name", ["API", "POST", "IVA", "DSGVO"])
def test_technical_abbreviations_and_taxes_are_no_named_things(name: str) -> None:
    rows = [row(f"s{n}", name, "Concept", confidence=0.95, day=n) for n in range(4)]
    assert shown([*rows, row("s9", "Alice Chen")]) == {"Alice Chen"}


@pytest.mark.parametrize("name", ["Alice Clerk", "Barrow Parish Council", "Consejo de Lumbier", "Mairie de Lodève"])
def test_names_with_the_word_of_an_office_or_body_are_named_things(name: str) -> None:
    assert shown([row("s1", name, "Person" if "Alice" in name else "Organization")]) == {name}


@pytest.mark.parametrize(
    ("name", "kind", "confidence"),
    [
        ("Priya", "Person", 0.8),
        ("Okonkwo", "Person", 0.7),
        ("Acme", "Organization", 0.7),
        ("roadmap.xlsx", "Document", 0.95),
        ("a@acme.com", "Concept", 0.95),
        ("dbt", "Tool", 0.85),
        ("王伟", "Person", 0.9),
    ],
)
def test_names_are_entities(name: str, kind: str, confidence: float) -> None:
    assert shown([row("s1", name, kind, confidence=confidence)]) == {name}


def test_topic_is_an_entity_once_it_recurs_and_names_an_undertaking() -> None:
    def often(name: str, kind: str, *days: int) -> list[dict[str, Any]]:
        return [row(f"{name}{n}", name, kind, confidence=0.55, day=day) for n, day in enumerate(days)]

    rows = [*often("launch", "Project", 0, 0, 1), *often("UI redesign", "Project", 0, 1, 2)]
    rows += [*often("wedding", "Event", 0, 0, 0), *often("migration", "Project", 0, 1)]
    rows += [*often("meeting", "Event", 0, 1, 2, 3), *often("phone call", "Event", 0, 1, 2, 3)]
    assert shown(rows) == {"launch", "UI redesign"}


def test_word_that_is_mostly_written_small_is_no_entity() -> None:
    rows = [row("s1", "Table", "Concept", confidence=0.7)]
    rows += [row(f"t{n}", "table", "Concept", confidence=0.5) for n in range(3)]
    assert shown(rows) == set()


def test_what_the_owner_declares_is_an_entity() -> None:
    rows = [row("s1", "rent", "Concept", confidence=0.5), row("s2", "monthly rent", "Concept", confidence=0.5)]
    assert shown(rows) == set()
    merge = Decision("merge", "rent", "monthly rent", START + timedelta(days=1), "note_1")
    assert len(shown(rows, decisions=[merge])) == 1
    noted = pl.DataFrame(rows).with_columns(method=pl.Series(["agent", "local"]))
    assert set(resolved(noted).known_entities["name"]) == {"rent"}


def test_removed_sources_make_a_topic_common_again() -> None:
    rows = [row(f"s{n}", "launch", "Project", confidence=0.55, day=n) for n in range(3)]
    assert shown(rows) == {"launch"}
    assert shown(rows[:2]) == set()


def test_an_organisation_that_is_a_guess_everywhere_is_a_concept() -> None:
    rows = [row(f"s{i}", name, "Organization", confidence=0.6) for i in range(3) for name in ("DHT", "ACME")]
    found = resolved([*rows, row("s9", "ACME", "Organization", confidence=0.75)]).known_entities
    assert dict(found.select("name", "type").iter_rows()) == {"DHT": "Concept", "ACME": "Organization"}


def test_a_noun_above_a_section_is_no_entity() -> None:
    rows = [row(f"s{i}", "Reviews", "Event", confidence=0.85) for i in range(3)]
    assert shown([*rows, row("s1", "Design Review", "Event", confidence=0.85)]) == {"Design Review"}


def test_a_guess_that_lost_its_first_word_joins_the_whole_name() -> None:
    whole = [row(f"s{n}", "Arts Martiaux Genas", "Concept", confidence=0.6) for n in range(4)]
    cut = [row(f"t{n}", "Martiaux Genas", "Concept", confidence=0.6) for n in range(3)]
    other = [row("u1", "California University", "Organization", confidence=0.85)]
    south = [row(f"v{n}", "Southern California University", "Organization", confidence=0.85) for n in range(2)]
    found = resolved([*whole, *cut, *other, *south]).known_entities
    names = {"Arts Martiaux Genas", "California University", "Southern California University"}
    assert set(found["name"]) == names
    assert found.filter(pl.col("name") == "Arts Martiaux Genas")["aliases"].to_list() == [["Martiaux Genas"]]


def test_a_handle_joins_the_full_name_that_it_is_made_of() -> None:
    rows = [row("s1", "@vasco-santos", "Person"), row("s2", "Vasco Santos", "Person"), row("s3", "@olizilla", "Person")]
    found = resolved(rows).known_entities
    assert sorted(found["name"].to_list()) == ["@olizilla", "Vasco Santos"]


def test_what_only_its_large_letters_show_is_an_entity_if_another_source_has_it() -> None:
    rows = [row("s1", "Okta", "Concept", confidence=0.58), row("s1", "Heron", "Concept", confidence=0.58)]
    assert not shown(rows) & {"Okta", "Heron"}
    again = [*rows, row("s2", "Okta", "Person", confidence=0.6)]
    assert shown(again) & {"Okta", "Heron"} == {"Okta"}


def test_who_is_related_to_a_person_is_not_that_person() -> None:
    rows = [row("s1", "Tia do Nelson", "Person"), row("s2", "Nelson", "Person"), row("s3", "Nelson", "Person")]
    assert shown(rows) == {"Nelson"}


def test_a_surname_that_is_a_word_of_headings_stays_one() -> None:
    assert shown([row("s1", "Rita Ora", "Person")]) == {"Rita Ora"}
    assert shown([row("s1", "Prospero Cena", "Person", confidence=0.95)]) == {"Prospero Cena"}
