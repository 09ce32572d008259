"""Similarity of two names by their form: the one scoring function for all pairwise comparisons.

Scores are not probabilities. The constants were tuned on synthetic labelled histories (docs/benchmarks.md). The bonus
for context (`Support`) is small, so that context alone cannot join dissimilar names.
"""

from dataclasses import dataclass

from rapidfuzz.distance import OSA

from brain_pipelines.knowledge.entities.names import (
    is_address,
    is_exact_form,
    numbers,
    singular,
    squeezed,
    without_affix,
)
from brain_pipelines.knowledge.entities.people import (
    PARTICLES,
    PersonName,
    can_be_one,
    is_listed,
    parse_person,
    same_given,
)
from brain_pipelines.stages.extraction.local.names.name_forms import is_place_ending
from brain_retrieval.language.folding import plain_forms, without_accents

ACCENTS, SPACING, PLURAL, AFFIX, BOTH = 0.97, 0.95, 0.93, 0.92, 0.9
WORD_ORDER = 0.88
TYPO, UNSURE_TYPO = 0.80, 0.78  # before length and support
RARE, TOGETHER = 0.05, 0.06
MIN_WORD, MIN_FAMILY, MIN_GIVEN, MIN_THING = 5, 6, 5, 7  # minimum letters of a word that may be misspelt


@dataclass(frozen=True)
class Support:
    """Support by context: one name is much rarer (a likely misspelling), or both co-occur with the same names."""

    rare: bool = False
    together: bool = False

    @property
    def bonus(self) -> float:
        return RARE * self.rare + TOGETHER * self.together


@dataclass(frozen=True)
class Likeness:
    """Score and rule of a comparison; a `strict` one is void if one source names both."""

    score: float
    rule: str
    strict: bool = False


NONE = Likeness(0.0, "")


def pair_score(left: str, right: str, entity_class: str, support: Support = Support()) -> Likeness:
    """Return the score (0 to 1) that two normalised names of a class are one name, and the rule; symmetric."""
    if left == right:
        return Likeness(1.0, "same_name")
    if entity_class == "Person" and is_handle_of(left, right):
        return Likeness(ACCENTS, "spelling")
    if is_address(left) or is_address(right) or numbers(left) != numbers(right):
        return NONE
    likeness = (
        _people(left, right, support) if entity_class == "Person" else _things(left, right, entity_class, support)
    )
    return Likeness(round(min(likeness.score, 0.99), 9), likeness.rule, likeness.strict)


def is_handle_of(left: str, right: str) -> bool:
    """Return whether one of two names is the other as the handle of an account: "@kilian", "kilian"."""
    one, other = sorted((left, right))  # "@" precedes letters
    return one[:1] == "@" != other[:1] and one[1:] == other and " " not in other


def _things(left: str, right: str, entity_class: str, support: Support) -> Likeness:
    if plain_forms(left) & plain_forms(right):
        return Likeness(ACCENTS, "spelling")
    if squeezed(left) == squeezed(right):
        return Likeness(SPACING, "spelling")
    if is_exact_form(left) or is_exact_form(right):
        return NONE
    if singular(left) == singular(right):
        return Likeness(PLURAL, "spelling")
    bare_left, bare_right = without_affix(left), without_affix(right)
    if bare_left == bare_right:
        return Likeness(AFFIX, "affix")
    if squeezed(singular(bare_left)) == squeezed(singular(bare_right)):
        return Likeness(BOTH, "spelling")
    if entity_class == "Concept":  # ordinary words, where one letter makes a different word
        return NONE
    words = differing(left.split(" "), right.split(" "))
    if words is None or not is_slip(*words, MIN_WORD if " " in left else MIN_THING):
        return NONE
    if all(map(is_place_ending, words)):
        return NONE  # "Elm Drive" and "Elm Drove" are two streets
    length = min(len(left), len(right))
    if length < MIN_THING:
        return NONE
    return Likeness(TYPO + 0.01 * min(length - MIN_THING, 5) + support.bonus, "spelling", strict=True)


def _people(left: str, right: str, support: Support) -> Likeness:
    one, other = parse_person(left), parse_person(right)
    if one.kind != "full" or other.kind != "full":
        # A partial name is too short for spelling corrections.
        same = one.kind == other.kind and (plain_forms(left) & plain_forms(right) or squeezed(left) == squeezed(right))
        return Likeness(ACCENTS, "spelling") if same else NONE
    if plain_forms(left) & plain_forms(right):
        return Likeness(ACCENTS, "spelling")
    if squeezed(left) == squeezed(right) and can_be_one(one, other):
        return Likeness(SPACING, "spelling")
    if not can_be_one(one, other):
        return NONE
    if (one.given, one.family) == (other.family, other.given) and one.middle == other.middle:
        return Likeness(WORD_ORDER, "word_order", strict=True)
    return _misspelt(one, other, support)


def _misspelt(one: PersonName, other: PersonName, support: Support) -> Likeness:
    if one.middle != other.middle or one.generation != other.generation:
        return NONE
    if one.family == other.family and is_slip(one.given, other.given, MIN_GIVEN):
        listed = is_listed(one.given) + is_listed(other.given)
        if listed == 2 or same_given(one.given, other.given):
            return NONE  # both are known names (Anna, Anne), or one is short for the other
        base = TYPO + 0.06 if listed == 1 else UNSURE_TYPO
        return Likeness(base + support.bonus, "spelling", strict=True)
    if one.given == other.given and _bare(one.family) == _bare(other.family) != one.family:
        return Likeness(SPACING, "spelling", strict=True)  # "van de Zee", "van der Zee"
    if one.given == other.given and is_slip(one.family, other.family, MIN_FAMILY):
        length = min(len(one.family), len(other.family))
        return Likeness(UNSURE_TYPO + 0.01 * min(length - MIN_FAMILY, 4) + support.bonus, "spelling", strict=True)
    return NONE


def _bare(family: str) -> str:
    """Return the last word of a family name with particles in front of it: "zee" of "van der zee"."""
    *before, last = family.split(" ")
    return last if before and all(word in PARTICLES for word in before) else family


def differing(left: list[str], right: list[str]) -> tuple[str, str] | None:
    """Return the only pair of differing words of two names of equal length, None if there is not exactly one."""
    if len(left) != len(right):
        return None
    pairs = [(a, b) for a, b in zip(left, right, strict=True) if a != b]
    return pairs[0] if len(pairs) == 1 else None


def is_slip(one: str, other: str, shortest: int) -> bool:
    """Return whether two words of at least `shortest` letters have an edit distance (OSA) of 1, first letter equal."""
    if min(len(one), len(other)) < shortest or one[0] != other[0] or not (one.isalpha() and other.isalpha()):
        return False
    return OSA.distance(without_accents(one), without_accents(other), score_cutoff=1) <= 1


def agree(one: PersonName, other: PersonName) -> bool:
    """Return whether two full names of one cluster are compatible: equal, short or misspelt given names."""
    if not can_be_one(one, other):
        return False
    if same_given(one.given, other.given) or one.given == other.family:
        return True
    return is_slip(one.given, other.given, MIN_GIVEN) and not (is_listed(one.given) and is_listed(other.given))
