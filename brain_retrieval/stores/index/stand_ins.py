"""Stand-ins for parts of a library that loads more than is used: the real part is loaded when it is used."""

import sys
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from importlib import import_module
from importlib.util import find_spec, module_from_spec
from types import ModuleType
from typing import Any


class _Later(type):
    """A class or function of a module that is loaded when it is called, asked for an attribute, or compared with."""

    _module: str

    def __call__(cls, *given: Any, **named: Any) -> Any:
        return _loaded(cls)(*given, **named)

    def __getattr__(cls, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return getattr(_loaded(cls), name)

    def __instancecheck__(cls, one: object) -> bool:
        return isinstance(one, _loaded(cls))

    def __subclasscheck__(cls, one: type) -> bool:
        return issubclass(one, _loaded(cls))


def _loaded(later: _Later) -> Any:
    return getattr(import_module(later._module), later.__name__)


def stand_in(module: str, name: str) -> Any:
    """Return what stands in for a class or function of a module until it is used.

    Raises:
        AttributeError: for a name that the import machinery asks for, such as `__path__`.
    """
    if name.startswith("__"):
        raise AttributeError(name)
    return _Later(name, (), {"_module": module})


@contextmanager
def standing_in(modules: Iterable[str]) -> Iterator[None]:
    """Give those who import a name from one of the modules meanwhile a stand-in. Modules that are loaded stay."""
    ours = {name: _named(name) for name in modules if name not in sys.modules}
    sys.modules.update(ours)
    try:
        yield
    finally:
        for name, module in ours.items():
            if sys.modules.get(name) is module:
                del sys.modules[name]


def _named(name: str) -> ModuleType:
    module = ModuleType(name)
    module.__path__ = []  # the modules below it stand in too
    module.__dict__["__getattr__"] = lambda asked: stand_in(name, asked)
    return module


def put_off(package: str) -> None:
    """Let modules of `package` be imported without its `__init__`, which runs when a name of the package is used."""
    spec = None if package in sys.modules else find_spec(package)
    if spec is None or spec.loader is None:
        return
    loader, module, once = spec.loader, module_from_spec(spec), threading.RLock()

    def load(name: str) -> Any:
        with once:
            if module.__dict__.get("__getattr__") is load:
                del module.__dict__["__getattr__"]
                loader.exec_module(module)
        return getattr(module, name)

    module.__dict__["__getattr__"] = load
    sys.modules[package] = module
