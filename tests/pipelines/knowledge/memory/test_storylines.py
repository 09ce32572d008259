"""Storylines: thresholds, gaps, parallel threads, anchors, and independence of earlier snapshots."""

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from polars.testing import assert_frame_equal

from brain_pipelines.knowledge.memory.storylines import build_storylines
from brain_retrieval.settings.knowledge import MemorySettings
from brain_retrieval.stores.memory_tables import STORYLINE_SOURCES, STORYLINES
from tests.pipelines.knowledge.memory.history import SETTINGS, Said, day, known, lines, members, said, sources

WEEK = said(0, 1, 2, 5, 8)


def test_columns_match_the_table_schemas() -> None:
    for found in (lines(WEEK, 9), lines([], 9)):
        for frame, schema in zip(found, (STORYLINES, STORYLINE_SOURCES), strict=True):
            assert frame.to_arrow().cast(schema).schema.names == schema.names


def test_five_sources_on_three_days_are_promoted_for_a_recalled_anchor() -> None:
    (line,) = lines(WEEK, 9)[0].to_dicts()
    assert (line["anchor"], line["name"], line["open"]) == ("Bob", "Bob, January 2026", True)
    assert (line["source_count"], line["weight"], line["distinct_days"]) == (5, 5.0, 5)
    assert (line["started_at"], line["last_source_at"], line["promoted_at"]) == (day(0), day(8), day(8))


@pytest.mark.parametrize(
    ("history", "until"),
    [
        (said(0, 1, 2, 5), 9),  # four sources
        (said(0, 0.1, 0.2, 0.3, 5), 9),  # on two days
        (said(0, 1, 2, 2.1, 2.2), 3),  # not older than three days
        (said(0, 1, 2, 5, 8, type="slack-thread"), 9),  # five small messages weigh 1.25
        (said(0, 1, 2, 5, 30), 9),  # the fifth is in the future
        (said(0, 30, 60, 170, 200), 300),  # a gap in between
    ],
)
def test_too_little_evidence_gives_no_storyline(history: list[Said], until: float) -> None:
    assert lines(history, until)[0].is_empty()


def test_thread_is_promoted_once_old_enough() -> None:
    history = said(0, 1, 2, 2.1, 2.2)
    assert lines(history, 3.01)[0]["promoted_at"].to_list() == [day(2.2)]


@pytest.mark.parametrize(
    ("kind", "enough"),
    [("slack-thread", 10), ("email", 5), ("voice-memo", 5), ("agent-note", 10), ("design--email", 5)],
)
def test_source_types_have_different_weights(kind: str, enough: int) -> None:
    assert lines(said(*range(enough - 1), type=kind), 20)[0].is_empty()
    assert lines(said(*range(enough), type=kind), 20)[0]["source_count"].to_list() == [enough]


def test_never_recalled_anchor_needs_twice_the_sources() -> None:
    assert lines(WEEK, 9, recalls={})[0].is_empty()
    (line,) = lines(said(*range(10)), 20, recalls={})[0].to_dicts()
    assert (line["source_count"], line["promoted_at"]) == (10, day(9))
    assert lines(said(*(n / 8 for n in range(10))), 20, recalls={})[0].is_empty()  # on two days
    assert lines(said(*(n / 3 for n in range(10))), 20, recalls={})[0]["distinct_days"].to_list() == [4]
    assert lines(said(*range(10)), 20)[0]["promoted_at"].to_list() == [day(4)]


@pytest.mark.parametrize(("gap", "threads"), [(90, 1), (91, 2)])
def test_a_thread_closes_after_ninety_idle_days(gap: int, threads: int) -> None:
    first, second = said(0, 1, 2, 5, 8), said(*(8 + gap + n for n in (0, 1, 2, 5, 8)))
    found, attached = lines(first + second, 8 + gap + 20)
    assert found.height == threads
    assert found["source_count"].sum() == attached["source_id"].n_unique() == 10
    assert lines(first, 8 + gap)[0]["open"].to_list() == [gap == 90]


def test_gaps_separate_successive_storylines() -> None:
    history = said(*(start + n for start in (0, 200, 400) for n in range(6)))
    found = lines(history, 420)[0].sort("started_at")
    assert found["started_at"].to_list() == [day(0), day(200), day(400)]
    assert found["open"].to_list() == [False, False, True]
    assert found["storyline_id"].n_unique() == 3


