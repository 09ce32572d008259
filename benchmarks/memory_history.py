"""Made-up memories of one user: varied sentences about many people, places and things, some much more frequent.

Who and what a sentence is about follows Zipf's law over names and nouns whose number grows with the square root of the
history. The columns are those that the extraction stage would write for the sentence.
"""

import random
from collections.abc import Sequence
from datetime import datetime, timedelta
from functools import cache

from brain_retrieval.ids import content_id
from brain_retrieval.language.concepts import concepts_of
from brain_retrieval.language.content_words import content_words

SYLLABLES = "an bel cor dan el fen gar hol is jun kel lor mar nor os pel rin sol tan ul ver win".split()
GIVEN = "Alice Bob Carla Daniel Elena Frank Grace Hugo Ines Jonas Karin Liam Mona Nils Olga Priya Quinn Rosa".split()
# Sentence, kind, modality, cue of change, attribute of the slot, dimension of the value.
PATTERNS = [
    ("{a} lives in {p}.", "fact", "asserted", "none", "lives_in", None),
    ("{a} has moved to {p}.", "event", "asserted", "strong", "lives_in", None),
    ("{a} works at {o} as the {n} lead.", "fact", "asserted", "none", "works_at", None),
    ("{a} left {o} and now works at {p}.", "event", "asserted", "strong", "works_at", None),
    ("The {n} of the {m} costs {v} euros.", "fact", "asserted", "none", None, "EUR"),
    ("{a} now pays {v} euros for the {n}.", "fact", "asserted", "weak", None, "EUR"),
    ("The {n} has {v} seats instead of the {m}.", "fact", "asserted", "strong", None, "number"),
    ("{a} prefers the {n} to the {m}.", "preference", "asserted", "none", None, None),
    ("{a} no longer likes the {n}.", "preference", "asserted", "strong", None, None),
    ("{a} and {b} agreed on the {n} for the {m}.", "decision", "asserted", "none", None, None),
    ("{b} says that {a} will sell the {n} in {p}.", "plan", "reported", "none", None, None),
    ("{a} might join {o} because of the {n}.", "plan", "possible", "none", None, None),
    ("The {n} with {a} was moved to {d}.", "event", "asserted", "strong", None, "date"),
    ("The {n} of {a} in {p} is on {d}.", "event", "asserted", "none", None, "date"),
    ("{a} is the sister of {b} and plays the {n}.", "relationship", "asserted", "none", None, None),
    ("{a} promised {b} the {n} of {o} by {d}.", "plan", "asserted", "none", None, "date"),
    ("{a} repaired the {n} near the {m} with {b}.", "event", "asserted", "none", None, None),
    ("Does {a} still need the {n} for {o}?", "fact", "question", "none", None, None),
    ("{a} is worried about the {n} of the {m}.", "feeling", "asserted", "none", None, None),
    ("Always send the {n} to {a} before the {m}.", "instruction", "asserted", "none", None, None),
]


class Sentences:
    """Makes sentences; the same seed gives the same ones."""

    def __init__(self, memories: int, rng: random.Random) -> None:
        self._rng, size = rng, max(30, int(memories**0.5))
        self.people = [f"{rng.choice(GIVEN)} {_word(rng).capitalize()}" for _ in range(2 * size)]
        self.places = [_word(rng).capitalize() for _ in range(size)]
        self.firms = [f"{_word(rng).capitalize()} {rng.choice(('Labs', 'Ltd', 'Group'))}" for _ in range(size)]
        self.nouns = [_word(rng) for _ in range(10 * size)]
        self._weights = {len(words): _zipf(len(words)) for words in (self.people, self.places, self.nouns)}

    def _one(self, words: list[str]) -> str:
        return self._rng.choices(words, cum_weights=self._weights[len(words)])[0]

    def row(self, source_id: str, number: int, at: datetime, people: Sequence[str] = ()) -> dict:
        """Return the columns of MEMORIES that differ between memories: the `number`-th of a source, said at `at`.

        `people` are those it may be about; without them, all.
        """
        rng = self._rng
        text, kind, modality, cue, attribute, dimension = rng.choice(PATTERNS)
        date = (at + timedelta(days=rng.randrange(60))).date().isoformat()
        a, b = rng.choices(people, k=2) if people else (self._one(self.people), self._one(self.people))
        fill = {"a": a, "b": b, "p": self._one(self.places)}
        fill |= {"o": self._one(self.firms), "n": self._one(self.nouns), "m": self._one(self.nouns)}
        fill |= {"v": str(rng.randrange(5, 3000)), "d": date}
        used = {key: value for key, value in fill.items() if f"{{{key}}}" in text}
        written = text.format(**used)
        roles = {"a": "subject", "b": "other", "p": "place", "o": "other"}
        named = [(key, used[key]) for key in "abpo" if key in used]
        words = [word for key, value in used.items() if key not in "vd" for word in _words(value)]
        value = {"EUR": fill["v"], "number": fill["v"], "date": date}.get(dimension or "")
        return {
            "memory_id": content_id("memory", source_id, number),
            "text": written,
            "evidence": written,
            "kind": kind,
            "modality": modality,
            "polarity": "negated" if "no longer" in text else "affirmed",
            "cue": cue,
            "keep": round(rng.betavariate(2, 2), 6),
            "self_contained": True,
            "speaker": "user" if rng.random() < 0.5 else self._one(self.people),
            "entities": [{"name": name, "type": _TYPES[key], "role": roles[key]} for key, name in named],
            "anchors": list(dict.fromkeys((*_words(_bare(text)), *words, *_concepts(_bare(text))))),
            "values": [{"dimension": dimension, "value": value}] if value else [],
            "slot_subject": fill["a"] if attribute else None,
            "slot_attribute": attribute,
            "slot_value": (fill["o"] if attribute == "works_at" and cue == "none" else fill["p"])
            if attribute
            else None,
            "said_at": at,
            "effective_from": at,
            "from_stated": False,
            "clause": 0,
            "start": 100 * number,
            "end": 100 * number + len(written),
        }


_TYPES = {"a": "Person", "b": "Person", "p": "Location", "o": "Organization"}


def _word(rng: random.Random) -> str:
    return "".join(rng.choice(SYLLABLES) for _ in range(3))


def _zipf(size: int) -> list[float]:
    total, found = 0.0, []
    for place in range(size):
        total += 1 / (place + 1)
        found.append(total)
    return found


@cache
def _words(text: str) -> tuple[str, ...]:
    return content_words(text, "en")


@cache
def _concepts(text: str) -> tuple[str, ...]:
    return concepts_of(text, "en")


@cache
def _bare(pattern: str) -> str:
    return "".join(part.split("}")[-1] for part in pattern.split("{"))
