"""Imports Dagster without Alembic and without its daemons: a fifth of the CPU time of loading it for a run.

Alembic makes and migrates Dagster's tables. Its package loads the dialects of five databases, and by its templates the
lexers of a highlighter. The record of a daemon's heartbeat lies in the package of all daemons. Both are loaded when one
is used: a database is made, opened by Dagster's own class, or migrated.
"""

import sys
import threading
from importlib import import_module

from brain_retrieval.stores.index.stand_ins import put_off, standing_in

DAEMONS = "dagster._daemon"
ALEMBIC = (
    "alembic",
    "alembic.command",
    "alembic.config",
    "alembic.runtime",
    "alembic.runtime.environment",
    "alembic.runtime.migration",
    "alembic.script",
)
STORAGE = "dagster._core.storage.sql"
_LOCK = threading.Lock()


def import_dagster() -> None:
    """Load Dagster and the base of its storages, if they are not loaded yet."""
    with _LOCK:
        import_module("dagster")
        if DAEMONS not in sys.modules:
            put_off(DAEMONS)
        if STORAGE not in sys.modules:
            with standing_in(ALEMBIC):
                import_module(STORAGE)