def test_different_topics_form_parallel_storylines() -> None:
    work = said(*range(0, 40, 2), keywords=("component library", "release", "figma tokens"))
    hike = said(*range(15, 35, 2), keywords=("mountain trail", "hut booking", "boots"))
    hike = [Said(f"hike-{s.id}", s.at + 0.1, s.about, s.type, s.keywords) for s in hike]
    found = lines(work + hike, 41)[0].sort("started_at")
    assert found["name"].to_list() == [
        "Bob: component library, figma tokens",
        "Bob: mountain trail, hut booking",
    ]
    assert found["source_count"].to_list() == [20, 10]


def test_empty_keywords_are_not_used_as_topic() -> None:
    history = said(*range(0, 40, 2), keywords=("amazing", "difference", "pottery class"))
    assert lines(history, 41)[0]["name"].to_list() == ["Bob: pottery class"]


def test_sources_without_common_keywords_stay_in_one_thread() -> None:
    history = [Said(f"s{n}", n, keywords=(f"word{n}",)) for n in range(6)]
    assert lines(history[:5], 9)[0]["source_count"].to_list() == [5]
    assert lines(said(*range(12)), 20)[0]["source_count"].to_list() == [12]  # no keywords at all


def test_number_of_parallel_threads_is_limited() -> None:
    history = [Said(f"s{n:03}", n / 2, keywords=(f"topic{n // 5}",)) for n in range(160)]
    found = lines(history, 81, settings=MemorySettings(hub_share=1))[0]
    assert found.height == 8 and found["source_count"].sum() == 160


def test_neither_the_owner_nor_a_hub_is_an_anchor() -> None:
    crowd = [Said(f"x{n}", n % 50, ("alice", "acme")) for n in range(60)]
    rest = [Said(f"y{n}", n % 50, ("bob",)) for n in range(45)]
    found = lines(crowd + rest, 60, recalls={"alice": 1, "acme": 1, "bob": 1})[0]
    assert found["anchor_id"].to_list() == ["bob"]
    small = lines(crowd[:20] + rest[:10], 60, recalls={"alice": 1, "acme": 1, "bob": 1})[0]
    assert sorted(small["anchor_id"]) == ["acme", "bob"]  # a short history has no hubs


def test_a_person_with_the_name_of_the_user_is_no_anchor() -> None:
    history = said(*range(0, 42, 7))
    people = known(history).with_columns(name=pl.lit("Bob Stone"), type=pl.lit("Person"))
    for user, count in (("bob-stone", 0), ("ann", 1)):
        built = build_storylines(
            members(history), people, sources(history), recalls={"bob": 1}, now=day(50), settings=SETTINGS, user=user
        )
        assert built[0].height == count


def test_a_series_of_meetings_and_an_address_are_no_anchors() -> None:
    history = [Said(f"s{n}", n * 7.0, title=f"Minutes of Bob, {n} May 2026") for n in range(6)]
    rows = known(history)
    for changed in ({"type": "Event"}, {"name": "bob@example.org"}):
        entities = rows.with_columns(**{name: pl.lit(value) for name, value in changed.items()})
        built = build_storylines(
            members(history), entities, sources(history), recalls={"bob": 1}, now=day(50), settings=SETTINGS
        )
        assert built[0].is_empty()
    assert lines(history, 50)[0].height == 1
    wedding = [Said(s.id, s.at, title=f"Bob: {what}") for s, what in zip(history, "abcdef", strict=True)]
    event = rows.with_columns(type=pl.lit("Event"))
    built = build_storylines(
        members(wedding), event, sources(wedding), recalls={"bob": 1}, now=day(50), settings=SETTINGS
    )
    assert built[0].height == 1


def test_a_part_of_a_name_in_the_same_sources_has_no_storyline_of_its_own() -> None:
    both = said(*range(6), about=("genas", "judo genas"))
    assert lines(both, 9, recalls={"genas": 1, "judo genas": 1})[0]["anchor"].to_list() == ["Judo Genas"]
    alone = said(*(n + 0.5 for n in range(4)), about=("genas",))
    found, attached = lines([*both, *alone], 9, recalls={"genas": 1, "judo genas": 1})
    assert sorted(found["anchor"]) == ["Genas", "Judo Genas"] and attached.height == 16


