"""The check of a receipt: a search for words, phrases and ids of what was forgotten, through files and retrievers.

Files are searched as bytes. What is compressed is also decoded: Parquet tables and the search index, row by row, and
the events in Dagster's databases. Words are searched for where only texts lie; in Dagster's files and in compressed
bytes, phrases and ids.
"""

import os
from collections.abc import Collection, Iterator
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path

import pyarrow.parquet as pq

from brain_pipelines.engine.packed_events import unpacked_in
from brain_pipelines.knowledge.forgetting.patterns import Patterns
from brain_pipelines.knowledge.forgetting.plan import NAME, Needles
from brain_retrieval.home import Space
from brain_retrieval.schemas.names import WORD_CODES
from brain_retrieval.schemas.tables import index_schema
from brain_retrieval.stores.catalog import Catalog
from brain_retrieval.stores.graph.embedded import EmbeddedGraph
from brain_retrieval.stores.graph.frames import STORED
from brain_retrieval.stores.index.migration import active_index

BLOCK, OVERLAP = 1 << 24, 4096  # bytes; a packed event is shorter than the overlap
COMPRESSED = (".parquet", ".lance", ".enc")
QUERY_WORDS = 60
MOST_HITS = 1000


@dataclass
class Findings:
    """Result of the search: how much was searched, and where something was found (place -> number of needles)."""

    files: int = 0
    bytes: int = 0
    remaining: dict[str, int] = field(default_factory=dict)

    def add(self, place: str, found: int) -> None:
        """Count needles found at a place."""
        if found:
            self.remaining[place] = max(found, self.remaining.get(place, 0))


class _Search:
    """A search of files for patterns. Small ones are searched together, by place: each search prepares all patterns."""

    def __init__(self, patterns: Patterns, findings: Findings) -> None:
        self.patterns, self.findings = patterns, findings
        self.waiting: dict[str, bytearray] = {}

    def file(self, path: Path, place: str) -> None:
        """Search a file, at the latest with `rest`."""
        self.findings.files += 1
        try:
            with path.open("rb") as file:
                before = b""
                while block := file.read(BLOCK):
                    self.findings.bytes += len(block)
                    self._add(before + block, place)
                    before = block[-OVERLAP:]
        except FileNotFoundError:  # a temporary file of another process
            return

    def rest(self) -> None:
        """Search what waits."""
        for place, content in self.waiting.items():
            self.findings.add(place, self.patterns.found(content))
        self.waiting.clear()

    def _add(self, content: bytes, place: str) -> None:
        together = self.waiting.setdefault(place, bytearray())
        together += b"\n".join([b"", content, *unpacked_in(content)])  # no needle has a line break
        if len(together) >= BLOCK:
            self.findings.add(place, self.patterns.found(self.waiting.pop(place)))


def check_user(space: Space, catalog: Catalog, needles: Needles, ids: set[str], findings: Findings) -> None:
    """Search all files of a user and what they hold when decoded, the index and the graph."""
    packed = {_packed(one) for one in needles.ids}
    everything, plain = Patterns(needles.texts), _Search(Patterns(needles.texts, packed), findings)
    compressed = _Search(Patterns((*needles.phrases, *needles.ids), packed), findings)
    for path in _files(space.root, space.inbox):
        search = compressed if path.suffix in COMPRESSED else plain
        search.file(path, _place(space, path))
        if path.suffix == ".parquet":
            for rows in pq.ParquetFile(path).iter_batches():
                findings.add(_place(space, path), everything.found_in_rows(rows))
    plain.rest()
    compressed.rest()
    _search_index(space, catalog, needles, ids, everything, findings)
    if (space.root / "graph.sqlite").is_file():
        with closing(EmbeddedGraph(space)) as graph:
            for table in STORED:
                rows = "\n".join(str(row) for row in graph.rows(table)).encode("utf-8", "replace")
                findings.add(f"graph {table}", everything.found(rows))


def check_elsewhere(roots: Collection[Path], needles: Needles, findings: Findings) -> None:
    """Search the files below directories that hold no texts, such as Dagster's, for phrases and ids."""
    search = _Search(Patterns((*needles.phrases, *needles.ids)), findings)
    for root in roots:
        for path in _files(root):
            search.file(path, root.name)
    search.rest()


def check_ids(space: Space, ids: Collection[str], findings: Findings) -> None:
    """Search the files of another user for ids."""
    check_elsewhere([space.root], Needles(ids=tuple(sorted(ids))), findings)
    patterns = Patterns(ids)
    for path in _files(space.root):
        if path.suffix == ".parquet":
            for rows in pq.ParquetFile(path).iter_batches():
                findings.add("a member's stores", patterns.found_in_rows(rows))


def _search_index(
    space: Space, catalog: Catalog, needles: Needles, ids: set[str], patterns: Patterns, findings: Findings
) -> None:
    index = active_index(space, catalog)
    if index is None or not index.exists():
        return
    columns = [name for name in index_schema(index.dim).names if name not in ("vector", WORD_CODES)]
    for rows in index.batches(columns):
        findings.add("search index", patterns.found_in_rows(rows))
    words = [*needles.words, *needles.phrases]
    for start in range(0, len(words), QUERY_WORDS):
        query = " ".join(words[start : start + QUERY_WORDS])
        hits = index.search_text(query, limit=MOST_HITS, columns=["source_id"]).rows["source_id"].to_pylist()
        findings.add("text index", len(ids.intersection(hits)))


def _files(*roots: Path) -> Iterator[Path]:
    for root in roots:
        for folder, _, names in os.walk(root):
            yield from (Path(folder) / name for name in sorted(names) if name != NAME)


def _packed(source_id: str) -> str:
    """Return the binary form that the graph stores of an id, "" if it has none."""
    digits = source_id.rpartition("_")[2]
    try:
        return bytes.fromhex(digits).lower().decode("latin-1") if len(digits) == 24 else ""
    except ValueError:
        return ""


def _place(space: Space, path: Path) -> str:
    """Return which store a file belongs to: names of directories, never one that a user has given."""
    if path.is_relative_to(space.inbox):
        return "inbox"
    parts = path.relative_to(space.root).parts
    return parts[0] if parts[0] in ("agents", "connectors", "index") else "/".join(parts[:2])
