"""After a change of a day only that day is read, and the index and its endings are those of all rows."""

import random
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from polars.testing import assert_frame_equal

from brain_retrieval.home import Home
from brain_retrieval.knowledge.memories import index as index_module
from brain_retrieval.knowledge.memories import stored
from brain_retrieval.knowledge.memories.endings import Endings, Moment
from brain_retrieval.knowledge.memories.index import MemoryIndex
from brain_retrieval.knowledge.memories.stored import memory_index
from brain_retrieval.knowledge.memories.vectors import MemoryVectors
from brain_retrieval.stores.catalog import Catalog
from brain_retrieval.stores.lake import Lake
from brain_retrieval.stores.lake_cache import Change
from tests.pipelines.knowledge.frames import frame
from tests.retrieval.knowledge.memories.test_index import NOW, history, index_of

DAY, NEXT = "2026-01-05", "2026-01-06"


def dated(rows: list[dict[str, Any]], on: str) -> list[dict[str, Any]]:
    return [{**one, "day": on} for one in rows]


def endings_of(index: MemoryIndex) -> dict[str, list[tuple[str, str, bool]]]:
    endings, ids = Endings(index), index.rows["memory_id"].to_list()
    found = {key: endings.of(place, Moment(NOW)) for place, key in enumerate(ids)}
    return {key: [(ids[one.row], one.rule, one.sure) for one in own] for key, own in found.items()}


def test_rows_added_to_a_day_taken_from_one_or_changed_give_the_index_of_all_rows() -> None:
    rows = random.Random(1).sample(history(60), 60)
    old, today = dated(rows[:30], DAY), dated(rows[30:50], NEXT)
    before = index_of([*old, *today])
    assert any(endings_of(before).values())
    changed = {**today[0], "text": "Mira sings", "anchors": ["mira", "sing"]}
    now = [changed, *today[5:], *dated(rows[50:], NEXT)]
    schema = before.rows.schema
    fresh = pl.DataFrame(now, schema=schema)
    after = stored._renewed(before, Change(frozenset({("note", NEXT)}), fresh))
    every = MemoryIndex.of(pl.DataFrame([*old, *now], schema=schema))
    assert_frame_equal(after.rows, every.rows)
    assert endings_of(after) == endings_of(every)
    facets = {facet.row["memory_id"]: facet for facet in after.kept["facets"].values()}
    was = {facet.row["memory_id"]: facet for facet in before.kept["facets"].values()}
    assert facets[old[0]["memory_id"]] is was[old[0]["memory_id"]]  # not computed again
    assert facets[today[7]["memory_id"]] is was[today[7]["memory_id"]]  # of the changed day, but the same
    assert facets[changed["memory_id"]].row["text"] == "Mira sings"
    assert today[1]["memory_id"] not in facets


def postings_of(index: MemoryIndex) -> list[dict[str, list[int]]]:
    found = (index.words, index.names, index.ending, index.sources)
    return [{word: own.having(word).tolist() for word in own.words} for own in found]


def test_postings_follow_changes_of_days_wherever_their_rows_lie(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(index_module, "MOST_PIECES", 3)  # rows are copied, too, and put together again
    drawn = random.Random(2)
    days = [DAY, NEXT, "2026-01-07"]
    rows = {day: dated(own, day) for day, own in zip(days, (history(20), [], history(9)), strict=True)}
    rows[days[2]] = [{**one, "memory_id": f"late-{one['memory_id']}"} for one in rows[days[2]]]
    index = index_of([*rows[DAY], *rows[NEXT], *rows[days[2]]])
    postings_of(index)
    for turn in range(12):
        day = drawn.choice(days)
        added = [{**one, "memory_id": f"{turn}-{one['memory_id']}"} for one in dated(history(7), day)]
        kept = drawn.sample(rows[day], drawn.randrange(len(rows[day]) + 1))
        rows[day] = [*kept, *(added[: drawn.randrange(7)] if turn % 4 else ())]
        fresh = pl.DataFrame(rows[day], schema=index.rows.schema)
        index = stored._renewed(index, Change(frozenset({("note", day)}), fresh))
        every = MemoryIndex.of(pl.DataFrame([*rows[DAY], *rows[NEXT], *rows[days[2]]], schema=index.rows.schema))
        assert_frame_equal(index.rows, every.rows)
        assert "words" in index.__dict__ and postings_of(index) == postings_of(every)
        assert index.rows.n_chunks() <= 3


def test_only_the_file_that_changed_is_read(tmp_path: Path) -> None:
    space = Home(tmp_path).space("alice").create()
    one = {"memory_id": "a", "source": "note", "day": DAY, "text": "Jana likes tea", "anchors": ["jana"]}
    with Catalog(space) as catalog:
        lake = Lake(space, catalog)
        lake.replace("memories", "note", DAY, frame("memories", one).to_arrow())
        assert memory_index(space).rows["memory_id"].to_list() == ["a"]
        first = catalog.lake_files("memories")[0]
        (space.lake / first.path).unlink()
        rows = [{**one, "memory_id": key, "day": NEXT} for key in "bc"]
        lake.replace("memories", "note", NEXT, frame("memories", *rows).to_arrow())
        assert memory_index(space).rows["memory_id"].to_list() == ["a", "b", "c"]
        lake.replace("memories", "note", NEXT, frame("memories", rows[1]).to_arrow())
        assert memory_index(space).rows["memory_id"].to_list() == ["a", "c"]
        lake.replace("memories", "note", DAY, frame("memories").to_arrow())
        assert memory_index(space).rows["memory_id"].to_list() == ["c"]


def test_vectors_of_several_models_follow_a_change() -> None:
    def rows(*given: tuple[str, str, str, int]) -> pl.DataFrame:
        made = [(key, "note", on, model, [number, 1]) for key, on, model, number in given]
        return pl.DataFrame(made, schema=["memory_id", "source", "day", "model", "vector"], orient="row").with_columns(
            pl.col("vector").cast(pl.List(pl.Int8))
        )

    before = MemoryVectors.by_model(rows(("a", DAY, "old", 1), ("b", DAY, "new", 2), ("c", NEXT, "old", 3)))
    change = Change(frozenset({("note", NEXT)}), rows(("c", NEXT, "new", 4), ("d", NEXT, "third", 5)))
    after = MemoryVectors.renewed(before, change)
    found = {model: dict(zip(own.keys["memory_id"], own.rows.tolist(), strict=True)) for model, own in after.items()}
    assert found == {"old": {"a": [1, 1]}, "new": {"b": [2, 1], "c": [4, 1]}, "third": {"d": [5, 1]}}
