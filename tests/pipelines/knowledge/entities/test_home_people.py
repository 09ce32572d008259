"""Who is a person by all sources of a home."""

import polars as pl

from brain_pipelines.knowledge.entities.home_people import with_people_of_home
from brain_pipelines.knowledge.entities.home_types import typed_by_all_sources

ROWS = tuple[str, str, str, float]


def _types(*rows: ROWS) -> list[str]:
    frame = pl.DataFrame(list(rows), ["name", "source_id", "type", "confidence"], orient="row")
    return with_people_of_home(frame)["type"].to_list()


def test_a_run_of_given_names_is_no_person_if_others_name_them_apart() -> None:
    chat = [(name, "chat", "Person", 0.8) for name in ("Mila", "Ava", "Enora", "Abigail", "Harry")]
    labels: list[ROWS] = [("Mila Enora Ava", "picture", "Person", 0.95), ("Abigail Harry", "picture", "Person", 0.95)]
    assert _types(*chat, *labels) == ["Person"] * 5 + ["Concept"] * 2


def test_a_full_name_is_a_person_though_its_words_stand_alone() -> None:
    rows: list[ROWS] = [
        ("Kate", "a", "Person", 0.8),
        ("Frank", "b", "Person", 0.8),
        ("Kate Frank", "c", "Person", 0.95),
        ("Mary Ann Hale", "d", "Person", 0.95),
        ("Mary", "e", "Person", 0.8),
        ("Hale", "e", "Person", 0.8),
    ]
    assert _types(*rows) == ["Person"] * 6


def test_a_guess_is_a_person_if_it_is_a_part_of_a_persons_name() -> None:
    rows: list[ROWS] = [
        ("Krijn Hoetmer", "a", "Person", 0.85),
        ("Krijn", "b", "Concept", 0.6),
        ("Hoetmer", "b", "Concept", 0.6),
        ("Wobke", "a", "Person", 0.8),
        ("Wobke Eising", "b", "Concept", 0.6),
        ("Fronteers", "b", "Concept", 0.6),
        ("Krijn", "c", "Concept", 0.8),
    ]
    assert _types(*rows) == ["Person"] * 5 + ["Concept", "Concept"]


def test_a_word_that_is_also_a_name_and_two_people_make_no_person() -> None:
    rows: list[ROWS] = [("Grace", "a", "Person", 0.85), ("Grace Period", "b", "Concept", 0.6)]
    assert _types(*rows) == ["Person", "Concept"]
    two: list[ROWS] = [("Michelle", "a", "Person", 0.85), ("Michelle & Paul", "b", "Concept", 0.6)]
    assert _types(*two, ("Michelle - Paul", "b", "Concept", 0.6)) == ["Person", "Concept", "Concept"]


def test_a_guessed_person_with_the_name_of_a_town_of_the_home_is_none() -> None:
    rows: list[ROWS] = [
        ("Dublin", "a", "Location", 0.7),
        ("Dublin Dart", "b", "Person", 0.7),
        ("Emma Dublin", "b", "Person", 0.7),
        ("Nekesa Dublin", "b", "Person", 0.85),
    ]
    frame = pl.DataFrame(rows, ["name", "source_id", "type", "confidence"], orient="row")
    assert typed_by_all_sources(frame)["type"].to_list() == ["Location", "Concept", "Person", "Person"]


def _by_home(*rows: ROWS) -> list[str]:
    return typed_by_all_sources(pl.DataFrame(list(rows), ["name", "source_id", "type", "confidence"], orient="row"))[
        "type"
    ].to_list()


def test_who_is_a_person_for_certain_is_one_where_the_parser_guesses_a_place() -> None:
    guesses: list[ROWS] = [("Seun", f"g{n}", "Location", 0.6) for n in range(3)]
    assert _by_home(("Seun", "a", "Person", 0.85), *guesses, ("Seun Adeyemi", "b", "Location", 0.7)) == ["Person"] * 5


