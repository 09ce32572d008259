"""Features from a graph of the candidates: passages that share names, and passages whose title another one names.

A second fact is often in a passage that the question does not describe, but that a first passage names. Personalised
PageRank (Haveliwala 2002) runs over passages and the names in them; its start is shared between the passages that
match the question best and the names in the question.
"""

import re
from collections.abc import Collection, Mapping, Sequence
from functools import lru_cache
from itertools import chain

import numpy as np

from brain_retrieval.language.folding import fold
from brain_retrieval.language.lexicon import code_of
from brain_retrieval.language.names import names_in
from brain_retrieval.language.titles import unqualified
from brain_retrieval.language.topics import things_in
from brain_retrieval.query.features.bridges import bridges, pages_of
from brain_retrieval.query.features.pool import Features, Pool
from brain_retrieval.query.features.presence import has_word
from brain_retrieval.query.features.words import weighted_share

NAMED = 100  # first passages whose texts are read for names; of the others the title counts
SEEDS, SEED_POWER = 10, 4
SEED_SHARE = 0.4  # of the passages; the rest is that of the names in the question
DAMPING, ROUNDS = 0.7, 15
LINKING = 10  # first passages whose links count
LINK_POWER = 3
HOPPING = 5
COMMON = 0.2  # share of the candidates from which a name says nothing
RARE_TITLE = 2.0  # a title in up to three sources counts in full, then less by the logarithm of their number
SHORTEST_TITLE = 4
SHORTEST_PART = 3  # letters of a part of a name that stands for it
GRAPH = ("pagerank", "pagerank_order", "shared_names", "title_link", "linker", "second_hop", "title_named")
GRAPH += ("title_asked", "bridge", "bridger", "page")
ALPHANUMERIC = re.compile(r"[^\W_]+")


def names(pool: Pool) -> Features:
    """Return PageRank, names shared with the question, links by title and by rare names from the best passages.

    `linker`, `bridger` and `page` are no scores: the rows of the passages that lead to this one, and the number of its
    page. `missing` and `absent_things` are one number each for the question.
    """
    lists: list[Collection[str]] = list(map(_title, pool.candidates.titles))
    for row in pool.order[:NAMED].tolist():
        lists[row] = dict.fromkeys((*names_in(pool.candidates.texts[row]), *lists[row]))
    asked = names_in(pool.question.text)
    of_question = {
        "missing": np.full(len(pool), missing(pool, asked)),
        "absent_things": np.full(len(pool), absent_things(pool)),
    }
    numbers = {name: number for number, name in enumerate(dict.fromkeys(chain(asked, *lists)))}
    columns = np.fromiter(map(numbers.__getitem__, chain.from_iterable(lists)), dtype=np.int64)
    if not len(columns):
        return dict.fromkeys(GRAPH, np.zeros(len(pool))) | of_question
    rows = np.repeat(np.arange(len(pool)), [len(found) for found in lists])
    count = np.bincount(columns, minlength=len(numbers))
    rarity = np.log(1.0 + len(pool) / np.maximum(count, 1.0))
    reached = pagerank(pool, rows, columns, rarity, len(asked))
    own = columns < len(asked)
    shared = np.bincount(rows[own], rarity[columns[own]], len(pool))
    titled = titles_of(pool)
    links, linkers = title_links(pool, titled)
    named, pages = title_named(pool, titled), pages_of(pool)
    strengths, starts = bridges(pool, lists, pages, named)
    return {
        "pagerank": np.log(np.maximum(reached / max(float(reached.max()), 1e-12), 1e-4)) / 4 + 1.0,
        "pagerank_order": 1.0 / (np.argsort(np.argsort(-reached, kind="stable")) + 5.0),
        "shared_names": shared / max(float(rarity[: len(asked)].sum()), 1e-9),
        "title_link": links,
        "linker": linkers,
        "second_hop": second_hop(pool, rows, columns, count),
        "title_named": named,
        "title_asked": title_asked(pool, titled, named),
        "bridge": strengths,
        "bridger": starts,
        "page": pages,
        **of_question,
    }


def pagerank(pool: Pool, rows: np.ndarray, columns: np.ndarray, rarity: np.ndarray, asked: int) -> np.ndarray:
    """Return float64 (n,): the personalised PageRank of each passage in the graph of passages and names."""
    passages, size = len(pool), len(pool) + len(rarity)
    weights = rarity[columns]
    start = np.zeros(size)
    best = pool.order[:SEEDS]
    start[best] = pool.fused[best] ** SEED_POWER
    start[:passages] *= SEED_SHARE / max(float(start.sum()), 1e-12)
    if asked:
        named = rarity[:asked] * (np.bincount(columns, minlength=len(rarity))[:asked] > 0)
        start[passages : passages + asked] = (1 - SEED_SHARE) * named / max(float(named.sum()), 1e-12)
    start /= max(float(start.sum()), 1e-12)
    ends = columns + passages
    out = np.bincount(np.r_[rows, ends], weights=np.r_[weights, weights], minlength=size)
    share = 1.0 / np.maximum(out, 1e-12)
    mass = start
    for _ in range(ROUNDS):
        flow = mass * share
        moved = np.bincount(ends, weights=flow[rows] * weights, minlength=size)
        moved += np.bincount(rows, weights=flow[ends] * weights, minlength=size)
        mass = (1 - DAMPING) * start + DAMPING * moved
    return mass[:passages]


