"""Companies of English notes by what one has from them and by their last word; spans of names and listed people."""

import pytest

from brain_pipelines.stages.extraction.local.names.aliases import normalise
from brain_pipelines.stages.extraction.local.names.entities import Registry
from brain_pipelines.stages.extraction.local.names.mention import Mention
from brain_pipelines.stages.extractions_local import extract_document
from tests.pipelines.stages.extraction.local.documents import document


def types(text: str) -> dict[str, str]:
    return {row["name"]: row["type"] for row in extract_document(document(text)).entities}


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("The van insurance moved from Ravoro to Solvantis.", "Solvantis"),
        ("I ordered the cable from Ravoro last week.", "Ravoro"),
        ("We booked a table at Ravoro for six.", "Ravoro"),
        ("Ann works with Tamar Roofing on the hall.", "Tamar Roofing"),
        ("The quote came from S. Penmore & Sons.", "S. Penmore & Sons"),
        ("She took the children to the Acorn Day Nursery yesterday.", "Acorn Day Nursery"),
        ("Parents evening is at St Aldric's Primary.", "St Aldric's Primary"),
        ("He bought a drill at Screwfix.", "Screwfix"),
        ("I met her at the Northfield Dental open evening.", "Northfield Dental"),
    ],
)
def test_companies(text: str, name: str) -> None:
    assert types(text).get(name) == "Organization"


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Dinesh started today as an apprentice.", "Dinesh"),
        ("Please ask Hyun-woo about the mileage.", "Hyun-woo"),
        ("We had lunch at Ada's with Selamawit.", "Selamawit"),
    ],
)
def test_people(text: str, name: str) -> None:
    assert types(text).get(name) == "Person"


def test_a_verb_ends_a_name() -> None:
    assert "Thornley Housing" in types("Heron: Thornley Housing wants Welsh translations, Parisa to call Dafydd.")


def test_a_relative_with_a_name_is_one_person() -> None:
    text = "Oma Lisbeth kommt. Oma bringt Kuchen."
    mentions = [Mention(4, 11, "Lisbeth", "Person", 0.8), Mention(19, 22, "Oma", "Person", 0.8)]
    [row] = Registry("s", mentions, text).entity_rows()
    assert row["name"] == "Lisbeth"
    assert set(row["aliases"]) == {"Oma", "Oma Lisbeth"}


def test_two_grandmothers_stay_two() -> None:
    text = "Oma Lisbeth und Oma Zenzi kommen. Oma bringt Kuchen."
    spans = ((4, 11, "Lisbeth"), (20, 25, "Zenzi"), (34, 37, "Oma"))
    mentions = [Mention(start, end, name, "Person", 0.8) for start, end, name in spans]
    assert len(list(Registry("s", mentions, text).entity_rows())) == 3
    assert normalise("Oma") == "oma"
