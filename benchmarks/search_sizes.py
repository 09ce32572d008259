"""Time of `Brain.search` by number of chunks, beside a bare LanceDB query and a scan of all vectors in NumPy.

    python -m benchmarks.search_sizes --rows 1000 10000 100000

One user, made-up chunks of 90 words in sources of five, half of them conversations, written through the index and
compacted as upkeep does. Words are drawn by Zipf's law, each chunk has names, each source a title. The vectors lie
around the embeddings of the questions and 300 other centres. Default options, question embedding included; each
question is asked once, after a few others. In the same loop: LanceDB's own vector query for ten rows on the same table
with the vector already there, its text query, and the scan. CPU time is that of all threads. Prints one Markdown table.
"""

import argparse
import json
import tempfile
import time
from collections.abc import Callable, Sequence
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from brain_retrieval import Brain
from brain_retrieval.home import Home
from brain_retrieval.ids import content_id
from brain_retrieval.models.embedding.build import build_embedder
from brain_retrieval.models.embedding.onnx_files import find_onnx_files
from brain_retrieval.models.embedding.word_codes import CODE_BYTES, content_words
from brain_retrieval.schemas.names import WORD_CODES
from brain_retrieval.schemas.tables import index_schema
from brain_retrieval.settings import Settings, load_settings
from brain_retrieval.stores.catalog import Catalog
from brain_retrieval.stores.index.lance import lance_table
from brain_retrieval.stores.index.lance.lance_index import LanceIndex

WORDS, NAMES = 90, 4_000
CENTRES, SPREAD = 300, 0.6
BATCH, OF_SOURCE, SOURCES_A_DAY = 20_000, 5, 10
FIRST_DAY = date(2000, 1, 1)
HEADER = ["chunks", "what", "p50 ms", "p95 ms", "CPU ms"]


class Material:
    """Made-up texts of the words that the embedding model knows whole; the same seed gives the same ones."""

    def __init__(self, words: Sequence[str], seed: int = 7) -> None:
        self.random = np.random.default_rng(seed)
        self.words = list(words)
        self.random.shuffle(self.words)
        self.names = [f"{a.title()} {b.title()}" for a, b in self.random.choice(self.words, (NAMES, 2))]
        self._by_zipf = np.cumsum(1 / np.arange(1, len(self.words) + 1))

    def drawn(self, count: int) -> list[str]:
        places = np.searchsorted(self._by_zipf, self.random.random(count) * self._by_zipf[-1])
        return [self.words[place] for place in places]

    def name(self) -> str:
        return self.names[int(len(self.names) * self.random.random() ** 3)]

    def text(self) -> str:
        words = self.drawn(WORDS)
        for place in self.random.integers(0, WORDS, 4):
            words[place] = self.name()
        sentences = (words[start : start + 15] for start in range(0, WORDS, 15))
        return " ".join(f"{' '.join(sentence).capitalize()}." for sentence in sentences)

    def question(self) -> str:
        return f"What did {self.name()} say about the {' '.join(self.drawn(4))} of {self.name()}?"


def known_words(settings: Settings) -> list[str]:
    """Return the words of four letters or more that are one token of the embedding model."""
    content = json.loads(find_onnx_files(settings.embedding, settings.models_dir).tokenizer.read_text("utf-8"))
    return sorted(word for word in content["model"]["vocab"] if len(word) > 3 and word.isascii() and word.isalpha())


