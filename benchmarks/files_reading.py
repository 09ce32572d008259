"""Landing and reading of every file of a directory tree: how many succeed, and why the others do not.

    python benchmarks/files.py reading DIRECTORY... [--match GLOB] [--table] [--slow SECONDS]

Each file is read by the source detected from its bytes (`--source` overrides). Nothing is stored. A file "failed" if
its reader raised anything but a refusal with a reason: that is a defect, and the exit code is 1.
"""

import argparse
import gzip
import resource
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from rich.console import Console
from rich.progress import track
from rich.table import Table

from brain_pipelines.sources.choice import choose_source
from brain_pipelines.sources.registry import SOURCES_BY_NAME
from tests.samples.taking import Taken, take


@dataclass(frozen=True)
class Outcome:
    """What became of one file: the items read, refused and failed, with their reasons."""

    path: Path
    family: str
    read: int
    reasons: list[str]
    failures: list[str]
    characters: int
    repairs: int
    seconds: float

    @property
    def verdict(self) -> str:
        if self.failures:
            return "failed"
        return "passed" if self.read else "quarantined"


def files(roots: list[Path], pattern: str) -> Iterator[tuple[Path, str]]:
    """Yield each file with its family: the names of the root and of the first directory."""
    for root in roots:
        found = [root] if root.is_file() else sorted(p for p in root.rglob(pattern) if p.is_file())
        for path in found:
            inside = path.relative_to(root).parts
            yield path, f"{root.name}/{inside[0]}" if len(inside) > 1 else root.name


def read(path: Path, family: str, source: str | None) -> Outcome:
    """Land and read one file."""
    began = time.perf_counter()
    with tempfile.TemporaryDirectory() as scratch:
        name = path.name
        content = path
        if path.suffix == ".gz":  # pages are stored compressed
            content, name = Path(scratch) / path.stem, path.stem
            content.write_bytes(gzip.decompress(path.read_bytes()))
        taken, failures = _take(content, name, source)
    documents = [one for one in taken if one.document is not None]
    return Outcome(
        path,
        family,
        len(documents),
        [one.refusal for one in taken if one.refusal],
        failures,
        sum(len(one.text) for one in documents),
        sum(bool(one.issues) for one in documents),
        time.perf_counter() - began,
    )


def _take(path: Path, name: str, source: str | None) -> tuple[list[Taken], list[str]]:
    chosen = source or choose_source(path)
    if chosen not in SOURCES_BY_NAME:
        chosen = "document"
    try:
        return take(chosen, path, name=name, given=datetime(2026, 1, 5, tzinfo=UTC)), []
    except Exception as error:
        return [], [f"{type(error).__name__}: {error}"[:160]]


def show(outcomes: list[Outcome], console: Console) -> None:
    """Print counts by family and the reasons for unread files."""
    by_family: dict[str, list[Outcome]] = defaultdict(list)
    for outcome in outcomes:
        by_family[outcome.family].append(outcome)
    table = Table("files of", "files", "passed", "quarantined", "failed", "items", "with repairs", "seconds")
    for family, members in [*sorted(by_family.items()), ("all", outcomes)]:
        verdicts = Counter(outcome.verdict for outcome in members)
        counts = [len(members), *(verdicts[v] for v in ("passed", "quarantined", "failed"))]
        counts += [sum(o.read for o in members), sum(o.repairs for o in members)]
        table.add_row(family, *map(str, counts), f"{sum(o.seconds for o in members):.1f}")
    console.print(table)
    for verdict in ("quarantined", "failed"):
        for outcome in (o for o in outcomes if o.verdict == verdict):
            why = "; ".join([*outcome.failures, *dict.fromkeys(outcome.reasons)][:3])
            console.print(f"{verdict}: {outcome.family} {outcome.path.name}: {why}", markup=False, highlight=False)
    parts = Counter(reason for o in outcomes if o.verdict == "passed" for reason in o.reasons)
    for reason, count in parts.most_common(20):
        console.print(f"part refused ({count}): {reason}", markup=False, highlight=False)


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of this kind."""
    parser.add_argument("--match", default="*", help="only files whose name matches")
    parser.add_argument("--source", help="read everything as this source type")
    parser.add_argument("--slow", type=float, default=20.0, help="name files that took longer, seconds")


def run(options: argparse.Namespace) -> None:
    """Read all files and print what became of them; exit with 1 if a reader failed."""
    console = Console(width=160)
    todo = list(files(options.roots, options.match))
    outcomes = [
        read(path, family, options.source) for path, family in track(todo, "reading", console=Console(stderr=True))
    ]
    show(outcomes, console)
    for outcome in outcomes:
        if outcome.seconds > options.slow:
            console.print(f"slow: {outcome.seconds:.0f} s {outcome.path.name}", markup=False, highlight=False)
    peak = max(resource.getrusage(who).ru_maxrss for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)) / 1024
    console.print(f"largest process {peak:.0f} MB")
    if any(outcome.failures for outcome in outcomes):
        raise SystemExit(1)
