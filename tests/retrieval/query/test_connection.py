"""The path between the entities of a question, and what was read in a question, in words."""

import itertools
from dataclasses import dataclass, field
from datetime import date
from typing import Any, cast

from brain_retrieval.query.analysis.question import Name, Question, QuestionTime, Resolved
from brain_retrieval.query.explained.connection import ends_of, path_between, steps_of
from brain_retrieval.query.explained.read_as import as_json, read_as
from brain_retrieval.stores.graph.protocol import FACT_KINDS, Edge, GraphStore, Node, Path


def question(*entities: Resolved, **changes: Any) -> Question:
    return Question("q", "q", (), (), "en", entities=entities, **changes)


def meant(name: str, entity_id: str) -> Resolved:
    return Resolved(name, entity_id, name.title(), "Person", "exact", 1.0)


def path(*names: str) -> Path:
    nodes = tuple(Node(name, "person", "Person", name.title(), 1.0) for name in names)
    edges = tuple(
        Edge(f"{a}{b}", "fact", b, a, "WORKS_WITH", 0.9, properties={"predicate": "report_to"} if a == "ann" else {})
        for a, b in itertools.pairwise(names)
    )
    return Path(nodes, edges, 0.8)


@dataclass
class Graph:
    """A graph with a path only through anything."""

    asked: list[Any] = field(default_factory=list)

    def shortest_path(self, start: str, end: str, *, kinds: Any, **_: Any) -> Path | None:
        self.asked.append(kinds)
        return None if kinds else path(start, "note", end)


def test_two_different_entities_are_the_ends() -> None:
    assert ends_of(question(meant("ann", "e1"), meant("bo", "e2"), meant("cy", "e3"))) == ("e1", "e2")
    assert ends_of(question(meant("ann", "e1"), meant("annie", "e1"))) is None
    assert ends_of(question(meant("ann", "e1"), meant("speaker", ""))) is None
    several = (meant("kim", "e1"), meant("kim", "e2"), meant("bo", "e3"))
    assert ends_of(question(*several)) == ("e1", "e3")  # two meanings of one name are no two things


def test_facts_come_before_what_mentions_both() -> None:
    graph = Graph()
    found = path_between(cast("GraphStore", graph), "ann", "bo")
    assert graph.asked == [FACT_KINDS, None]
    assert found is not None
    assert steps_of(found) == ["Note — report to → Ann", "Bo — works with → Note"]


def test_what_was_read_in_words() -> None:
    said = read_as(
        question(
            meant("ann", "e1"),
            intent="temporal",
            names=(Name("ann", 0, 3), Name("Zed", 4, 7)),
            time=QuestionTime(date(2026, 3, 1), None, "after", around="the fair"),
            asks_then=True,
            buckets=("PROJECTS",),
        )
    )
    assert said == [
        "temporal question in en, asks for thing",
        "asks about a past state",
        "time from 2026-03-01 (after “the fair”)",
        "“ann” is Ann (person, exact 1.00)",
        "not known by name: Zed",
        "buckets PROJECTS",
    ]
    unknown = question(time=QuestionTime(None, None, "before", event="the fair"))
    assert "time before “the fair”, not known" in read_as(unknown)
    assert as_json(unknown)["time"] == {"start": None, "end": None, "kind": "before", "event": "the fair"}
