"""Whether JSON lines are the rows of a table: what programs export of stock, bookings and measurements is no chat."""

import json
from typing import Any

from brain_pipelines.readers.chat.chat_message import RESULT_KEYS, TEXT_KEYS

LOOK_LINES = 50


def is_table(head: bytes) -> bool:
    r"""Return whether all whole lines of the beginning of JSON lines are objects of single values, and no messages.

    Args:
        head: the beginning of the file; its last line may be cut off.

    >>> [is_table(one) for one in (b'{"item": "Rake", "price": 12.5}\n', b'{"text": "Hi", "from": "Ann"}\n')]
    [True, False]
    """
    values = [_value(line) for line in head.split(b"\n")[:LOOK_LINES] if line.strip()]
    rows = [value for value in values if isinstance(value, dict)]
    return bool(rows) and all(_is_row(row) for row in rows)


def _is_row(row: dict[str, Any]) -> bool:
    said = any(key in row for key in (*TEXT_KEYS, *RESULT_KEYS))
    return not said and not any(isinstance(value, (list, dict)) for value in row.values())


def _value(line: bytes) -> Any:
    try:
        return json.loads(line)
    except (ValueError, RecursionError):
        return None
