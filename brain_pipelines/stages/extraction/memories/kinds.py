"""The kind of a memory, one of MEMORY_KINDS."""

from brain_pipelines.stages.extraction.memories.sentence import Sentence, Signals


def kind_of(sentence: Sentence, signals: Signals) -> str:
    """Return the kind of a sentence."""
    past = any(word.tag in ("VBD", "VBN") for word in sentence.words)
    return "event" if past or signals.effective_from else "fact"