def rows(material: Material, first: int, vectors: np.ndarray) -> pa.Table:
    """Return index rows numbered from `first`."""
    count = len(vectors)
    numbers = range(first, first + count)
    days = [(FIRST_DAY + timedelta(days=n // OF_SOURCE // SOURCES_A_DAY)).isoformat() for n in numbers]
    times = [datetime.fromisoformat(day).replace(tzinfo=UTC) for day in days]
    titles = {n: material.name() for n in {n // OF_SOURCE for n in numbers}}
    texts = [material.text() for _ in numbers]
    known: dict[str, Any] = {
        "id": [content_id("chk", n) for n in numbers],
        "source_id": [content_id("src", n // OF_SOURCE) for n in numbers],
        "source": ["conversation"] * count,
        "uri": [f"inbox:conversation/{n // OF_SOURCE}.jsonl" for n in numbers],
        "title": [titles[n // OF_SOURCE] for n in numbers],
        "position": [n % OF_SOURCE for n in numbers],
        "speakers": [[titles[n // OF_SOURCE]] if n // OF_SOURCE % 2 else [] for n in numbers],
        "end": [len(text) for text in texts],
        "day": days,
        "text": texts,
        "search_text": texts,
        "event_at": times,
        "received_at": times,
        WORD_CODES: [material.random.bytes(CODE_BYTES * len(content_words(text)[0])) for text in texts],
        "vector": pa.FixedSizeListArray.from_arrays(pa.array(vectors.ravel()), vectors.shape[1]),
    }
    schema = index_schema(vectors.shape[1])
    return pa.table({f.name: known[f.name] if f.name in known else _filler(f, count) for f in schema}, schema=schema)


def _filler(column: pa.Field, count: int) -> pa.Array:
    if column.nullable:
        return pa.nulls(count, column.type)
    if pa.types.is_list(column.type):
        return pa.array([[]] * count, column.type)
    return pa.array([""] * count if pa.types.is_string(column.type) else [0] * count, column.type)


def fill(home: Home, size: int, questions: Sequence[str]) -> tuple[LanceIndex, np.ndarray]:
    """Write the chunks of the user of this size, once; return the index and all vectors."""
    settings = load_settings(home.path)
    embedder = build_embedder(settings.embedding)
    space = home.space(f"chunks-{size}")
    index = LanceIndex(space, model=embedder.name, dim=embedder.dim)
    kept = space.root / "vectors.npy"
    if kept.is_file():
        return index, np.load(kept)
    space.create()
    material, parts = Material(known_words(settings), size), []
    others = material.random.normal(size=(CENTRES, embedder.dim))
    centres = np.concatenate([embedder.embed(questions), others / np.linalg.norm(others, axis=1, keepdims=True)])
    for first in range(0, size, BATCH):
        count = min(BATCH, size - first)
        noise = material.random.normal(size=(count, embedder.dim)) * SPREAD / np.sqrt(embedder.dim)
        around = noise + centres[material.random.integers(len(centres), size=count)]
        parts.append((around / np.linalg.norm(around, axis=1, keepdims=True)).astype(np.float32))
        batch = rows(material, first, parts[-1])
        index.replace("conversation", batch.column("day").unique().to_pylist(), batch)
    index.compact(keep=timedelta(0))
    Catalog(space).set_meta("active_index", f"{embedder.name}|{embedder.dim}")
    np.save(kept, np.concatenate(parts))
    return index, np.load(kept)


def nearest(vectors: np.ndarray, query: np.ndarray, limit: int = 10) -> np.ndarray:
    scores = np.einsum("ij,j->i", vectors, query)  # `@` would keep both cores busy into the next measurement
    top = np.argpartition(-scores, limit)[:limit]
    return top[np.argsort(-scores[top])]


def measure(home: Home, size: int, questions: Sequence[str], warm: Sequence[str]) -> list[list[str]]:
    """Return the rows of the table for a number of chunks."""
    index, vectors = fill(home, size, [*questions, *warm])
    table: Any = lance_table.open_whole(index)
    embedder = build_embedder(load_settings(home.path).embedding)
    with Brain.open(home.path, user=index.space.user) as brain:
        embedded = {question: embedder.embed([question])[0] for question in (*questions, *warm)}
        kinds: dict[str, Callable[[str], object]] = {
            "**`Brain.search`**": lambda q: brain.search(q, log=False),
            "embedding of the question": lambda q: embedder.embed([q]),
            "LanceDB, vector": lambda q: table.search(embedded[q]).distance_type("cosine").limit(10).to_arrow(),
            "LanceDB, text": lambda q: lance_table.matches(table, q, None, 10, ["id", "text"]),
            "NumPy scan": lambda q: nearest(vectors, embedded[q]),
        }
        took: dict[str, list[tuple[float, float]]] = {name: [] for name in kinds}
        for question in (*warm, *questions):
            for name, ask in kinds.items():
                began, cpu = time.perf_counter(), time.process_time()
                ask(question)
                took[name].append((time.perf_counter() - began, time.process_time() - cpu))
    return [[f"{size:,}", name, *_cells(spent[len(warm) :])] for name, spent in took.items()]


def _cells(spent: Sequence[tuple[float, float]]) -> list[str]:
    wall, cpu = np.array(spent).T * 1000
    p50, p95 = np.percentile(wall, [50, 95])
    return [f"{p50:.1f}", f"{p95:.1f}", f"{np.median(cpu):.1f}"]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", nargs="+", type=int, default=[1_000, 10_000, 100_000])
    parser.add_argument("--questions", type=int, default=100)
    parser.add_argument("--cache", type=Path, help="directory that keeps the filled indexes")
    options = parser.parse_args()
    material = Material(known_words(load_settings()))
    questions, warm = ([material.question() for _ in range(count)] for count in (options.questions, 8))
    print("|" + "|".join(HEADER) + "|\n|" + "---|" * len(HEADER))
    with tempfile.TemporaryDirectory() as folder:
        home = Home(options.cache or Path(folder))
        for size in options.rows:
            for cells in measure(home, size, questions, warm):
                print("|" + "|".join(cells) + "|", flush=True)


if __name__ == "__main__":
    main()
