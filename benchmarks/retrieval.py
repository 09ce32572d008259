"""Recall, MRR and latency of Brain compared with BM25, dense retrieval, RRF and a convex combination, in one run.

    python benchmarks/retrieval.py --data PATH [--sets locomo_turn multihoprag] [--limit 100] [--variants]

PATH holds one folder per set with `corpus.jsonl` {corpus, id, text, meta} and `queries.jsonl` {corpus, query, gold,
category}. Each `corpus` becomes one user of a temporary home; rows go through the real index and embedder, queries
through `Brain.search` with its default settings, the same for all sets. Nothing is tuned here. Embeddings are cached in
--cache. Latency includes embedding the query; the four baselines scan arrays in memory, Brain reads its stores.
"""

import argparse
import hashlib
import json
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np

from brain_retrieval.brain import Brain
from brain_retrieval.home import Home
from brain_retrieval.ids import content_id, stable_hash
from brain_retrieval.models.embedding.build import build_embedder
from brain_retrieval.models.embedding.protocol import Embedder
from brain_retrieval.schemas import ORIGIN_NAMES, PLACE_NAMES
from brain_retrieval.settings import load_settings
from brain_retrieval.stores.catalog import Catalog
from brain_retrieval.stores.index.lance.lance_index import LanceIndex

SETS = ("locomo_turn", "locomo_session", "multihoprag", "qmsum")
PARENTS = {"locomo_turn": "session", "qmsum": "meeting"}  # meta key of the text that a unit is part of
PART_WORDS = 100  # longer units are split at line ends; a unit's score is that of its best part
DEPTH = 100  # ranks that RRF considers
# Ablations: Brain without one step, for --variants.
VARIANTS: dict[str, dict[str, Any]] = {
    "Brain with RRF": {"fusion": "rrf"},
    "Brain without neighbours": {"neighbour_weights": ()},
    "Brain without parents": {"parent_weight": 0.0},
    "Brain without dates": {"date_boost": 0.0},
}
# Columns that do not affect the measurement.
FIXED: dict[str, Any] = dict.fromkeys(["title", "context", "strategy", "trust", "sensitivity"], "")
FIXED |= dict.fromkeys(["ttl_policy", *PLACE_NAMES, *ORIGIN_NAMES])
FIXED |= {"section": None, "time": None, "code_version": "1", "config_hash": stable_hash({})}

Search = Callable[[str], list[int]]


@dataclass(frozen=True)
class Part:
    """A part of a unit, stored as one chunk of the index."""

    unit: int
    parent: str
    position: int
    text: str
    when: datetime
    speakers: list[str]


@dataclass
class Corpus:
    """The units of one user, their parts and the questions asked of them."""

    name: str
    units: list[dict[str, Any]] = field(default_factory=list)
    queries: list[dict[str, Any]] = field(default_factory=list)
    parts: list[Part] = field(default_factory=list)


@dataclass
class Outcome:
    """Measurements of one method on one group of questions."""

    recall5: list[float] = field(default_factory=list)
    recall10: list[float] = field(default_factory=list)
    mrr: list[float] = field(default_factory=list)
    milliseconds: list[float] = field(default_factory=list)

    def add(self, found: list[int], gold: list[int], milliseconds: float) -> None:
        wanted = set(gold)
        self.recall5.append(len(wanted & set(found[:5])) / len(wanted))
        self.recall10.append(len(wanted & set(found[:10])) / len(wanted))
        self.mrr.append(next((1 / n for n, unit in enumerate(found[:10], start=1) if unit in wanted), 0.0))
        self.milliseconds.append(milliseconds)

    def cells(self) -> list[str]:
        quality = [f"{np.mean(values):.3f}" for values in (self.recall5, self.recall10, self.mrr)]
        return [*quality, *(f"{np.percentile(self.milliseconds, share):.1f}" for share in (50, 95))]


