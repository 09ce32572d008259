"""How useful a memory is to its owner, who has not asked for anything: logistic regression on it and its home.

`keep` of a memory tells whether its sentence is worth keeping; most of what is, is of no use in front. This adds what
the sentence states, of which people and things, what its vector tells (`meaning.py`), and how it stands among the
memories of the same home. Usefulness is the share of readers who, in the owner's place, would find it right that an
assistant remembers the line and shows it. The weights are data, `usefulness.toml`, for memories with and without a
vector; `benchmarks/shown.py` fits them to labelled homes and measures them on homes left out.
"""

import math
import re
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from brain_retrieval.knowledge.memories.compared.claims import WRITTEN
from brain_retrieval.knowledge.memories.shown.fitness import (
    FEW,
    LEAST_CONTENT,
    LIFE,
    MESSAGE,
    OWNER,
    said,
    tells_of_oneself,
)
from brain_retrieval.knowledge.memories.shown.sums import is_money
from brain_retrieval.knowledge.memories.shown.surroundings import Surroundings
from brain_retrieval.language.concepts import MARK, PART, TITLED
from brain_retrieval.language.content_words import content_words
from brain_retrieval.language.lexicon import SHARED
from brain_retrieval.language.plain import lowered, word_pattern

WEIGHTS = Path(__file__).with_name("usefulness.toml")
CONSTANT, LIMIT = "constant", 0.98
WITH, WITHOUT = "with_vector", "without_vector"
# What someone writes to their own memory of themselves is there to be known; the labelled homes have none of it.
OWN_MESSAGE = 0.75
TO_ASSISTANT = 0.7
KINDS = ("fact", "event", "plan", "preference", "decision", "relationship", "instruction", "feeling")
_TAKING_PART = ("speaker", "listener")
_TIMES = frozenset({"date", "time", "month", "year", "duration", "hour", "day", "week"})
_DAYS = frozenset({"date", "month", "year"})
_WORD = re.compile(r"[^\W_]{1,40}(?:['’-][^\W_]{1,40}){0,3}")
SHORT, LONG, COMMON = 6, 30, (10, 25)  # words
MOST_OTHERS, MOST_WORDS = 3, 10
BEGINNING = 400  # characters of a source

Row = Mapping[str, Any]


def usefulness(row: Row, home: Surroundings, meaning: float | None = None) -> float:
    """Return the usefulness, 0 to 1; of what was not read from a text by rules, its probability of being kept.

    Args:
        row: of MEMORIES.
        home: of all memories of the user.
        meaning: what its vector adds to the log odds; None: it has none, or one of a model without weights.
    """
    if row["method"] != "local":
        return 1.0 if row["method"] in WRITTEN else float(row["keep"])
    found = features(row, home)
    weights = fitted_weights()[WITHOUT if meaning is None else WITH]
    score = weights[CONSTANT] + (meaning or 0.0)
    score += math.fsum(weights.get(name, 0.0) * value for name, value in found.items())
    return round(max(1 / (1 + math.exp(-max(-30.0, min(30.0, score)))), _least(row, home)), 6)


def followed_up(useful: float, followed: int) -> float:
    """Return the usefulness of a value, given that of it and of those that it has replaced, and of how many sources
    these were: what is changed is what people follow, so the odds are 1 + followed times as high.
    """
    odds = useful * (1 + followed)
    return round(odds / (odds + 1 - useful), 6)


def _least(row: Row, home: Surroundings) -> float:
    """Return the least usefulness of what someone says of themselves to their own memory, or to an assistant."""
    least = OWN_MESSAGE if row["source"] == MESSAGE else TO_ASSISTANT if _is_to_program(row, home) else 0.0
    stays = tells_readers_of_oneself if is_essay(row, home) else _tells_of_oneself
    return least if least and stays(row, home) else 0.0


def _is_to_program(row: Row, home: Surroundings) -> bool:
    """Return whether the owner says it to a program, or notes it as a fact; a diary likes much for a day."""
    diary = not home.of_facts and home.sources >= FEW and row["source"] == "note"
    return row["speaker"] == OWNER and (not diary or row["source_id"] in home.with_programs)


