"""Latency, recall and disk size of the index by number of chunks, against a brute-force scan in numpy.

    python benchmarks/search_scale.py --rows 10000 --rows 100000 --users 1000

Vectors have unit length: uniform, or with --clusters around that many random centres (real embeddings cluster; uniform
ones are the worst case for an approximate index). Texts are 80 words drawn by Zipf's law. The floor is one
matrix-vector product over all vectors in memory with a partial sort, timed between the searches, so that a busy machine
slows both. Prints one Markdown table.
"""

import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import date, timedelta
from pathlib import Path

import numpy as np
import pyarrow as pa
import typer

from brain_retrieval.home import Home, Space
from brain_retrieval.ids import content_id
from brain_retrieval.schemas.tables import index_schema
from brain_retrieval.stores.index.filters import IndexFilter
from brain_retrieval.stores.index.found import Found
from brain_retrieval.stores.index.lance.lance_index import LanceIndex

DIM = 384
WORDS = 80
VOCABULARY = 50_000
BATCH = 20_000
ROWS_A_DAY = 50
FIRST_DAY = date(2000, 1, 1)
HEADER = ["chunks", "search", "p50 ms", "p95 ms", "x floor", "recall@10", "disk MB", "write s", "optimize s"]


@dataclass
class Timings:
    """Milliseconds of each search of one kind and of the floor next to it, and recalls where known."""

    name: str
    search: list[float] = field(default_factory=list)
    floor: list[float] = field(default_factory=list)
    recalls: list[float] = field(default_factory=list)

    def cells(self) -> list[str]:
        p50, p95 = np.percentile(self.search, [50, 95])
        ratio = f"{p50 / np.median(self.floor):.1f}" if self.floor else "-"
        recall = f"{np.mean(self.recalls):.3f}" if self.recalls else "-"
        return [self.name, f"{p50:.1f}", f"{p95:.1f}", ratio, recall]


class Corpus:
    """Random vectors and texts; the same seed gives the same corpus."""

    def __init__(self, seed: int, clusters: int) -> None:
        self.random = np.random.default_rng(seed)
        self.centres = self.random.normal(size=(clusters, DIM)).astype(np.float32) if clusters else None
        weights = 1 / np.arange(1, VOCABULARY + 1)
        self.cumulated = np.cumsum(weights / weights.sum())

    def vectors(self, count: int) -> np.ndarray:
        noise = self.random.standard_normal((count, DIM), dtype=np.float32)
        if self.centres is not None:
            noise = noise * 0.6 + self.centres[self.random.integers(len(self.centres), size=count)]
        return noise / np.linalg.norm(noise, axis=1, keepdims=True)

    def text(self, words: int) -> str:
        return " ".join(f"w{n}" for n in np.searchsorted(self.cumulated, self.random.random(words)))