def load(folder: Path, limit: int | None) -> list[Corpus]:
    """Return the corpora of a set ordered by name, with at most `limit` questions, evenly sampled."""
    corpora: dict[str, Corpus] = {}
    for unit in _lines(folder / "corpus.jsonl"):
        corpora.setdefault(unit["corpus"], Corpus(unit["corpus"])).units.append(unit)
    queries = list(_lines(folder / "queries.jsonl"))
    step = max(1, len(queries) // limit) if limit else 1
    for query in queries[::step][:limit]:
        corpora[query["corpus"]].queries.append(query)
    for corpus in corpora.values():
        corpus.parts = list(_parts(corpus.units, PARENTS.get(folder.name)))
    return [corpora[name] for name in sorted(corpora)]


def _parts(units: list[dict[str, Any]], parent_key: str | None) -> Iterator[Part]:
    seen: dict[str, int] = {}
    for unit in units:
        meta = unit["meta"]
        parent = str(meta[parent_key]) if parent_key else f"unit {unit['id']}"
        when = datetime.fromisoformat(meta.get("date", "2024-01-01T00:00:00")).replace(tzinfo=UTC)
        for text in split(unit["text"]):
            position = seen[parent] = seen.get(parent, -1) + 1
            speakers = [meta["speaker"]] if "speaker" in meta else []
            yield Part(unit["id"], parent, position, text, when, speakers)


def split(text: str) -> list[str]:
    """Return `text` split at line ends into parts of about PART_WORDS words; texts up to twice as long stay whole."""
    if len(text.split()) <= 2 * PART_WORDS:
        return [text]
    head, *lines = text.split("\n")
    parts, current = [], [head]
    for line in lines:
        if sum(len(kept.split()) for kept in current) + len(line.split()) > PART_WORDS and len(current) > 1:
            parts.append("\n".join(current))
            current = [head]
        current.append(line)
    return [*parts, "\n".join(current)]


def embed(texts: Sequence[str], embedder: Embedder, cache: Path) -> np.ndarray:
    """Return unit vectors (n, dim), cached by the list of texts."""
    digest = hashlib.sha256("\x1f".join([embedder.name, *texts]).encode()).hexdigest()[:24]
    path = cache / f"{digest}.npy"
    if not path.exists():
        np.save(path, embedder.embed(texts))
    return np.load(path)


def fill(home: Path, corpus: Corpus, vectors: np.ndarray, embedder: Embedder) -> str:
    """Write the parts of a corpus into the index of its own user and return the user id."""
    user = corpus.name.lower()
    space = Home(home).space(user).create()
    index = LanceIndex(space, model=embedder.name, dim=embedder.dim)
    rows = [_row(user, part, vector) for part, vector in zip(corpus.parts, vectors, strict=True)]
    index.replace("document", sorted({row["day"] for row in rows}), rows)
    index.compact(train=False)
    Catalog(space).set_meta("active_index", f"{embedder.name}|{embedder.dim}")
    return user


def _row(user: str, part: Part, vector: np.ndarray) -> dict[str, Any]:
    source_id = content_id("src", user, part.parent)
    return {
        "id": content_id("chk", source_id, part.position, part.text),
        "source_id": source_id,
        "source": "document",
        "uri": f"inbox:document/{part.parent}#{part.unit}",
        "day": part.when.date().isoformat(),
        "event_at": part.when,
        "received_at": part.when,
        "position": part.position,
        "start": 0,
        "end": len(part.text),
        "text": part.text,
        "token_count": len(part.text.split()),
        "message_ids": [],
        "speakers": part.speakers,
        **FIXED,
        "search_text": part.text,
        "vector": vector,
    }


def baselines(corpus: Corpus, vectors: np.ndarray, embedder: Embedder) -> dict[str, Search]:
    """Return the baselines over whole units: BM25 (k1 1.2, b 0.75, stemmed, stop words), dense, RRF, convex."""
    import bm25s
    import Stemmer

    stemmer = Stemmer.Stemmer("english")
    options: dict[str, Any] = {"stopwords": "en", "stemmer": stemmer, "show_progress": False}
    lexical = bm25s.BM25(k1=1.2, b=0.75)
    lexical.index(bm25s.tokenize([unit["text"] for unit in corpus.units], **options), show_progress=False)
    ids = np.array([unit["id"] for unit in corpus.units])
    place = {unit: n for n, unit in enumerate(ids)}
    owner = np.array([place[part.unit] for part in corpus.parts])

    def bm25(query: str) -> np.ndarray:
        tokens = bm25s.tokenize([query], return_ids=False, **options)[0]
        return lexical.get_scores(tokens) if tokens else np.zeros(len(ids))

    def dense(query: str) -> np.ndarray:
        best = np.full(len(ids), -1.0)
        np.maximum.at(best, owner, vectors @ embedder.embed([query])[0])
        return best

    def rrf(query: str) -> np.ndarray:
        scores = np.zeros(len(ids))
        for retrieved in (bm25(query), dense(query)):
            order = [n for n in np.argsort(-retrieved, kind="stable")[:DEPTH] if retrieved[n] > 0]
            scores[order] += 1 / (61 + np.arange(len(order)))
        return scores

    def convex(query: str) -> np.ndarray:
        return _min_max(bm25(query)) + _min_max(dense(query))

    def top(score: Callable[[str], np.ndarray]) -> Search:
        return lambda query: ids[np.argsort(-score(query), kind="stable")[:10]].tolist()

    return {"BM25": top(bm25), "dense": top(dense), "RRF": top(rrf), "convex": top(convex)}


def _min_max(scores: np.ndarray) -> np.ndarray:
    return (scores - scores.min()) / max(float(np.ptp(scores)), 1e-9)


def brain_search(brain: Brain, corpus: Corpus) -> Search:
    """Return a search for units: a unit in several parts is ranked by its best part."""
    k = 10 * max(1, min(10, -(-len(corpus.parts) // len(corpus.units))))

    def run(query: str) -> list[int]:
        hits = brain.search(query, k, log=False)
        return list(dict.fromkeys(int(hit.source_ref.uri.rpartition("#")[2]) for hit in hits))[:10]

    return run


def measure(
    name: str, corpora: list[Corpus], home: Path, embedder: Embedder, cache: Path, *, variants: bool
) -> dict[str, dict[str, Outcome]]:
    """Return group -> method -> Outcome. Adversarial questions, if a set has them, form a separate group."""
    outcomes: dict[str, dict[str, Outcome]] = {}
    for corpus in corpora:
        vectors = embed([part.text for part in corpus.parts], embedder, cache)
        user = fill(home, corpus, vectors, embedder)
        methods = baselines(corpus, vectors, embedder) | brains(home, user, corpus, variants=variants)
        for method, search in methods.items():
            search("a question to warm up")
            for query in corpus.queries:
                group = name + (" adversarial" if query["category"] == "adversarial" else "")
                started = time.perf_counter()
                found = search(query["query"])
                spent = (time.perf_counter() - started) * 1000
                outcomes.setdefault(group, {}).setdefault(method, Outcome()).add(found, query["gold"], spent)
    return outcomes


def brains(home: Path, user: str, corpus: Corpus, *, variants: bool) -> dict[str, Search]:
    """Return Brain's search with default settings and, for `variants`, with one step left out."""
    settings = load_settings(home)
    methods = {"Brain": brain_search(Brain.open(home, user=user, settings=settings), corpus)}
    for name, changes in (VARIANTS if variants else {}).items():
        changed = settings.model_copy(update={"retrieval": settings.retrieval.model_copy(update=changes)})
        methods[name] = brain_search(Brain.open(home, user=user, settings=changed), corpus)
    return methods


def table(outcomes: dict[str, dict[str, Outcome]]) -> str:
    """Return a Markdown table, one row per group and method."""
    head = ["set", "questions", "method", "recall@5", "recall@10", "MRR@10", "p50 ms", "p95 ms"]
    lines = [head, ["---"] * len(head)]
    for group, methods in outcomes.items():
        lines += [[group, str(len(o.mrr)), method, *o.cells()] for method, o in methods.items()]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def _lines(path: Path) -> Iterator[dict[str, Any]]:
    with path.open(encoding="utf-8") as lines:
        yield from map(json.loads, lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, required=True, help="folder with one folder per set")
    parser.add_argument("--sets", nargs="+", default=list(SETS), help="folders to measure")
    parser.add_argument("--limit", type=int, help="questions per set")
    parser.add_argument("--variants", action="store_true", help="also measure Brain with one step left out")
    parser.add_argument("--cache", type=Path, default=Path(tempfile.gettempdir()) / "brain-benchmark")
    arguments = parser.parse_args()
    arguments.cache.mkdir(parents=True, exist_ok=True)
    embedder = build_embedder(load_settings().embedding)
    outcomes: dict[str, dict[str, Outcome]] = {}
    for name in arguments.sets:
        home = arguments.cache / "homes" / name
        shutil.rmtree(home, ignore_errors=True)
        started = time.perf_counter()
        corpora = load(arguments.data / name, arguments.limit)
        outcomes |= measure(name, corpora, home, embedder, arguments.cache, variants=arguments.variants)
        print(f"{name}: {time.perf_counter() - started:.0f} s", flush=True)
    print("\n" + table(outcomes))


if __name__ == "__main__":
    main()
