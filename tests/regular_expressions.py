"""Every regular expression of the packages: those that modules hold, that functions return, and that calls name."""

import ast
import dataclasses
import importlib
import inspect
import itertools
import pkgutil
import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

AT_THE_BEGINNING = frozenset(("match", "fullmatch"))
METHODS = AT_THE_BEGINNING | frozenset("search finditer findall sub subn split".split())
FLAGS_ARE_AT = {"compile": 1, "match": 2, "search": 2, "fullmatch": 2, "findall": 2, "finditer": 2}

_WORD = re.compile(r"\w+")


class Found(NamedTuple):
    """An expression, the place that it was found at, and whether it is tried at the beginning of a text alone."""

    pattern: re.Pattern[Any]
    place: str
    anchored: bool


def expressions(packages: tuple[str, ...]) -> list[Found]:
    """Return every expression of `packages` that needs nothing but its module to be put together."""
    sources = {module: Path(module.__file__ or "").read_text("utf-8") for module in _modules(packages)}
    held = {module: list(_held_by(module)) for module in sources}
    shared = {name for holders in held.values() for name, _ in holders if not name.startswith("_")}
    used: dict[ModuleType, dict[str, set[str]]] = {}
    calls: dict[ModuleType, list[ast.Call]] = {}
    for module, source in sources.items():
        # Parsing takes long; most modules neither hold an expression, nor name one of another, nor call `re`.
        if held[module] or "re." in source or not shared.isdisjoint(_WORD.findall(source)):
            nodes = list(ast.walk(ast.parse(source)))
            used[module] = _uses(nodes)
            calls[module] = [node for node in nodes if isinstance(node, ast.Call) and _is_of_re(node.func)]
    everywhere: dict[str, set[str]] = defaultdict(set)
    for name, methods in itertools.chain.from_iterable(uses.items() for uses in used.values()):
        everywhere[name] |= methods
    found: dict[re.Pattern[Any], Found] = {}
    for module in used:
        for name, pattern in held[module]:
            seen = (used[module] if name.startswith("_") else everywhere).get(name)
            anchored = bool(seen) and seen <= AT_THE_BEGINNING
            found.setdefault(pattern, Found(pattern, f"{module.__name__}.{name}", anchored))
        for called in _called(module, calls[module]):
            found.setdefault(called.pattern, called)
    return list(found.values())


def _held_by(module: ModuleType) -> Iterator[tuple[str, re.Pattern[Any]]]:
    """Yield the expressions of a module, each with the name that holds it."""
    for name, value in vars(module).items():
        for pattern in _held(_returned(module, value)):
            yield name, pattern


def _modules(packages: tuple[str, ...]) -> Iterator[ModuleType]:
    for package in packages:
        root = importlib.import_module(package)
        yield root
        for module in pkgutil.walk_packages(root.__path__, package + "."):
            yield importlib.import_module(module.name)


def _returned(module: ModuleType, value: Any) -> Any:
    """Return what a function of `module` that is declared to return expressions does return, else `value`."""
    function = inspect.unwrap(value) if callable(value) else None
    if not inspect.isfunction(function) or function.__module__ != module.__name__:
        return value
    declared = "Pattern" in str(function.__annotations__.get("return", ""))
    return value() if declared and not inspect.signature(function).parameters else value


def _held(value: Any) -> Iterator[re.Pattern[Any]]:
    if isinstance(value, re.Pattern):
        yield value
    elif type(value) is dict:
        yield from _held([*value, *value.values()])
    elif type(value) in (list, tuple, set, frozenset):
        for item in value:
            yield from _held(item)
    elif dataclasses.is_dataclass(value) and not isinstance(value, type):
        yield from _held([getattr(value, field.name, None) for field in dataclasses.fields(value)])


def _uses(nodes: list[ast.AST]) -> dict[str, set[str]]:
    """Return for every name that is read the methods of an expression that are called on it or on what it returns."""
    methods = {id(node.value): node.attr for node in nodes if isinstance(node, ast.Attribute)}
    methods |= {id(n.func): methods.get(id(n), "") for n in nodes if isinstance(n, ast.Call)} | methods
    uses: dict[str, set[str]] = defaultdict(set)
    for node in nodes:
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            uses[node.id].add(methods.get(id(node), ""))
        elif isinstance(node, ast.Attribute):
            uses[node.attr].add(methods.get(id(node), ""))
    return uses


def _is_of_re(node: ast.expr) -> bool:
    """Return whether `node` is such as `re.search`."""
    return (
        isinstance(node, ast.Attribute)
        and isinstance(node.value, ast.Name)
        and node.value.id == "re"
        and node.attr in METHODS | FLAGS_ARE_AT.keys()
    )


def _called(module: ModuleType, calls: list[ast.Call]) -> Iterator[Found]:
    """Yield the expressions that calls such as `re.search(...)` name."""
    for node in calls:
        if not isinstance(node.func, ast.Attribute) or not node.args:
            continue
        name = node.func.attr
        flags = [keyword.value for keyword in node.keywords if keyword.arg == "flags"]
        if name in FLAGS_ARE_AT:
            flags += node.args[FLAGS_ARE_AT[name] :]
        try:
            text = _value(module, node.args[0])
            flag = _value(module, flags[0]) if flags else 0
        except NameError:
            continue  # it is put together from what a function is given
        if isinstance(text, str | bytes):
            yield Found(re.compile(text, flag), f"{module.__name__}:{node.lineno}", name in AT_THE_BEGINNING)


def _value(module: ModuleType, node: ast.expr) -> Any:
    return eval(ast.unparse(node), dict(vars(module)))
