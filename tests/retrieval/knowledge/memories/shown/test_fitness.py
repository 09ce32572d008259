"""Which memories are shown to a reader who did not ask for anything."""

import pytest

from brain_retrieval.knowledge.memories.shown.fitness import is_fit, is_of_home
from brain_retrieval.language.concepts import DECIDED

IDA = {"name": "Ida", "type": "Person", "role": "subject"}
BO = {"name": "Bo", "type": "Person", "role": "named"}
KILN = {"name": "Kiln 3", "type": "Tool", "role": "object"}
OWNER = {"name": "user", "type": "Person", "role": "speaker"}
EUROS = [{"dimension": "EUR", "value": "40"}]


def memory(text: str, *entities: dict[str, str], **changes: object) -> dict[str, object]:
    made: dict[str, object] = {
        "text": text, "kind": "event", "keep": 0.8, "method": "local", "speaker": None, "entities": list(entities),
        "values": [], "slot_attribute": None, "anchors": [], "listener": None,
        "source": "note", "source_id": "a", "from_stated": False,
    }  # fmt: skip
    return made | changes


@pytest.mark.parametrize(
    "row",
    [
        memory("Ida repaired Kiln 3.", IDA, KILN),
        memory("I bought clay for 40 euros.", OWNER, values=EUROS),
        memory("New date for Kiln 3 is 14 April, 40 euros.", KILN, values=EUROS),
        memory("I live with my brother.", OWNER, anchors=[":residence"]),
        memory("I glazed all of the bowls.", OWNER, keep=0.95),
        memory("Ida hat den „Hafen“ gemalt.", IDA),
        memory("Ida ran.", IDA, method="owner"),
        memory("Bo and I have created a kiln in Oban.", OWNER, BO, kind="fact"),
        memory("The kiln of Bo is new.", OWNER, BO, kind="fact", listener="Ida"),
        memory(
            "My kiln goes to 1300 degrees.", OWNER, KILN, kind="fact", source="conversation", speaker="user", keep=0.9
        ),
        memory("Bo has the old kiln of the village.", BO, OWNER, kind="fact", from_stated=True),
        memory("Ida was the best potter of the village of Bo.", IDA, BO, kind="fact"),
    ],
)
def test_a_whole_sentence_about_something_is_fit(row: dict[str, object]) -> None:
    assert is_fit(row)


@pytest.mark.parametrize(
    "row",
    [
        memory("Ida helped.", IDA),
        memory("Ida walks through the plan of the kilns:", IDA),
        memory("[09:15] <ida> the kiln in Oban is broken", IDA),
        memory("“Ida is the clearest potter of Oban.", IDA),
        memory("Ida: Bo: the kiln in Oban is broken", IDA),
        memory("1. Kiln upgrade Ida repaired the kiln", IDA),
        memory("Done - Ida repaired Kiln 3 in Oban.", IDA, KILN),
        memory("Erledigt: Ida hat Kiln 3 repariert.", IDA, KILN),
        memory("Ida repaired Kiln 3 in Oban ✅", IDA, KILN),
        memory("I glazed all of the bowls.", OWNER),
        memory("I have to mark the bowls of Bo.", OWNER, BO, kind="fact"),
        memory("Ida mentions the kiln of Bo.", IDA, BO, kind="fact"),
        memory("Ida --> see Kiln 3 in Oban", IDA, KILN),
        memory("New date 14 April for 40 euros.", OWNER, values=EUROS),
        memory("Neuer Termin: 14. April, 40 Euro.", values=EUROS),
        memory("Ida sold Kiln 3 in April.> Bo uses it.", IDA, KILN),
        memory("TODO call Ida of Kiln 3 in Oban", IDA, KILN),
        memory("Ida is at Kiln 3 right now.", IDA, KILN, kind="fact"),
        memory("Ida fuhr Kiln 3 gerade eben hoch.", IDA, KILN),
        memory("About three today.", OWNER, values=[{"dimension": "date", "value": "2026-03-02"}]),
        memory("Kiln 3 wants dry clay and patience.", KILN, kind="fact"),
        memory("Five kilometres of Oban lie before me.", {**KILN, "type": "Location"}, OWNER, kind="fact"),
    ],
)
def test_what_is_broken_hollow_or_general_is_not_fit(row: dict[str, object]) -> None:
    assert not is_fit(row)


def test_what_one_source_cites_is_not_of_the_home() -> None:
    known = frozenset({"Ida", "Kiln 3"})
    cited = memory("Bo invented double entry accounting.", {**IDA, "name": "Bo"})
    assert not is_of_home(cited, known)
    assert is_of_home(cited, None)  # too few sources to say so
    assert is_of_home({**cited, "method": "agent"}, known)
    assert is_of_home(memory("Ida repaired the kiln.", IDA), known)
    assert is_of_home(memory("I met Bo at the fair.", OWNER, {**IDA, "name": "Bo"}), known)
    assert is_of_home(memory("Kiln 3 costs 40 euros.", KILN, values=EUROS), known)
    assert not is_of_home(memory("Kiln 3 was praised by all.", KILN), known)


def test_what_one_tells_another_and_what_one_jots_down_is_of_the_home() -> None:
    known = frozenset({"Ida"})
    potter = memory("The oldest potter is Bo at the mill.", {**IDA, "name": "Bo"})
    assert is_of_home({**potter, "listener": "Ida"}, known)
    assert is_of_home(potter, known, jotted=frozenset({"a"}))
    assert not is_of_home(potter, known, jotted=frozenset({"b"}))


def test_what_stands_under_a_heading_of_decisions_is_of_the_home() -> None:
    rule = memory("Pots are fired on Mondays.", anchors=["pot", "fired", "monday"], source="note")
    assert not is_of_home(rule, frozenset({"Ida"}))
    assert is_of_home({**rule, "anchors": [DECIDED]}, frozenset({"Ida"}))


def test_an_amount_beside_a_word_of_many_sources_is_of_the_home() -> None:
    fee = memory("The fee is 12 euros a year.", values=EUROS, anchors=["fee", "year"], source="note")
    known, topics = frozenset({"Ida"}), frozenset({"fee"})
    assert is_of_home(fee, known, topics)
    assert not is_of_home(fee, known, frozenset({"kiln"}))
    assert not is_of_home({**fee, "values": []}, known, topics)
    assert not is_of_home({**fee, "source": "web-page"}, known, topics)
