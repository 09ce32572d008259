"""Property tests of `derive_facts`: order independence, removal of sources, replay and known_at."""

from itertools import pairwise
from typing import Any

import polars as pl
from hypothesis import given, settings
from hypothesis import strategies as st
from polars.testing import assert_frame_equal

from brain_retrieval.knowledge.derive import derive_facts
from tests.retrieval.knowledge.fact_evidence import day, evidence, stated

PREDICATES = {
    "live in": ("live in", "move to"),
    "work at": ("work at", "join"),
    "lead": ("lead", "take over"),
    "use": ("use",),
    "leave": ("leave",),
    "be married to": ("marry",),
}
EXAMPLES = settings(max_examples=40, deadline=None)


@st.composite
def statements(draw: st.DrawFn) -> dict[str, Any]:
    predicate = draw(st.sampled_from(sorted(PREDICATES)))
    said, received = draw(st.integers(0, 8)), draw(st.integers(0, 12))
    start = draw(st.sampled_from([0, 20, 40]))
    married = predicate == "be married to"
    return stated(
        draw(st.sampled_from(["Bob", "Carol"])),
        predicate,
        draw(st.sampled_from(["Dana", "Eve"] if married else ["Acme", "Berlin", "Oslo"])),
        said,
        predicate_text=draw(st.sampled_from(PREDICATES[predicate])),
        object_class="Person" if married else "Entity",
        source_id=f"source_{draw(st.integers(0, 4))}",
        received_at=day(received),
        polarity=draw(st.sampled_from(["affirmed", "affirmed", "affirmed", "negated"])),
        modality=draw(st.sampled_from(["asserted", "asserted", "asserted", "possible"])),
        confidence=draw(st.sampled_from([0.3, 0.7, 0.9])),
        stated_from=draw(st.sampled_from([None, None, day(said - 3), day(said + 2)])),
        stated_to=draw(st.sampled_from([None, None, None, day(said), day(said + 4)])),
        start=start,
        end=start + 10,
    )


HISTORIES = st.lists(statements(), min_size=1, max_size=25)


@EXAMPLES
@given(HISTORIES, st.randoms(use_true_random=False))
def test_order_does_not_matter(rows: list[dict[str, Any]], random: Any) -> None:
    expected = derive_facts(evidence(*rows))
    random.shuffle(rows)
    assert_frame_equal(derive_facts(evidence(*rows)), expected, check_exact=True)


@EXAMPLES
@given(HISTORIES)
def test_every_statement_supports_a_fact_and_every_fact_has_support(rows: list[dict[str, Any]]) -> None:
    said = evidence(*rows)
    facts = derive_facts(said)
    assert set(facts["evidence_ids"].explode()) == set(said["evidence_id"])
    assert facts.filter(pl.col("evidence_count") < 1).is_empty()
    assert facts["fact_id"].is_unique().all()


@EXAMPLES
@given(HISTORIES, st.integers(0, 4))
def test_removing_and_readding_a_source_restores_the_same_facts(rows: list[dict[str, Any]], gone: int) -> None:
    said = evidence(*rows)
    source = f"source_{gone}"
    without = derive_facts(said.filter(pl.col("source_id") != source), now=day(20))
    never = [row for row in rows if row["source_id"] != source]
    assert_frame_equal(without, derive_facts(evidence(*never), now=day(20)), check_exact=True)
    ids = set(without["fact_id"])
    for column in ("superseded_by_fact_id", "supersedes_fact_id", "contradicts"):
        links = without[column].explode() if column == "contradicts" else without[column]
        assert set(links.drop_nulls()) <= ids
    again = derive_facts(pl.concat([said.filter(pl.col("source_id") != source), said.filter(source_id=source)]))
    assert_frame_equal(again, derive_facts(said), check_exact=True)


@EXAMPLES
@given(HISTORIES)
def test_one_value_at_a_time_unless_disputed_or_said_together(rows: list[dict[str, Any]]) -> None:
    facts = derive_facts(evidence(*rows)).filter(modality="asserted", polarity="affirmed")
    single = facts.filter("functional", pl.col("contradicts").list.len() == 0)
    for _, group in single.group_by("subject_id", "predicate"):
        spans = [(b, e) for b, e in group.sort("valid_from")["valid_from", "valid_to"].iter_rows() if b != e]
        assert all(e is not None and e <= later for (_, e), (later, _) in pairwise(spans))


@EXAMPLES
@given(HISTORIES)
def test_episodes_of_a_fact_do_not_overlap_and_do_not_run_backwards(rows: list[dict[str, Any]]) -> None:
    facts = derive_facts(evidence(*rows)).filter(modality="asserted")
    assert facts.filter(pl.col("valid_to") < pl.col("valid_from")).is_empty()
    for _, group in facts.group_by("subject_id", "predicate", "object_key", "polarity"):
        spans = group.sort("valid_from")["valid_from", "valid_to"].rows()
        assert all(e is not None and e <= later for (_, e), (later, _) in pairwise(spans))


@EXAMPLES
@given(HISTORIES, st.integers(0, 12))
def test_known_at_facts_do_not_depend_on_later_evidence(rows: list[dict[str, Any]], at: int) -> None:
    said = evidence(*rows)
    known = derive_facts(said.filter(pl.col("received_at") <= day(at)))
    assert known.filter(pl.col("known_from") > day(at)).is_empty()
    assert known.filter(pl.col("ended_known_from") > day(at)).is_empty()
    later = derive_facts(said)
    keys = ["subject_id", "predicate", "object_key", "polarity"]
    assert known.join(later, on=keys, how="anti").is_empty()  # nothing known is ever lost, only retired


@EXAMPLES
@given(HISTORIES)
def test_what_is_not_asserted_changes_nothing_asserted(rows: list[dict[str, Any]]) -> None:
    said = evidence(*rows)
    alone = derive_facts(said.filter(modality="asserted"), now=day(20))
    among = derive_facts(said, now=day(20)).filter(modality="asserted")
    assert_frame_equal(among, alone, check_exact=True)
