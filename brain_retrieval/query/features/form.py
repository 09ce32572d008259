"""Features from the form of question and passage: their lengths, and whether a passage asks instead of answering."""

import numpy as np

from brain_retrieval.query.features.pool import Features, Pool


def form(pool: Pool) -> Features:
    """Return the logarithm of the passage's length relative to the others', whether it ends with a question.

    `unknown` is 1 for a question of which the model has no word whole: "blorf zint", or another language than its own.
    """
    lengths = np.log1p(np.array([len(text) for text in pool.candidates.texts], dtype=np.float64))
    middle = float(np.median(lengths)) if len(pool) else 0.0
    asks = [text[-1:].isspace() and text.rstrip()[-1:] == "?" or text[-1:] == "?" for text in pool.candidates.texts]
    count = float(len(set(pool.question.words.split())))
    asked = pool.candidates.asked
    unknown = asked is not None and bool(asked.tokens) and min(asked.tokens) > 1
    return {
        "length": lengths - middle,
        "asks": np.array(asks, dtype=np.float64),
        "question_length": np.full(len(pool), min(count, 30.0)),
        "unknown": np.full(len(pool), float(unknown)),
    }