def table(corpus: Corpus, first: int, vectors: np.ndarray) -> pa.Table:
    """Return index rows numbered from `first`, ROWS_A_DAY per day."""
    count = len(vectors)
    days = [(FIRST_DAY + timedelta(days=(first + n) // ROWS_A_DAY)).isoformat() for n in range(count)]
    texts = [corpus.text(WORDS) for _ in range(count)]
    known = {
        "id": [content_id("chk", first + n) for n in range(count)],
        "source_id": [content_id("src", (first + n) // 5) for n in range(count)],
        "day": days,
        "text": texts,
        "search_text": texts,
        "event_at": pa.array(days).cast(pa.timestamp("us")).cast(pa.timestamp("us", tz="UTC")),
        "received_at": pa.array(days).cast(pa.timestamp("us")).cast(pa.timestamp("us", tz="UTC")),
        "vector": pa.FixedSizeListArray.from_arrays(pa.array(vectors.ravel()), DIM),
    }
    schema = index_schema(DIM)
    columns = {f.name: known[f.name] if f.name in known else _filler(f, count) for f in schema}
    return pa.table(columns, schema=schema)


def _filler(column: pa.Field, count: int) -> pa.Array:
    if column.nullable:
        return pa.nulls(count, column.type)
    if pa.types.is_list(column.type):
        return pa.array([[]] * count, column.type)
    return pa.array(["note"] * count if pa.types.is_string(column.type) else [0] * count, column.type)


def fill(index: LanceIndex, corpus: Corpus, rows: int) -> np.ndarray:
    """Write `rows` chunks in batches and return their vectors in order."""
    parts = []
    for first in range(0, rows, BATCH):
        parts.append(corpus.vectors(min(BATCH, rows - first)))
        batch = table(corpus, first, parts[-1])
        index.replace("note", batch.column("day").unique().to_pylist(), batch)
    return np.concatenate(parts)


def timed(call: Callable[[], object]) -> tuple[float, object]:
    began = time.perf_counter()
    result = call()
    return (time.perf_counter() - began) * 1000, result


def nearest(vectors: np.ndarray, query: np.ndarray, limit: int = 10) -> np.ndarray:
    scores = vectors @ query
    top = np.argpartition(-scores, min(limit, len(scores) - 1))[:limit]
    return top[np.argsort(-scores[top])]


def measure(index: LanceIndex, corpus: Corpus, vectors: np.ndarray, queries: int) -> Iterator[Timings]:
    """Time each kind of search, with the floor after each search."""
    exact = {content_id("chk", n): n for n in range(len(vectors))}
    half = (FIRST_DAY + timedelta(days=len(vectors) // ROWS_A_DAY // 2)).isoformat()
    month = IndexFilter(day_from=half, day_to=(date.fromisoformat(half) + timedelta(days=30)).isoformat())
    kinds: list[tuple[str, Callable[[np.ndarray], Found]]] = [
        ("vector", lambda q: index.search_vectors(q, limit=10, columns=["id"])),
        ("vector, 31 days", lambda q: index.search_vectors(q, within=month, limit=10, columns=["id"])),
        ("text, 3 words", lambda _: index.search_text(corpus.text(3), limit=10, columns=["id"])),
        ("text, 31 days", lambda _: index.search_text(corpus.text(3), within=month, limit=10, columns=["id"])),
    ]
    for name, search in kinds:
        timings = Timings(name)
        search(corpus.vectors(1)[0])  # opens files and fills caches
        for query in corpus.vectors(queries):
            spent, hits = timed(lambda q=query, s=search: s(q))
            floor, best = timed(lambda q=query: nearest(vectors, q))
            timings.search.append(spent)
            timings.floor.append(floor)
            if name == "vector":
                found = {exact[hit.row["id"]] for hit in hits}
                timings.recalls.append(len(found & set(best.tolist())) / len(best))
        yield timings


def disk_mb(folder: Path) -> float:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file()) / 1e6


def one_user(home: Home, rows: int, queries: int, clusters: int) -> Iterator[list[str]]:
    space = home.space(f"rows-{rows}").create()
    corpus = Corpus(rows, clusters)
    index = LanceIndex(space, model="random", dim=DIM)
    write, vectors = timed(lambda: fill(index, corpus, rows))
    optimize, _ = timed(lambda: index.compact(keep=timedelta(0)))
    rest = [f"{disk_mb(space.index):.0f}", f"{write / 1000:.0f}", f"{optimize / 1000:.0f}"]
    for timings in measure(LanceIndex(space, model="random", dim=DIM), corpus, vectors, queries):
        yield [f"{rows:,}", *timings.cells(), *rest]
        rest = [""] * 3


def many_users(home: Home, users: int, rows: int, queries: int, clusters: int) -> Iterator[list[str]]:
    """Search a random user each time, through a newly opened index."""
    corpus = Corpus(users, clusters)
    spaces = [home.space(f"user-{number}").create() for number in range(users)]
    write, filled = timed(lambda: [fill(LanceIndex(s, model="random", dim=DIM), corpus, rows) for s in spaces])
    size = sum(disk_mb(space.index) for space in spaces)
    rest = [f"{size:.0f}", f"{write / 1000:.0f}", ""]
    for name in ("vector", "text"):
        timings = Timings(f"{name}, newly opened")
        for query in corpus.vectors(queries):
            number = int(corpus.random.integers(users))
            timings.search.append(timed(lambda q=query, s=spaces[number], n=name: _open_and_search(s, n, q, corpus))[0])
            timings.floor.append(timed(lambda q=query, n=number: nearest(filled[n], q))[0])
        yield [f"{users:,} users x {rows}", *timings.cells(), *rest]
        rest = [""] * 3


def _open_and_search(space: Space, name: str, query: np.ndarray, corpus: Corpus) -> Found:
    index = LanceIndex(space, model="random", dim=DIM)
    if name == "vector":
        return index.search_vectors(query, limit=10, columns=["id"])
    return index.search_text(corpus.text(3), limit=10, columns=["id"])


def main(
    rows: list[int] = typer.Option([10_000, 100_000], help="Chunks of one user; repeat for several sizes."),  # noqa: B008
    users: int = typer.Option(0, help="Also measure this many users with --rows-per-user chunks each."),
    rows_per_user: int = typer.Option(100),
    queries: int = typer.Option(50, help="Searches of each kind."),
    clusters: int = typer.Option(0, help="0: uniform vectors."),
) -> None:
    print("|" + "|".join(HEADER) + "|\n|" + "---|" * len(HEADER))
    with tempfile.TemporaryDirectory() as folder:
        home = Home(Path(folder))
        for count in rows:
            for cells in one_user(home, count, queries, clusters):
                print("|" + "|".join(cells) + "|", flush=True)
        if users:
            for cells in many_users(home, users, rows_per_user, queries, clusters):
                print("|" + "|".join(cells) + "|", flush=True)


if __name__ == "__main__":
    typer.run(main)
