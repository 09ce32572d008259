"""Which code each stage's rows depend on, and the lock file that pins it to the stage's version.

    python -m tests.stage_versions                   show which stages' code has changed since it was locked
    python -m tests.stage_versions --lock            lock the stages whose version was raised
    python -m tests.stage_versions --same "reason"   lock all: the change makes the same rows, for this reason

A stage is skipped while its inputs, version and settings are unchanged, so a change of its code that changes rows
must raise the version. The code of a stage is every module that it imports, directly or not, without those that
only store or configure, and the data files beside them. Comments, docstrings, annotations and imports do not count.
"""

import argparse
import ast
import hashlib
import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path

from brain_pipelines.knowledge.registry import SNAPSHOT_STAGES
from brain_pipelines.stages.registry import STAGES
from tests.import_graph import edges, files

LOCK = Path(__file__).with_name("stage_versions.json")
# Where rows are kept, and how settings are read: what of it a result depends on is in the stage's configuration hash.
OUTSIDE = ("brain_pipelines.engine", "brain_pipelines.landing.", "brain_retrieval.stores.", "brain_retrieval.settings")
OUTSIDE += ("brain_retrieval.home", "brain_retrieval.errors", "brain_retrieval.models.weights.")
INSIDE = ("brain_pipelines.landing.redaction.",)
# A source's own functions reach these stages as values, not by imports.
THROUGH_VALUES = {"text": ("brain_pipelines.sources.registry",)}


@dataclass(frozen=True)
class Locked:
    """A stage's version, the fingerprint of its code, and why code changed under the same version, if it did."""

    version: str
    fingerprint: str
    reason: str = ""


def current() -> dict[str, Locked]:
    """Return each stage's version and fingerprint as the tree has them."""
    found = {}
    for stage in (*STAGES, *SNAPSHOT_STAGES):
        roots = {stage.run.__module__, *THROUGH_VALUES.get(stage.name, ())}
        found[stage.name] = Locked(stage.code_version, fingerprint(closure(roots)))
    return found


def closure(roots: set[str]) -> set[str]:
    """Return the modules that the roots reach by imports, and the packages around them."""
    seen: set[str] = set()
    waiting = set(roots)
    while waiting:
        name = waiting.pop()
        if name in seen or (name.startswith(OUTSIDE) and not name.startswith(INSIDE)):
            continue
        seen.add(name)
        waiting |= edges()[name]
    return seen


def fingerprint(modules: set[str]) -> str:
    """Return a hash of the code of modules and of the data files in their folders."""
    digest = hashlib.sha256()
    for name in sorted(modules):
        digest.update(_code_of(files()[name]))
    for path in sorted(set(data_files(modules))):
        digest.update(path.name.encode() + path.read_bytes())
    return digest.hexdigest()[:16]


@cache
def _code_of(path: Path) -> bytes:
    # Most modules belong to the code of many stages.
    return normalised(path).encode()


def normalised(path: Path) -> str:
    """Return the code of a file without what cannot change a row: docstrings, comments, annotations, imports."""
    return ast.dump(_Bare().visit(ast.parse(path.read_text("utf-8"))), annotate_fields=False)


def data_files(modules: set[str]) -> Iterator[Path]:
    """Yield what lies beside the modules and is no code: word lists, tables. Other packages keep theirs."""
    for folder in {files()[name].parent for name in modules}:
        yield from _data_of(folder)


def _data_of(folder: Path) -> Iterator[Path]:
    for path in folder.iterdir():
        if path.is_dir() and not (path / "__init__.py").exists():
            yield from _data_of(path)
        elif path.is_file() and path.suffix in (".txt", ".toml", ".json") and path.name != "manifest.toml":
            yield path


class _Bare(ast.NodeTransformer):
    def visit_Import(self, node: ast.Import) -> None:
        return None

    def visit_ImportFrom(self, node: ast.ImportFrom) -> None:
        return None

    def visit_Expr(self, node: ast.Expr) -> ast.AST | None:
        is_text = isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)
        return None if is_text else self.generic_visit(node)

    def visit_arg(self, node: ast.arg) -> ast.AST:
        node.annotation = None
        return node

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        node.returns = None
        return self.generic_visit(node)


def locked() -> dict[str, Locked]:
    """Return the lock file's content."""
    return {name: Locked(**entry) for name, entry in json.loads(LOCK.read_text("utf-8")).items()}


def write(entries: dict[str, Locked]) -> None:
    """Write the lock file, one stage a line."""
    lines = [f"  {json.dumps(name)}: {json.dumps(asdict(entry))}" for name, entry in entries.items()]
    LOCK.write_text("{\n" + ",\n".join(lines) + "\n}\n", "utf-8")


def changed(now: dict[str, Locked], before: dict[str, Locked]) -> list[str]:
    """Return the stages whose code is another than the locked one under the same version."""
    both = [name for name in now if name in before]
    return [name for name in both if now[name].version == before[name].version and _differs(now[name], before[name])]


def _differs(one: Locked, other: Locked) -> bool:
    return one.fingerprint != other.fingerprint


def main() -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--lock", action="store_true")
    parser.add_argument("--same", metavar="REASON", default="")
    options = parser.parse_args()
    now, before = current(), locked() if LOCK.exists() else {}
    stale = changed(now, before)
    print(f"code changed under the same version: {', '.join(stale) or 'no stage'}")  # noqa: T201
    if options.lock or options.same:
        write({name: relocked(one, before.get(name), name in stale, options.same) for name, one in now.items()})


def relocked(one: Locked, before: Locked | None, stale: bool, reason: str) -> Locked:
    """Return what to lock of a stage: as it was if it is unchanged, or changed without a reason."""
    if before is None or one.version != before.version:
        return one
    return Locked(one.version, one.fingerprint, reason) if stale and reason else before


if __name__ == "__main__":
    main()
