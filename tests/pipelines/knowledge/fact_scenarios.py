"""Labelled scenarios of dated statements with the facts that hold and that ended in March 2026, and their evaluation.

Every line of a scenario is a source of its own. `holds` and `past` are labelled by what the words mean: everything that
should be retired is in `past`; `holds` names what must still be current (more may be).
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import polars as pl

from brain_pipelines.knowledge.evidence import build_evidence
from brain_pipelines.stages.extractions_local import Extraction, extract_documents
from brain_retrieval.knowledge.derive import derive_facts
from brain_retrieval.knowledge.vocabulary import entity_class
from tests.pipelines.knowledge.frames import frame
from tests.pipelines.stages.extraction.local.documents import document

NOW = datetime(2026, 3, 1, tzinfo=UTC)
TYPES = {
    "Person": "Bob Carol Dana Omar Priya Alice Eve user",
    "Organization": "Acme Initech Globex",
    "Location": "Berlin Lisbon Porto Madrid Vienna Rome Oslo Paris Germany Portugal Japan",
    "Project": "Atlas Orion",
    "Tool": "Kafka Redis Postgres MySQL Vim Emacs",
}
_TYPE: dict[str, str] = {name: kind for kind, names in TYPES.items() for name in names.split()}


@dataclass(frozen=True)
class Scenario:
    """Dated sources, oldest first, and the expected facts."""

    name: str
    said: tuple[str, ...]  # "2024-01-10 Bob lives in Berlin."
    holds: tuple[str, ...] = ()
    past: tuple[str, ...] = ()


def _scenario(name: str, said: str, holds: str = "", past: str = "") -> Scenario:
    parts = [[part.strip() for part in text.split("/") if part.strip()] for text in (said, holds, past)]
    return Scenario(name, *map(tuple, parts))


SCENARIOS = [
    _scenario(*row)
    for row in (
        # moves
        ("a move", "2024-01-10 Bob lives in Berlin. / 2025-03-01 Bob moved to Lisbon.",
         "Bob live in Lisbon", "Bob live in Berlin"),
        ("back again",
         "2024-01-10 Bob lives in Berlin. / 2025-03-01 Bob lives in Lisbon. / 2025-09-01 Bob lives in Berlin.",
         "Bob live in Berlin", "Bob live in Berlin / Bob live in Lisbon"),
        ("said twice", "2024-01-10 Bob lives in Berlin. / 2025-03-01 Bob lives in Berlin.", "Bob live in Berlin"),
        ("two people", "2024-01-10 Bob lives in Berlin. / 2025-03-01 Carol lives in Lisbon.",
         "Bob live in Berlin / Carol live in Lisbon"),
        ("a country holds cities", "2024-01-10 Bob lives in Berlin. / 2025-03-01 Bob lives in Germany.",
         "Bob live in Berlin / Bob live in Germany"),
        ("a visit is no move",
         "2024-01-10 Bob lives in Berlin. / 2025-03-01 Bob visited Lisbon. / 2025-04-01 Bob flew to Rome.",
         "Bob live in Berlin"),
        ("moved away", "2024-01-10 Bob lives in Berlin. / 2025-03-01 Bob moved from Berlin to Vienna.",
         "Bob live in Vienna", "Bob live in Berlin"),
        ("used to", "2025-01-10 Bob lives in Berlin. / 2025-03-01 Bob used to live in Rome.",
         "Bob live in Berlin", "Bob live in Rome"),
        ("simple past", "2025-01-10 Bob lives in Berlin. / 2025-03-01 Bob lived in Rome.",
         "Bob live in Berlin", "Bob live in Rome"),
        ("has lived goes on", "2025-03-01 Bob has lived in Vienna since 2020.", "Bob live in Vienna"),
        ("a period long past", "2025-01-10 Bob lives in Berlin. / 2025-03-01 Bob lived in Paris from 2015 to 2018.",
         "Bob live in Berlin", "Bob live in Paris"),
        ("backdated move", "2024-06-10 Bob lives in Lisbon. / 2025-03-01 Bob moved to Berlin in 2019.",
         "Bob live in Lisbon", "Bob live in Berlin"),
        ("a dated plan has come", "2025-03-01 Bob lives in Berlin. / 2025-04-01 Bob will move to Madrid in June.",
         "Bob live in Madrid", "Bob live in Berlin"),
        ("a dated plan is to come", "2026-01-03 Bob lives in Berlin. / 2026-02-01 Bob will move to Madrid in June.",
         "Bob live in Berlin"),
        ("a plan without a date", "2025-03-01 Bob lives in Berlin. / 2025-04-01 Bob will move to Madrid.",
         "Bob live in Berlin"),
        ("perhaps", "2025-03-01 Bob lives in Berlin. / 2025-04-01 Bob might move to Madrid.", "Bob live in Berlin"),
        ("hearsay", "2025-03-01 Bob lives in Berlin. / 2025-04-01 Carol said Bob lives in Oslo.", "Bob live in Berlin"),
        ("a condition", "2025-03-01 Bob lives in Berlin. / 2025-04-01 If Bob moves to Oslo, we need a new office.",
         "Bob live in Berlin"),
        ("a question", "2025-03-01 Bob lives in Berlin. / 2025-04-01 Does Bob live in Oslo?", "Bob live in Berlin"),
        ("a company moves", "2024-01-10 Acme is based in Berlin. / 2025-03-01 Acme moved to Vienna.",
         "Acme be located in Vienna", "Acme be located in Berlin"),
        # work
        ("a new job", "2024-01-10 Priya works at Acme. / 2025-03-01 Priya works at Initech.",
         "Priya work at Initech", "Priya work at Acme"),
        ("she joined", "2024-01-10 Priya works at Acme. / 2025-03-01 Priya joined Initech.",
         "Priya work at Initech", "Priya work at Acme"),
        ("he left", "2024-01-10 Bob works at Acme. / 2025-03-01 Bob left Acme.", "Bob leave Acme", "Bob work at Acme"),
        ("he left in May", "2024-01-10 Bob works at Acme. / 2025-08-01 Bob left Acme in May.", "", "Bob work at Acme"),
        ("fired", "2024-01-10 Bob works at Acme. / 2025-03-01 Bob was fired from Acme.", "", "Bob work at Acme"),
        ("not any more", "2024-01-10 Bob works at Acme. / 2025-03-01 Bob does not work at Acme.",
         "not Bob work at Acme", "Bob work at Acme"),
        ("worked elsewhere before", "2024-01-10 Bob works at Acme. / 2025-03-01 Bob worked at Globex.",
         "Bob work at Acme", "Bob work at Globex"),
        ("a team is no employer", "2024-01-10 Bob works at Acme. / 2025-03-01 Bob joined the Orion team.",
         "Bob work at Acme"),
        ("dates of a job", "2024-01-10 Bob works at Acme. / 2025-03-01 Bob worked at Globex from 2015 to 2018.",
         "Bob work at Acme", "Bob work at Globex"),
        ("and left the office too", "2024-01-10 Dana is the CEO of Acme. / 2025-03-01 Dana left Acme.",
         "", "Dana be ceo of Acme"),
        ("a new boss", "2024-01-10 Priya reports to Carol. / 2025-03-01 Priya now reports to Omar.",
         "Priya report to Omar", "Priya report to Carol"),
        ("a boss of two", "2024-01-10 Priya reports to Carol. / 2025-03-01 Bob reports to Carol.",
         "Priya report to Carol / Bob report to Carol"),
        # leads and offices
        ("a new lead", "2024-01-10 Bob leads Atlas. / 2025-03-01 Carol leads Atlas.", "Carol lead Atlas",
         "Bob lead Atlas"),
        ("taken over", "2024-01-10 Bob leads Atlas. / 2025-03-01 Carol took over Atlas.", "Carol lead Atlas",
         "Bob lead Atlas"),
        ("two projects", "2024-01-10 Bob leads Atlas. / 2025-03-01 Bob leads Orion.",
         "Bob lead Atlas / Bob lead Orion"),
        ("two leads", "2024-01-10 Bob and Carol lead Atlas.", "Bob lead Atlas / Carol lead Atlas"),
        ("passive", "2024-01-10 Atlas is led by Bob. / 2025-03-01 Atlas is led by Carol.", "Carol lead Atlas",
         "Bob lead Atlas"),
        ("a new CEO", "2024-01-10 Dana is the CEO of Acme. / 2025-03-01 Omar is the CEO of Acme.",
         "Omar be ceo of Acme", "Dana be ceo of Acme"),
        ("replaced", "2024-01-10 Dana is the CEO of Acme. / 2025-03-01 Omar replaced Dana as CEO of Acme.",
         "Omar be ceo of Acme", "Dana be ceo of Acme"),
        ("was CEO", "2025-01-10 Omar is the CEO of Acme. / 2025-03-01 Dana was the CEO of Acme.",
         "Omar be ceo of Acme", "Dana be ceo of Acme"),
        ("many members", "2024-01-10 Bob is a member of Atlas. / 2025-03-01 Carol is a member of Atlas.",
         "Bob be member of Atlas / Carol be member of Atlas"),
        # likes, tools, possessions
        ("two likes", "2024-01-10 Bob likes Kafka. / 2025-03-01 Bob likes Redis.", "Bob like Kafka / Bob like Redis"),
        ("no longer", "2024-01-10 Bob likes Kafka. / 2025-03-01 Bob no longer likes Kafka.",
         "not Bob like Kafka", "Bob like Kafka"),
        ("turned", "2024-01-10 Bob likes Kafka. / 2025-03-01 Bob hates Kafka.", "Bob dislike Kafka", "Bob like Kafka"),
        ("a new favourite", "2024-01-10 My favourite editor is Vim. / 2025-03-01 My favourite editor is Emacs.",
         "user have favorite editor Emacs", "user have favorite editor Vim"),
        ("prefers the other", "2024-01-10 I prefer Postgres over MySQL. / 2025-03-01 I prefer MySQL over Postgres.",
         "user prefer MySQL", "user prefer Postgres"),
        ("two preferences", "2024-01-10 I prefer Postgres. / 2025-03-01 I prefer Vim.",
         "user prefer Postgres / user prefer Vim"),
        ("two tools", "2024-01-10 We use Kafka. / 2025-03-01 We use Redis.", "user use Kafka / user use Redis"),
        ("switched", "2024-01-10 We use Kafka. / 2025-03-01 We switched from Kafka to Redis.", "user use Redis",
         "user use Kafka"),
        ("stopped", "2024-01-10 We use Kafka. / 2025-03-01 We stopped using Kafka.", "not user use Kafka",
         "user use Kafka"),
        ("started again", "2024-01-10 We use Kafka. / 2025-03-01 We do not use Kafka. / 2025-08-01 We use Kafka.",
         "user use Kafka", "user use Kafka / not user use Kafka"),
        ("sold", "2024-01-10 Priya owns Orion. / 2025-03-01 Priya sold Orion.", "", "Priya own Orion"),
        ("married", "2024-01-10 Bob is married to Alice. / 2025-03-01 Bob divorced Alice.", "",
         "Alice be married to Bob"),
        # values and times
        ("a launch slips",
         "2025-05-02 The Atlas launch is scheduled for June 10. / 2025-05-20 The Atlas launch was postponed to July 1.",
         "Atlas launch be scheduled for July 1", "Atlas launch be scheduled for June 10"),
        ("a day named twice",
         "2026-01-05 The Atlas report is due on Friday. / 2026-01-06 The Atlas report is due on January 9.",
         "Atlas report be scheduled for January 9"),
        ("a price goes up", "2024-05-02 The Atlas licence costs $300. / 2025-05-20 The Atlas licence costs $400.",
         "Atlas licence cost 400", "Atlas licence cost 300"),
        ("a number changes", "2024-05-02 My phone number is 555-1234. / 2025-05-20 My phone number is 555-9876.",
         "user's phone number have value 555-9876", "user's phone number have value 555-1234"),
        ("any report", "2024-05-02 The report is due on Friday. / 2024-05-22 The report is due on Monday.",
         "report be scheduled for Friday / report be scheduled for Monday"),
        # rules, corrections, sources that differ
        ("two policies",
         "2024-05-02 The policy is that all PRs need two reviews. / 2025-05-02 The policy is that remote work is fine.",
         "user have policy all PRs need two reviews / user have policy remote work is fine"),
        ("a rule dropped", "2024-05-02 We never deploy on Fridays. / 2025-05-02 We deploy on Fridays.",
         "user deploy on Fridays", "not user deploy on Fridays"),
        ("corrected in the same text", "2025-05-02 Bob works at Acme. Bob left Acme.", "", "Bob work at Acme"),
        ("sources differ", "2025-05-02 Carol lives in Porto. / 2025-05-02 Carol lives in Vienna.",
         "Carol live in Porto / Carol live in Vienna"),
        ("settled later",
         "2025-05-02 Carol lives in Porto. / 2025-05-02 Carol lives in Vienna. / 2025-07-01 Carol lives in Vienna.",
         "Carol live in Vienna", "Carol live in Porto"),
        ("yes and no", "2025-05-02 We use Redis. / 2025-05-02 We do not use Redis.",
         "user use Redis / not user use Redis"),
    )
]  # fmt: skip


def extracted(scenarios: Iterable[Scenario]) -> list[list[Extraction]]:
    """Return the extractions of every scenario's sources; all are parsed together."""
    chosen = list(scenarios)
    documents = [_document(n, k, line) for n, s in enumerate(chosen) for k, line in enumerate(s.said)]
    found = extract_documents(documents)
    return [[next(found) for _ in s.said] for s in chosen]