def _tells_of_oneself(row: Row, home: Surroundings) -> bool:
    """Return whether someone says what stays true of themselves; of an essay what its writer likes does not count."""
    return tells_of_oneself(row, to_readers=is_essay(row, home))


def is_essay(row: Row, home: Surroundings) -> bool:
    """Return whether a memory was read from a longer note: a diary, a blog, minutes."""
    return row["source"] == "note" and row["source_id"] not in home.jotted


def tells_readers_of_oneself(row: Row, home: Surroundings) -> bool:
    """Return whether someone says what stays true of themselves with a name or two words: no "I'm an idiot"."""
    named = any(one["role"] not in _TAKING_PART for one in row["entities"] or ())
    return (named or len(content_words(said(row))) >= LEAST_CONTENT) and _tells_of_oneself(row, home)


@cache
def fitted_weights() -> Mapping[str, Mapping[str, float]]:
    """Return the weights by whether the memory has a vector, and by feature."""
    return tomllib.loads(WEIGHTS.read_text("utf-8"))


def features(row: Row, home: Surroundings) -> dict[str, float]:
    """Return all features by name, each about 0 to 4."""
    words = said(row)
    found = {
        **_of_selection(row, home),
        **_of_entities(row, home),
        **_of_values(row),
        **_of_form(words, row),
        **_of_marks(words, row),
        **_of_words(words),
    }
    return {name: float(value) for name, value in (found | _among_others(row, home)).items()}


def _of_words(said: str) -> dict[str, float]:
    """Return whether it tells of the meals and weather of a day, of a turn of a life or a work, of "something"."""
    low = lowered(said)
    everyday = is_everyday(said)  # "bought some bread" is no purchase
    turn = not everyday and _listed("turns").search(low) is not None
    return {"everyday": everyday, "turn": turn, "vague": _listed("vague").search(low) is not None}


def is_everyday(text: str) -> bool:
    """Return whether a sentence has a word of the meals, the sleep and the weather of a day.

    >>> is_everyday("Ann was asleep on the sofa."), is_everyday("Ann moved to Hull.")
    (True, False)
    """
    return _listed("everyday").search(lowered(text)) is not None


@cache
def _listed(key: str) -> re.Pattern[str]:
    """Return a pattern for the words of a list of `definitions.toml`, in all languages."""
    return word_pattern(SHARED.every_language("definitions").listed(key))


def _of_selection(row: Row, home: Surroundings) -> dict[str, float]:
    chance = min(LIMIT, max(1 - LIMIT, row["keep"]))
    return {
        "keep": math.log(chance / (1 - chance)),
        "keep_rank": np.searchsorted(home.keeps, row["keep"]) / max(1, len(home.keeps)),
        "self_contained": row["self_contained"],
        **{f"kind_{kind}": row["kind"] == kind for kind in KINDS},
        "talk": row["listener"] is not None,
        "in_conversation": row["source"] == "conversation",
        "in_note": row["source"] == "note",
        "in_mail": row["source"] == "email",
        "negated": row["polarity"] == "negated",
        "weak_change": row["cue"] == "weak",
        "strong_change": row["cue"] == "strong",
        "slot": row["slot_attribute"] is not None,
        "slot_of_person": _is_of_person(row),
    }


def _is_of_person(row: Row) -> bool:
    """Return whether a row states an attribute of a person: where someone lives, and not what a tree "is in"."""
    if row["slot_attribute"] is None:
        return False
    people = [one for one in row["entities"] or () if one["type"] == "Person"]
    return any(one["role"] == "speaker" or one["name"] == row["slot_subject"] for one in people)


