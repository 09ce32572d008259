"""Properties of entity resolution: independence of row order and of unrelated sources."""

import random

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from polars.testing import assert_frame_equal

from brain_pipelines.knowledge.entities.names import normalise, squeezed
from brain_pipelines.knowledge.entities.similarity import Support, pair_score
from brain_retrieval.language.folding import without_accents
from tests.pipelines.knowledge.entities.history import groups, resolved, row, run, tables
from tests.pipelines.knowledge.entities.labelled_people import HALVES, labelled

NAMES = (
    "Alice Chen|Alice|A. Chen|Alice Walker|alice.chen@acme.com|Bob Smith|Robert Smith|Bob|Smith|Acme|Acme Inc|ACME|"
    "Alice M. Chen|Chen|user|Project Phoenix|Phoenix|Phoenix 2|José García|Jose Garcia|WHO|World Health Organization|"
    "Alise Chen|Kubernetes|Kubernets|achen@acme.com|Dr. Chen|Jordan|Jordan Lee"
).split("|")
ROWS = st.builds(
    lambda source, name, kind, alias, confidence: row(
        f"s{source}", name, kind, *([alias] if alias else []), confidence=confidence
    ),
    st.integers(0, 7),
    st.sampled_from(NAMES),
    st.sampled_from(["Person", "Person", "Person", "Organization", "Concept", "Location"]),
    st.sampled_from([None, None, *NAMES]),
    st.sampled_from([0.5, 0.7, 0.9, 1.0]),
)
HISTORIES = st.lists(ROWS, max_size=25, unique_by=lambda r: r["entity_id"])


@settings(max_examples=60, deadline=None)
@given(HISTORIES, st.randoms(use_true_random=False))
def test_resolution_does_not_depend_on_row_order(rows: list[dict], rng: random.Random) -> None:
    mixed = rng.sample(rows, len(rows))
    for one, other in zip(tables(run(rows)), tables(run(mixed)), strict=True):
        assert_frame_equal(one, other, check_exact=True)


@settings(max_examples=40, deadline=None)
@given(HISTORIES)
def test_each_row_has_one_entity_and_each_entity_has_rows(rows: list[dict]) -> None:
    found = run(rows)
    assert sorted(found.members["member_id"]) == sorted(r["entity_id"] for r in rows)
    assert set(found.members["entity_id"]) == set(found.known_entities["entity_id"])
    shown = resolved(rows)
    assert set(shown.members["entity_id"]) == set(shown.names["entity_id"]) == set(shown.known_entities["entity_id"])
    assert set(shown.topic_members["entity_id"]) == set(shown.topics["entity_id"])
    assert found.known_entities["source_count"].sum() == found.members.unique(["entity_id", "source_id"]).height


@settings(max_examples=40, deadline=None)
@given(HISTORIES)
def test_unrelated_sources_change_nothing(rows: list[dict]) -> None:
    others = [
        row("t1", "Marta Kowalska"),
        row("t1", "Gdansk", "Location"),
        row("t2", "Marta Kowalska", "Person", "Marta"),
    ]
    assert groups(run(rows)) <= groups(run([*rows, *others]))


@pytest.mark.parametrize("half", [0, 1])
def test_long_history_does_not_depend_on_row_order(half: int) -> None:
    rows = [entity for entity, _ in labelled(HALVES[half])]
    first = tables(run(rows))
    for seed in range(3):
        for one, other in zip(first, tables(run(random.Random(seed).sample(rows, len(rows)))), strict=True):
            assert_frame_equal(one, other, check_exact=True)


def test_removing_a_source_equals_never_adding_it() -> None:
    rows = [entity for entity, _ in labelled(HALVES[0])]
    fewer = [entity for entity in rows if entity["source_id"] != "src_005"]
    frame = pl.DataFrame(rows).filter(pl.col("source_id") != "src_005").rows(named=True)
    for one, other in zip(tables(run(fewer)), tables(run(frame)), strict=True):
        assert_frame_equal(one, other, check_exact=True)


@given(st.text(max_size=60), st.sampled_from(["Person", "Concept", "Entity"]))
def test_normalise_is_idempotent(name: str, group: str) -> None:
    once = normalise(name, group)
    assert without_accents(without_accents(once)) == without_accents(once)
    assert squeezed(once) or not once


@given(st.text(max_size=40), st.text(max_size=40), st.sampled_from(["Person", "Concept", "Entity"]), st.booleans())
def test_pair_score_is_symmetric(one: str, other: str, group: str, rare: bool) -> None:
    left, right = normalise(one, group), normalise(other, group)
    score = pair_score(left, right, group, Support(rare))
    assert score == pair_score(right, left, group, Support(rare))
    assert 0 <= score.score <= 1
