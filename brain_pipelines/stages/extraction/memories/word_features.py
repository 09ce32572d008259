"""Features of a sentence by its words alone, for every language with a lexicon, and without a parse."""

import math
import re
from collections.abc import Mapping, Sequence
from functools import cache

from brain_pipelines.stages.extraction.lexicons import LEXICONS
from brain_pipelines.stages.extraction.memories.sentence import Name, Sentence, Signals
from brain_retrieval.language.folding import fold
from brain_retrieval.language.lexicon import ENGLISH, code_of
from brain_retrieval.language.negation import negation

_TOKEN = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")
_LIST = "memorable"
_STUTTER = re.compile(r"\b(\w+)[ ,]+\1\b", re.IGNORECASE)
_CLOSED = tuple('.!?…"”’)»')
_SPOKEN = ("meeting", "video")
_OWN = ("note", "agent-note", "voice-memo")
TALK = "talk"
MANNERS = (TALK, "spoken", "own")
SHORT, LONG = 4, 30  # words
FRONT = 3  # words at the beginning

# Keys of the lexicon that are counted, up to two; the others have features of their own.
_COUNTED = ("generic", "vague", "praise", "feelings", "modals", "times", "kin", "joins", "likes")
_PRESENT = ("events", "states", "plans", "changes", "shown", "we", "you", "he")


@cache
def _words(language: str | None) -> Mapping[str, frozenset[str]]:
    code = code_of(language)
    lexicon = LEXICONS.read(_LIST, code if LEXICONS.has(_LIST, code) else ENGLISH)
    keys = (*_COUNTED, *_PRESENT, "i", "pointers", "calls", "encouraging")
    return {key: lexicon.words(key) for key in keys}


@cache
def _past(language: str | None) -> re.Pattern[str]:
    code = code_of(language)
    lexicon = LEXICONS.read(_LIST, code if LEXICONS.has(_LIST, code) else ENGLISH)
    return re.compile(lexicon.expression("past"), re.IGNORECASE)


def in_past(sentence: Sentence) -> bool:
    """Return whether a sentence has a form of the past, by its words alone."""
    return bool(_past(sentence.language).search(sentence.text))


def tokens_of(text: str, language: str | None) -> list[str]:
    """Return the words in lower case; outside English an apostrophe parts two words ("j'ai")."""
    tokens = [token.lower().replace("’", "'") for token in _TOKEN.findall(text)]
    return tokens if code_of(language) == ENGLISH else [part for token in tokens for part in token.split("'")]


def word_features(sentence: Sentence, signals: Signals, before: Sequence[Sentence]) -> dict[str, float]:
    """Return the features by name; a feature that is 0 may be missing."""
    text, language = sentence.text, sentence.language
    lists, tokens = _words(language), tokens_of(text, language)
    kinds: dict[str, float] = {key: min(2, sum(t in lists[key] for t in tokens)) for key in _COUNTED}
    kinds |= {key: float(any(t in lists[key] for t in tokens)) for key in _PRESENT}
    first, past = any(t in lists["i"] for t in tokens), in_past(sentence)
    start = next((n for n, t in enumerate(tokens) if t not in lists["calls"] and t not in lists["joins"]), 0)
    front = tokens[start : start + FRONT]
    return {
        **kinds,
        **_shape(text, tokens),
        **_named(sentence),
        "slot": signals.slot is not None,  # dates, values and cues of change added nothing to the words
        "until": signals.valid_to is not None,
        **_manner(sentence),
        "first": first,
        "first_past": past and (first or bool(kinds["we"])),
        "negated": bool(negation(language).search(text)),
        "calls_in_front": sum(t in lists["calls"] for t in tokens[:FRONT]),
        "only_calls": all(t in lists["calls"] or t in lists["joins"] for t in tokens),
        "pointer_first": bool(front) and front[0] in lists["pointers"],
        "encouraging_first": bool(front) and front[0] in lists["encouraging"],
        "answer": bool(before) and before[-1].text.rstrip().endswith("?") and before[-1].speaker != sentence.speaker,
    }


def _shape(text: str, tokens: Sequence[str]) -> dict[str, float]:
    bare = text.strip()
    return {
        "length": math.log1p(len(tokens)),
        "short": len(tokens) <= SHORT,
        "long": len(tokens) >= LONG,
        "question": bare.endswith("?"),
        "exclaimed": bare.endswith("!"),
        "open_end": not bare.endswith(_CLOSED),
        "colon_end": bare.endswith((":", "-")),
        "lower_start": bare[:1].islower(),
        "stutter": bool(_STUTTER.search(bare)),
        "digits": any(c.isdigit() for c in bare),
        "long_words": sum(len(t) >= 7 for t in tokens) / max(1, len(tokens)),
    }


def _manner(sentence: Sentence) -> dict[str, float]:
    """Return how it was said: between two people, by several, in notes of one's own; else mails and documents."""
    return {
        TALK: sentence.listener is not None,
        "spoken": sentence.source in _SPOKEN and sentence.listener is None,
        "own": sentence.source in _OWN,
    }


def _named(sentence: Sentence) -> dict[str, float]:
    named = [name for name in sentence.names if not is_addressed(sentence, name)]
    return {
        "names": min(3, len(named)),
        "named": bool(named),
        "addressed": len(named) < len(sentence.names),
    }


def is_addressed(sentence: Sentence, name: Name) -> bool:
    """Return whether a name is that of the listener, called at the beginning or the end: "Hey Mira, …".

    Where the listener is known by name, no other name is called: "with my sister, Ida", "12 Mill Lane, Chester". Behind
    another name it is one more of a list: "Present: Ann (chair), Cem".
    """
    listener = fold(sentence.listener or "")
    if listener and listener.startswith(fold(name.text)[:3]) and name.type == "Person":
        return True
    if any(map(str.isalpha, listener)) and "@" not in listener:
        return False
    before, after = sentence.text[: name.start].rstrip(), sentence.text[name.end :].lstrip()
    called = before.endswith(",") and not after.strip(" .!?")
    item = before.rstrip(", ")
    listed = item.endswith(")") or any(other.end == len(item) for other in sentence.names)
    return name.type == "Person" and bool(sentence.speaker) and called and not listed