def test_nested_sources_count_with_their_parent() -> None:
    mails = said(0, 1, 2, 5, type="email")
    inside = [Said(f"file-{n}", 5, parent="bob-5", type="email") for n in range(4)]
    nested = [Said("deep", 5, parent="file-1", type="email")]
    assert lines(mails + inside + nested, 9)[0].is_empty()
    orphans = [Said(f"page-{n}", 8, ("bob",), parent="bob-8") for n in range(3)]
    unmentioned = [Said("bob-8", 8, ("carol",))]
    found, attached = lines(mails + inside + orphans + unmentioned, 9)
    assert found["source_count"].to_list() == [5]
    assert sorted(attached["source_id"]) == ["bob-0", "bob-1", "bob-2", "bob-5", "page-0"]


def test_cyclic_parents_terminate() -> None:
    ring = [Said("a", 1, parent="b"), Said("b", 2, parent="c"), Said("c", 3, parent="a"), Said("d", 4, parent="d")]
    assert lines([*WEEK, *ring], 9)[1]["source_id"].is_in(["a", "b", "c"]).sum() >= 1


@pytest.mark.parametrize("years", [-80, 0, 40])
def test_dates_far_from_the_present_are_supported(years: int) -> None:
    history = said(*(years * 365 + n for n in range(6)))
    (line,) = lines(history, years * 365 + 30)[0].to_dicts()
    assert (line["started_at"], line["distinct_days"]) == (day(years * 365), 6)


def test_sources_without_enrichment_are_counted() -> None:
    found = sources(WEEK).with_columns(keywords=pl.lit(None, pl.List(pl.String)), summary=pl.lit(None, pl.String))
    built = build_storylines(members(WEEK), known(WEEK), found, recalls={"bob": 1}, now=day(9), settings=SETTINGS)
    assert built[0]["source_count"].to_list() == [5]


def test_team_needs_more_than_half_of_the_sources() -> None:
    assert lines(WEEK, 9, team="design")[0]["team"].to_list() == ["design"]
    assert lines(WEEK, 9)[0]["team"].to_list() == [None]


@given(
    days=st.lists(st.tuples(st.integers(0, 400), st.sampled_from(["bob", "carol", "dave"])), max_size=60),
    seed=st.integers(0, 100),
)
@settings(max_examples=40, deadline=None)
def test_result_is_independent_of_order_and_counters_match(days: list[tuple[int, str]], seed: int) -> None:
    history = [Said(f"s{n}", at, (who,), keywords=(f"k{at % 3}",)) for n, (at, who) in enumerate(days)]
    recalls = {"bob": 1, "carol": 3}
    found, attached = lines(history, 300, recalls=recalls)
    for one, other in zip((found, attached), lines(history, 300, recalls=recalls, seed=seed), strict=True):
        assert_frame_equal(one, other)
    assert attached.select("storyline_id", "source_id").is_duplicated().sum() == 0
    counted = attached.group_by("storyline_id").agg(
        source_count=pl.col("source_id").n_unique().cast(pl.Int64),
        weight=pl.col("weight").sum(),
        distinct_days=pl.col("event_at").dt.date().n_unique().cast(pl.Int64),
        started_at=pl.col("event_at").min(),
        last_source_at=pl.col("event_at").max(),
    )
    assert_frame_equal(found.select(counted.columns), counted, check_row_order=False)
    assert (attached["event_at"] <= day(300)).all()


@given(
    days=st.lists(st.tuples(st.integers(0, 200), st.sampled_from(["bob", "carol", "dave"])), max_size=60),
    at=st.integers(-50, 250),
)
@settings(max_examples=40, deadline=None)
def test_new_source_changes_only_mentioned_anchors(days: list[tuple[int, str]], at: int) -> None:
    history = [Said(f"s{n}", day_, (who,), keywords=(f"k{day_ % 3}",)) for n, (day_, who) in enumerate(days)]
    recalls = {"bob": 1, "carol": 1, "dave": 1}
    before, after = (lines(one, 300, recalls=recalls) for one in (history, [*history, Said("new", at, ("bob",))]))
    others = pl.col("anchor_id") != "bob"
    assert_frame_equal(before[0].filter(others), after[0].filter(others))
    untouched = before[0].filter(others)["storyline_id"].implode()
    assert_frame_equal(*(found[1].filter(pl.col("storyline_id").is_in(untouched)) for found in (before, after)))


