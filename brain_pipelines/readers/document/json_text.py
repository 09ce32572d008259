"""Reader of JSON and JSON lines: one line `path: value` per leaf, one block per top-level entry or line.

Every leaf is read; broken JSON lines are left out and reported. Chat exports are read in `readers/chat`.
"""

import json
import re
from collections.abc import Iterator
from datetime import datetime, tzinfo
from pathlib import Path
from typing import Any

from brain_pipelines.readers.dates import DATE_KEYS, LOOK_BYTES, beginning
from brain_pipelines.readers.event_time import parse_time
from brain_pipelines.readers.extracted import Block, Extracted
from brain_pipelines.readers.formats import Format
from brain_pipelines.readers.text_reader import TextReader
from brain_retrieval.errors import BadInputError

MAX_DEPTH = 200


def parse_json(text: str) -> Any:
    """Return the value of a JSON text.

    Raises:
        BadInputError: if it is invalid, with line and column, or nested too deeply.
    """
    try:
        return json.loads(text.removeprefix("\ufeff"))
    except json.JSONDecodeError as error:
        raise BadInputError(f"not valid JSON: {error.msg} at line {error.lineno}, column {error.colno}") from None
    except RecursionError:
        raise BadInputError("JSON nested too deeply") from None
    except ValueError as error:  # a number of thousands of digits
        raise BadInputError(f"not valid JSON: {str(error)[:120]}") from None


def read_json(text: str) -> Extracted:
    """Return a decoded JSON document as lines like `customer.address.city: Bern`."""
    value = parse_json(text)
    return Extracted("json", list(_blocks(value)), _title(value))


def read_json_lines(text: str) -> Extracted:
    """Return one block per line of a JSON lines file; broken lines are repairs, but an error if all are broken."""
    blocks: list[Block] = []
    repairs: list[str] = []
    position = 0
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip():
            try:
                lines = "\n".join(_leaves(parse_json(line), "", 0))
                blocks.append(Block(lines, "data", position, position + len(line)))
            except BadInputError as error:
                repairs.append(f"line {number} left out: {error}")
        position += len(line) + 1
    if not blocks:
        raise BadInputError(repairs[0] if repairs else "no text in the file")
    return Extracted("jsonl", blocks, repairs=repairs[:20])


def _title(value: Any) -> str:
    found = [value.get(key) for key in ("title", "name", "subject")] if isinstance(value, dict) else []
    return next((name for name in found if name and isinstance(name, str)), "")


def _blocks(value: Any) -> Iterator[Block]:
    """Yield one block with the leaves of the top level, then one per nested entry with its path as section."""
    if not isinstance(value, dict):
        entries = [(f"[{n}]", entry) for n, entry in enumerate(value)] if isinstance(value, list) else [("", value)]
    else:
        entries = [(str(key), entry) for key, entry in value.items()]
    leaves = [line for key, entry in entries if not _nested(entry) for line in _leaves(entry, key, 0)]
    if leaves:
        yield Block("\n".join(leaves), "data")
    for key, entry in entries:
        if _nested(entry):
            yield Block("\n".join(_leaves(entry, key, 0)), "data", section=key)


def _nested(value: Any) -> bool:
    return isinstance(value, dict | list) and bool(value)


def _leaves(value: Any, path: str, depth: int) -> Iterator[str]:
    if depth > MAX_DEPTH:
        raise BadInputError("JSON nested too deeply")
    if isinstance(value, dict) and value:
        for key, entry in value.items():
            yield from _leaves(entry, f"{path}.{key}" if path else str(key), depth + 1)
    elif isinstance(value, list) and value:
        if all(isinstance(entry, str | int | float) for entry in value) and sum(len(str(e)) for e in value) < 200:
            yield f"{path}: {', '.join(_scalar(entry) for entry in value)}"
            return
        for n, entry in enumerate(value):
            yield from _leaves(entry, f"{path}[{n}]", depth + 1)
    else:
        yield f"{path}: {_scalar(value)}" if path else _scalar(value)


def _scalar(value: Any) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "none" if value is None or value in ([], {}) else str(value)


def json_date(path: Path, zone: tzinfo) -> datetime | None:
    """Return the date in the top-level keys of a small JSON object."""
    head = beginning(path)
    value = json.loads(head) if len(head) < LOOK_BYTES else None
    found = (parse_time(value.get(key), zone) for key in DATE_KEYS) if isinstance(value, dict) else iter(())
    return next((date for date in found if date), None)


def _shape(start: bytes, complete: bool) -> str | None:
    """Return "json", "jsonl" or None for the beginning of a text."""
    if start[:1] not in b"{[":
        return None
    lines = [line for line in start.split(b"\n") if line.strip()]
    objects = [_is_object(line) for line in (lines if complete else lines[:-1])[:50]]
    # A single broken line is tolerated; the lines of a pretty-printed value are not whole objects.
    if len(objects) > 1 and sum(objects) * 2 > len(objects):
        return "jsonl"
    if not complete:
        return "json" if re.match(rb'\{\s*"|\[\s*[\[{"\d\-tfn\]]', start) else None
    try:
        json.loads(start)
    except RecursionError:
        return "json"  # only JSON is nested so deeply
    except ValueError:
        return "jsonl" if any(objects) else None
    return "json"


def _is_object(line: bytes) -> bool:
    try:
        return isinstance(json.loads(line), dict)
    except (ValueError, RecursionError):
        return False


FORMATS = (
    Format(
        "json",
        "application/json",
        "JSON",
        family="data",
        suffixes=(".json", ".jsonl"),
        promised=True,
        as_text=True,
        shape=lambda start, complete: _shape(start, complete) == "json",
        read=TextReader(read_json),
        date_of=json_date,
        date_from="content",
    ),
    Format(
        "jsonl",
        "application/x-ndjson",
        "JSON lines",
        family="data",
        suffixes=(".jsonl", ".json"),
        promised=True,
        as_text=True,
        shape=lambda start, complete: _shape(start, complete) == "jsonl",
        read=TextReader(read_json_lines),
    ),
)
