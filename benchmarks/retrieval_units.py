"""Homes in which every unit of a set (a turn, a session, a passage) is a chunk of its own, long ones in several parts.

The rows go into the index as they are: nothing is landed, read or cut by the product.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.retrieval_material import read_lines
from brain_pipelines.stages.embeddings import embedded
from brain_retrieval.home import Home
from brain_retrieval.ids import content_id, stable_hash
from brain_retrieval.models.embedding.protocol import Embedder
from brain_retrieval.schemas.names import ORIGIN_NAMES, PLACE_NAMES
from brain_retrieval.stores.catalog import Catalog
from brain_retrieval.stores.index.lance.lance_index import LanceIndex

PARENT_KEYS = ("session", "meeting", "parent")  # meta keys of the text that a unit is part of
PARENTLESS = ("locomo_session",)  # its units are the sessions themselves
PART_WORDS = 100  # longer units are split at line ends; a unit is found by any of its parts
# Columns that do not affect the measurement.
FIXED: dict[str, Any] = dict.fromkeys(["context", "strategy", "trust", "sensitivity"], "")
FIXED |= dict.fromkeys(["ttl_policy", *PLACE_NAMES, *ORIGIN_NAMES])
FIXED |= {"section": None, "time": None, "code_version": "1", "config_hash": stable_hash({})}


@dataclass(frozen=True)
class Part:
    """A part of a unit, stored as one chunk of the index."""

    unit: int
    parent: str
    position: int
    text: str
    when: datetime
    speakers: list[str]
    title: str = ""
    start: int = 0  # characters of the parent before it: hits whose spans overlap count as one


@dataclass
class Corpus:
    """The units of one user, their parts and the questions asked of them."""

    name: str
    units: list[dict[str, Any]] = field(default_factory=list)
    queries: list[dict[str, Any]] = field(default_factory=list)
    parts: list[Part] = field(default_factory=list)

    @property
    def user(self) -> str:
        return self.name.lower()


def load(folder: Path) -> list[Corpus]:
    """Return the corpora of a set ordered by name."""
    corpora: dict[str, Corpus] = {}
    for unit in read_lines(folder / "corpus.jsonl"):
        corpora.setdefault(unit["corpus"], Corpus(unit["corpus"])).units.append(unit)
    for query in read_lines(folder / "queries.jsonl"):
        corpora[query["corpus"]].queries.append(query)
    keys = () if folder.name in PARENTLESS else PARENT_KEYS
    for corpus in corpora.values():
        corpus.parts = list(_parts(corpus.units, keys))
    return [corpora[name] for name in sorted(corpora)]


def _parts(units: list[dict[str, Any]], parent_keys: tuple[str, ...]) -> Iterator[Part]:
    seen: dict[str, int] = {}
    written: dict[str, int] = {}
    for unit in units:
        meta = unit["meta"]
        parent = next((str(meta[key]) for key in parent_keys if key in meta), f"unit {unit['id']}")
        when = datetime.fromisoformat(meta.get("date") or "2024-01-01T00:00:00").replace(tzinfo=UTC)
        for text in split(unit["text"]):
            position = seen[parent] = seen.get(parent, -1) + 1
            start = written.get(parent, 0)
            written[parent] = start + len(text)
            speakers = [meta["speaker"]] if "speaker" in meta else []
            yield Part(unit["id"], parent, position, text, when, speakers, meta.get("title", ""), start)


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


def fill(home: Path, corpus: Corpus, embedder: Embedder) -> str:
    """Embed the parts of a corpus, write them into the index of its own user and return the user id."""
    user = corpus.user
    space = Home(home).space(user).create()
    index = LanceIndex(space, model=embedder.name, dim=embedder.dim)
    made = zip(corpus.parts, *embedded(embedder, [part.text for part in corpus.parts]), strict=True)
    rows = [_row(user, part, vector, codes) for part, vector, codes in made]
    index.replace("document", sorted({row["day"] for row in rows}), rows)
    index.compact(train=False)
    Catalog(space).set_meta("active_index", f"{embedder.name}|{embedder.dim}")
    return user


def question_rows(corpus: Corpus) -> list[dict[str, Any]]:
    """Return the lines of `questions.jsonl` of a corpus: one group of part ids for each gold unit."""
    ids: dict[int, list[str]] = {}
    for part in corpus.parts:
        ids.setdefault(part.unit, []).append(chunk_id(corpus.user, part))
    texts = {unit["id"]: unit["text"] for unit in corpus.units}
    return [
        {
            "user": corpus.user,
            "query": query["query"],
            "category": query["category"] or "all",
            "gold": [ids[unit] for unit in query["gold"]],
            "held": [ids[unit] for unit in query["gold"]],
            "gold_text": [texts[unit] for unit in query["gold"]],
        }
        for query in corpus.queries
    ]


def chunk_id(user: str, part: Part) -> str:
    return content_id("chk", _source_id(user, part), part.position, part.text)


def _source_id(user: str, part: Part) -> str:
    return content_id("src", user, part.parent)


def _row(user: str, part: Part, vector: np.ndarray, codes: bytes | None) -> dict[str, Any]:
    return {
        "id": chunk_id(user, part),
        "source_id": _source_id(user, part),
        "source": "document",
        "uri": f"inbox:document/{part.parent}#{part.unit}",
        "day": part.when.date().isoformat(),
        "event_at": part.when,
        "received_at": part.when,
        "position": part.position,
        "start": part.start,
        "end": part.start + len(part.text),
        "text": part.text,
        "token_count": len(part.text.split()),
        "message_ids": [],
        "speakers": part.speakers,
        "title": part.title,
        **FIXED,
        "search_text": part.text,
        "vector": vector,
        "word_codes": codes,
    }
