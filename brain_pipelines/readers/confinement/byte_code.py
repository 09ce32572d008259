"""Byte code of modules that the confined process loads: it may not write any itself."""

import py_compile
import sys
from collections.abc import Sequence
from pathlib import Path


def compile_modules(sources: Sequence[str]) -> None:
    """Store the byte code of modules, as importing them would. Paths that Python does not import from are left out."""
    if not sources:
        return
    roots = [Path(entry).resolve() for entry in (sys.prefix, sys.base_prefix, *sys.path) if entry]
    for source in map(Path, sources):
        if source.suffix == ".py" and any(source.resolve().is_relative_to(root) for root in roots):
            try:
                py_compile.compile(str(source), doraise=True, quiet=2)
            except (OSError, py_compile.PyCompileError):
                return  # an installation that cannot be written; each child compiles for itself
