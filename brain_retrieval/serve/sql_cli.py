"""The command `sql`: one SELECT over what is stored of one user, as a table, JSON, CSV or Parquet."""

import json
import math
import os
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from brain_retrieval.errors import InvalidQueryError
from brain_retrieval.home import default_home
from brain_retrieval.serve import complete
from brain_retrieval.serve.cli import HomeOption, JsonOption, answers_errors

if TYPE_CHECKING:
    import pyarrow as pa

SHOWN_ROWS, SHOWN_CHARS = 50, 200
COLUMN_WIDTH = 12  # with less for each column, rows are printed one below the other


def register(app: typer.Typer) -> None:
    """Add the command to `app`."""
    app.command()(answers_errors(sql))


def sql(
    query: Annotated[
        str | None, typer.Argument(help="One SELECT in the SQL of DuckDB; - reads standard input.")
    ] = None,
    user: Annotated[
        str | None,
        typer.Option("--user", "-u", autocompletion=complete.users, help="User id: 1–40 of a–z, 0–9 and '-'."),
    ] = None,
    tables: Annotated[bool, typer.Option("--tables", help="List the views and their columns.")] = False,
    csv: Annotated[bool, typer.Option("--csv", help="Print CSV.")] = False,
    parquet: Annotated[Path | None, typer.Option("--parquet", help="Write a Parquet file.", dir_okay=False)] = None,
    seconds: Annotated[float, typer.Option("--seconds", min=0.1, help="Time limit.")] = 60.0,
    megabytes: Annotated[int, typer.Option("--megabytes", min=64, help="Limit of memory and of the result.")] = 1024,
    home: HomeOption = None,
    as_json: JsonOption = False,
) -> None:
    """Ask one user's data in SQL: sources, memories, entities, relations, costs, ledger. Reads that user alone."""
    if tables:
        _print_views(as_json=as_json)
        return
    if query is None or user is None:
        raise InvalidQueryError("give a QUERY and --user, or --tables")
    if as_json + csv + (parquet is not None) > 1:
        raise InvalidQueryError("give one of --json, --csv and --parquet")
    from brain_retrieval.brain import Brain

    asked = sys.stdin.read() if query == "-" else query
    with Brain.open((home or default_home()).expanduser().resolve(), user=user) as brain:
        began = time.perf_counter()
        found = brain.sql(asked, seconds=seconds, megabytes=megabytes)
        took = time.perf_counter() - began
    if parquet is not None:
        _write_parquet(found, parquet)
        _say(f"{found.num_rows:,} rows, {found.num_columns} columns in {parquet}")
    elif csv:
        from pyarrow.csv import write_csv

        write_csv(_flat(found), sys.stdout.buffer)
    elif as_json:
        rows = _finite(found.to_pylist())
        value = {"user": user, "columns": found.column_names, "rows": rows, "seconds": round(took, 3)}
        typer.echo(json.dumps(value, ensure_ascii=False, indent=2, default=_plain))
    else:
        _print_rows(found)
        _say(f"{found.num_rows:,} row{'' if found.num_rows == 1 else 's'} in {took:.2f} s")


def _plain(value: Any) -> Any:
    if isinstance(value, bytes):
        return value.hex()
    return value.isoformat() if hasattr(value, "isoformat") else str(value)


def _finite(value: Any) -> Any:
    """Return a value of JSON with null for what JSON has no number for."""
    if isinstance(value, dict):
        return {str(key): _finite(one) for key, one in value.items()}
    if isinstance(value, list):
        return [_finite(one) for one in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _flat(found: "pa.Table") -> "pa.Table":
    """Return a table whose lists and records are JSON texts: CSV has none."""
    import pyarrow as pa

    columns = [
        pa.array([None if value is None else _cell(value) for value in column.to_pylist()], pa.string())
        if pa.types.is_nested(column.type) or pa.types.is_binary(column.type) or pa.types.is_large_binary(column.type)
        else column
        for column in found.columns
    ]
    return pa.table(columns, names=found.column_names)


def _cell(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, dict | list):
        return json.dumps(value, ensure_ascii=False, default=_plain)
    return value if isinstance(value, str) else _plain(value) if hasattr(value, "isoformat") else str(value)


def _write_parquet(found: "pa.Table", path: Path) -> None:
    """Write a file that appears as a whole."""
    import pyarrow.parquet as pq

    draft = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        pq.write_table(found, draft, compression="zstd")
        draft.replace(path)
    finally:
        draft.unlink(missing_ok=True)


def _print_rows(found: "pa.Table") -> None:
    console = Console(highlight=False)
    rows = found.slice(0, SHOWN_ROWS).to_pylist()
    if found.num_columns * COLUMN_WIDTH <= (console.width or 80):
        table = Table(box=SIMPLE_HEAD, show_edge=False, padding=(0, 1, 0, 0))
        for name in found.column_names:
            table.add_column(escape(name), overflow="fold")
        for row in rows:
            table.add_row(*(escape(_short(row[name])) for name in found.column_names))
        console.print(table)
    else:
        widest = max(map(len, found.column_names))
        for row in rows:
            for name in found.column_names:
                console.print(f"[dim]{escape(name):{widest}}[/]  {escape(_short(row[name]))}", soft_wrap=True)
            console.print()
    if found.num_rows > SHOWN_ROWS:
        _say(f"the first {SHOWN_ROWS} of {found.num_rows:,} rows; --csv, --json or --parquet FILE has all of them")


def _short(value: Any) -> str:
    text = " ".join(_cell(value).split())
    return text if len(text) <= SHOWN_CHARS else text[: SHOWN_CHARS - 1] + "…"


def _print_views(*, as_json: bool) -> None:
    from brain_retrieval.query.sql.run import sql_views

    views = sql_views()
    if as_json:
        typer.echo(json.dumps({"views": [view.to_json() for view in views]}, ensure_ascii=False, indent=2))
        return
    console = Console(highlight=False)
    for view in views:
        console.print(f"[bold]{view.name}[/]  [dim]{escape(view.about)}[/]")
        columns = ", ".join(f"{name} {_kind(kind)}" for name, kind in view.columns.items())
        console.print(f"  {escape(columns)}\n")


def _kind(kind: str) -> str:
    """Return a type as it is shown: records by their outer form alone."""
    plain = kind.replace("TIMESTAMP WITH TIME ZONE", "TIMESTAMPTZ")
    return f"STRUCT{plain[plain.rindex(')') + 1 :]}" if plain.startswith("STRUCT") else plain


def _say(text: str) -> None:
    Console(stderr=True, highlight=False).print(f"[dim]{escape(text)}[/]", soft_wrap=True)
