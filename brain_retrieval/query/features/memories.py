"""Features from the memories of a candidate: how well the best sentence worth keeping in it fits the question."""

import numpy as np

from brain_retrieval.language.letter_pairs import is_in_letter_pairs
from brain_retrieval.query.candidates import Candidates
from brain_retrieval.query.features.pool import Features, Pool, or_zero
from brain_retrieval.query.features.tabular import is_tabular

# What memories, of one sentence each, count in a question of several statements, and in one that asks for a list.
SEVERAL, LISTED = 0.6, 1.4
PICTURES = frozenset({"image", "screenshot", "video"})  # their texts are descriptions and what is written on them


def memories(pool: Pool) -> Features:
    """Return how the best memory fits, 0 without one, its reciprocal rank, and whether memories were compared.

    `share` is no score, but how much of their weight memories have in this question. `silent` is 1 for a passage that
    could hold no memory, because memories are made of prose: a table, a form, a picture. Of a question in a script that
    writes no words apart so are all passages in one: their sentences are hardly read, and the default model, which
    knows few of their letters, says little of how they fit.
    """
    question = pool.question
    counted = SEVERAL if len(question.statements) > 1 else LISTED if question.lists else 1.0
    arm = pool.candidates.arms.get("memories")
    if arm is None:
        return dict.fromkeys(("fit", "rank", "compared", "share", "silent"), np.zeros(len(pool)))
    return {
        "fit": or_zero(pool.normalised["memories"]),
        "rank": np.where(arm.ranks > 0, 1.0 / (arm.ranks + 4.0), 0.0),
        "compared": np.ones(len(pool)),
        "share": np.full(len(pool), counted),
        "silent": _silent(pool.candidates, arm.scores, question.text),
    }


def _silent(candidates: Candidates, scores: np.ndarray, question: str) -> np.ndarray:
    silent = np.zeros(len(candidates))
    texts, sources = candidates.texts, candidates.listed("source")
    if is_in_letter_pairs(question):
        silent[:] = [is_in_letter_pairs(text) for text in texts]
    for row in np.flatnonzero(np.isnan(scores)).tolist():
        silent[row] = max(silent[row], float(sources[row] in PICTURES or is_tabular(texts[row])))
    return silent
