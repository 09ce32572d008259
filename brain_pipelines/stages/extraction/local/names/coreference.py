"""Rule-based coreference: a pronoun → the speaker of the turn, or the nearest preceding name that agrees with it.

Errors are frequent, so a resolved pronoun lowers the confidence of its fact. "you" and "they" are not resolved, "I" and
"we" only where the speaker is known.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from brain_pipelines.stages.extraction.lexicons import LEXICONS
from brain_pipelines.stages.extraction.local.names.gazetteers import gender_of

if TYPE_CHECKING:
    from spacy.tokens import Token

_WORDS = LEXICONS.read("coreference")

PRONOUN = 0.6
FIRST_PERSON = 0.9
REACH = 2  # how many blocks back a person is searched; things are searched in the same block only
_FIRST = _WORDS.words("first")
_GENDERS = _WORDS.table("genders")
_THINGS = _WORDS.words("things")
_IMPERSONAL = _WORDS.words("impersonal")
_IS = _WORDS.words("is")
_CLAUSES = frozenset({"ccomp", "xcomp", "csubj", "acl", "relcl", "advcl"})


@dataclass(frozen=True)
class Referent:
    """A resolved name, its type, and the confidence of the resolution."""

    name: str
    type: str
    confidence: float


class Referents:
    """Candidate referents seen so far in a turn. `speaker` is the referent of "I", None if unknown."""

    def __init__(self, speaker: str | None) -> None:
        self._speaker = speaker
        self._people: list[tuple[tuple[int, int], str]] = []
        self._things: list[tuple[tuple[int, int], str, str]] = []
        self._block = 0

    def next_block(self) -> None:
        """Start a new block and drop candidates that are too far back."""
        self._block += 1
        self._people = [person for person in self._people if person[0][0] >= self._block - REACH]
        self._things = []

    def met(self, position: int, name: str, kind: str) -> None:
        """Record a name at a token position of the current block."""
        if kind == "Person":
            self._people.append(((self._block, position), name))
        elif kind in ("Project", "Tool", "Document", "Event", "Organization"):
            self._things.append(((self._block, position), name, kind))

    def speaker(self) -> Referent | None:
        """Return the referent of "I", None if unknown."""
        return Referent(self._speaker, "Person", FIRST_PERSON) if self._speaker else None

    def resolve(self, token: "Token") -> Referent | None:
        """Return the referent of a pronoun, None if it is not resolved."""
        word, here = token.lower_, (self._block, token.i)
        if word in _FIRST:
            return self.speaker()
        if word in _GENDERS:
            return self._person(here, _GENDERS[word])
        if word in _THINGS and token.dep_ in ("nsubj", "nsubjpass", "dobj", "pobj"):
            return None if _is_expletive(token) else self._thing(here)
        return None

    def _person(self, here: tuple[int, int], gender: str) -> Referent | None:
        fitting = [
            (position, name)
            for position, name in self._people
            if position < here and gender_of(name) in (gender, "-") and name != self._speaker
        ]
        return Referent(max(fitting)[1], "Person", PRONOUN) if fitting else None

    def _thing(self, here: tuple[int, int]) -> Referent | None:
        fitting = [thing for thing in self._things if thing[0] < here]
        return Referent(*max(fitting)[1:], PRONOUN) if fitting else None


def _is_expletive(token: "Token") -> bool:
    """Return whether "it" is expletive, standing for a following clause: "it is amazing how", "it took years to"."""
    verb = token.head
    if token.dep_ != "nsubj" or token.lower_ != "it" or verb.lemma_ not in _IMPERSONAL and verb.lower_ not in _IS:
        return False
    said = [verb, *(c for c in verb.children if c.dep_ in ("acomp", "attr", "dobj", "oprd"))]
    return any(c.dep_ in _CLAUSES and c.i > token.i for part in said for c in part.children)
