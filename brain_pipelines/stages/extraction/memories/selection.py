"""The probability that a reader would want a sentence back months later: logistic regression on plain features.

The weights are data, `weights.toml`, one set for parsed sentences and one for languages without a parser. They were
fitted to labelled sentences by `benchmarks/memorable.py --write`, which also measures them.
"""

import math
import re
import tomllib
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path

from brain_pipelines.stages.extraction.local.names.speakers import OWNER
from brain_pipelines.stages.extraction.memories.grammar_features import grammar_features
from brain_pipelines.stages.extraction.memories.sentence import Sentence, Signals
from brain_pipelines.stages.extraction.memories.word_features import MANNERS, TALK, word_features
from brain_retrieval.language.self_description import describes_speaker, names_contact

WEIGHTS = Path(__file__).with_name("weights.toml")
PARSED, PLAIN = "parsed", "plain"
CONSTANT = "constant"
IN_TALK = "talk:"
# Without a parse, words alone do not tell who does what: of 16 such sentences that name no person, place, day or price
# and were surer than this, 2 were useful.
MOST_UNNAMED = 0.55
# What people tell of themselves is what an assistant is asked for later; few labelled sentences are of that sort.
OF_ONESELF = 0.8
MESSAGE = "message"
PERSONAL = frozenset({MESSAGE, "conversation", "note", "agent-note", "voice-memo", "email"})
PROGRAMS = frozenset({"assistant", "agent", "system", "tool"})
_NAMING = ("Person", "Location")
_STATING = frozenset({"date", "month", "year"})
_PRICE = re.compile(r"[A-Z]{3}(?:/\w{1,20})?")


def keep_probability(sentence: Sentence, signals: Signals, before: Sequence[Sentence]) -> float:
    """Return a calibrated probability, 0 to 1; `before` are the sentences in front of it, the nearest last."""
    weights = weight_sets()[PARSED if sentence.words else PLAIN]
    found = features(sentence, signals, before)
    score = weights[CONSTANT] + sum(weights.get(name, 0.0) * value for name, value in found.items())
    chance = 1 / (1 + math.exp(-max(-30.0, min(30.0, score))))
    if _tells_of_oneself(sentence, signals):
        return max(chance, OF_ONESELF)
    return min(chance, MOST_UNNAMED) if _is_unnamed(sentence, signals) else chance


def _tells_of_oneself(sentence: Sentence, signals: Signals) -> bool:
    """Return whether someone, and no program, says what stays true of themselves, where people speak for themselves.

    A message to one's own memory that states a day, an amount of money or an attribute is as much.
    """
    if sentence.quoted or sentence.source not in PERSONAL or (sentence.speaker or "").casefold() in PROGRAMS:
        return False
    if sentence.source == MESSAGE and not sentence.text.rstrip().endswith("?"):
        stated = signals.slot is not None or _states_day_or_price(signals)
        return stated or describes_speaker(sentence.text, to_program=True)
    return describes_speaker(sentence.text, to_program=sentence.speaker == OWNER) or names_contact(sentence.text)


def _states_day_or_price(signals: Signals) -> bool:
    return any(value.dimension in _STATING or _PRICE.fullmatch(value.dimension) for value in signals.values)


def _is_unnamed(sentence: Sentence, signals: Signals) -> bool:
    """Return whether a sentence outside of talk that has no parse names no person, place, day, price or attribute."""
    if sentence.words or sentence.listener is not None or signals.slot is not None:
        return False
    if _states_day_or_price(signals):
        return False
    return not any(name.type in _NAMING for name in sentence.names)


def features(sentence: Sentence, signals: Signals, before: Sequence[Sentence]) -> dict[str, float]:
    """Return all features of a sentence by name; a feature that is 0 may be missing.

    In talk of two each feature counts a second time under its own name, since a word tells something else there than
    in a note or a mail (AUC of unseen texts .895 instead of .888).
    """
    found = word_features(sentence, signals, before) | grammar_features(sentence)
    own = {name: float(value) for name, value in found.items()}
    if not own[TALK]:
        return own
    return own | {f"{IN_TALK}{name}": value for name, value in own.items() if name not in MANNERS}


@cache
def weight_sets() -> Mapping[str, Mapping[str, float]]:
    """Return the weights by feature of each set."""
    return tomllib.loads(WEIGHTS.read_text("utf-8"))
