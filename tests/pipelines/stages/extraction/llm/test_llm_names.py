"""Names by a model among the entities and mentions of the local tier."""

from typing import Any

import pytest

from brain_pipelines.stages.extraction.llm.names import TextNames
from brain_pipelines.stages.extraction.llm.prompt import DescribedName, ReadName
from brain_pipelines.stages.extractions_local import Extraction, extract_document
from brain_retrieval.schemas.tables import SOURCE_COLUMNS
from tests.pipelines.stages.extraction.llm.local_rows import memory
from tests.pipelines.stages.extraction.local.documents import document

TEXT = "Alice Chen leads the Blue Heron. She met kobold on Monday; kobold was slow."
GERMAN = "Sie traf Kobold am Montag; Kobold war langsam."  # the local tier reads names in English texts only


def named(*names: ReadName, text: str = TEXT, **changes: Any) -> tuple[TextNames, Extraction]:
    row = document(text, **changes)
    local = extract_document(row)
    found = TextNames(row, local.mentions, local.entities, {column.name: row[column.name] for column in SOURCE_COLUMNS})
    found.add(names)
    return found, local


def of(found: TextNames, name: str) -> dict[str, Any]:
    (entity,) = (entity for entity in found.entities if entity["name"] == name)
    return entity


def test_a_missed_name_becomes_an_entity_with_its_mentions() -> None:
    found, local = named(ReadName(n="Kobold", t="Tool"), text=GERMAN, language="de")
    assert not local.entities
    assert {k: of(found, "Kobold")[k] for k in ("type", "mention_count", "method")} == {
        "type": "Tool",
        "mention_count": 2,
        "method": "llm",
    }
    spans = [(row["start"], row["end"]) for row in found.mentions if row["name"] == "Kobold"]
    assert [GERMAN[a:b] for a, b in spans] == ["Kobold", "Kobold"]


@pytest.mark.parametrize("name", ["Mallory", "she", "user", "", "a name that is far too long to be one at all"])
def test_what_is_no_name_of_the_text_is_left_out(name: str) -> None:
    found, local = named(ReadName(n=name, t="Person"))
    assert found.entities == local.entities and found.mentions == local.mentions


@pytest.mark.parametrize(
    ("text", "name", "kind", "counts"),
    [
        ("The oven was cold.", "oven", "Person", False),
        ("Der Ofen war kalt.", "war", "Tool", False),
        ("War der Ofen kalt?", "war", "Person", False),
        ("The oven runs busybox.", "busybox", "Tool", True),
        ("we met tilda in ghent", "tilda", "Person", True),  # no capital letters at all
        ("健が大阪へ行く。", "大阪", "Location", True),
    ],
)
def test_people_and_places_have_capital_letters(text: str, name: str, kind: str, counts: bool) -> None:
    found, local = named(ReadName(n=name, t=kind), text=text, language="de")
    assert (len(found.entities) > len(local.entities)) == counts


@pytest.mark.parametrize("about", ["sold for 4,000 euros", "a friend of Rasmus Holm"])
def test_a_description_adds_no_number_and_no_name(about: str) -> None:
    found, _ = named(DescribedName(n="kobold", t="Tool", a=[], d=about))
    assert of(found, "kobold")["description"] is None


def test_a_guessed_type_is_replaced_for_mentions_and_facts() -> None:
    found, local = named(ReadName(n="Blue Heron", t="Tool"))
    entity = of(found, next(e["name"] for e in local.entities if "Heron" in e["name"]))
    assert entity["type"] == "Tool"
    assert {m["type"] for m in found.retyped(found.mentions) if m["entity_id"] == entity["entity_id"]} == {"Tool"}
    for fact in found.facts(local.facts):
        if fact["object_id"] == entity["entity_id"]:
            assert fact["object_type"] == "Tool"


def test_an_address_keeps_its_type() -> None:
    found, _ = named(ReadName(n="bob@acme.io", t="Project"), text="Write to bob@acme.io today.")
    assert of(found, "bob@acme.io")["type"] != "Project"


def test_forms_and_a_description_are_kept_if_the_text_has_them() -> None:
    text = "Der Blaue Kobold ist langsam. Wir mögen den Kobold nicht."
    name = DescribedName(n="Blaue Kobold", t="Tool", a=["Kobold", "Zwerg", "user"], d="a slow server")
    found, _ = named(name, text=text, language="de")
    entity = of(found, "Blaue Kobold")
    assert (entity["aliases"], entity["description"], entity["mention_count"]) == (["Kobold"], "a slow server", 2)
    assert [text[m["start"] : m["end"]] for m in found.mentions] == ["Blaue Kobold", "Kobold"]


def test_the_order_of_names_does_not_matter() -> None:
    names = [ReadName(n="kobold", t="Tool"), ReadName(n="Kobold", t="Person"), ReadName(n="kobold", t="Tool")]
    there, _ = named(*names)
    back, _ = named(*reversed(names))
    assert (there.entities, there.mentions) == (back.entities, back.mentions)


def test_a_line_has_the_entities_that_it_names() -> None:
    found, _ = named(ReadName(n="kobold", t="Tool"))
    start = TEXT.index("She")
    row = memory(document(TEXT), start, len(TEXT), text="Alice Chen met kobold on Monday; kobold was slow.")
    assert {(e["name"], e["role"]) for e in found.named_in(row)} >= {("Alice Chen", "named"), ("kobold", "named")}
    assert found.named_in({**row, "entities": found.named_in(row)}) == found.named_in(row)
