"""What a reader would call junk: measures of the memories on the first cards, and of the entities behind them.

Shown are the memories on the cards of the entities with most sources; the functions that write a card choose them here,
so the gate measures what a user sees, also what a card shows for another reason than its probability.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from itertools import islice

import polars as pl

from brain_pipelines.knowledge.entities.standing import recurs
from brain_retrieval.ids import stable_hash
from brain_retrieval.knowledge.memories.candidates import facets_about
from brain_retrieval.knowledge.memories.cards import card_of
from brain_retrieval.knowledge.memories.compared.claims import WRITTEN
from brain_retrieval.knowledge.memories.index import MemoryIndex
from brain_retrieval.knowledge.memories.seen import CURRENT, Seen
from brain_retrieval.knowledge.memories.shown.display import MIN_KEEP
from brain_retrieval.knowledge.memories.shown.fitness import OWNER, is_whole, said
from brain_retrieval.knowledge.memories.view import judged
from brain_retrieval.knowledge.memory_cards import CANDIDATES, card_sections

CARDS = 30  # entities whose cards are measured, those with most sources
SAMPLE = 20  # memories of the seeded sample that a reader can judge by id
SEED = "quality"  # not the day: a day that changes nothing has the same sample
ONE_AT_A_TIME = ("lives_in", "partner_of", "called")
LEAST_FACTS = 5  # with several passages: of fewer, one alone would close the gate
# Up to five words that begin with a capital or are particles; initials; scripts without capitals; a handle.
_PERSON = re.compile(
    r"@[\w-]{1,40}|"
    r"(?:[^\W\d_a-z][^\W\d_]*[.'’-]?[^\W\d_]*\.?|[a-z]{1,4}[.'’]?)(?: (?:[^\W\d_a-z][\w.'’-]*|[a-z]{1,4}[.'’]?)){0,4}"
)


@dataclass
class MemoryQuality:
    """The measures by name, and the ids of a seeded sample of the shown memories."""

    measures: dict[str, float] = field(default_factory=dict)
    sample: tuple[str, ...] = ()


def measure_memories(
    memories: pl.DataFrame, entities: pl.DataFrame, evidence: pl.DataFrame, *, now: datetime
) -> MemoryQuality:
    """Return the measures of the memories a user is shown.

    Args:
        memories: rows of MEMORIES.
        entities: KNOWN_ENTITIES.
        evidence: FACT_EVIDENCE with the `fact_id` that each passage supports.
        now: the end of the snapshot.
    """
    shown = shown_memories(memories, entities, now=now)
    sample = sorted(shown, key=lambda memory_id: stable_hash([SEED, memory_id]))[:SAMPLE]
    read = [one.row for one in shown.values() if one.row["method"] not in WRITTEN]
    others = entities.filter(~pl.col("is_owner"))
    measures = {
        "expected_junk": _mean(1.0 - row["keep"] for row in read),
        "doubtful_shown": _mean(float(row["keep"] < MIN_KEEP) for row in read),
        "broken_shown": _mean(float(not is_whole(said(row))) for row in read),
        "generic_entities": _generic_share(others),
        "odd_people": _mean(
            float(_PERSON.fullmatch(name) is None)
            for name in others.filter(pl.col("entity_class") == "Person")["name"].to_list()
        ),
        "merged_amounts": merged_amounts(evidence),
        "conflicting_values": float(conflicting_values(shown.values())),
    }
    return MemoryQuality({name: round(value, 6) for name, value in measures.items()}, tuple(sample))


def shown_memories(memories: pl.DataFrame, entities: pl.DataFrame, *, now: datetime) -> dict[str, Seen]:
    """Return by id the memories that the cards of the CARDS first entities show at `now`, but for what has ended."""
    first = entities.sort(["source_count", "entity_id"], descending=[True, False]).head(CARDS)
    shown: dict[str, Seen] = {}
    index = MemoryIndex.of(memories)
    for name, kind, aliases, is_owner in first.select("name", "type", "aliases", "is_owner").iter_rows():
        called = (name, *(aliases or ()), *([OWNER] if is_owner else []))
        found = judged(facets_about(index, name, at=now), name, at=now, is_question=False)
        seen = {one.row["memory_id"]: one for one in islice(found, CANDIDATES)}
        card = card_sections([card_of(one) for one in seen.values()], called, kind=kind, at=now)
        listed = (card.who, card.relation, *card.current, *card.changes, *card.plans)
        shown |= {one.memory_id: seen[one.memory_id] for one in listed if one is not None}
    return shown


def _generic_share(entities: pl.DataFrame) -> float:
    """Return the share of rows of KNOWN_ENTITIES that are no names, and no topic that recurs either ("the launch")."""
    rows = entities.select("name", recurring=recurs(entities)).iter_rows()
    return _mean(float(is_generic(name) and not recurring) for name, recurring in rows)


def is_generic(name: str) -> bool:
    """Return whether a name has neither a capital nor a digit, in a script that has capitals; addresses are names."""
    return name.islower() and "@" not in name and not any(char.isdigit() for char in name)


def merged_amounts(evidence: pl.DataFrame) -> float:
    """Return the share of facts with several passages whose passages state different numbers; 0 for a few facts.

    Args:
        evidence: fact_id, evidence (the quoted passage).
    """
    numbers = evidence.select("fact_id", pl.col("evidence").str.extract_all(r"\d+(?:[.,]\d+)*").list.sort().alias("n"))
    stated = numbers.filter(pl.col("n").list.len() > 0)
    facts = stated.group_by("fact_id").agg(pl.len().alias("passages"), pl.col("n").n_unique().alias("different"))
    several = facts.filter(pl.col("passages") > 1)
    return several.filter(pl.col("different") > 1).height / several.height if several.height >= LEAST_FACTS else 0.0


def conflicting_values(shown: Iterable[Seen]) -> int:
    """Count the attributes that have one value at a time, for which several values are shown as current."""
    values: dict[tuple[str, str], set[str]] = {}
    for row in (one.row for one in shown if one.status == CURRENT):
        if row["slot_attribute"] in ONE_AT_A_TIME and row["polarity"] == "affirmed":
            values.setdefault((row["slot_subject"], row["slot_attribute"]), set()).add(row["slot_value"])
    return sum(len(found) > 1 for found in values.values())


def _mean(values: Iterable[float]) -> float:
    found: Sequence[float] = list(values)
    return sum(found) / len(found) if found else 0.0
