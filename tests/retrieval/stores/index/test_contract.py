"""What every search index has to do: replacement, digests, exact order, filters inside the search, odd queries.

Each test runs on every store: LanceDB and the exact one beside this file. Answers from memory are in
`test_repeated_searches.py`.
"""

from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta

import numpy as np
import pyarrow as pa
import pytest

from brain_retrieval.errors import DimensionMismatchError
from brain_retrieval.home import Home, Space
from brain_retrieval.schemas.tables import index_schema
from brain_retrieval.stores.index.build import OpensIndex
from brain_retrieval.stores.index.filters import IndexFilter, Stretch
from brain_retrieval.stores.index.protocol import SearchIndex
from tests.retrieval.stores.rows import DIM, chunk, chunks, indexed, vector_of

DAY, NEXT = "2026-01-05", "2026-01-06"
DAYS = [(date(2024, 1, 1) + timedelta(days=3 * n)).isoformat() for n in range(80)]
TEXTS = ["The teams were running", "Müller's budget in Belém", "zebra crossing", "phoenix 'quoted' review 🙂"]
TIMES = 3  # a store may answer from memory what it is asked again
SPEAKERS = ['quo"te', "O'Brien", "東京", "back\\slash"]


@pytest.fixture(scope="module")
def filled(opens: OpensIndex, tmp_path_factory: pytest.TempPathFactory) -> SearchIndex:
    index = opens(Home(tmp_path_factory.mktemp("home")).space("alice").create(), model="m", dim=DIM)
    rows = []
    for number, day in enumerate(DAYS):
        row = chunk("note" if number % 2 else "mail", day, number, text=TEXTS[number % 4])
        rows.append({**row, "speakers": [SPEAKERS[number % 4]]})
    for source in ("note", "mail"):
        index.replace(source, DAYS, indexed([row for row in rows if row["source"] == source]))
    return index


def rows_of(source: str, *days: str, count: int = 4, **options: str) -> list[dict]:
    return indexed([row for day in days for row in chunks(source, day, count, **options)])


def test_nothing_exists_before_the_first_row(index: SearchIndex, space: Space) -> None:
    index.replace("note", [DAY], [])
    index.replace("note", [], [])
    assert not index.exists()
    assert list(space.index.iterdir()) == []
    assert (index.count(), index.digest(), index.version(), index.known_vectors("note", [DAY])) == (0, "", 0, {})
    assert not len(index.search_vectors(np.ones(DIM), limit=5, columns=["id"]))
    assert not len(index.search_text("budget", limit=5, columns=["id"]))
    assert index.read().schema == index_schema(DIM)


def test_a_replacement_leaves_neither_duplicates_nor_leftovers(index: SearchIndex) -> None:
    index.replace("note", [DAY, NEXT], rows_of("note", DAY, NEXT))
    index.replace("mail", [DAY], rows_of("mail", DAY))
    assert index.counts("note", [DAY, NEXT, "2026-01-07"]) == {DAY: 4, NEXT: 4}
    index.replace("note", [DAY, NEXT], rows_of("note", NEXT, count=2, salt="new"))
    expected = rows_of("note", NEXT, count=2, salt="new") + rows_of("mail", DAY)
    found = index.read().to_pylist()
    assert [row["id"] for row in found] == sorted(row["id"] for row in expected)
    index.replace("note", [DAY, NEXT], [])
    assert index.counts("note", [DAY, NEXT]) == {}
    assert index.count() == 4


def test_rows_come_back_as_they_went_in(index: SearchIndex) -> None:
    sent = sorted(rows_of("note", DAY), key=lambda row: row["id"])
    sent[0]["word_codes"], sent[1]["word_codes"] = b"", None
    index.replace("note", [DAY], sent)
    for found, row in zip(index.read().to_pylist(), sent, strict=True):
        assert np.array_equal(np.float32(found.pop("vector")), row["vector"])
        assert found == {key: value for key, value in row.items() if key != "vector"}
    known = index.known_vectors("note", [DAY])
    assert {key: one.search_text for key, one in known.items()} == {row["id"]: row["search_text"] for row in sent}
    assert all(np.array_equal(one.vector, vector_of(key)) for key, one in known.items())
    assert {key: one.word_codes for key, one in known.items()} == {row["id"]: row["word_codes"] for row in sent}
    assert index.fetch([sent[0]["id"], "no' such"], columns=["day"]).to_pylist() == [{"day": DAY}]


