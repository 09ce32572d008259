"""The imports between the project's modules, read from their sources without importing them."""

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

from tests.paths import ROOT

PACKAGES = ("brain_pipelines", "brain_retrieval")


@cache
def files() -> dict[str, Path]:
    """Return the file of each module by its dotted name; a package is named without `__init__`."""
    found = {}
    for path in sorted(p for package in PACKAGES for p in (ROOT / package).rglob("*.py")):
        name = ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
        found[name] = path
    return found


class Source(NamedTuple):
    """What a file says of itself: the dotted names that it imports, whether it has a docstring, lines by function."""

    imports: frozenset[str]
    has_docstring: bool
    functions: tuple[tuple[str, int], ...]


def imported(path: Path) -> frozenset[str]:
    """Return every dotted name that a file imports, at any depth; `from a import b` gives `a` and `a.b`.

    A module of the project that is loaded by its written name counts too, so that no import is hidden from the rules.
    """
    return read(path).imports


@cache
def read(path: Path) -> Source:
    """Return what a file says of itself."""
    text = path.read_text("utf-8")
    tree = ast.parse(text)
    names: set[str] = set()
    functions: list[tuple[str, int]] = []
    # Only a call is no statement of its own; to look through all expressions takes most of the time.
    for node in ast.walk(tree) if "import_module" in text else _statements(tree):
        if isinstance(node, ast.Import):
            names.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            names.add(node.module)
            names.update(f"{node.module}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            functions.append((node.name, (node.end_lineno or 0) - node.lineno))
        elif isinstance(node, ast.Call) and getattr(node.func, "attr", "") == "import_module":
            written = {arg.value for arg in node.args if isinstance(arg, ast.Constant)}
            names.update(name for name in written if isinstance(name, str) and name.startswith(PACKAGES))
    has_docstring = not text.strip() or bool(ast.get_docstring(tree))
    return Source(frozenset(names), has_docstring, tuple(functions))


def _statements(tree: ast.Module) -> Iterator[ast.AST]:
    waiting: list[ast.AST] = [tree]
    while waiting:
        yield (node := waiting.pop())
        for part in ("body", "orelse", "finalbody", "handlers", "cases"):
            waiting += getattr(node, part, ())


@cache
def edges() -> dict[str, set[str]]:
    """Return, for each module, the other modules of the project that it imports."""
    known = files()
    return {name: {one for one in imported(path) if one in known and one != name} for name, path in known.items()}


def cycles() -> Iterator[list[str]]:
    """Yield groups of modules that import each other, whatever the way round (Tarjan's components)."""
    graph = {name: {t for t in targets if files()[t].name != "__init__.py"} for name, targets in edges().items()}
    index: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []

    def visit(name: str) -> Iterator[list[str]]:
        index[name] = low[name] = len(index)
        stack.append(name)
        for target in sorted(graph[name]):
            if target not in index:
                yield from visit(target)
                low[name] = min(low[name], low[target])
            elif target in stack:
                low[name] = min(low[name], index[target])
        if low[name] == index[name]:
            group = stack[stack.index(name) :]
            del stack[stack.index(name) :]
            if len(group) > 1:
                yield sorted(group)

    for name in sorted(graph):
        if name not in index:
            yield from visit(name)