def title_links(pool: Pool, known: Mapping[str, list[int]] | None = None) -> tuple[np.ndarray, np.ndarray]:
    """Return float64 (n,) twice: how strongly a first passage of another source names this title, and its row.

    The link is the cubed score of that passage, less for a title that stands in many sources. A passage that has the
    title itself does not count: parts of one article would lead to each other. `known` is what `titles_of` returns.
    """
    links, linkers = np.zeros(len(pool)), np.zeros(len(pool))
    titled, rare = titles_of(pool) if known is None else known, dict[str, float]()
    begun: dict[str, list[str]] = {}
    for title in titled:
        begun.setdefault(_first_word(title), []).append(title)
    parents = pool.candidates.parents
    highest = max(float(pool.fused.max(initial=0.0)), 1e-9)
    for best in pool.order[:LINKING].tolist():
        text, weight = fold(pool.candidates.texts[best]), (pool.fused[best] / highest) ** LINK_POWER
        own = _title(pool.candidates.titles[best])
        words = {"", *ALPHANUMERIC.findall(text)} & begun.keys()
        likely = (title for word in words for title in begun[word])
        for title in [title for title in likely if title not in own and has_word(text, title)]:
            strength = weight * (rare[title] if title in rare else rare.setdefault(title, rare_title(pool, title)))
            others = [row for row in titled[title] if parents[row] != parents[best] and strength > links[row]]
            links[others], linkers[others] = strength, best
    return links, linkers


def rare_title(pool: Pool, title: str) -> float:
    """Return in (0, 1] how little common a folded title is: by how many sources among the candidates name it."""
    parents = pool.candidates.parents
    named = {parents[row] for row in pool.lowered.holding(title)}
    return min(1.0, RARE_TITLE / float(np.log2(1.0 + max(len(named), 1))))


def second_hop(pool: Pool, rows: np.ndarray, columns: np.ndarray, count: np.ndarray) -> np.ndarray:
    """Return float64 (n,): how well a passage covers what a first passage leaves open, if they share a rare name."""
    inside, rarity = pool.inside, pool.rarity
    rare = (count >= 2) & (count <= max(2.0, COMMON * len(pool)))
    found = np.zeros(len(pool))
    highest = max(float(pool.fused.max(initial=0.0)), 1e-9)
    for best in pool.order[:HOPPING]:
        linking = np.zeros(len(count), dtype=bool)
        linking[columns[rows == best]] = True
        linked = np.zeros(len(pool), dtype=bool)
        linked[rows[(linking & rare)[columns]]] = True
        linked[best] = False
        open_words = ~inside[best]
        rest = weighted_share(inside[:, open_words], rarity[open_words])
        found = np.maximum(found, np.where(linked, rest * pool.fused[best] / highest, 0.0))
    return found


def missing(pool: Pool, asked: Sequence[str]) -> float:
    """Return in [0, 1] the share of the question's names that no candidate has, and that the user does not know.

    A name counts as found with any of its longer words: "Ada Lovelace" by a passage that calls her Ada.
    """
    known = " ".join(fold(entity.name) for entity in pool.question.entities)
    if not asked:
        return 0.0
    called = (speaker.lower() for speaker in pool.candidates.spoken[0])
    # A line break is no letter, so no name begins in one text and ends in the next one.
    text = "\n".join((known, *called, *map(str.lower, pool.candidates.titled), *pool.lowered.texts))

    def is_missing(name: str) -> bool:
        parts = [part for word in name.split() if len(part := bare(word)) >= SHORTEST_PART] or [name]
        return not any(has_word(text, part) for part in parts)

    return sum(map(is_missing, asked)) / len(asked)


def absent_things(pool: Pool) -> float:
    """Return in [0, 1] the share of the question's trades and things of a household that no candidate has.

    A thing is found by any word for it in any language, also within a longer one.
    """
    question = pool.question
    taken = ((name.start, name.end) for name in question.names)
    things = things_in(question.text, code_of(question.language), taken)
    if not things:
        return 0.0
    text = "\n".join((*map(str.lower, pool.candidates.titled), *pool.lowered.texts))
    return sum(thing.search(text) is None for thing in things) / len(things)


def bare(word: str) -> str:
    """Return a word without what an apostrophe adds to it, as in "Ada's"; a short beginning belongs to the word."""
    before, _, _ = word.partition("'")
    return before if len(before) >= SHORTEST_PART else word


def title_named(pool: Pool, known: Mapping[str, list[int]] | None = None) -> np.ndarray:
    """Return float64 (n,): 1 where the question names the title; `known` is what `titles_of` returns."""
    titled = titles_of(pool) if known is None else known
    asked = fold(pool.question.text)
    named = np.zeros(len(pool))
    for title, rows in titled.items():
        if title in asked and has_word(asked, title):
            named[rows] = 1.0
    return named


def title_asked(pool: Pool, known: Mapping[str, list[int]], named: np.ndarray) -> np.ndarray:
    """Return float64 (n,): `named` for a title that few candidates have in their texts, less for a common one."""
    asked = np.zeros(len(pool))
    for title, rows in known.items():
        if named[rows[0]]:
            asked[rows] = rare_title(pool, title)
    return asked


def titles_of(pool: Pool) -> dict[str, list[int]]:
    """Return the rows of each folded title."""
    titled: dict[str, list[int]] = {}
    for title, rows in pool.candidates.titled.items():
        for folded in _title(title):
            titled.setdefault(folded, []).extend(rows)
    return titled


@lru_cache(maxsize=4_000)
def _title(title: str) -> tuple[str, ...]:
    folded = fold(unqualified(title))
    return (folded,) if len(folded) >= SHORTEST_TITLE else ()


@lru_cache(maxsize=4_000)
def _first_word(title: str) -> str:
    """Return the first run of letters and digits of a folded title; a text that names the title has it as a word."""
    found = ALPHANUMERIC.search(title)
    return found.group() if found else ""
