"""What the words between two neighbouring names say, and the types that neighbours tell."""

import pytest

from brain_pipelines.stages.extraction.local.names.gazetteers import level_of_region
from brain_pipelines.stages.extraction.wanted import local_config
from brain_pipelines.stages.extractions_local import extract_document
from brain_retrieval.settings import Settings
from tests.pipelines.stages.extraction.local.documents import document


def facts_of(text: str) -> set[tuple[str, str, str]]:
    return {(f["subject"], f["predicate"], f["object"]) for f in extract_document(document(text)).facts}


@pytest.mark.parametrize(
    ("text", "fact"),
    [
        ("The journal is based in Holliston, Mass.", ("Holliston", "be in", "Mass.")),
        ("The cave is near Haifa in northern Israel.", ("Haifa", "be in", "Israel")),
        ("The suit was filed by Keen Corp. of New York.", ("Keen Corp.", "be based in", "New York")),
        ("Norma Jones, 38, of Boston called.", ("Norma Jones", "be from", "Boston")),
        ("The Siemens CEO Dana Fox called.", ("Dana Fox", "be CEO of", "Siemens")),
        ("Acme's CEO, Dana Fox, called.", ("Dana Fox", "be CEO of", "Acme")),
        ("Google spokesman Kevin Kelly called.", ("Kevin Kelly", "be spokesman of", "Google")),
        ("Texas Gov. John Connally called.", ("John Connally", "be gov. of", "Texas")),
        ("Dana Fox, an analyst with Google, called.", ("Dana Fox", "be analyst with", "Google")),
        ("Dana Fox, a lobbyist for Google, called.", ("Dana Fox", "be lobbyist for", "Google")),
        ("Dana Fox, the Google attorney, called.", ("Dana Fox", "be attorney of", "Google")),
        ("George Lucas, a Boston native, called.", ("George Lucas", "be native of", "Boston")),
    ],
)
def test_words_between_two_names(text: str, fact: tuple[str, str, str]) -> None:
    assert fact in facts_of(text)


@pytest.mark.parametrize(
    ("text", "predicate"),
    [
        ("She likes France, Germany and Italy.", "be in"),
        ("Bob met Anna in Lisbon.", "be from"),
        ("Bob called Google. Dana Fox answered.", "be call of"),
        ("Google hired Dana Fox.", "be hire of"),
        ("Dana Fox, the CEO, called Google.", "be CEO of"),
        ("Dana Fox, Google and Acme called.", "be Google of"),
    ],
)
def test_neighbours_by_chance_say_nothing(text: str, predicate: str) -> None:
    assert not {fact for fact in facts_of(text) if fact[1] == predicate}


def test_former_role_has_ended() -> None:
    facts = extract_document(document("Dana Fox, a former analyst with Google, called.")).facts
    assert [f["stated_to"] is not None for f in facts if f["predicate"] == "be analyst with"] == [True]


@pytest.mark.parametrize(
    ("text", "name", "kind"),
    [
        ("The plant is in Mineral Wells, Texas.", "Mineral Wells", "Location"),
        ("The farmers spoke of Uruguay.", "Uruguay", "Location"),
        ("Abraham Lincoln was shot. It is known who shot Lincoln.", "Abraham Lincoln", "Person"),
        ("The Liberal Democratic Party met.", "Liberal Democratic Party", "Organization"),
    ],
)
def test_type_by_what_stands_beside(text: str, name: str, kind: str) -> None:
    assert {e["name"]: e["type"] for e in extract_document(document(text)).entities}.get(name) == kind


def test_levels_of_regions() -> None:
    names = ("France", "Texas", "N.Y.", "Georgia", "Lisbon")
    assert [level_of_region(name) for name in names] == ["country", "state", "state", "country", None]


def test_the_parser_is_part_of_the_configuration() -> None:
    other = Settings.model_validate({"nlp": {"model": "en_core_web_md"}})
    assert local_config(other) != local_config(Settings())
    assert local_config(Settings.model_validate({"time_zone": "Europe/Berlin"})) != local_config(Settings())
