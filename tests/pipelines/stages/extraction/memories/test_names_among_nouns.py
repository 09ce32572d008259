"""Names where every noun is large: firms, schools, streets and towns by the words beside them, and what is no name."""

import pytest

from brain_pipelines.stages.extraction.local.blocks import blocks_of
from brain_pipelines.stages.extraction.memories.unparsed.nouns import is_noun
from brain_pipelines.stages.extraction.memories.unparsed.plain_names import plain_names


def named(text: str) -> dict[str, str]:
    return {name.text: name.type for name in plain_names(text, "de")}


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Die Stadt Molbach gibt uns die Halle", "Stadt Molbach"),
        ("Trikots bei Ravoro bestellt", "Ravoro"),
        ("Musikverein Molbach sucht Bläser", "Musikverein Molbach"),
        ("Sanitätsdienst macht das DRK Molbach", "DRK Molbach"),
        ("Einkehr im Gasthaus zum Bären", "Gasthaus zum Bären"),
        ("Essen im Hotel Goldener Anker", "Hotel Goldener Anker"),
        ("Kita Sonnenblume hat zu", "Kita Sonnenblume"),
        ("Sirup von der Marien-Apotheke", "Marien-Apotheke"),
        ("Elternabend in der Lindenschule", "Lindenschule"),
        ("Hausrat Solvantis, 90 €", "Solvantis"),
        ("Strom: Molgas, seit April", "Molgas"),
        ("Angebot von Brendel Vereinsbedarf", "Brendel Vereinsbedarf"),
    ],
)
def test_organisations(text: str, name: str) -> None:
    assert named(text).get(name) == "Organization"


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Sie wohnt jetzt in der Mohngasse", "Mohngasse"),
        ("Wir sind im Steinweg 14 eingezogen", "Steinweg"),
        ("Training in der Festhalle Molbach", "Festhalle Molbach"),
        ("Tante Gerda zieht nach Orvik", "Orvik"),
        ("Druckerei Kaufer in Orvik", "Orvik"),
        ("Taufe in der Kirche St. Anna", "Kirche St. Anna"),
    ],
)
def test_places(text: str, name: str) -> None:
    assert named(text).get(name) == "Location"


@pytest.mark.parametrize(
    "text",
    [
        "Das kommt nicht in Betracht, wir fahren nach Hause",
        "Tiere in Büchern erkennen und bei Regen lesen",
        "Das Auto steht in einer Seitenstraße vor der Turnhalle",
        "Leni hat in der Grundschule Unterricht",
        "Sie gibt das Amt zum Jahresende ab",
        "Das Rezept gibt es in der Online-Apotheke",
        "Gruppe Kasse trifft sich bei Bedarf",
    ],
)
def test_nouns_are_no_names(text: str) -> None:
    assert not {"Location", "Organization"} & set(named(text).values())


def test_a_noun_is_no_surname() -> None:
    assert named("Nele Logopädie um vier")["Nele"] == "Person"
    assert named("Die Festschrift macht Annemarie Kopf")["Annemarie Kopf"] == "Person"


def test_who_owns_something_is_no_place() -> None:
    assert "Location" not in named("Der Käfer saß in Tijas Bauch").values()


def test_a_name_ends_with_its_line() -> None:
    text = "Gast war Pfarrer Lorenz Gerlach übernimmt die Kasse"
    assert "Lorenz Gerlach" in {name.text for name in plain_names(text, "de")}
    found = {name.text for name in plain_names(text, "de", None, frozenset({text.index(" Gerlach")}))}
    assert "Lorenz" in found
    assert "Lorenz Gerlach" not in found


def test_a_block_tells_where_its_lines_end() -> None:
    [block] = blocks_of("- a line of an item\n  that goes on")
    assert [block.text[place] for place in block.breaks] == [" "]
    assert block.text[: min(block.breaks)] == "a line of an item"


def test_nouns_by_their_ends_but_no_towns() -> None:
    assert all(is_noun(word, "de") for word in ("Abend", "Elternabend", "Anträgen", "Versammlung"))
    assert not any(is_noun(word, "de") for word in ("Friedrichshafen", "Neumarkt", "Hildebrand", "Ravoro"))
    assert not is_noun("Abend", "fr")
