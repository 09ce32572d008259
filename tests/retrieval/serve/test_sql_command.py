"""`brain sql`: what it prints and writes."""

import json
from pathlib import Path

import pyarrow.parquet as pq
import typer
from typer.testing import CliRunner, Result

from brain_retrieval.serve.sql_cli import register

app = typer.Typer()
register(app)
ROWS = "SELECT * FROM (VALUES (1, 'a [b]', [1, 2], 'nan'::DOUBLE), (2, NULL, [], 0.5)) AS t(n, name, list, real)"


def run(library: Path, *arguments: str) -> Result:
    command = [*arguments, "--user", "alice", "--home", str(library)]
    return CliRunner().invoke(app, command, env={"COLUMNS": "80"})


def test_rows_are_printed_as_a_table_and_wide_ones_below_each_other(library: Path) -> None:
    done = run(library, ROWS)
    assert done.exit_code == 0 and "a [b]" in done.stdout and "[1, 2]" in done.stdout and "2 rows in" in done.stderr
    wide = run(library, "SELECT " + ", ".join(f"{n} AS column_{n}" for n in range(12))).stdout
    assert "column_11  11" in wide
    assert "the first 50 of 60 rows" in run(library, "SELECT * FROM range(60)").stderr


def test_json_csv_and_parquet_hold_all_rows(library: Path, tmp_path: Path) -> None:
    answer = json.loads(run(library, ROWS, "--json").stdout)
    assert answer["rows"][0] == {"n": 1, "name": "a [b]", "list": [1, 2], "real": None}
    assert run(library, ROWS, "--csv").stdout.splitlines()[:2] == ['"n","name","list","real"', '1,"a [b]","[1, 2]",nan']
    file = tmp_path / "out.parquet"
    assert run(library, ROWS, "--parquet", str(file)).exit_code == 0
    assert pq.read_table(file).column("n").to_pylist() == [1, 2] and list(tmp_path.iterdir()) == [file]


def test_views_are_listed_without_a_user(library: Path) -> None:
    done = CliRunner().invoke(app, ["--tables"], env={"COLUMNS": "80"})
    assert done.exit_code == 0 and "memories  statements" in done.stdout and "memory_id VARCHAR" in done.stdout
    views = json.loads(CliRunner().invoke(app, ["--tables", "--json"]).stdout)["views"]
    assert next(view for view in views if view["name"] == "costs")["columns"]["money"] == "DOUBLE"


def test_mistakes_are_usage_errors(library: Path) -> None:
    assert CliRunner().invoke(app, ["SELECT 1"]).exit_code == 2
    assert run(library, "SELECT 1", "--csv", "--json").exit_code == 2
    unknown = run(library, "SELECT memory_txt FROM memories").stderr
    assert '"memory_txt" not found' in unknown and '"memory_id"' in unknown
    refused = run(library, "DROP VIEW text", "--json")
    assert refused.exit_code == 2 and json.loads(refused.stdout)["error"] == "InvalidQueryError"