def test_a_listed_place_and_what_is_mostly_a_place_stay_places() -> None:
    assert _by_home(("Paris", "a", "Person", 0.85), ("Paris", "b", "Location", 0.7))[1] == "Location"
    guesses: list[ROWS] = [("Marlow", f"g{n}", "Location", 0.7) for n in range(5)]
    assert _by_home(("Marlow", "a", "Person", 0.85), *guesses)[1:] == ["Location"] * 5


def test_a_guess_that_begins_the_name_of_an_organisation_here_is_that_organisation() -> None:
    rows: list[ROWS] = [
        ("Fernley Robotics", "a", "Person", 0.7),
        ("Fernley", "b", "Person", 0.7),
        ("Martha Clinic", "a", "Person", 0.7),
        ("Martha", "b", "Person", 0.7),
        ("Corley Foods", "a", "Organization", 0.7),
        ("Corley", "b", "Person", 0.7),
        ("Ann Corley", "c", "Person", 0.7),
    ]
    kinds = ["Organization", "Organization", "Organization", "Person", "Organization", "Person", "Person"]
    assert _by_home(*rows) == kinds


def test_tickets_and_versions_of_tools_are_no_places_or_organisations() -> None:
    rows: list[ROWS] = [
        ("Quillnet", "a", "Tool", 0.7),
        ("Quillnet 2023", "a", "Location", 0.7),
        ("Rennes 2023", "a", "Location", 0.7),
        ("QN-118", "b", "Organization", 0.7),
    ]
    assert _by_home(*rows) == ["Tool", "Tool", "Location", "Concept"]


def test_a_guess_beside_a_word_of_headings_is_no_person() -> None:
    rows: list[ROWS] = [
        ("Tombola Expenses", "a", "Person", 0.7),
        ("Rita Ora", "a", "Person", 0.7),
        ("Ingmar Note", "b", "Person", 0.95),
    ]
    assert _by_home(*rows) == ["Concept", "Person", "Person"]


def test_a_word_with_no_more_than_a_large_letter_is_no_person() -> None:
    rows: list[ROWS] = [
        ("Verdict", "a", "Person", 0.6),
        ("Verdict", "b", "Person", 0.6),
        ("Krijn", "a", "Person", 0.6),
        ("Krijn Hoetmer", "b", "Person", 0.85),
        ("Wobke", "a", "Person", 0.6),
        ("Wobke", "b", "Person", 0.75),
        ("Rachel", "b", "Person", 0.6),
        ("Wobke-led", "b", "Person", 0.8),
        ("Anne-Marie", "b", "Person", 0.8),
    ]
    frame = pl.DataFrame(rows, ["name", "source_id", "type", "confidence"], orient="row")
    kinds = typed_by_all_sources(frame)["type"].to_list()
    assert kinds == ["Concept"] * 2 + ["Person"] * 5 + ["Concept", "Person"]


def test_a_full_name_taken_for_a_tool_is_a_person_known_by_the_first_word() -> None:
    rows: list[ROWS] = [
        ("Ines", "a", "Person", 0.95),
        ("Ines Carvalho", "b", "Tool", 0.7),
        ("Jasper Reports", "b", "Tool", 0.7),
    ]
    assert _types(*rows) == ["Person", "Person", "Tool"]


def test_names_with_a_number_or_of_groups_are_no_people() -> None:
    groups: list[ROWS] = [(f"Circle Makers {town}", "a", "Person", 0.7) for town in ("Plön", "Thale", "Vechta")]
    rows: list[ROWS] = [
        *groups,
        ("Circle Makers", "a", "Person", 0.7),
        ("Ana Maria Costa", "a", "Person", 0.95),
        ("Ana Maria Silva", "a", "Person", 0.95),
        ("Ana Maria Rocha", "a", "Person", 0.95),
        ("Bo 5", "a", "Person", 0.85),
    ]
    frame = pl.DataFrame(rows, ["name", "source_id", "type", "confidence"], orient="row")
    assert typed_by_all_sources(frame)["type"].to_list() == ["Concept"] * 4 + ["Person"] * 3 + ["Concept"]
