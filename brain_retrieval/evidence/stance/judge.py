"""From features to a stance: how far a statement is about a claim, and in which direction it speaks.

A statement has a direction only where it is about the same: the same subject, and two of action, object and words.
Denial, an opposite word and a refutation turn the direction; another amount, date or holder contradicts. How strong a
stance is follows from how far it is about the claim, so that no feature alone makes one.
"""

from dataclasses import dataclass
from typing import Literal

from brain_retrieval.evidence.stance.features import StanceFeatures

BY_MODEL = "judged by the model"
Label = Literal["support", "contradict", "neither"]
WEIGHTS = {"subject": 0.30, "object": 0.25, "action": 0.20, "overlap": 0.15, "semantic": 0.10}
LEAST = 0.45  # strength of a stance
LEAST_SUBJECT, LEAST_OBJECT, LEAST_ACTION, LEAST_NAMES, LEAST_OVERLAP = 0.5, 0.6, 0.5, 0.5, 0.5
LEAST_ALONE = 0.75  # of the object, of a claim without a subject
OTHER_AMOUNT, OTHER_DATE, OTHER_HOLDER, HAS_ENDED = 0.9, 0.8, 0.8, 0.75
MODEL = 0.65  # strength of what a model says, below that of most rules
HEDGED, REPORTED, OUTDATED = 0.4, 0.75, 0.4  # with the first or the last alone it is below LEAST


@dataclass(frozen=True)
class Stance:
    """What a statement says of a claim, how strongly (0–1), how far it is about it (0–1), and why in plain words."""

    label: Label
    support: float
    contradict: float
    about: float
    reason: str = ""

    @property
    def strength(self) -> float:
        return max(self.support, self.contradict)


def judge(features: StanceFeatures, *, negated: bool = False, then: bool = False, hedged: bool = False) -> Stance:
    """Return the stance of a statement towards a claim.

    Args:
        features: of the statement and what the claim affirms.
        negated: the claim denies it, so support and contradiction are exchanged.
        then: the claim speaks of what was, so that it does not matter whether the statement has ended.
        hedged: the claim states a possibility, which a hedged statement supports in full.
    """
    about = aboutness(features)
    direction, reason = _direction(features)
    if not then:
        direction, reason = _in_time(direction, reason, features)
    elif features.other:
        direction, reason = 0.0, "does not say what was before"
    strength = about * abs(direction) * _certainty(features, hedged, then)
    affirms, denies = (strength, 0.0) if direction > 0 else (0.0, strength)
    support, contradict = (denies, affirms) if negated else (affirms, denies)
    label: Label = "support" if support >= LEAST else "contradict" if contradict >= LEAST else "neither"
    return Stance(label, support, contradict, about, reason)


def judged_by_model(label: Label, features: StanceFeatures, *, then: bool, hedged: bool) -> Stance:
    """Return the stance that a model gives: bounded, and as uncertain as the statement; what has ended denies."""
    direction = 1.0 if label == "support" else -1.0
    if features.ended and not then:
        direction = -HAS_ENDED if direction > 0 else 0.0
    strength = MODEL * abs(direction) * _certainty(features, hedged, then)
    support, contradict = (strength, 0.0) if direction > 0 else (0.0, strength)
    found: Label = "support" if support >= LEAST else "contradict" if contradict >= LEAST else "neither"
    return Stance(found, support, contradict, aboutness(features), BY_MODEL)


def aboutness(features: StanceFeatures) -> float:
    """Return how far a statement is about what a claim is about, 0–1, over the parts that the claim has.

    Where another one is named in place of the claim's, what is missing for that reason does not count.
    """
    parts = {name: getattr(features, name) for name in WEIGHTS}
    if features.general:
        parts |= {"object": None, "overlap": None}
    if features.other:
        missing = "subject" if (features.subject or 0.0) < (features.object or 0.0) else "object"
        parts |= {missing: None, "overlap": None}
    known = {name: value for name, value in parts.items() if value is not None}
    return sum(WEIGHTS[name] * value for name, value in known.items()) / sum(WEIGHTS[name] for name in known)


def _direction(f: StanceFeatures) -> tuple[float, str]:
    """Return +1 for what affirms, a negative number for what denies, 0 for neither, with the reason."""
    if f.asked or f.names < LEAST_NAMES and not f.other:
        return 0.0, "a question" if f.asked else "does not name the same"
    if f.opposite and f.event:
        return 0.0, "is another event"
    turned = f.opposite ^ f.denied ^ f.refuted
    if f.other and not turned:
        return -OTHER_HOLDER, "names another in its place"
    if _same_thing(f) and not turned and (another := _another_value(f)):
        return another
    if f.general and turned and _at_least(f.subject, LEAST_SUBJECT) and f.action >= LEAST_ACTION:
        return -1.0, "denies it altogether"
    if not _same_statement(f):
        return 0.0, "does not state it"
    if f.replaced:
        return 0.0, "says something else in its place"
    if f.reversed:
        return 0.0, "has the roles exchanged"
    if turned and f.wider:
        return 0.0, "denies it of one of a kind"  # that there is no horse does not mean that there is no animal
    if turned:
        # What denies another amount does not deny the one claimed.
        return (0.0, "denies another one") if _another_value(f) else (-1.0, _turn(f))
    return (1.0, "states it") if f.stated else (0.0, "does not state the amount or date")


def _another_value(f: StanceFeatures) -> tuple[float, str] | None:
    """Return the direction and the reason of another amount, date or kind, None without one."""
    if f.amounts == "conflict":
        return -OTHER_AMOUNT, "states another amount"
    if f.contrary:
        return -OTHER_AMOUNT, "states another of its kind"
    return (-OTHER_DATE, "states another date") if f.dates == "conflict" else None


def _turn(f: StanceFeatures) -> str:
    return "calls it false" if f.refuted else "denies it" if f.denied else "says the opposite"


def _in_time(direction: float, reason: str, f: StanceFeatures) -> tuple[float, str]:
    """Return the direction at the time asked about: what has ended denies what it said before."""
    if f.ended:
        return (-HAS_ENDED * direction, "held before and has ended") if direction > 0 else (0.0, "has ended")
    return direction, reason


def _certainty(f: StanceFeatures, hedged: bool, then: bool) -> float:
    """Return how sure a statement is; that it may have ended since does not matter to a claim about what was."""
    certainty = HEDGED if f.hedged and not hedged else 1.0
    return certainty * (REPORTED if f.reported else 1.0) * (OUTDATED if f.outdated and not then else 1.0)


def _same_thing(f: StanceFeatures) -> bool:
    """Return whether it is about the same thing, so that another value in it is another value of that."""
    return _at_least(f.subject, LEAST_SUBJECT) and _at_least(f.object, LEAST_OBJECT) and f.overlap >= LEAST_OVERLAP


def _same_statement(f: StanceFeatures) -> bool:
    """Return whether it has the subject, and what is said of it: the action with its object, or nearly all words."""
    # "There is no baby with a dog": without a subject, all that is said has to be there
    least = LEAST_OBJECT if f.subject is not None else LEAST_ALONE
    if not _at_least(f.subject, LEAST_SUBJECT) or not _at_least(f.object, least):
        return False
    return f.action >= LEAST_ACTION and f.overlap >= LEAST_OVERLAP


def _at_least(value: float | None, least: float) -> bool:
    return value is None or value >= least
