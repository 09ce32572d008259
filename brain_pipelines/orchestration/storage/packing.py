"""Events in their short form (`engine/packed_events.py`) in a database of Dagster, written and read by its own classes.

Dagster serialises an event in a dozen places and reads it back in two dozen, so both happen where a database is spoken
to: each text that goes into it and is an event is packed, each text that comes from it and is packed is unpacked.
"""

from collections.abc import Callable
from typing import Any

from sqlalchemy import event
from sqlalchemy.engine import Engine

from brain_pipelines.engine.packed_events import pack, unpack

_POSTGRES_TEXT = (25, 1043)  # text, varchar


def pack_events(engine: Engine) -> None:
    """Let an engine of SQLite or PostgreSQL store events in the short form; it reads those stored otherwise, too."""
    event.listen(engine, "before_cursor_execute", _pack_parameters, retval=True)
    event.listen(engine, "connect", _unpack_texts if engine.dialect.name == "sqlite" else _unpack_postgres)


def _pack_parameters(
    _connection: Any, _cursor: Any, statement: str, parameters: Any, _context: Any, _many: bool
) -> tuple[str, Any]:
    return statement, _packed(parameters)


def _packed(value: Any) -> Any:
    """Return the parameters of a statement, or of many, with events packed."""
    if isinstance(value, str):
        return pack(value) if value.startswith("{") else value
    if isinstance(value, dict):
        return {name: _packed(one) for name, one in value.items()}
    if isinstance(value, list | tuple):
        return type(value)(map(_packed, value))
    return value


def _unpack_texts(connection: Any, _record: Any) -> None:
    connection.text_factory = _text_of


def _text_of(stored: bytes) -> str:
    return unpack(stored.decode())


def _unpack_postgres(connection: Any, _record: Any) -> None:
    from psycopg2.extensions import UNICODE, new_type, register_type  # only with the extra that brings PostgreSQL

    read: Callable[[Any, Any], Any] = UNICODE

    def text_of(stored: Any, cursor: Any) -> str | None:
        text = read(stored, cursor)
        return None if text is None else unpack(text)

    register_type(new_type(_POSTGRES_TEXT, "PACKED_TEXT", text_of), connection)
