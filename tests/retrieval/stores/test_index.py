"""The index as a store: partition replacement, digests, moved rows, other models, damage."""

from datetime import date, timedelta

import numpy as np
import pyarrow as pa
import pytest

from brain_retrieval.errors import DimensionMismatchError, StoreError
from brain_retrieval.home import Space
from brain_retrieval.schemas import PRIMARY_KEY, index_schema
from brain_retrieval.stores.index import Index
from tests.retrieval.stores.rows import DIM, chunk, chunks, indexed, vector_of

DAY, NEXT = "2026-01-05", "2026-01-06"


def rows_of(source: str, *days: str, count: int = 4, **options: str) -> list[dict]:
    return indexed([row for day in days for row in chunks(source, day, count, **options)])


def test_nothing_exists_before_the_first_row(index: Index, space: Space) -> None:
    index.replace("note", [DAY], [])
    index.replace("note", [], [])
    assert not index.exists()
    assert list(space.index.iterdir()) == []
    assert (index.count(), index.digest(), index.version(), index.vectors("note", [DAY])) == (0, "", 0, {})
    assert index.vector_search(np.ones(DIM), where=None, limit=5, columns=["id"]) == []
    assert index.text_search("budget", where=None, limit=5, columns=["id"]) == []
    assert index.rows().schema == index_schema(DIM)


def test_a_replacement_leaves_neither_duplicates_nor_leftovers(index: Index) -> None:
    index.replace("note", [DAY, NEXT], rows_of("note", DAY, NEXT))
    index.replace("mail", [DAY], rows_of("mail", DAY))
    assert index.counts("note", [DAY, NEXT, "2026-01-07"]) == {DAY: 4, NEXT: 4}
    index.replace("note", [DAY, NEXT], rows_of("note", NEXT, count=2, salt="new"))
    expected = rows_of("note", NEXT, count=2, salt="new") + rows_of("mail", DAY)
    found = index.rows().to_pylist()
    assert [row["id"] for row in found] == sorted(row["id"] for row in expected)
    index.replace("note", [DAY, NEXT], [])
    assert index.counts("note", [DAY, NEXT]) == {}
    assert index.count() == 4


def test_rows_come_back_as_they_went_in(index: Index) -> None:
    sent = sorted(rows_of("note", DAY), key=lambda row: row["id"])
    index.replace("note", [DAY], sent)
    for found, row in zip(index.rows().to_pylist(), sent, strict=True):
        assert np.array_equal(np.float32(found.pop("vector")), row["vector"])
        assert found == {key: value for key, value in row.items() if key != "vector"}
    known = index.known_vectors("note", [DAY])
    assert {key: text for key, (text, _) in known.items()} == {row["id"]: row["search_text"] for row in sent}
    assert all(np.array_equal(vector, vector_of(key)) for key, (_, vector) in known.items())
    assert index.by_ids([sent[0]["id"], "no' such"], ["day"]).to_pylist() == [{"day": DAY}]


@pytest.mark.filterwarnings("ignore:optimize")
def test_the_digest_is_that_of_the_content(index: Index, space: Space) -> None:
    index.replace("note", [DAY], rows_of("note", DAY))
    index.replace("note", [NEXT], rows_of("note", NEXT))
    other = Index(space, model="other", dim=DIM)
    other.replace("note", [NEXT, DAY], rows_of("note", NEXT, DAY)[::-1])
    assert index.digest() == other.digest()
    index.optimize(keep=timedelta(0))
    assert index.digest() == other.digest()
    changed = rows_of("note", DAY)
    changed[0]["vector"] = -changed[0]["vector"]
    other.replace("note", [DAY], changed)
    assert index.digest() != other.digest()


def test_a_row_that_moves_to_another_day_keeps_its_id_and_is_there_once(index: Index) -> None:
    row = indexed([chunk("note", DAY, 0)])[0]
    index.replace("note", [DAY], [row])
    index.replace("note", [NEXT], [{**row, "day": NEXT}])
    index.replace("note", [DAY], [])
    assert index.rows(columns=["id", "day"]).to_pylist() == [{"id": row["id"], "day": NEXT}]


