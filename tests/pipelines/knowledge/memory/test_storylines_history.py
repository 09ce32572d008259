"""The history of storylines, derived from computed snapshots."""

import polars as pl

from brain_retrieval.knowledge.stories.storyline_history import evidence_counts, history
from tests.pipelines.knowledge.memory.history import Said, day, lines, said, summarised


def snapshots(story: list[Said], *days: float, growing: bool = True) -> dict[str, pl.DataFrame]:
    return {f"{day(at):%Y-%m-%d}": lines([s for s in story if not growing or s.at <= at], at)[0] for at in days}


def test_a_storyline_is_promoted_grows_closes_and_another_follows() -> None:
    story = said(*range(7), *range(150, 156))
    found = history(snapshots(story, 3, 5, 6, 7, 50, 99, 153, 156))
    assert [(e.day, e.kind, e.source_count, e.change) for e in found] == [
        ("2026-01-06", "promoted", 6, 0),
        ("2026-01-07", "grew", 7, 1),
        ("2026-04-10", "closed", 7, 0),
        ("2026-06-06", "followed", 6, 0),
    ]
    assert len({e.storyline_id for e in found}) == 2 and {e.anchor for e in found} == {"Bob"}


def test_removed_and_late_sources_appear_in_the_history() -> None:
    story = said(*range(7))
    late = lines([*story, Said("late", 60)], 100)[0]
    steps = {"2026-04-10": lines(story, 100)[0], "2026-04-11": late, "2026-04-12": lines(story[1:], 101)[0]}
    found = history(steps)
    assert [e.kind for e in found] == ["promoted", "grew", "reopened", "promoted", "gone"]
    less = history({"2026-04-11": late, "2026-04-12": lines(story, 100)[0]})
    assert [(e.kind, e.change) for e in less] == [("promoted", 0), ("shrank", -1), ("closed", 0)]


def test_changed_summary_appears_in_the_history() -> None:
    places = "kitchen garden cellar attic garage library balcony bathroom stairs".split()
    story = [Said(f"s{n}", n, summary=f"Bob cleans the {place} of the house.") for n, place in enumerate(places)]
    steps = {"2026-01-07": summarised(story[:6], 6).rows, "2026-01-08": summarised(story, 9).rows}
    found = history({"2026-01-07": lines(story[:6], 6)[0], "2026-01-08": lines(story, 9)[0]}, steps)
    assert [e.kind for e in found] == ["promoted", "grew", "retold"]


def test_changed_evidence_is_counted() -> None:
    steps = snapshots(said(*range(7)), 4, 5, 6, 7, 8)
    (key,) = {row for frame in steps.values() for row in frame["storyline_id"]}
    assert evidence_counts(steps, key) == [("2026-01-05", 5), ("2026-01-06", 6), ("2026-01-07", 7)]
