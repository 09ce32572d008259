"""Child processes in which some libraries count as not installed, and which libraries an installation has."""

import os
import subprocess
import sys
import tomllib
from collections.abc import Iterable
from contextlib import suppress
from functools import cache
from importlib import metadata
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parent.parent

_ONLY = """
import importlib.abc, sys
class _Only(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        root = name.split(".")[0].lstrip("_")  # _duckdb is a part of duckdb
        if root.startswith("sysconfigdata"):
            return
        if root in {blocked!r} or ({allowed!r} is not None and root not in {allowed!r}):
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)
sys.meta_path.insert(0, _Only())
"""


def run_without(
    code: str, *, blocked: Iterable[str] = (), allowed: Iterable[str] | None = None, **environment: str
) -> subprocess.CompletedProcess[str]:
    """Run code in a child that can import no `blocked` root, or only `allowed` ones and the standard library."""
    only = None if allowed is None else {name.lstrip("_") for name in (*allowed, *sys.stdlib_module_names)}
    script = _ONLY.format(blocked=set(blocked), allowed=only) + code
    environment = {**os.environ, "PYTHONPATH": str(ROOT), **environment}
    return subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False, env=environment)


def project() -> dict:
    """Return the table `project` of pyproject.toml."""
    return tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]


def installed_by(requirements: Iterable[str]) -> set[str]:
    """Return the distributions that these requirements bring into an environment, their own included."""
    found: set[str] = set()
    queue = [Requirement(line) for line in requirements]
    while queue:
        requirement = queue.pop()
        name = canonicalize_name(requirement.name)
        if name in found or (requirement.marker and not requirement.marker.evaluate({"extra": ""})):
            continue
        found.add(name)
        with suppress(metadata.PackageNotFoundError):  # overridden by the project
            queue += [Requirement(line) for line in metadata.requires(name) or []]
    return found


@cache
def _owners() -> dict[str, list[str]]:
    return dict(metadata.packages_distributions())  # reads the record of every distribution: seconds


def roots_of(distributions: Iterable[str]) -> set[str]:
    """Return the import roots of installed distributions."""
    wanted = set(distributions)
    return {root for root, names in _owners().items() if wanted & {canonicalize_name(name) for name in names}}
