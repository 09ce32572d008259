"""Choice of what the check searches for: words and phrases of the forgotten texts that nothing else contains, and ids.

Words are compared in lower case. Words of Brain's own code are left out, since names of columns and categories occur in
every store.
"""

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import cache
from itertools import chain
from pathlib import Path
from urllib.parse import unquote

import polars as pl

from brain_pipelines.knowledge.forgetting.patterns import Patterns
from brain_pipelines.knowledge.forgetting.plan import Needles, Target
from brain_pipelines.landing.inbox import list_files, to_path
from brain_pipelines.landing.trust_gate import kept_decisions
from brain_retrieval.home import Space, project_root
from brain_retrieval.schemas.names import HELD
from brain_retrieval.stores.catalog import Catalog
from brain_retrieval.stores.lake import Lake

MOST_WORDS, MOST_PHRASES, MOST_IDS = 400, 200, 2000
PHRASE_CHARS = 32
BLOCK_CHARS = 1 << 24
SAMPLE_CHARS = 1 << 20
_WORD = re.compile(r"[^\W\d_]{6,40}")
PACKAGES = ("brain_pipelines", "brain_retrieval")


def choose(space: Space, catalog: Catalog, targets: Collection[Target]) -> Needles:
    """Return what to search for after `targets` of a user have been forgotten."""
    lake = Lake(space, catalog)
    ids = {target.source_id for target in targets}
    words, phrases = set[str](), list[str]()
    for row in stored_texts(lake, of=ids):
        words.update(_WORD.findall(row["text"].lower()))
        phrases += _phrases(row["text"].lower())
    words -= machine_words()
    others = (row["text"] for row in stored_texts(lake) if row["source_id"] not in ids)
    files = _stored(space, {target.file for target in targets}, {target.sha256 for target in targets})
    names = {name for one in targets for name in (one.uri, one.file, one.url)}
    decided = (f"{one.subject}\n{one.by}\n{one.reason}" for one in kept_decisions(space, names))
    rare = without({*words, *phrases}, chain(others, files, decided))
    chosen = sorted(words & rare, key=lambda word: (-len(word), word))[:MOST_WORDS]
    said = [phrase for phrase in dict.fromkeys(phrases) if phrase in rare]
    chunks = pl.DataFrame(lake.read("chunks", columns=["source_id", "chunk_id"]))
    derived = sorted(chunks.filter(pl.col("source_id").is_in(ids))["chunk_id"])
    return Needles(tuple(chosen), tuple(said[:MOST_PHRASES]), tuple([*sorted(ids), *derived][:MOST_IDS]))


def stored_texts(lake: Lake, *, of: Collection[str] | None = None) -> Iterator[dict[str, str]]:
    """Yield source_id and text of every stored source, with its title, people, attributes and uri in the text.

    Those that are held back as not trusted are among them. `of` limits it to some sources, by id: then only the months
    that hold one of them are read whole.
    """
    months: dict[tuple[str, str, str], list[str]] = defaultdict(list)
    for file in (*lake.catalog.lake_files("text"), *lake.catalog.lake_files(HELD)):
        months[file.table, file.source, file.day[:7]].append(file.day)
    columns = ["source_id", "uri", "title", "authors", "participants", "attributes", "text"]
    for (table, source, _), days in months.items():
        if of is not None and not _holds_any(lake, table, source, days, of):
            continue
        for row in lake.read(table, source=source, days=days, columns=columns).to_pylist():
            if of is not None and row["source_id"] not in of:
                continue
            said = [row["text"], row["title"], *row["authors"], *row["participants"], row["attributes"] or ""]
            yield {"source_id": row["source_id"], "text": "\n".join([*said, unquote(row["uri"])])}


def _holds_any(lake: Lake, table: str, source: str, days: Sequence[str], ids: Collection[str]) -> bool:
    rows = lake.read(table, source=source, days=days, columns=["source_id"])
    return any(one in ids for one in rows["source_id"].to_pylist())


def without(candidates: set[str], texts: Iterable[str]) -> set[str]:
    """Return the candidates, all in lower case, that occur in none of the texts, as words or within words."""
    left = set(candidates)
    for text in _joined(texts):
        if not left:
            break
        lower = text.lower()
        left.difference_update(_WORD.findall(lower[:SAMPLE_CHARS]))  # leaves few to look for
        if left and Patterns(left).may_be_in(lower.encode("utf-8", "replace")):
            found = pl.Series([lower]).str.extract_many(sorted(left), overlapping=True)
            left.difference_update(found.explode().drop_nulls())
    return left


def _joined(texts: Iterable[str]) -> Iterator[str]:
    """Yield texts, joined to blocks."""
    block, size = list[str](), 0
    for text in texts:
        block.append(text)
        size += len(text)
        if size > BLOCK_CHARS:
            yield "\n".join(block)
            block, size = [], 0
    yield "\n".join(block)


def _phrases(text: str) -> list[str]:
    """Return a few stretches of a text, from one line each."""
    lines = [line.strip() for line in text.splitlines() if len(line.strip()) >= PHRASE_CHARS]
    step = max(1, len(lines) // 8)
    return [line[:PHRASE_CHARS] for line in lines[::step] if '"' not in line and "\\" not in line]


def _stored(space: Space, files: Collection[str], hashes: Collection[str]) -> Iterator[str]:
    """Yield what other files of the user contain as bytes: their words may occur in what remains."""
    gone = {to_path(space.inbox, uri) for uri in files}
    kept = [to_path(space.inbox, one.uri) for one in list_files(space.inbox)]
    kept += [path for path in space.blobs.glob("*/*") if path.name not in hashes]
    for path in kept:
        if path not in gone and path.is_file():
            yield from _decoded(path)


def _decoded(path: Path) -> Iterator[str]:
    with path.open("rb") as file:
        while block := file.read(1 << 24):
            yield block.decode("utf-8", "ignore")


@cache
def machine_words() -> frozenset[str]:
    """Return the words of Brain's own code and categories, which occur in stores whatever the texts are."""
    root = project_root()
    files = [path for package in PACKAGES for path in (root / package).rglob("*.py")]
    files += [path for package in PACKAGES for path in (root / package).rglob("tags.txt")]
    return frozenset(word.lower() for path in files for word in _WORD.findall(_split(path.read_text("utf-8"))))


def _split(code: str) -> str:
    return code.replace("_", " ")
