"""The kind of a memory, one of MEMORY_KINDS, by rules in a fixed order: the first that fits."""

import re
from functools import cache

from brain_pipelines.stages.extraction.lexicons import LEXICONS
from brain_pipelines.stages.extraction.memories.main_clause import MainClause
from brain_pipelines.stages.extraction.memories.sentence import Sentence, Signals
from brain_pipelines.stages.extraction.memories.word_features import in_past
from brain_retrieval.language.lexicon import ENGLISH, code_of

_IS = ("be", "'s", "’s")


def kind_of(sentence: Sentence, signals: Signals) -> str:
    """Return the kind of a sentence."""
    past = MainClause(sentence).happened if sentence.words else in_past(sentence)
    if _says(sentence, "relations") and not past and _is_of_state(sentence, signals):
        return "relationship"
    if _says(sentence, "decisions"):
        return "decision"
    if not past and _says(sentence, "instructions") or _is_command(sentence):
        return "instruction"
    if not past and _says(sentence, "plans"):
        return "plan"
    if _says(sentence, "likes"):
        return "preference"
    if _says(sentence, "feelings"):
        return "feeling"
    return "event" if past else "fact"


def _is_of_state(sentence: Sentence, signals: Signals) -> bool:
    """Return whether a sentence says who someone is: "Priya is my landlord's daughter"."""
    if signals.slot is not None and signals.slot.attribute == "is":
        return True
    if not sentence.words:
        return False
    clause = MainClause(sentence)
    return any(verb.lemma in _IS for verb in clause.verbs) and any(word.dep == "attr" for word in clause.words)


def _is_command(sentence: Sentence) -> bool:
    if not sentence.words:
        return False
    clause = MainClause(sentence)
    if clause.subject is not None or not clause.verbs or clause.helpers or clause.verbs[0].tag != "VB":
        return False
    first = sentence.words[0]
    return not clause.in_name(first) and not (first.tag.startswith("NNP") and first is not clause.verbs[0])


def _says(sentence: Sentence, key: str) -> bool:
    return bool(_pattern(key, sentence.language).search(sentence.text.replace("’", "'")))


@cache
def _pattern(key: str, language: str | None) -> re.Pattern[str]:
    code = code_of(language)
    lexicon = LEXICONS.read("kinds", code if LEXICONS.has("kinds", code) else ENGLISH)
    return re.compile(rf"(?<!\w)(?:{lexicon.pattern(key)})(?!\w)", re.IGNORECASE)
