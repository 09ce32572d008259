"""Names, types, aliases, speakers, forms and languages."""

import pytest

from brain_pipelines.stages.extraction.local.language import is_english
from brain_pipelines.stages.extraction.local.names.aliases import group_names
from brain_pipelines.stages.extraction.local.names.entities import Registry
from brain_pipelines.stages.extraction.local.names.gazetteers import given_names, known_names
from brain_pipelines.stages.extraction.local.names.mention import Mention
from brain_pipelines.stages.extraction.local.names.speakers import turns_of
from brain_pipelines.stages.extraction.local.nlp import load_model
from brain_pipelines.stages.extractions_local import extract_document
from brain_retrieval.errors import ModelMissingError
from brain_retrieval.schemas.names import ENTITY_TYPES
from tests.pipelines.stages.extraction.local.documents import conversation, document


@pytest.mark.parametrize(
    ("text", "name", "kind"),
    [
        ("Nina sent the slides.", "Nina", "Person"),
        ("I’m Simone, a seasoned web developer and sound designer.", "Simone", "Person"),
        ("Carol uses Grafana.", "Carol", "Person"),
        ("Carol uses Grafana.", "Grafana", "Tool"),
        ("The events go through Kafka.", "Kafka", "Tool"),
        ("We met Vincent van Gogh.", "Vincent van Gogh", "Person"),
        ("Marvin 10.2 is installed.", "Marvin", "Tool"),
        ("We upgraded Hugo from 0.92 to 0.110.", "Hugo", "Tool"),
        ("The site is built with Hugo.", "Hugo", "Tool"),
        ("Hugo built a shed with Clara.", "Clara", "Person"),
        ("Data goes into Clara every night.", "Clara", "Tool"),
        ("I asked Clara about the API.", "Clara", "Person"),
        ("Dr. Laura Weber called.", "Laura Weber", "Person"),
        ("She flew to the U.S. in May.", "U.S.", "Location"),
        ("Bob moved to Berlin.", "Berlin", "Location"),
        ("Bob works at Google.", "Google", "Organization"),
        ("Alice runs the data migration.", "data migration", "Project"),
        ("Alice joined the design review.", "design review", "Event"),
        ("Bob wrote the API spec.", "API spec", "Document"),
        ("See roadmap-2026.xlsx for details.", "roadmap-2026.xlsx", "Document"),
        ("It is at https://example.com/a_(b).", "https://example.com/a_(b)", "Document"),
        ("Write to bob.smith+x@mail.example.com.", "bob.smith+x@mail.example.com", "Concept"),
    ],
)
def test_type_of_name(text: str, name: str, kind: str) -> None:
    types = {e["name"]: e["type"] for e in extract_document(document(text)).entities}
    assert types.get(name) == kind


@pytest.mark.parametrize("text", ["I will mark the date in May.", "Hope is not a plan.", "The grace period ends."])
def test_words_that_are_also_names_are_not_people(text: str) -> None:
    assert not [e for e in extract_document(document(text)).entities if e["type"] == "Person"]


@pytest.mark.parametrize("title", ["Mr", "Mrs.", "Herr", "Señora", "Mme", "Signor", "Senhor"])
def test_a_word_behind_a_title_is_a_surname(title: str) -> None:
    text = f"{title} Martin, M. Ostrow"
    places = ((text.index(name), name) for name in ("Martin", "M. Ostrow"))
    mentions = [Mention(start, start + len(name), name, "Person", 0.9) for start, name in places]
    assert {e["name"] for e in Registry("s", mentions, text).entity_rows()} == {"Martin", "M. Ostrow"}
    assert {e["name"] for e in Registry("s", mentions).entity_rows()} == {"Martin"}


def _joined(*names: str, kind: str = "Person") -> dict[str, str]:
    return group_names([Mention(0, 1, name, kind, 0.9) for name in names])