def _of_entities(row: Row, home: Surroundings) -> dict[str, float]:
    entities = row["entities"] or ()
    others = [one for one in entities if one["role"] not in _TAKING_PART]
    people = [one for one in others if one["type"] == "Person"]
    subjects = [one for one in entities if one["role"] == "subject"]
    speaker = row["speaker"] or ""
    by_person = any(one["type"] == "Person" for one in subjects)
    return {
        "speaker": speaker not in ("", "user"),
        "tells_of_oneself": _tells_of_oneself(row, home),
        "of_oneself": any(one["role"] == "speaker" for one in entities),
        "labelled": bool(speaker) and row["text"].startswith(f"{speaker}: "),
        "others": min(MOST_OTHERS, len(others)),
        "person": bool(people),
        "people": len(people) > 1,
        "organization": any(one["type"] == "Organization" for one in others),
        "place": any(one["type"] == "Location" for one in others),
        "thing": any(one["type"] not in ("Person", "Location", "Organization") for one in others),
        "by_person": by_person,
        "by_thing": bool(subjects) and not by_person,
        "nothing_named": not entities,
    }


def _of_values(row: Row) -> dict[str, float]:
    dimensions = {value["dimension"] for value in row["values"] or ()}
    money = any(map(is_money, dimensions))
    return {
        "day": bool(dimensions & _DAYS),
        "time": bool(dimensions & _TIMES),
        "money": money,
        "unit": bool(dimensions - _TIMES) and not money,
        "start": row["from_stated"],
        "end": row["valid_to"] is not None,
        "later": row["effective_from"] > row["said_at"],
        "earlier": row["from_stated"] and row["effective_from"] < row["said_at"],
        "marks": any(word.startswith(MARK) and not word.startswith((PART, TITLED)) for word in row["anchors"]),
        "life": not LIFE.isdisjoint(row["anchors"]) and any(one["type"] == "Person" for one in row["entities"] or ()),
    }


def _of_form(said: str, row: Row) -> dict[str, float]:
    words = _WORD.findall(said)
    return {
        "length": math.log1p(len(words)),
        "short": len(words) <= SHORT,
        "long": len(words) >= LONG,
        "common_length": COMMON[0] <= len(words) <= COMMON[1],
        "capitals": sum(word[0].isupper() for word in words[1:]) / max(1, len(words) - 1),
        "content": min(MOST_WORDS, sum(not word.startswith(MARK) for word in row["anchors"])) / MOST_WORDS,
    }


def _of_marks(said: str, row: Row) -> dict[str, float]:
    return {
        "capital_first": said[:1].isupper(),
        "full_stop": said.endswith((".", "!", "?", "”", '"')),
        "exclaimed": said.endswith("!"),
        "address": "http" in said,
        "brackets": "(" in said,
        "quoted": any(mark in said for mark in '"“„«'),
        "colon": ":" in said,
        "dash": any(dash in said for dash in (" - ", "—", " – ")),
        "commas": said.count(",") > 1,
        "digits": any(char.isdigit() for char in row["evidence"]),
        "rewritten": said != row["evidence"].strip(),
    }


def _among_others(row: Row, home: Surroundings) -> dict[str, float]:
    """Return how common its words and names are in the home: 0 for one source or memory, 1 for all of them."""
    words = [home.of_word.get(word, 1) for word in row["anchors"] if not word.startswith(MARK)]
    others = [one for one in row["entities"] or () if one["role"] not in _TAKING_PART]
    known = [home.of_name.get(one["name"], 1) for one in others]
    people = [home.named.get(one["name"], 1) for one in others if one["type"] == "Person"]
    share = _shares(words, home.sources)
    return {
        "common_words": sum(share) / max(1, len(share)),
        "commonest_word": max(share, default=0.0),
        "new_words": sum(count == 1 for count in words) / max(1, len(words)),
        "common_name": max(_shares([home.named.get(one["name"], 1) for one in others], len(home.keeps)), default=0.0),
        "known_name": any(count > 1 for count in known),
        "known_person": any(count > 2 for count in people),
        "beginning": row["start"] < BEGINNING,
        "repeated": row["evidence"] in home.repeated,
    }


def _shares(counts: Iterable[int], most: int) -> Sequence[float]:
    """Return the counts on a scale of logarithms on which `most` is 1: it means the same in homes of any size."""
    return [math.log(count) / math.log(max(2, most)) for count in counts]
