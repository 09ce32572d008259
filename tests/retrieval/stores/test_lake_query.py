"""SQL over the lake sees the current rows of one user, and no other file."""

import pytest

from brain_retrieval.errors import InvalidQueryError
from brain_retrieval.home import Home
from brain_retrieval.stores.catalog import Catalog
from brain_retrieval.stores.lake import Lake
from brain_retrieval.stores.lake_compaction import compact
from brain_retrieval.stores.lake_query import LakeQueries, query
from tests.retrieval.stores.rows import chunks, document

DAYS = ["2026-01-05", "2026-01-06"]


def test_sql_joins_tables_and_ignores_replaced_rows(lake: Lake) -> None:
    lake.replace_many("chunks", "note", {day: chunks("note", day, 4) for day in DAYS})
    lake.replace("text", "note", DAYS[0], [document("note", DAYS[0], "item0")])
    compact(lake, "2026-02")
    lake.replace("chunks", "note", DAYS[1], chunks("note", DAYS[1], 1))
    sql = "SELECT day, count(*) AS n FROM chunks LEFT JOIN facts USING (source_id) GROUP BY chunks.day ORDER BY 1"
    assert query(lake, sql.replace("SELECT day", "SELECT chunks.day")).to_pylist() == [
        {"day": DAYS[0], "n": 4},
        {"day": DAYS[1], "n": 1},
    ]
    joined = query(lake, "SELECT count(*) AS n FROM chunks JOIN text USING (source_id) WHERE chunks.day = ?", DAYS[:1])
    assert joined.to_pylist() == [{"n": 4}]
    last = query(lake, "SELECT max(event_at) AS last FROM chunks").to_pylist()[0]["last"]
    assert last.isoformat() == f"{DAYS[1]}T12:00:00+00:00"


def test_the_names_of_tables_are_found_in_any_case(lake: Lake) -> None:
    lake.replace("chunks", "note", DAYS[0], chunks("note", DAYS[0], 2))
    assert query(lake, 'SELECT count(*) AS n FROM CHUNKS AS c WHERE c."text" IS NOT NULL').to_pylist() == [{"n": 2}]


def test_an_empty_lake_can_be_queried(lake: Lake) -> None:
    assert query(lake, "SELECT count(*) AS n FROM facts").to_pylist() == [{"n": 0}]


def test_sql_cannot_leave_the_lake_of_its_user(lake: Lake) -> None:
    bob = Home(lake.space.home).space("bob").create()
    with Catalog(bob) as catalog:
        Lake(bob, catalog).replace("chunks", "note", DAYS[0], chunks("note", DAYS[0], 2))
    lake.replace("chunks", "note", DAYS[0], chunks("note", DAYS[0], 1))
    for sql in (
        f"SELECT * FROM read_parquet('{bob.lake}/**/*.parquet')",
        f"SELECT * FROM read_parquet('{lake.space.lake}/../../bob/lake/chunks/note/{DAYS[0]}/*.parquet')",
        "SELECT * FROM read_text('/etc/hostname')",
        "SET enable_external_access = true",
        f"COPY chunks TO '{lake.space.home}/leak.parquet'",
        f"COPY chunks TO '{lake.space.lake}/inside.parquet'",
        f"SELECT 1; COPY chunks TO '{lake.space.lake}/inside.parquet'",
        "CREATE TABLE t AS SELECT 1",
        "",
        "SELEC nonsense",
    ):
        with pytest.raises(InvalidQueryError):
            query(lake, sql)


def test_a_table_stays_as_it_was_for_the_queries_of_one_connection(lake: Lake) -> None:
    counted = "SELECT count(*) AS n FROM chunks"
    lake.replace("chunks", "note", DAYS[0], chunks("note", DAYS[0], 1))
    with LakeQueries(lake) as queries:
        assert queries.run(counted).to_pylist() == [{"n": 1}]
        lake.replace("chunks", "note", DAYS[1], chunks("note", DAYS[1], 3))
        assert queries.run(counted).to_pylist() == [{"n": 1}]
        assert queries.run("SELECT count(*) AS n FROM chunks, text").to_pylist() == [{"n": 0}]
        with pytest.raises(InvalidQueryError):
            queries.run("SELECT * FROM read_text('/etc/hostname')")
    assert query(lake, counted).to_pylist() == [{"n": 4}]


def test_connections_of_a_lake_see_nothing_of_each_other_and_time_is_that_of_utc(lake: Lake) -> None:
    lake.replace("chunks", "note", DAYS[0], chunks("note", DAYS[0], 1))
    with LakeQueries(lake) as one, LakeQueries(lake) as other:
        assert one.run("SELECT count(*) AS n FROM chunks").to_pylist() == [{"n": 1}]
        with pytest.raises(InvalidQueryError):
            other.run("SELECT * FROM _chunks_files")
        lake.replace("chunks", "note", DAYS[1], chunks("note", DAYS[1], 3))
        assert other.run("SELECT count(*) AS n FROM chunks").to_pylist() == [{"n": 4}]
        assert one.run("SELECT count(*) AS n FROM chunks").to_pylist() == [{"n": 1}]
        zone = "SELECT current_setting('TimeZone') AS zone, current_setting('enable_progress_bar') AS bar"
        assert other.run(zone).to_pylist() == [{"zone": "UTC", "bar": False}]
