"""The filter in memory agrees with the loop of the exact index, row by row."""

from datetime import UTC, date, datetime, timedelta, timezone
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from brain_retrieval.schemas.tables import index_schema
from brain_retrieval.stores.index.filters import EVERYTHING, IndexFilter, Stretch
from brain_retrieval.stores.index.mask import mask_of
from tests.retrieval.stores.index.exact_index import holds
from tests.retrieval.stores.rows import DIM, chunk, indexed

COLUMNS = ["id", "source", "source_id", "day", "trust", "sensitivity", "event_at", "received_at", "speakers"]
COLUMNS += ["title", "position"]
DAYS = [(date(2026, 1, 30) + timedelta(days=n)).isoformat() for n in range(4)]
SPEAKERS = ["Ana", "ana", "O'Brien", "東京"]
TITLES = ["Ashby (village)", "Ashby (Wenlow) (mill)", "Wenlow", "", None]
SCHEMA = pa.schema([index_schema(DIM).field(name) for name in COLUMNS])


def made(number: int) -> dict[str, Any]:
    """Return row `number`: every column changes at its own pace, times to the microsecond."""
    row = indexed([chunk(("note", "mail", "call")[number % 3], DAYS[number % 4], number)])[0]
    return {name: row[name] for name in COLUMNS} | {
        "trust": ("own", "shared")[number // 3 % 2],
        "sensitivity": ("private", "normal", "public")[number // 2 % 3],
        "title": TITLES[number % 5],
        "speakers": [SPEAKERS[n] for n in range(4) if number >> n & 1],
        "event_at": row["event_at"] + timedelta(microseconds=number % 3 - 1),
        "received_at": datetime(2026, 2, 1 + number % 5, tzinfo=UTC),
    }


ROWS = [made(number) for number in range(48)]
TABLE = pa.Table.from_pylist(ROWS, schema=SCHEMA)
EAST = timezone(timedelta(hours=9))


def some(name: str, *others: str) -> st.SearchStrategy:
    values = sorted({row[name] for row in ROWS})
    return st.none() | st.lists(st.sampled_from([*values, *others]), max_size=4)


def times(name: str) -> st.SearchStrategy:
    return st.none() | st.sampled_from([row[name].astimezone(zone) for row in ROWS for zone in (UTC, EAST)])


STRETCHES = st.builds(
    Stretch, st.sampled_from([*(row["source_id"] for row in ROWS), "none"]), st.integers(-1, 3), st.integers(-1, 50)
)
FILTERS = st.builds(
    IndexFilter,
    ids=st.none() | st.lists(st.sampled_from([*(row["id"] for row in ROWS), "gone"]), max_size=40),
    sources=some("source", "none"),
    source_ids=some("source_id", "none"),
    speakers=st.none() | st.lists(st.sampled_from([*SPEAKERS, "Bo"]), max_size=3),
    titles=st.none() | st.lists(st.sampled_from(["Ashby", "Ashby (village)", "Wenlow", "village", ""]), max_size=3),
    stretches=st.none() | st.lists(STRETCHES, max_size=3),
    trust=some("trust"),
    sensitivity=some("sensitivity", ""),
    days=some("day", "2020-01-01"),
    day_from=st.none() | st.sampled_from(DAYS),
    day_to=st.none() | st.sampled_from(DAYS),
    since=times("event_at"),
    as_of=times("event_at"),
    known_at=times("received_at"),
)


@settings(max_examples=300, deadline=None)
@given(FILTERS, st.integers(0, len(ROWS)))
def test_the_mask_is_that_of_a_loop(within: IndexFilter, cut: int) -> None:
    table = pa.concat_tables([TABLE.slice(0, cut), TABLE.slice(cut)])  # of several pieces, as a store returns them
    mask = mask_of(table, within)
    expected = [holds(within, row) for row in ROWS]
    assert (mask.tolist() if mask is not None else [True] * len(ROWS)) == expected


@pytest.mark.parametrize("name", ["ids", "sources", "source_ids", "speakers", "titles", "trust", "sensitivity", "days"])
def test_an_empty_list_lets_nothing_pass(name: str) -> None:
    condition: dict[str, Any] = {name: []}
    mask = mask_of(TABLE, IndexFilter(**condition))
    assert mask is not None
    assert mask.dtype == bool
    assert not mask.any()


def test_each_condition_alone_divides_the_rows() -> None:
    """So that none of them is passed over."""
    row = ROWS[7]
    conditions: list[dict[str, Any]] = [
        {"ids": [row["id"]]}, {"sources": ["note"]}, {"source_ids": [row["source_id"]]}, {"speakers": ["Ana"]},
        {"titles": ["Ashby"]}, {"trust": ["own"]}, {"sensitivity": ["public"]}, {"days": DAYS[:1]},
        {"day_from": DAYS[1]}, {"day_to": DAYS[1]}, {"since": row["event_at"]}, {"as_of": row["event_at"]},
        {"known_at": ROWS[1]["received_at"]},
    ]  # fmt: skip
    for condition in conditions:
        within = IndexFilter(**condition)
        mask = mask_of(TABLE, within)
        assert mask is not None
        assert mask.tolist() == [holds(within, one) for one in ROWS]
        assert 0 < mask.sum() < len(ROWS), condition


def test_no_condition_is_no_mask_and_no_rows_are_an_empty_one() -> None:
    assert mask_of(TABLE, EVERYTHING) is None
    empty = mask_of(SCHEMA.empty_table(), IndexFilter(speakers=["Ana"], days=DAYS, known_at=ROWS[0]["received_at"]))
    assert empty is not None
    assert empty.tolist() == []


def test_how_many_rows_lie_in_a_filter_is_known_of_stretches_alone() -> None:
    three = IndexFilter(stretches=[Stretch("a", 0, 1), Stretch("b", 4, 4), Stretch("b", 3, 2)])
    assert three.has_at_most(3) and not three.has_at_most(2)
    assert IndexFilter(stretches=[]).has_at_most(0) and not IndexFilter(ids=["a"]).has_at_most(10)
