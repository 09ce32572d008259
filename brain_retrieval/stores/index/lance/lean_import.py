"""Imports LanceDB without the client for remote catalogues, which a store of files never calls.

`lancedb` imports that client's request models, 147 modules, and with them its package, whose interfaces check the
signatures of hundreds of methods when they are defined: two thirds of the CPU time of `import lancedb`. Both are loaded
when one is used. LanceDB's own methods are not compared with those they override, as on Python 3.12 and later.
"""

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from types import ModuleType
from typing import Any

from brain_retrieval.stores.index.stand_ins import put_off, stand_in

CLIENT = "lance_namespace_urllib3_client"
MODELS = f"{CLIENT}.models"
_LOCK = threading.Lock()


def import_lancedb() -> ModuleType:
    """Return the module `lancedb`."""
    with _LOCK:
        if "lancedb" not in sys.modules:
            put_off(CLIENT)
            put_off(MODELS)
            with _models_built_later(), _models_loaded_later(), _overrides_not_compared():
                return import_module("lancedb")
    import lancedb

    return lancedb


@contextmanager
def _models_loaded_later() -> Iterator[None]:
    """Give those who import a model from the package meanwhile a class in its place, which loads it."""
    package = sys.modules.get(MODELS)
    load = package.__dict__.get("__getattr__") if package is not None else None
    if package is None or load is None:  # it is not there, or was loaded before
        yield
        return
    package.__dict__["__getattr__"] = partial(stand_in, MODELS)
    try:
        yield
    finally:
        package.__dict__["__getattr__"] = load


@contextmanager
def _models_built_later() -> Iterator[None]:
    """Build the validators of models that are defined meanwhile at their first use, in whichever thread."""
    from pydantic import BaseModel

    before = BaseModel.model_config
    BaseModel.model_config = {**before, "defer_build": True}
    try:
        yield
    finally:
        BaseModel.model_config = before


@contextmanager
def _overrides_not_compared() -> Iterator[None]:
    """Let `@override` of the library `overrides` only mark methods that are defined meanwhile, as that of `typing`."""
    if find_spec("overrides") is None:
        yield
        return
    decorator: Any = import_module("overrides.overrides")
    before = decorator._overrides
    decorator._overrides = _marked
    try:
        yield
    finally:
        decorator._overrides = before


def _marked(method: Any, *_checks: bool) -> Any:
    method.__override__ = True
    return method
