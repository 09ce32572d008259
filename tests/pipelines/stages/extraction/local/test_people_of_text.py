"""People whom a text names by its own form: those present at a meeting, correspondents of a mail, and the owner."""

from typing import Any

import pytest

from brain_pipelines.stages.extraction.local.names.attendance import attendees_of
from brain_pipelines.stages.extraction.local.names.correspondents import correspondents_of
from brain_pipelines.stages.extraction.local.names.person_form import own_names
from brain_pipelines.stages.extractions_local import extract_document
from tests.pipelines.stages.extraction.local.documents import conversation, document


def _types(row: dict[str, Any]) -> dict[str, str]:
    return {entity["name"]: entity["type"] for entity in extract_document(row).entities}


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("present: Tamsin, Obi (chair), R. Mehta\n", {"Tamsin", "Obi", "R. Mehta"}),
        ("**Attendees**: Ann Lee - Acme, minutes: Piotr\n", {"Ann Lee", "Piotr"}),
        ("## Attendees\n\n- Bo Lind (remote)\n- @ann\n- Wiesia\n\n- Roof\n", {"Bo Lind", "Wiesia"}),
        ("Anwesend: Anna, Quirin, Vorstand\nGäste: Nachbarn, Presse\n", {"Anna", "Quirin"}),
        ("Anwesend: Ute, Dirigent Pavel Nowak\n", {"Ute", "Pavel Nowak"}),
        ("Présents : Mme de Graaf, Idriss et Odette\n", {"de Graaf", "Idriss", "Odette"}),
        ("Present: all\nApologies: none\n", set[str]()),
        ("Participants: Mozilla, Northwind Labs, Zebra\n", set[str]()),
        ("We were present: Tamsin, Obi and I.\n", set[str]()),
    ],
)
def test_lists_of_those_present_name_people(text: str, names: set[str]) -> None:
    assert attendees_of(text) == names


def test_who_was_present_is_a_person_in_the_whole_text() -> None:
    found = _types(document("present: Seun, Tamsin, Ingrid\n\n- Seun on leave next week\n- login fixed. Tamsin\n"))
    assert {name: found.get(name) for name in ("Seun", "Tamsin")} == {"Seun": "Person", "Tamsin": "Person"}


def test_a_given_name_beside_a_number_is_a_month_and_a_plus_joins_two_people() -> None:
    found = _types(document("Weekly 8 Jan. The demo is for Beth + Carol. Met Alice, she was glad."))
    assert {"Beth", "Carol", "Alice"} <= found.keys()
    assert not {"Jan", "Beth + Carol", "Met Alice"} & found.keys()


MAIL = {"source": "email", "participants": ["Colm Brannigan", "Pugh, Sheila", "Dev List", "Shop"]}


def test_the_header_of_a_mail_tells_the_full_names() -> None:
    mail = document("Hi Sheila, the price is for 40 seats. Cheers, Colm", **MAIL)
    assert correspondents_of(mail) == ("Colm Brannigan", "Sheila Pugh")
    rows = {entity["name"]: entity for entity in extract_document(mail).entities}
    assert rows["Sheila Pugh"]["type"] == "Person" and rows["Sheila Pugh"]["aliases"] == ["Sheila"]
    assert rows["Colm Brannigan"]["mention_count"] >= 1
    assert correspondents_of(mail | {"source": "note"}) == ()


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("I'm Niamh Carty, physio at a hospital.", ["Niamh Carty"]),
        ("Ich heiße Zofia und wohne in Ulm.", ["Zofia"]),
        ("I'm Irish, and I am Tired Of This game", list[str]()),
    ],
)
def test_how_one_presents_oneself(text: str, names: list[str]) -> None:
    assert list(own_names(text)) == names


def test_what_only_an_assistant_names_is_no_more_than_a_noun() -> None:
    talk = conversation(
        [("user", "What can I cook for Sandra?"), ("assistant", "Try a recipe of Alice Waters, or ask Sandra.")]
    )
    found = {entity["name"]: entity["confidence"] for entity in extract_document(talk).entities}
    assert found["Alice Waters"] <= 0.5 < found["Sandra"]


def test_the_user_of_an_assistant_is_called_as_he_says() -> None:
    talk = conversation([("user", "I'm Alice Carty, help me with a letter."), ("assistant", "Gladly.")])
    owner = next(entity for entity in extract_document(talk).entities if entity["name"] == "user")
    assert "Alice Carty" in owner["aliases"]


@pytest.mark.parametrize("text", ["Mum turns 60 in June.", "We went to see Mum."])
def test_a_relative_may_be_called_by_what_she_is(text: str) -> None:
    assert _types(document(text))["Mum"] == "Person"


def test_her_own_mum_is_not_called_mum() -> None:
    assert not {"Mum", "Dad"} & _types(document("Her Mum and the Dad next door met.")).keys()


def test_products_are_names_by_their_large_letters_alone() -> None:
    text = "The login is broken with Okta. Errors come from Heron. The board met. We dropped Qdrant in May."
    rows = {entity["name"]: entity["confidence"] for entity in extract_document(document(text)).entities}
    assert rows["Okta"] >= 0.58 and rows["Heron"] >= 0.58
    assert "Board" not in rows and "May" not in rows


def test_a_word_that_the_text_has_in_small_letters_is_no_name() -> None:
    text = "The heron came back. There was a second Heron."
    rows = {entity["name"]: entity["confidence"] for entity in extract_document(document(text)).entities}
    assert rows.get("Heron", 0) != 0.58