@pytest.mark.filterwarnings("ignore:optimize")
def test_the_digest_is_that_of_the_content(opens: OpensIndex, index: SearchIndex, space: Space) -> None:
    index.replace("note", [DAY], rows_of("note", DAY))
    index.replace("note", [NEXT], rows_of("note", NEXT))
    other = opens(space, model="other", dim=DIM)
    other.replace("note", [NEXT, DAY], rows_of("note", NEXT, DAY)[::-1])
    assert index.digest() == other.digest()
    index.compact(keep=timedelta(0))
    assert index.digest() == other.digest()
    for column, value in (("vector", -vector_of("x")), ("word_codes", b"0123456789abcdef")):
        changed = rows_of("note", DAY)
        changed[0][column] = value
        other.replace("note", [DAY], changed)
        assert index.digest() != other.digest()


def test_a_row_that_moves_to_another_day_keeps_its_id_and_is_there_once(index: SearchIndex) -> None:
    row = indexed([chunk("note", DAY, 0)])[0]
    index.replace("note", [DAY], [row])
    index.replace("note", [NEXT], [{**row, "day": NEXT}])
    index.replace("note", [DAY], [])
    assert index.read(columns=["id", "day"]).to_pylist() == [{"id": row["id"], "day": NEXT}]


def test_a_span_of_scattered_days(index: SearchIndex) -> None:
    days = [(date(2024, 1, 1) + timedelta(days=2 * n)).isoformat() for n in range(100)]
    index.replace("note", days, rows_of("note", *days, count=1))
    index.replace("note", days[:99], rows_of("note", *days[:50], count=1))
    assert index.count() == 51


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
def test_rows_that_do_not_fit_are_refused(index: SearchIndex, change: dict, error: type[Exception]) -> None:
    index.replace("note", [DAY], rows_of("note", DAY))
    before = index.digest()
    with pytest.raises(error):
        index.replace("note", [DAY], [{**rows_of("note", DAY)[0], **change}])
    with pytest.raises(ValueError, match="twice"):
        index.replace("note", [DAY], rows_of("note", DAY) * 2)
    assert index.digest() == before


def test_another_width_is_refused(index: SearchIndex) -> None:
    wide = pa.Table.from_pylist(indexed(chunks("note", DAY, 2), dim=DIM * 2), schema=index_schema(DIM * 2))
    with pytest.raises(DimensionMismatchError, match=r"16 .* 8"):
        index.replace("note", [DAY], wide)
    for query in (np.ones(DIM + 1), np.ones((1, DIM))):
        with pytest.raises(DimensionMismatchError):
            index.search_vectors(query, limit=1, columns=["id"])


def test_models_have_tables_of_their_own(opens: OpensIndex, space: Space) -> None:
    models = [("a-b", 8), ("a_b", 8), ("a-b", 16), ("é", 8)]
    names = [opens(space, model=model, dim=dim).name for model, dim in models]
    assert len(set(names)) == 4


def test_readers_in_other_handles_see_each_commit_and_survive_a_drop(
    opens: OpensIndex, index: SearchIndex, space: Space
) -> None:
    reader = opens(space, model="test-model", dim=DIM)
    for count in (3, 1, 2):
        index.replace("note", [DAY], rows_of("note", DAY, count=count))
        assert reader.count() == count
    index.drop()
    assert (reader.exists(), reader.count(), reader.read().num_rows) == (False, 0, 0)
    index.replace("note", [DAY], rows_of("note", DAY))
    assert reader.count() == 4


def test_vector_search_is_exact_and_ordered(filled: SearchIndex) -> None:
    rows = filled.read(columns=["id", "vector"])
    matrix = np.array(rows.column("vector").to_pylist(), np.float32)
    query = np.random.default_rng(3).normal(size=DIM)
    cosine = matrix @ (query / np.linalg.norm(query))
    expected = [rows.column("id")[int(i)].as_py() for i in np.argsort(-cosine)[:20]]
    for _ in range(TIMES):
        hits = filled.search_vectors(query, limit=20, columns=["id"])
        assert [hit.row["id"] for hit in hits] == expected
        assert [hit.score for hit in hits] == pytest.approx(np.sort(cosine)[::-1][:20], abs=1e-5)
        assert hits.scores.dtype == np.float64


