"""`Brain.sql`: the views of one user, and nothing else of the machine by any means that SQL has."""

import shutil
from pathlib import Path

import pytest

from brain_retrieval import Brain, InvalidQueryError
from brain_retrieval.home import Home
from brain_retrieval.models.chat.chat_costs import CostLedger, CostRow
from brain_retrieval.query.sql.run import sql_views
from brain_retrieval.stores.catalog import Catalog
from brain_retrieval.stores.lake import Lake
from tests.retrieval.library import RECEIVED
from tests.retrieval.stores.rows import chunks, document

DAY = "2026-01-05"
SECRET = "the door code of bob is 4471"


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Alice has two chunks and a text; bob has a text that alice must not see."""
    root = Home(tmp_path_factory.mktemp("sql"))
    for user, text in (("alice", "Alice lives in Lisbon."), ("bob", SECRET)):
        space = root.space(user).create()
        with Catalog(space) as catalog:
            lake = Lake(space, catalog)
            lake.replace("chunks", "note", DAY, chunks("note", DAY, 2))
            lake.replace("text", "note", DAY, [document("note", DAY, "item0") | {"text": text}])
    (root.path / "brain.toml").write_text("# settings with passwords")
    with CostLedger(root.space("alice")) as costs:
        sums = {"input_tokens": 10, "output_tokens": 2, "seconds": 0.5, "money": 0.25, "cached": 0}
        costs.add([CostRow.of("r", at=RECEIVED, model="m", task="ask", source="", stage="ask", **sums)])
    return root.path


@pytest.fixture
def brain(home: Path):
    with Brain.open(home, user="alice") as opened:
        yield opened


def test_views_join_and_take_parameters(brain: Brain) -> None:
    sql = "SELECT s.title, count(*) AS n FROM sources AS s JOIN chunks USING (source_id) WHERE s.day = ? GROUP BY 1"
    assert brain.sql(sql, [DAY]).column("n").to_pylist() == [2]
    assert brain.sql("SELECT text FROM text").to_pylist() == [{"text": "Alice lives in Lisbon."}]
    assert brain.sql("SELECT task, money, cached FROM costs").to_pylist() == [
        {"task": "ask", "money": 0.25, "cached": False}
    ]
    empty = ("entities", "relations", "storylines", "ledger", "quarantine", "memories")
    counts = brain.sql(" UNION ALL ".join(f"SELECT count(*) AS n FROM {name}" for name in empty))
    assert counts.column("n").to_pylist() == [0] * len(empty)


def test_names_of_a_query_count_inside_it(brain: Brain) -> None:
    nested = (
        "WITH few AS (WITH one AS (SELECT 7 AS n) FROM one), more AS (FROM few) SELECT n FROM more, few AS again(m)"
    )
    assert brain.sql(nested).to_pylist() == [{"n": 7}]
    assert brain.sql("SELECT (WITH most AS (SELECT count(*) AS n FROM chunks) SELECT n FROM most) AS n")["n"][0].as_py()


def test_every_view_is_described_and_can_be_read(brain: Brain) -> None:
    views = sql_views()
    assert {"sources", "memories", "entities", "relations", "costs", "ledger"} <= {view.name for view in views}
    counted = brain.sql(" UNION ALL ".join(f"SELECT count(*) AS n FROM {view.name}" for view in views))
    assert counted.num_rows == len(views)
    for name in ("sources", "memories", "costs"):
        (view,) = [one for one in views if one.name == name]
        assert brain.sql(f"FROM {name} LIMIT 1").column_names == list(view.columns)


BOB = "{home}/users/bob/lake/**/*.parquet"
OUTSIDE = (
    f"SELECT * FROM read_parquet('{BOB}')",
    f"SELECT * FROM '{BOB}'",
    f'FROM "{BOB}"',
    f"SELECT * FROM parquet_scan('{BOB}')",
    f"SELECT * FROM parquet_metadata('{BOB}')",
    f"SELECT * FROM query('SELECT * FROM read_parquet(''{BOB}'')')",
    f"SELECT * FROM query_table('{BOB}')",
    f"SELECT (SELECT count(*) FROM read_parquet('{BOB}'))",
    f"WITH bob AS (SELECT * FROM read_parquet('{BOB}')) SELECT * FROM bob",
    f"SELECT * FROM text UNION ALL SELECT * FROM read_parquet('{BOB}')",
    "SELECT * FROM read_parquet('{home}/users/alice/../bob/lake/text/note/*/*.parquet')",
    "SELECT * FROM read_parquet('{home}/users/alice/lake/text/note/*/*.parquet')",  # views alone, not files
    "SELECT * FROM glob('{home}/**')",
    "SELECT * FROM read_text('{home}/brain.toml')",
    "SELECT * FROM read_blob('{home}/users/bob/catalog.sqlite')",
    "SELECT * FROM read_csv('/etc/passwd')",
    "SELECT * FROM read_json('/proc/self/environ')",
    "SELECT * FROM sniff_csv('/etc/passwd')",
    "SELECT * FROM read_parquet('http://127.0.0.1:1/x.parquet')",
    "SELECT * FROM read_parquet('s3://bucket/x.parquet')",
    "SELECT * FROM sqlite_scan('{home}/users/bob/catalog.sqlite', 'lake_file')",
    "SELECT json_execute_serialized_sql(json_serialize_sql('SELECT 1'))",
    "SELECT * FROM json_execute_serialized_sql(json_serialize_sql('FROM glob(''/*'')'))",
    "SELECT * FROM duckdb_settings()",
    "SELECT * FROM duckdb_secrets()",
    "SELECT * FROM duckdb_views()",
    "SELECT * FROM enable_logging('QueryLog', storage = 'file')",
    "SELECT * FROM enable_profiling(save_location = '{home}/leak.json')",
    "ATTACH '{home}/users/bob/catalog.sqlite' AS bob (TYPE sqlite)",
    "ATTACH '{home}/new.duckdb' AS fresh",
    "COPY text TO '{home}/leak.parquet'",
    "COPY (SELECT 1) TO '{home}/leak.csv'",
    "EXPORT DATABASE '{home}/leak'",
    "IMPORT DATABASE '{home}'",
    "INSTALL httpfs",
    "LOAD httpfs",
    "FORCE INSTALL httpfs FROM 'http://127.0.0.1:1'",
    "PRAGMA database_list",
    "PRAGMA enable_profiling",
    "CALL pragma_version()",
    "SET enable_external_access = true",
    "RESET lock_configuration",
    "SET allowed_directories = ['/']",
    "CREATE TABLE t AS SELECT 1",
    "CREATE MACRO text() AS TABLE SELECT 1",
    "INSERT INTO text SELECT * FROM text",
    "DELETE FROM text",
    "DROP VIEW text",
    "CREATE SECRET s (TYPE s3)",
    "EXPLAIN ANALYZE COPY text TO '{home}/leak.parquet'",
    "PREPARE p AS SELECT 1",
    "SELECT 1; COPY text TO '{home}/leak.parquet'",
    "SELECT * FROM rows",  # a variable of Python
    "SELECT * FROM brain",
    "SELECT * FROM information_schema.tables",
    "SELECT * FROM other.text",
    # What `WITH` names in one query is no table of another, where it would be a view of DuckDB or a file.
    "SELECT sql FROM (WITH sqlite_master AS (SELECT 1) SELECT 1) AS inner, sqlite_master",
    'SELECT * FROM (WITH "{home}/brain.toml" AS (SELECT 1) SELECT 1) AS inner, "{home}/brain.toml"',
    "SELECT current_setting('allowed_paths')",
    "SELECT text FROM text WHERE current_setting('secret_directory') <> ''",
    "SELECT write_log('x')",
    "SELECT * FROM arrow_scan(1, 2, 3)",
    "",
    "SELEC nonsense",
)


@pytest.mark.parametrize("sql", OUTSIDE)
def test_nothing_but_the_views_can_be_read_and_nothing_written(home: Path, brain: Brain, sql: str) -> None:
    rows = brain  # none of these names is a table
    assert rows is brain
    before = sorted(home.rglob("*"))
    with pytest.raises(InvalidQueryError):
        brain.sql(sql.replace("{home}", str(home)))
    assert [path for path in sorted(home.rglob("*")) if path not in before] == []


def test_the_connection_alone_keeps_a_query_from_other_files(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the check of the statement, DuckDB itself refuses: two walls, each tested."""
    monkeypatch.setattr("brain_retrieval.query.sql.run._check", lambda *_: None)
    refused = [sql for sql in OUTSIDE if "{home}" in sql or "/etc" in sql or "httpfs" in sql][::2]
    with Brain.open(home, user="alice") as opened:
        for sql in refused:
            try:
                shown = str(opened.sql(sql.replace("{home}", str(home))).to_pylist())
            except InvalidQueryError:
                continue
            assert SECRET not in shown and "root:" not in shown, sql
    assert not list(home.glob("leak*")) and not (home / "new.duckdb").exists()


def test_limits_of_time_memory_and_size(brain: Brain) -> None:
    with pytest.raises(InvalidQueryError, match=r"longer than 0\.2 s"):
        brain.sql("SELECT count(*) FROM range(100000000000)", seconds=0.2)
    with pytest.raises(InvalidQueryError, match=r"longer than 0\.2 s"):  # also while rows are being read
        brain.sql("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) FROM n", seconds=0.2)
    with pytest.raises(InvalidQueryError, match="64 MB of memory"):
        brain.sql("SELECT list(range) FROM range(1000000000)", megabytes=64)
    with pytest.raises(InvalidQueryError, match="more than 1 MB"):
        brain.sql("SELECT range FROM range(1000000)", megabytes=1)


def test_a_link_to_another_user_is_not_followed(home: Path, tmp_path: Path) -> None:
    shutil.copytree(home, tmp_path / "home")
    users = tmp_path / "home" / "users"
    shutil.rmtree(users / "alice")
    (users / "alice").symlink_to(users / "bob")
    with pytest.raises(Exception, match="is a link"):
        Brain.open(tmp_path / "home", user="alice")
