"""Readers of the data sets measured by `extraction.py`: texts with gold entities and relations.

Tokens are joined by spaces, as stored in the data sets; a parser trained on running text finds this slightly unusual.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

Entity = tuple[int, int, str]  # start, end, type
Relation = tuple[str, str, str]  # names or keys of head and tail, label


@dataclass(frozen=True)
class Sample:
    """A text with gold entities; the type is the data set's label.

    `names` maps each lower-case spelling of a named entity to its keys; `relations` connect keys.
    """

    text: str
    gold: frozenset[Entity]
    names: dict[str, frozenset[str]]
    relations: frozenset[Relation] = frozenset()


def conll04(path: Path) -> Iterator[Sample]:
    """Yield the sentences of a CoNLL04 file."""
    for item in json.loads(path.read_text("utf-8")):
        tokens = item["tokens"]
        text = {(s, e): " ".join(tokens[s:e]).lower() for s, e, _ in item["entities"]}
        relations = {(text[h, i], text[t, j], label) for h, i, t, j, label in item["relations"]}
        names = {name: frozenset([name]) for name in text.values()}
        spans = [(s, e, kind) for s, e, kind in item["entities"]]
        yield Sample(*_placed(tokens, spans), names, frozenset(relations))


def bio(path: Path, word: int, limit: int | None = None) -> Iterator[Sample]:
    """Yield the sentences of a BIO file with the word in column `word` and the label in the next, at most `limit`."""
    for number, block in enumerate(path.read_text("utf-8").split("\n\n")):
        if number == limit:
            return
        rows = [line.split("\t")[word : word + 2] for line in block.splitlines() if "\t" in line]
        spans: list[tuple[int, int, str]] = []
        for i, (_, label) in enumerate(rows):
            if label.startswith("B-"):
                spans.append((i, i + 1, label[2:]))
            elif label.startswith("I-") and spans:
                spans[-1] = (spans[-1][0], i + 1, spans[-1][2])
        if rows:
            yield Sample(*_placed([token for token, _ in rows], spans), {})


def redocred(path: Path) -> Iterator[Sample]:
    """Yield the documents of a Re-DocRED file; times and numbers are excluded from the entities."""
    for item in json.loads(path.read_text("utf-8")):
        firsts, tokens = [], []
        for sentence in item["sents"]:
            firsts.append(len(tokens))
            tokens += sentence
        spans, names = set(), {}
        for key, mentions in enumerate(item["vertexSet"]):
            for mention in mentions:
                at = firsts[mention["sent_id"]]
                start, end = (at + position for position in mention["pos"])
                names.setdefault(" ".join(tokens[start:end]).lower(), set()).add(str(key))
                if mention["type"] not in ("TIME", "NUM"):
                    spans.add((start, end, mention["type"]))
        relations = {(str(r["h"]), str(r["t"]), r["r"]) for r in item["labels"]}
        keys = {name: frozenset(found) for name, found in names.items()}
        yield Sample(*_placed(tokens, sorted(spans)), keys, frozenset(relations))


def _placed(tokens: list[str], spans: list[tuple[int, int, str]]) -> tuple[str, frozenset[Entity]]:
    starts, position = [], 0
    for token in tokens:
        starts.append(position)
        position += len(token) + 1
    gold = frozenset((starts[s], starts[e - 1] + len(tokens[e - 1]), kind) for s, e, kind in spans)
    return " ".join(tokens), gold