def test_a_span_of_scattered_days(index: Index) -> None:
    days = [(date(2024, 1, 1) + timedelta(days=2 * n)).isoformat() for n in range(400)]
    index.replace("note", days, rows_of("note", *days, count=1))
    index.replace("note", days[:399], rows_of("note", *days[:200], count=1))
    assert index.count() == 201


@pytest.mark.parametrize(
    ("change", "error"),
    [
        ({"vector": np.ones(DIM + 1, np.float32)}, DimensionMismatchError),
        ({"vector": np.full(DIM, np.nan, np.float32)}, ValueError),
        ({"day": NEXT}, ValueError),
        ({"source": "mail"}, ValueError),
        ({"text": None}, ValueError),
    ],
)
def test_rows_that_do_not_fit_are_refused(index: Index, change: dict, error: type[Exception]) -> None:
    index.replace("note", [DAY], rows_of("note", DAY))
    before = index.digest()
    with pytest.raises(error):
        index.replace("note", [DAY], [{**rows_of("note", DAY)[0], **change}])
    with pytest.raises(ValueError, match="twice"):
        index.replace("note", [DAY], rows_of("note", DAY) * 2)
    assert index.digest() == before


def test_another_width_is_refused(index: Index) -> None:
    wide = pa.Table.from_pylist(indexed(chunks("note", DAY, 2), dim=DIM * 2), schema=index_schema(DIM * 2))
    with pytest.raises(DimensionMismatchError, match=r"16 .* 8"):
        index.replace("note", [DAY], wide)
    for query in (np.ones(DIM + 1), np.ones((1, DIM))):
        with pytest.raises(DimensionMismatchError):
            index.vector_search(query, where=None, limit=1, columns=["id"])


def test_models_have_tables_of_their_own(space: Space) -> None:
    names = [Index(space, model=model, dim=dim).name for model, dim in [("a-b", 8), ("a_b", 8), ("a-b", 16), ("é", 8)]]
    assert len(set(names)) == 4


def test_readers_in_other_handles_see_each_commit_and_survive_a_drop(index: Index, space: Space) -> None:
    reader = Index(space, model="test-model", dim=DIM)
    for count in (3, 1, 2):
        index.replace("note", [DAY], rows_of("note", DAY, count=count))
        assert reader.count() == count
    index.drop()
    assert (reader.exists(), reader.count(), reader.rows().num_rows) == (False, 0, 0)
    index.replace("note", [DAY], rows_of("note", DAY))
    assert reader.count() == 4


def test_the_table_declares_its_key(index: Index) -> None:
    """Without it two runs that write one partition at once leave duplicates."""
    index.replace("note", [DAY], rows_of("note", DAY))
    key = index._open().schema.field("id")
    assert not key.nullable
    assert key.metadata == PRIMARY_KEY


@pytest.mark.parametrize("folder", ["data", "_versions"])
def test_a_damaged_table_says_what_to_do_and_a_new_one_can_take_its_place(
    index: Index, space: Space, folder: str
) -> None:
    index.replace("note", [DAY], rows_of("note", DAY))
    for path in (space.index / f"{index.name}.lance" / folder).iterdir():
        path.write_bytes(b"damaged")
    opened = Index(space, model="test-model", dim=DIM)
    calls = [
        opened.rows,
        lambda: opened.vector_search(np.ones(DIM), where=None, limit=1, columns=["text"]),
        lambda: opened.replace("note", [DAY], rows_of("note", DAY, count=2)),
    ]
    for call in calls:
        with pytest.raises(StoreError, match="re-run the embeddings"):
            call()
    (space.index / f"{index.name}.lance").rename(space.root / "aside")
    opened.replace("note", [DAY], rows_of("note", DAY, count=2))
    assert opened.count() == 2