@pytest.mark.parametrize(
    ("names", "joined"),
    [
        (("Alice Chen", "Alice"), {"alice": "alice chen"}),
        (("Alice Chen", "Chen"), {"chen": "alice chen"}),
        (("Alice Chen", "A. Chen"), {"a. chen": "alice chen"}),
        (("Alice", "A. Chen"), {"a. chen": "alice"}),
        (("Alice Chen", "Alice M. Chen"), {"alice m. chen": "alice chen"}),
        (("Alice Chen", "Alice Wong", "Alice"), {}),
        (("Alice Chen", "Bob Chen", "Chen"), {}),
        (("Alice", "Anna", "A. Chen"), {}),
        (("Alice", "B. Chen"), {}),
        (("Alice Chen", "Alicia Chen"), {}),
        (("M. Ostrow", "Mertens"), {}),
        (("M. Ostrow", "Maria", "Maria Lenk"), {"maria": "maria lenk"}),
        (("M. Ostrow", "Martin", "T. Martin"), {}),
        (("M. Ostrow", "Ostrow", "Maria"), {"ostrow": "m. ostrow"}),
        (("M. Ostrow", "T. Ostrow", "Ostrow"), {}),
        (("P. Lewis", "Lewis"), {}),
        (("Rui Prado", "Rui Prado de Lima"), {"rui prado de lima": "rui prado"}),
        (("Rui Prado", "Rui Prado de Lima", "Rui Prado Alves"), {}),
        (("Rui Prado", "Rui Prado Filho"), {}),
        (("J. Ortega", "Jimena"), {"j. ortega": "jimena"}),
        (("H. Brandt", "Heinrich"), {"h. brandt": "heinrich"}),
        (("B. Caron", "Benoît"), {"b. caron": "benoît"}),
        (("G. Riva", "Giuseppe"), {"g. riva": "giuseppe"}),
        (("T. Prado", "Thiago"), {"t. prado": "thiago"}),
        (("B. Caron", "Borough"), {}),
    ],
)
def test_aliases_of_people(names: tuple[str, ...], joined: dict[str, str]) -> None:
    assert _joined(*names) == joined


def test_aliases_of_organizations() -> None:
    found = _joined("Acme", "Acme Corp", "World Health Organization", "WHO", kind="Organization")
    assert found == {"acme corp": "acme", "who": "world health organization"}


def test_speakers_are_people_and_roles_are_not() -> None:
    found = extract_document(conversation([("Caroline", "Hello!"), ("assistant", "Hi."), ("user", "Bye.")]))
    assert [(m["text"], m["start"], m["type"]) for m in found.mentions] == [("Caroline", 0, "Person")]


def test_label_of_a_turn_is_not_prose() -> None:
    row = conversation([("Bob", "Dana: was she there?"), ("Alice", "Yes.")])
    assert [row["text"][t.start : t.end].strip() for t in turns_of(row)] == ["Dana: was she there?", "Yes."]


def test_note_speaks_for_its_owner_or_author() -> None:
    text = "I met Bob at Acme."
    subjects = [
        extract_document(document(text, **changes)).facts[0]["subject"]
        for changes in ({"source": "note"}, {"authors": ["Dana Fox"]})
    ]
    assert subjects == ["user", "Dana Fox"]
    assert all(f["subject"] != "I" for f in extract_document(document(text)).facts)


def test_other_languages_give_names_and_no_facts() -> None:
    turns = [("Sofía", "Trabajo en Google con Alice Chen, sofia@example.com.")]
    found = extract_document(conversation(turns, language="es"))
    assert {e["name"] for e in found.entities} == {"Sofía", "sofia@example.com", "Google", "Alice Chen"}
    assert not found.facts


@pytest.mark.parametrize(
    ("language", "text", "expected"),
    [
        ("en", "x", True),
        ("en-GB", "x", True),
        ("de", "Alice", False),
        (None, "Alice leads it.", True),
        (None, "李雷在北京工作", False),
        (None, "123", False),
    ],
)
def test_is_english(language: str | None, text: str, expected: bool) -> None:
    assert is_english(language, text) is expected


def test_word_lists_are_well_formed() -> None:
    assert len(given_names()) > 800
    assert {n.gender for n in given_names().values()} == {"m", "f", "-"}
    assert set(known_names().values()) <= set(ENTITY_TYPES)
    assert not set(known_names()) & {n for n, known in given_names().items() if not known.ambiguous}


def test_missing_model_says_how_to_get_it() -> None:
    with pytest.raises(ModelMissingError, match="pip install xx_no_such_model"):
        load_model("xx_no_such_model")


@pytest.mark.parametrize(("text", "name"), [("Tell Malte to wait.", "Malte"), ("Remind Petra to call.", "Petra")])
def test_a_verb_before_a_name_is_no_part_of_it(text: str, name: str) -> None:
    assert [one["name"] for one in extract_document(document(text)).mentions] == [name]
