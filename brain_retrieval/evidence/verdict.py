"""The verdict on one statement of a claim, from the stances of the evidence, and that on the whole claim.

What supports and what contradicts is added up apart (1 − Π(1 − strength · credibility) over domains), so that another
supporting statement never makes the support less. "unknown" is a verdict of its own and never means false.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from math import prod
from typing import Literal

from brain_retrieval.evidence.claims.claim import SubClaim
from brain_retrieval.evidence.items import CONTRADICT, NEITHER, SUPPORT, EvidenceItem
from brain_retrieval.evidence.stance.judge import Stance
from brain_retrieval.evidence.trust import domain_of

Verdict = Literal["supported", "contradicted", "disputed", "partly supported", "unknown"]
LEAST = 0.4  # of what supports or contradicts, for a verdict
MARGIN = 0.15  # by which one exceeds the other; with less the claim is disputed
REPLACES = 0.6  # strength of a later statement that replaces an earlier one
BELIEF = 0.5  # part of a stance's strength that depends on the credibility of its source
_IN_TIME = ("general", "temporal")  # claims about a state, of which a later statement replaces an earlier one
LATER = "a later statement says otherwise"


def weight(items: Iterable[EvidenceItem], label: str) -> float:
    """Return how strongly all items of a stance speak, 0–1; of each domain or source the strongest counts."""
    by_domain: dict[str, float] = {}
    for item in items:
        if item.label == label:
            own = item.stance.strength * (1 - BELIEF + BELIEF * item.credibility)
            domain = domain_of(item)
            by_domain[domain] = max(by_domain.get(domain, 0.0), own)
    return 1 - prod(1 - own for own in by_domain.values())


def verdict_of(items: Sequence[EvidenceItem]) -> Verdict:
    """Return the verdict on one statement."""
    support, contradict = weight(items, SUPPORT), weight(items, CONTRADICT)
    if max(support, contradict) < LEAST:
        return "unknown"
    if min(support, contradict) >= LEAST and abs(support - contradict) < MARGIN:
        return "disputed"
    return "supported" if support > contradict else "contradicted"


def whole_verdict(verdicts: Sequence[Verdict]) -> Verdict:
    """Return the verdict on a claim of several statements: contradicted if one is, supported if all are."""
    found = set(verdicts)
    for verdict in ("contradicted", "disputed"):
        if verdict in found:
            return verdict
    if found == {"supported"}:
        return "supported"
    return "partly supported" if "supported" in found else "unknown"


def settled_in_time(items: Sequence[EvidenceItem], claim: SubClaim) -> list[EvidenceItem]:
    """Return the items with those undone that a later statement on the same state replaces.

    Only for claims about what is so now, and only by a statement whose source is believed as much; one page that was
    not approved is not enough. That of a memory's ending has been considered before (`Statement.status`).
    """
    if claim.then or claim.type not in _IN_TIME:
        return list(items)
    sides = {label: [one for one in items if one.label == label] for label in (SUPPORT, CONTRADICT)}
    found = []
    for one in items:
        item = one
        others = sides.get(CONTRADICT if item.label == SUPPORT else SUPPORT, []) if item.label != NEITHER else []
        later = [one for one in others if _replaces(one, item)]
        if later and _is_vouched(later, item):
            newest = max(later, key=lambda one: (one.statement.said_at, one.statement.key))
            stance = Stance(NEITHER, 0.0, 0.0, item.stance.about, LATER)
            item = replace(item, stance=stance, later=newest.statement.text)
        found.append(item)
    return found


def _is_vouched(later: Sequence[EvidenceItem], older: EvidenceItem) -> bool:
    """Return whether later statements may replace one: a page that was not approved needs another owner who agrees.

    Its date is its own word. Of its own owner's statements it may replace an earlier one.
    """
    owners = {domain_of(one) for one in later}
    return len(owners) > 1 or domain_of(older) in owners or any(one.statement.approved for one in later)


def _replaces(newer: EvidenceItem, older: EvidenceItem) -> bool:
    if newer.statement.said_at.date() <= older.statement.said_at.date() or newer.credibility < older.credibility:
        return False
    return newer.stance.strength >= REPLACES
