"""Blocking for entity resolution: candidate pairs of names are those of one class that share a blocking key.

The keys for spelling mistakes are the deletion neighbourhood of a name: the name with one letter of one word left out.
Two words that differ by one letter, or by two swapped letters, share such a key. The number of keys grows with the
letters of the names, not with the number of pairs.
"""

from collections.abc import Callable, Iterable, Iterator
from itertools import pairwise

import polars as pl

from brain_pipelines.knowledge.entities.names import (
    is_address,
    is_exact_form,
    singular,
    squeezed,
    without_affix,
)
from brain_pipelines.knowledge.entities.nodes import Node
from brain_pipelines.knowledge.entities.similarity import MIN_WORD
from brain_retrieval.language.folding import plain_forms

MAX_KEYED = 64  # characters; a longer name is a phrase, not searched for spelling mistakes
MAX_BLOCK = 64  # names in a block of spelling mistakes; in a larger one most share the key by chance


def pairs(nodes: list[Node]) -> list[tuple[int, int]]:
    """Return the candidate pairs as sorted pairs of node indices, the smaller index first."""
    found: set[tuple[int, int]] = set()
    for keys, limit in ((_forms, None), (_deletions, MAX_BLOCK)):
        for block in _blocks(nodes, keys):
            if limit is None or len(block) <= limit:
                found.update((a, b) for i, a in enumerate(block) for b in block[i + 1 :])
            else:  # a chain of neighbours keeps an oversized block linear in its size
                found.update((a, b) for a, b in pairwise(block))
    return sorted(found)


def _blocks(nodes: list[Node], keys: Callable[[Node], Iterable[str]]) -> Iterator[list[int]]:
    """Yield the nodes of each key that at least two nodes of one class share."""
    ids: list[int] = []
    hashes: list[int] = []
    for i, node in enumerate(nodes):
        if node.name and not node.is_email and not (node.entity_class != "Person" and is_address(node.name)):
            for key in keys(node):
                ids.append(i)
                hashes.append(hash((node.entity_class, key)))
    frame = pl.DataFrame({"node": pl.Series(ids, dtype=pl.UInt32), "key": pl.Series(hashes, dtype=pl.Int64)})
    shared = frame.unique().filter(pl.len().over("key") > 1).group_by("key").agg(pl.col("node").sort())
    yield from shared["node"].to_list()


def _forms(node: Node) -> Iterable[str]:
    """Return keys for other spellings: without accents and spaces, word order, plural, generic affixes."""
    name = node.name
    if node.entity_class == "Person":
        return {*(squeezed(f) for f in plain_forms(name)), " ".join(sorted(name.split(" ")))}
    plain = {squeezed(f) for f in plain_forms(name)}
    return {*plain, squeezed(singular(name)), squeezed(singular(without_affix(name)))}


def _deletions(node: Node) -> Iterator[str]:
    """Yield the name with one letter of one word left out; the first letter of a word is always kept."""
    if node.entity_class == "Concept" or len(node.name) > MAX_KEYED or is_exact_form(node.name):
        return
    if node.entity_class == "Person" and node.person.kind != "full":
        return
    found = node.name.split(" ")
    for i, word in enumerate(found):
        if len(word) < MIN_WORD or not word.isalpha():
            continue
        before, after = " ".join(found[:i]), " ".join(found[i + 1 :])
        yield f"{before}|{word}|{after}"
        for cut in range(1, len(word)):
            yield f"{before}|{word[:cut]}{word[cut + 1 :]}|{after}"
