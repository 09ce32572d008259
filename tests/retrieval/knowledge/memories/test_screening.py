"""The pairs that are left out at once are none that the rules accept, and what is listed is the same."""

import random
from datetime import timedelta
from itertools import pairwise, permutations
from typing import Any

import numpy as np
import pytest

from brain_retrieval.knowledge.memories.facets import Facet
from brain_retrieval.knowledge.memories.later import LaterOnes
from brain_retrieval.knowledge.memories.screening import Screen
from brain_retrieval.knowledge.memories.supersession import Known, ending
from tests.retrieval.knowledge.memories.rows import day, row
from tests.retrieval.knowledge.memories.test_index import NOW, history

SAID = (
    "Jana is on the vegan diet",
    "Jana used to like the choir of Bonn",
    "The launch of Heron is on 4 March",
    "The launch has moved to 9 April",
    "Jana runs Heron 2.4 on the server",
    "Heron 3.1 replaced it on the server",
    "The choir of Jana sold the garden",
    "The choir now meets in the new garden",
    "My rank in the choir is third",
    "Always send the bill of the garden to Jana",
    "The choir of Bonn meets on Mondays",
    "The choir of Bonn meets on Fridays",
)
NONE = frozenset[str]()
CHOICES: dict[str, tuple[Any, ...]] = {
    "cue": ("none", "none", "weak", "strong"),
    "polarity": ("affirmed", "affirmed", "affirmed", "negated"),
    "modality": ("asserted", "asserted", "asserted", "reported", "possible", "question"),
    "kind": ("fact", "event", "preference", "instruction"),
    "method": ("local", "local", "local", "agent"),
    "source": ("note", "note", "document", "web-page"),
    "speaker": (None, "Jana", "Oskar"),
    "entities": ([], [("Jana", "subject")], [("Oskar", "speaker"), ("Bonn", "place")], [("Heron", "subject")]),
    "values": (
        [],
        [("EUR", "840")],
        [("number", "3")],
        [("date", "2026-03-04")],
        [("date", "2026-04-09")],
        [("version", "2.4")],
    ),
    "slot": (None, None, ("Jana", "lives_in", "Bonn"), ("Jana", "lives_in", "Kiel"), ("Oskar", "works_at", "Heron")),
}


def varied(count: int) -> list[dict[str, Any]]:
    """Return made-up memories in which everything that a rule asks for occurs with everything else."""
    rng, rows = random.Random(count), []
    for number in range(count):
        made = {name: rng.choice(values) for name, values in CHOICES.items()}
        made["entities"] = [{"name": name, "role": role} for name, role in made["entities"]]
        slot = dict(zip(("slot_subject", "slot_attribute", "slot_value"), made.pop("slot") or (None,) * 3, strict=True))
        made |= {"source_id": f"s{rng.randrange(count // 4)}", "from_stated": rng.random() < 0.2, **slot}
        said = (day("2025-01-01") + timedelta(days=rng.randrange(40))).date().isoformat()
        if made["from_stated"]:
            made["effective_from"] = day(said) + timedelta(days=rng.randrange(-60, 60))
        if rng.random() < 0.1:
            made["valid_to"] = day(said) - timedelta(days=rng.randrange(9))
        if rng.random() < 0.05:
            made["ends_hint"] = [f"m{rng.randrange(count)}"]
        rows.append(row(f"m{number}", rng.choice(SAID), said, **made))
    return rows


@pytest.mark.parametrize(("rows", "at", "least"), [(history(60), NOW, 20), (varied(120), day("2025-09-01"), 100)])
def test_no_pair_that_a_rule_accepts_is_left_out(rows: list[dict[str, Any]], at: Any, least: int) -> None:
    facets = sorted(map(Facet, rows), key=lambda facet: facet.order)
    pairs, rules = np.array(list(permutations(range(len(facets)), 2))), set[str]()
    every = frozenset[str]().union(*(facet.words for facet in facets))
    for frequent, topic in ((NONE, NONE), (LaterOnes(facets).frequent, NONE), (every, every)):
        screen = Screen(len(facets), lambda places: [facets[place] for place in places], frequent, topic)
        may = screen.may_end(pairs[:, 0], pairs[:, 1], at).tolist()
        found = [ending(facets[a], facets[b], at, Known(topic, frequent)) for a, b in pairs.tolist()]
        assert [pair for pair, kept, rule in zip(pairs, may, found, strict=True) if rule and not kept] == []
        assert sum(map(bool, found)) >= least
        assert sum(may) < len(may) / 2  # most pairs are left out
        rules.update(rule for rule in found if rule)
    assert len(rules) > 3


def test_the_same_memories_are_compared_in_the_same_order() -> None:
    facets = sorted(map(Facet, varied(120)), key=lambda facet: facet.order)
    later = LaterOnes(facets, 40)
    known = Known(frequent=later.frequent)
    for one, likely in zip(facets, later.likely(facets, NOW), strict=True):
        every = [other for other in later.of(one) if ending(one, other, NOW, known)]
        assert every == [other for other in likely if ending(one, other, NOW, known)]
        assert all(earlier.order < other.order for earlier, other in pairwise(likely))
