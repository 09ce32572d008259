"""The probability that a reader would want a sentence back later."""

from collections.abc import Sequence

from brain_pipelines.stages.extraction.memories.sentence import Sentence, Signals


def keep_probability(sentence: Sentence, signals: Signals, before: Sequence[Sentence]) -> float:
    """Return a probability, 0 to 1."""
    del before
    stated = bool(sentence.names or signals.dates or signals.values)
    return 0.5 if 4 <= len(sentence.text.split()) <= 45 and stated else 0.2
