"""Imports spaCy without its command line, which nothing here calls.

`import spacy` imports all of `spacy.cli` for one function, and with it an HTTP client and a reader of project files: a
quarter of the CPU time of the import.
"""

import sys
import threading
from importlib import import_module
from types import ModuleType
from typing import Any

COMMANDS = ("spacy.cli", "spacy.cli.info")
_LOCK = threading.Lock()


def import_spacy() -> ModuleType:
    """Return the module `spacy`; whoever imports `spacy.cli` afterwards gets all of it.

    Raises:
        ModuleNotFoundError: if spaCy is not installed.
    """
    with _LOCK:
        if "spacy" in sys.modules or "spacy.cli" in sys.modules:
            return import_module("spacy")
        instead = {name: ModuleType(name) for name in COMMANDS}
        instead[COMMANDS[-1]].__dict__["info"] = _info
        sys.modules.update(instead)
        try:
            return import_module("spacy")
        finally:
            for name in COMMANDS:
                del sys.modules[name]


def _info(*given: Any, **named: Any) -> Any:
    return import_module("spacy.cli.info").info(*given, **named)