def test_storylines_only_grow_from_snapshot_to_snapshot() -> None:
    """Storylines only gain sources over time, and the last snapshot equals one computed alone."""
    history = said(*range(0, 40, 4), *range(150, 365, 9)) + said(*range(0, 365, 30), about=("carol",))
    before: dict[str, set[str]] = {}
    for until in range(366):
        past = [s for s in history if s.at <= until]
        nightly = lines(past, until, recalls={"bob": 1, "carol": 1})
        groups = {key: set(group["source_id"]) for (key,), group in nightly[1].group_by("storyline_id")}
        assert all(before[key] <= groups[key] for key in before)
        before = groups
    final = lines(history, 365, recalls={"bob": 1, "carol": 1})
    assert_frame_equal(nightly[0], final[0])
    assert_frame_equal(nightly[1], final[1])
    assert len(before) == 3


@pytest.mark.parametrize("at", [-2, 3, 60, 250])
def test_adding_and_removing_a_source_affects_only_its_anchors(at: float) -> None:
    history = (
        said(*range(0, 60, 5)) + said(*range(0, 60, 5), about=("carol",)) + said(*range(0, 60, 5), about=("dave",))
    )
    recalls = {"bob": 1, "carol": 1, "dave": 1}
    before = lines(history, 300, recalls=recalls)
    after = lines([*history, Said("new", at, ("bob", "erin"))], 300, recalls=recalls)
    others = pl.col("anchor_id") != "bob"
    assert_frame_equal(before[0].filter(others), after[0].filter(others))
    assert not before[0].filter(~others).equals(after[0].filter(~others)) or at == 250
    assert_frame_equal(lines(history, 300, recalls=recalls)[0], before[0])


def test_edit_changes_the_evidence_hash() -> None:
    edited = [*WEEK[:4], Said(WEEK[4].id, WEEK[4].at, summary="Bob moved to Lisbon.")]
    one, other = lines(WEEK, 9)[0].to_dicts()[0], lines(edited, 9)[0].to_dicts()[0]
    assert one.pop("evidence_hash") != other.pop("evidence_hash") and one == other


def test_thresholds_are_settings() -> None:
    small = MemorySettings(
        storyline_sources=2, storyline_days=1, storyline_age_days=0, storyline_idle_days=10, storyline_quiet_sources=0
    )
    assert lines(said(0, 1, 20, 21), 22, settings=small)[0].height == 2


def test_frequent_word_that_is_no_subject_needs_a_recall() -> None:
    """An anchor without recalls must be among the key terms of a quarter of its sources."""
    crowd = [
        Said(f"s{n}", n, ("people", "pottery"), keywords=("pottery" if n % 3 else "kiln", "clay")) for n in range(12)
    ]
    assert lines(crowd, 20, recalls={})[0]["anchor_id"].to_list() == ["pottery"]
    assert lines(crowd, 20, recalls={"people": 1})[0]["anchor_id"].sort().to_list() == ["people", "pottery"]
    late = [Said(s.id, s.at, s.about, keywords=("pottery",) if s.at > 8 else ("kiln",)) for s in crowd]
    (line,) = lines(late, 20, recalls={})[0].to_dicts()
    assert line["promoted_at"] == day(11)


@pytest.mark.parametrize(("others", "count"), [(9, 1), (10, 2)])
def test_whoever_writes_seldom_has_not_left_a_subject(others: int, count: int) -> None:
    history = said(0, 9, 18, 27, 36, *(140 + 9 * n for n in range(5)))
    between = said(*(50 + n for n in range(others)), about=("dora",))
    seldom = SETTINGS.model_copy(update={"storyline_quiet_sources": 10})
    found, _ = lines([*history, *between], 300, settings=seldom)
    assert found.filter(pl.col("anchor_id") == "bob").height == count


def test_after_a_year_a_subject_begins_again() -> None:
    history = said(0, 9, 18, 27, 36, *(402 + 9 * n for n in range(5)))
    seldom = SETTINGS.model_copy(update={"storyline_quiet_sources": 10})
    assert lines(history, 600, settings=seldom)[0].height == 2
