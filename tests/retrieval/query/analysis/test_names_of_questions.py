"""Names in questions, and what they refer to among the names of the user."""

import time

import pytest

from brain_retrieval.query.analysis import Known, NameIndex, analyse
from brain_retrieval.query.analysis.question import Name
from brain_retrieval.query.analysis.resolve import resolve

NAMES = NameIndex(
    [
        ("Caroline Smith", Known("e1", "Caroline Smith", "Person")),
        ("Caro", Known("e1", "Caroline Smith", "Person", "alias", 0.9)),
        ("Caroline", Known("", "Caroline", "", speaker="Caroline")),
        ("Project Phoenix", Known("e2", "Project Phoenix", "Project")),
        ("Phoenix", Known("e2", "Project Phoenix", "Project", "alias", 0.9)),
        ("Martin", Known("e3", "Martin", "Person")),
        ("Zürcher Kantonalbank", Known("e4", "Zürcher Kantonalbank", "Organization")),
        ("Will", Known("e5", "Will", "Person")),
    ]
)


def resolved(text: str) -> list[tuple[str, str]]:
    return [(one.entity_id, one.how) for one in analyse(text, max_characters=500, names=NAMES).entities]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Where does Caroline Smith live?", [("e1", "exact")]),
        ("where does caro live?", [("e1", "alias")]),
        ("Where does Smith live?", [("e1", "alias")]),
        ("status of Pheonix please", [("e2", "fuzzy")]),
        ("Does Martina know Martin?", [("e3", "exact")]),
        ("account at the zurcher kantonalbank", [("e4", "exact")]),
        ("what will happen", []),
        ("what does Will do", [("e5", "exact")]),
        ("Where is Xaver?", []),
    ],
)
def test_names_are_resolved(text: str, expected: list[tuple[str, str]]) -> None:
    assert resolved(text) == expected


def test_four_unknown_names_are_compared_and_three_meanings_kept() -> None:
    called = ("Caroline", "Dominique", "Elisabeth", "Frederick", "Gabriella")
    known = NameIndex((name, Known(name, name, "Person")) for name in called)
    slips = [Name(text, 0, 9) for text in ("Carolibe", "Dominiqe", "Elisabth", "Fredrick", "Gabrilla")]
    assert [one.entity_id for one in resolve(slips, known)[0]] == list(called[:4])
    assert [(one.entity_id, one.how) for one in resolve([Name("Carolines", 0, 9)], known)[0]] == [("Caroline", "exact")]
    shared = NameIndex(("Kim", Known(f"e{n}", f"Kim {n}", "Person")) for n in range(5))
    assert [(one.entity_id, one.confidence) for one in resolve([Name("Kim", 0, 3)], shared)[0]] == [
        (f"e{n}", 0.333) for n in range(3)
    ]


def test_a_first_name_is_the_speaker_and_the_entity() -> None:
    question = analyse("What did Caroline say?", max_characters=500, names=NAMES)
    assert question.speakers == ("Caroline",)
    assert [one.entity_id for one in question.entities] == ["e1"]


def test_mentions_have_their_places() -> None:
    text = 'Did Ann Lee mention "The Long Way" or ticket BRN-482 to O\'Neill?'
    names = analyse(text, max_characters=500).names
    assert [name.text for name in names] == ["Ann Lee", "The Long Way", "BRN-482", "O'Neill"]
    assert [text[name.start : name.end] for name in names] == [name.text for name in names]


@pytest.mark.parametrize(
    ("text", "language", "expected"),
    [
        ("Who sang 'The Long Way' first?", "en", [("The Long Way", "title", 10)]),
        ("Did BRN-482 follow 4821 in Q3?", "en", [("BRN-482", "code", 4), ("4821", "code", 19)]),
        ("Did Anna B. Cole write it?", "en", [("Anna B. Cole", "name", 4)]),
        ("Did she go to Basel. Anna knows.", "en", [("Basel", "name", 14), ("Anna", "name", 21)]),
        ("Did Anna Lee call in May or on Monday?", "en", [("Anna Lee", "name", 4)]),
        ("Lunch Monday with Ann?", "en", [("Ann", "name", 18)]),  # a weekday does not make the first word a name
        ("Yellow River trip photos", "en", [("Yellow River", "name", 0)]),
        ("Was Christmas with Ann nice?", "en", [("Ann", "name", 19)]),
        ("Anna Ahmet X nerede", "tr", [("Ahmet", "name", 5)]),  # a language without rules
    ],
)
def test_what_counts_as_a_name(text: str, language: str, expected: list[tuple[str, str, int]]) -> None:
    names = analyse(text, max_characters=500, language=language).names
    assert [(name.text, name.kind, name.start) for name in names] == expected


def test_german_nouns_are_no_names() -> None:
    question = analyse("Was hat Petra zum Budget der Wohnung gesagt?", max_characters=500, language="de")
    assert [name.text for name in question.names] == ["Petra"]


def test_the_graph_alone_answers_what_connects_two_known_entities() -> None:
    def strategy(text: str) -> str:
        return analyse(text, max_characters=500, names=NAMES).strategy

    assert strategy("How is Caroline Smith connected to Martin?") == "graph_only"
    assert strategy("How is Caroline Smith connected to Xaver?") == "hybrid_graph"
    assert strategy("Who works with Martin?") == "hybrid_graph"


def test_ten_thousand_names_cost_little() -> None:
    many = NameIndex((f"Anna{n:05} Berg{n:05}", Known(f"e{n}", f"Anna{n}", "Person")) for n in range(10_000))
    questions = ["Where does Anna00042 Berg00042 live?", "Did Ana04242 Berg04242 and Annna1 Breg17 meet Xaver?"]
    analyse(questions[1], max_characters=500, names=many)
    before = time.process_time()
    for _ in range(50):
        for text in questions:
            analyse(text, max_characters=500, names=many)
    assert time.process_time() - before < 5  # 0.1 measured; comparing with every name would take 20
