"""Measures of the retrieval benchmark: recall, reciprocal rank, evidence within a pack, and a paired bootstrap."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from brain_retrieval.language.sentences import sentences

BUDGETS = (500, 1_000, 2_000)  # tokens of a pack
COVERED = 0.8  # of the words of the evidence, for a pack to contain it
RESAMPLES = 2_000
MEASURES = ("recall@5", "recall@10", "MRR@10", *(f"pack {budget}" for budget in BUDGETS))


@dataclass
class Outcome:
    """Measurements of one method on one group of questions: a value per question for each of MEASURES."""

    values: dict[str, list[float]] = field(default_factory=lambda: {name: [] for name in MEASURES})
    milliseconds: list[float] = field(default_factory=list)

    def add(self, measured: dict[str, float], milliseconds: float) -> None:
        for name, value in measured.items():
            self.values[name].append(value)
        self.milliseconds.append(milliseconds)

    def cells(self) -> list[str]:
        quality = [f"{np.mean(values):.3f}" if values else "–" for values in self.values.values()]
        return [*quality, *(f"{np.percentile(self.milliseconds, share):.1f}" for share in (50, 95))]


def rank_measures(found: Sequence[str], gold: Sequence[Sequence[str]]) -> dict[str, float]:
    """Return recall@5, recall@10 and the reciprocal rank of the first hit, for groups of which any member counts."""
    groups = [set(group) for group in gold]
    wanted = set().union(*groups)
    first = next((1 / rank for rank, one in enumerate(found[:10], start=1) if one in wanted), 0.0)
    recalls = {f"recall@{k}": sum(bool(group & set(found[:k])) for group in groups) / len(groups) for k in (5, 10)}
    return {**recalls, "MRR@10": first}


def pack_recall(pack: str, held: Sequence[Sequence[str]], evidence: Sequence[str], texts: dict[str, str]) -> float:
    """Return the share of the pieces of evidence that a pack contains.

    Args:
        held: the chunks that hold each piece.
        evidence: the text of each piece; its words must be in the passages of these chunks that the pack shows.
        texts: chunk id -> text.
    """
    flat = _flat(pack)
    shown = [sum((_shown(texts[chunk], flat) for chunk in group), Counter[str]()) for group in held]
    covered = [_coverage(text, words) for text, words in zip(evidence, shown, strict=True)]
    return sum(share >= COVERED for share in covered) / len(covered)


def _shown(chunk: str, pack: str) -> "Counter[str]":
    """Return the words of a chunk that a pack shows: all of them, or those of its sentences that are there."""
    if _flat(chunk) in pack:
        return _words(chunk)
    pieces = (chunk[start:end] for start, end in sentences(chunk))
    return sum((_words(piece) for piece in pieces if _flat(piece) in pack), Counter[str]())


def _coverage(evidence: str, shown: "Counter[str]") -> float:
    words = _words(evidence)
    return (words & shown).total() / max(1, words.total())


def _words(text: str) -> "Counter[str]":
    return Counter(re.findall(r"\w+", text.lower()))


def _flat(text: str) -> str:
    return " ".join(text.split())


def paired_difference(first: Sequence[float], second: Sequence[float]) -> tuple[float, float, float]:
    """Return the mean of first − second over the same questions and its 95 % interval by bootstrap."""
    differences = np.asarray(first) - np.asarray(second)
    draws = np.random.default_rng(7).integers(0, len(differences), (RESAMPLES, len(differences)))
    low, high = np.percentile(differences[draws].mean(axis=1), (2.5, 97.5))
    return float(differences.mean()), float(low), float(high)
