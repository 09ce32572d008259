"""Sufficiency: whether the evidence is enough for a verdict, and the state of the claim that follows.

There is enough if it covers the claim and agrees; less coverage will do where it comes from more domains. A veto for
weak evidence holds against each of these, unless nearly all is covered and agrees.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from brain_retrieval.evidence.items import NEITHER, EvidenceItem

State = Literal["confirmed", "provisional", "revoked", "evidence_insufficiency"]
STRONG, PARTIAL = 1.0, 0.5  # how far an item covers its statement
STRONG_SIMILARITY, STRONG_ABOUT = 0.58, 0.75  # similarity as in `StanceFeatures`, or without one how far it is about it
PARTIAL_SIMILARITY, PARTIAL_ABOUT = 0.17, 0.5
CONFIRMED, PROVISIONAL = 0.8, 0.6
LEAST_ITEMS, LEAST_COVERAGE = 3, 0.20
SURE_COVERAGE, SURE_AGREEMENT = 0.95, 0.90
# Trust of all, best similarity, best trust: what is less is a veto; stricter where something contradicts.
VETOES, STRICT_VETOES = (0.40, 0.42, 0.40), (0.55, 0.67, 0.55)
LEAST_ACTION, LEAST_OBJECT = 0.10, 0.20


@dataclass(frozen=True)
class Evidence:
    """The evidence for one statement of a claim: the decided items, and the trust in them."""

    items: tuple[EvidenceItem, ...]
    trust: float


@dataclass(frozen=True)
class Sufficiency:
    """Whether there is enough, by which rule, or why not; with what it was decided by."""

    enough: bool
    reason: str
    coverage: float
    agreement: float
    diversity: float
    trust: float  # of the whole claim

    def to_json(self) -> dict[str, Any]:
        own = {name: round(value, 3) if isinstance(value, float) else value for name, value in vars(self).items()}
        return {"enough": own.pop("enough"), **own}


def cover_of(items: Iterable[EvidenceItem]) -> float:
    """Return how far decided items cover a statement: 1 if one is close to it, half if one is about it, else 0."""
    return max((_cover(item) for item in items if item.label != NEITHER), default=0.0)


def _cover(item: EvidenceItem) -> float:
    similar, about = item.features.semantic, item.stance.about
    anchors = item.features.anchors
    strong = about >= STRONG_ABOUT if similar is None else similar >= STRONG_SIMILARITY or about >= STRONG_ABOUT
    partial = about >= PARTIAL_ABOUT if similar is None else similar >= PARTIAL_SIMILARITY or about >= PARTIAL_ABOUT
    return STRONG if strong and anchors > PARTIAL else PARTIAL if partial and anchors > 0 else 0.0


def sufficiency(parts: Sequence[Evidence], *, agreement: float, diversity: float, contradicted: bool) -> Sufficiency:
    """Return whether the evidence for all statements of a claim is enough.

    Args:
        parts: of each statement.
        agreement, diversity: of all decided items.
        contradicted: whether anything speaks against the verdict.
    """
    covers = [cover_of(part.items) for part in parts]
    coverage = sum(covers) / len(covers) if covers else 0.0
    trusts = [part.trust * cover for part, cover in zip(parts, covers, strict=True)]
    trust = sum(trusts) / len(trusts) * (0.5 + 0.5 * coverage) if trusts else 0.0
    items = [item for part in parts for item in part.items if item.label != NEITHER]
    numbers = {"coverage": coverage, "agreement": agreement, "diversity": diversity, "trust": trust}
    if not items:
        return Sufficiency(False, "nothing decides it", **numbers)
    if coverage < LEAST_COVERAGE and len(items) < LEAST_ITEMS:
        return Sufficiency(False, "too few statements, and they cover too little", **numbers)
    rule = _rule(coverage, agreement, diversity, strong=max(covers) == STRONG, contradicted=contradicted)
    if rule is None:
        return Sufficiency(False, "covers too little, or disagrees", **numbers)
    sure = coverage >= SURE_COVERAGE and agreement >= SURE_AGREEMENT
    veto = None if sure else _veto(items, trust, contradicted=contradicted)
    return Sufficiency(veto is None, veto or rule, **numbers)


def _rule(coverage: float, agreement: float, diversity: float, *, strong: bool, contradicted: bool) -> str | None:
    if coverage >= 0.60 and agreement >= 0.80:
        return "covers the claim and agrees"
    if coverage >= 0.40 and diversity >= 0.70 and agreement >= 0.80:
        return "covers a part, from several domains, and agrees"
    if not contradicted and coverage >= 0.25 and diversity >= 0.95 and agreement >= 0.95:
        return "covers little, but each from a domain of its own, and nothing contradicts"
    if strong and coverage >= 0.25 and diversity >= 0.75 and agreement >= 0.80:
        return "one statement is close to the claim, and there are several domains"
    return None


def _veto(items: Sequence[EvidenceItem], trust: float, *, contradicted: bool) -> str | None:
    least_trust, least_similarity, least_item = STRICT_VETOES if contradicted else VETOES
    if trust < least_trust or max(item.trust for item in items) < least_item:
        return "what there is is too little trusted"
    known = [item.features.semantic for item in items if item.features.semantic is not None]
    if known and max(known) < least_similarity:
        return "nothing is close enough to the claim"
    if max(item.features.action for item in items) < LEAST_ACTION:
        return "nothing has the action of the claim"
    objects = [item.features.object for item in items if item.features.object is not None and not item.features.other]
    return "nothing has the object of the claim" if objects and max(objects) < LEAST_OBJECT else None


def state_of(found: Sufficiency, *, ended: bool) -> State:
    """Return the state of a claim: what held and has ended is revoked; too little trust is no evidence."""
    if not found.enough:
        return "evidence_insufficiency"
    if ended:
        return "revoked"
    if found.trust >= CONFIRMED:
        return "confirmed"
    return "provisional" if found.trust >= PROVISIONAL else "evidence_insufficiency"