@pytest.mark.parametrize(
    ("options", "keep"),
    [
        ({"sources": ["note"]}, lambda row: row["source"] == "note"),
        ({"days": DAYS[::2]}, lambda row: row["day"] in DAYS[::2]),
        ({"days": DAYS}, lambda row: True),
        ({"day_from": DAYS[70]}, lambda row: row["day"] >= DAYS[70]),
        (
            {"as_of": datetime.fromisoformat(f"{DAYS[2]}T12:00:00+00:00")},
            lambda row: row["day"] <= DAYS[2],
        ),
        ({"day_to": DAYS[9]}, lambda row: row["day"] <= DAYS[9]),
        ({"since": datetime.fromisoformat(f"{DAYS[70]}T12:00:00+00:00")}, lambda row: row["day"] >= DAYS[70]),
        ({"trust": ["own"], "sensitivity": ["private", "normal"]}, lambda row: True),
        ({"known_at": datetime(2020, 1, 1, tzinfo=UTC)}, lambda row: False),
        *(({"speakers": [name]}, lambda row, name=name: row["speakers"] == [name]) for name in SPEAKERS),
        ({"source_ids": ["' OR 1=1 --", "\x00", "%", "\\'", "née"]}, lambda row: False),
        ({"sources": [], "days": DAYS}, lambda row: False),
    ],
)
def test_filters_apply_inside_both_searches(
    opens: OpensIndex, filled: SearchIndex, options: dict, keep: Callable[[dict], bool]
) -> None:
    within = IndexFilter(**options)
    expected = {row["id"] for row in filled.read(columns=["id", "day", "source", "speakers"]).to_pylist() if keep(row)}
    alone = opens(filled.space, model="m", dim=DIM)  # its first searches are the store's own
    for index in (alone, alone, alone, filled):
        by_vector = index.search_vectors(np.ones(DIM), within=within, limit=1000, columns=["id"])
        by_text = index.search_text("running budget zebra phoenix", within=within, limit=1000, columns=["id"])
        assert {hit.row["id"] for hit in by_vector} == {hit.row["id"] for hit in by_text} == expected
        few = index.search_vectors(np.ones(DIM), within=within, limit=3, columns=["id"])
        assert few.rows.column("id").to_pylist() == by_vector.rows.column("id").to_pylist()[:3]
    assert {row["id"] for row in filled.read(within, ["id"]).to_pylist()} == expected
    assert filled.count(within) == len(expected)


@pytest.mark.parametrize(
    "query",
    [
        "",
        "  \n\t ",
        "the and of",
        "'; DROP TABLE chunks; --",
        "' OR '1'='1",
        'AND OR NOT "unclosed (paren* ~2 ^3 field:value +must -not',
        "🙂🙃 👩‍👩‍👧",
        "a\x00b \ud800 \uffff",
        "budget " * 15_000,
        "x" * 100_000,
        " ".join(f"w{n}" for n in range(20_000)),
    ],
    ids=lambda query: ascii(query[:12]),
)
def test_no_query_text_raises(filled: SearchIndex, query: str) -> None:
    hits = filled.search_text(query, within=IndexFilter(sources=["note"]), limit=3, columns=["id", "source"])
    assert all(hit.row["source"] == "note" for hit in hits)


def test_odd_limits_and_vectors(filled: SearchIndex) -> None:
    for _ in range(TIMES):
        assert not len(filled.search_vectors(np.ones(DIM), limit=0, columns=["id"]))
        assert len(filled.search_vectors(np.ones(DIM), limit=10_000, columns=["id"])) == len(DAYS)
    assert not len(filled.search_text("budget", limit=-1, columns=["id"]))
    assert len(filled.search_vectors(np.zeros(DIM), limit=3, columns=["id"])) <= 3
    with pytest.raises(ValueError, match="NaN"):
        filled.search_vectors(np.full(DIM, np.nan), limit=3, columns=["id"])


def test_blocks_hold_every_row_once(filled: SearchIndex, index: SearchIndex) -> None:
    columns = ["id", "search_text"]
    found = pa.Table.from_batches(list(filled.batches(columns)))
    assert found.sort_by("id").to_pylist() == filled.read(columns=columns).to_pylist()
    assert list(index.batches(columns)) == []


def test_fetching_reaches_beside_but_never_outside(filled: SearchIndex) -> None:
    row = filled.read(columns=["id", "source_id", "position", "day"]).sort_by("position").to_pylist()[42]
    stretch = Stretch(row["source_id"], row["position"] - 2, row["position"] + 1)
    beside = filled.fetch([row["id"]], stretches=[stretch], columns=["position"]).column("position").to_pylist()
    assert sorted(beside) == [40, 42]  # the odd ones are of another source
    within = IndexFilter(day_from=row["day"])
    found = filled.fetch([row["id"]], stretches=[stretch], within=within, columns=["position"])
    assert found.to_pylist() == [{"position": 42}]
    assert filled.fetch([row["id"]], within=IndexFilter(sources=[])).num_rows == 0


def test_the_version_grows_with_each_commit_and_compaction_changes_no_content(index: SearchIndex) -> None:
    versions = [index.version()]
    for count in (3, 2, 4):
        index.replace("note", [DAY], rows_of("note", DAY, count=count))
        versions.append(index.version())
    assert versions == sorted(set(versions))
    digest = index.digest()
    index.compact()
    assert (index.digest(), index.count()) == (digest, 4)