def _document(scenario: int, number: int, line: str) -> dict[str, Any]:
    day, text = line.split(" ", 1)
    at = datetime.fromisoformat(day).replace(hour=9, tzinfo=UTC)
    given = {"source_id": f"source_{scenario}_{number}", "source": "note", "trust": "own", "day": day}
    return document(text, **given, event_at=at, received_at=at)


def evidence_of(extractions: Sequence[Extraction]) -> pl.DataFrame:
    """Return FACT_EVIDENCE with one entity for each name."""
    entities = [row for extraction in extractions for row in extraction.entities]
    members = [{**e, "member_id": e["entity_id"], "entity_id": f"entity_{e['name']}"} for e in entities]
    types = {e["name"]: _TYPE.get(e["name"]) or str(e["type"]) for e in entities}
    known = [
        {"entity_id": f"entity_{name}", "name": name, "type": kind, "entity_class": entity_class(kind)}
        for name, kind in types.items()
    ]
    facts = [row for extraction in extractions for row in extraction.facts]
    return build_evidence(frame("facts", *facts), frame("entity_members", *members), frame("known_entities", *known))


def said(facts: pl.DataFrame) -> list[str]:
    """Return facts as text: "not Bob work at Acme"."""
    denied = pl.when(pl.col("polarity") == "negated").then(pl.lit("not ")).otherwise(pl.lit(""))
    words = pl.format("{}{} {} {}", denied, "subject", "predicate", "object")
    return facts.filter(pl.col("modality") == "asserted").select(words.alias("said"))["said"].to_list()


def split(facts: pl.DataFrame) -> tuple[list[str], list[str]]:
    """Return the facts that hold (current or contradicted) and those that are retired, as text."""
    retired = pl.col("status").is_in(["superseded", "ended"])
    return said(facts.filter(~retired)), said(facts.filter(retired))


def outcome(scenario: Scenario, evidence: pl.DataFrame) -> tuple[set[str], set[str]]:
    """Return false retirements, and misses: ended facts still held, or facts not found at all."""
    holds, past = split(derive_facts(evidence, now=NOW))
    wrong = set(past) - set(scenario.past) | {fact for fact in scenario.holds if fact in past and fact not in holds}
    missed = (set(scenario.holds) - set(holds)) | (set(scenario.past) - set(past))
    return wrong, missed
