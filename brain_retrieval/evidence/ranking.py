"""Ranking of judged statements by the type of the claim: a weighted sum, bounded bonuses, and bounded penalties.

    own   = Σ weight · feature + bonuses − min(0.25, worst penalty + 0.25 · the others)
    base  = 0.60 · rank in the searches for the claim + 0.25 · similarity + 0.15 · own
    found = 0.92 · base + 0.08 · strength of the stance
    score = (20 − place in the plain search for the claim + 0.9 · found + 4 · strength if it decides) / 24.9

Statements that decide nothing keep the order of the plain search, as evidence is often implicit, and is found by what
it is about; `found` orders those of one passage, and those that this search has not found, which stand behind. Only
what supports or contradicts moves up, by at most four places. So the first of the evidence, however many, are those of
the plain search but for what decides. Penalties add up and are limited, as products of them let all scores collapse.
Features are not scaled by the other candidates, so a statement has the same score whatever else was found.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from urllib.parse import parse_qsl, urlencode, urlsplit

from brain_retrieval.evidence.candidates.gathering import PLAIN_HITS
from brain_retrieval.evidence.candidates.statement import Statement
from brain_retrieval.evidence.claims.claim import ClaimType
from brain_retrieval.evidence.items import CONTRADICT, NEITHER, EvidenceItem
from brain_retrieval.evidence.stance.features import StanceFeatures
from brain_retrieval.evidence.stance.judge import Stance
from brain_retrieval.evidence.trust import domain_of
from brain_retrieval.evidence.words import content_forms, tokens_of

FEATURES = ("semantic", "graph", "entity", "overlap", "recency", "credibility", "quality")
_GENERAL = (0.31, 0.12, 0.20, 0.15, 0.05, 0.17, 0.03)
WEIGHTS: Mapping[ClaimType, tuple[float, ...]] = {
    "general": _GENERAL,
    "comparative": _GENERAL,
    "temporal": (0.28, 0.12, 0.20, 0.15, 0.12, 0.10, 0.03),
    "therapeutic": (0.35, 0.08, 0.20, 0.18, 0.08, 0.08, 0.03),
    "causal": (0.28, 0.16, 0.19, 0.18, 0.06, 0.09, 0.04),
    "mechanistic": (0.27, 0.20, 0.19, 0.16, 0.05, 0.09, 0.04),
}
OWN, VALIDATED, OTHERS, WAITING = 0.95, 0.95, 0.5, 0.35  # credibility
FIRST_HAND, WEB, UNKNOWN = 0.8, 0.6, 0.5  # quality of a source
HALF_LIFE = 365.0  # days
MOST_OVERLAP = 0.2  # with fewer anchors the overlap counts no more than this
GRAPH_BONUS, NEGATION_BONUS, UNCERTAIN = 0.05, 0.07, 0.12
PENALTIES = {"subject": 0.16, "object": 0.18, "names": 0.14, "action": 0.11, "outdated": 0.20, "backfill": 0.15}
LEAST = 0.34  # share below which a part counts as missing
OTHER_PENALTIES, MOST_PENALTY = 0.25, 0.25
RANK, SIMILAR, OWN_SHARE = 0.60, 0.25, 0.15  # shares of the rank in the search for the whole claim, …
BASE, STANCE = 0.92, 0.08
# In places of the plain search: what all that can be judged is worth, less than one, and what a stance moves by.
WITHIN, LIFT = 0.9, 4.0
ALL_PLACES = PLAIN_HITS + WITHIN + LIFT
OF_A_DOMAIN = 2
QUOTA, STRONG_QUOTA, STRONG = 1, 2, 0.7  # contradicting statements among those chosen
_TRACKING = ("utm_", "fbclid", "gclid", "ref")


def credibility_of(statement: Statement) -> float:
    """Return how far a source is to be believed, 0–1: your own words and trusted domains, else half or less."""
    if not statement.approved:
        return WAITING
    if statement.trust in ("own", "owner"):
        return OWN
    return VALIDATED if statement.validated else OTHERS


def ranked(
    features: StanceFeatures,
    stance: Stance,
    statement: Statement,
    kind: ClaimType,
    *,
    at: datetime,
    backfill: bool = False,
) -> EvidenceItem:
    """Return a judged statement with its score between 0 and 1.

    Args:
        features, stance: of the statement.
        kind: of the claim; it decides the weights.
        at: the time asked about, from which recency counts.
        backfill: it is there only because little was found.
    """
    credibility = credibility_of(statement)
    similar = features.semantic if features.semantic is not None else features.overlap
    values = (
        similar,
        statement.strength,
        features.names,
        features.overlap,
        recency(statement.said_at, at),
        credibility,
        _quality(statement),
    )
    weights = WEIGHTS[kind]
    parts = {name: w * v / sum(weights) for name, w, v in zip(FEATURES, weights, values, strict=True)}
    if features.overlap > MOST_OVERLAP and 0 < features.anchors < 1 and features.overlap < 1:
        parts["overlap"] *= 1.0 if features.anchors >= 0.5 else MOST_OVERLAP / features.overlap
    parts["graph bonus"] = GRAPH_BONUS * statement.strength
    parts["denial"] = NEGATION_BONUS * features.overlap * features.denied
    parts["uncertain"] = -UNCERTAIN * features.hedged
    parts["penalty"] = -penalty(features, backfill=backfill)
    parts = {name: OWN_SHARE * part for name, part in parts.items()}
    parts |= {"rank": RANK * statement.score, "similarity": SIMILAR * similar}
    base = min(1.0, max(0.0, sum(parts.values())))
    share = WITHIN / ALL_PLACES
    parts = {name: share * BASE * part for name, part in parts.items()}
    parts["stance"] = share * STANCE * stance.strength
    parts["place"] = 0.0 if statement.place is None else max(0, PLAIN_HITS - statement.place) / ALL_PLACES
    parts["decides"] = 0.0 if stance.label == NEITHER else LIFT * stance.strength / ALL_PLACES
    score = share * BASE * base + parts["stance"] + parts["place"] + parts["decides"]
    return EvidenceItem(statement, features, stance, min(1.0, score), parts, credibility)


def penalty(features: StanceFeatures, *, backfill: bool = False) -> float:
    """Return what is taken off for missing parts: the worst, and a quarter of the others, at most 0.25."""
    missing = {
        "subject": features.subject is not None and features.subject < LEAST and not features.other,
        "object": features.object is not None and features.object < LEAST and not features.other,
        "names": features.names < LEAST and not features.other,
        "action": features.action < LEAST,
        "outdated": features.outdated,
        "backfill": backfill,
    }
    found = sorted((PENALTIES[name] for name, is_so in missing.items() if is_so), reverse=True)
    return min(MOST_PENALTY, found[0] + OTHER_PENALTIES * sum(found[1:])) if found else 0.0


def recency(said_at: datetime, at: datetime) -> float:
    """Return 1 for what was said just now, half as much a year later; 1 for what is yet to come."""
    return 0.5 ** (max(0.0, (at - said_at).total_seconds() / 86_400) / HALF_LIFE)


def ordered(items: Iterable[EvidenceItem]) -> list[EvidenceItem]:
    """Return items by score, the best first; ties by place, so that the order of arrival does not matter."""
    return sorted(items, key=lambda one: (-round(one.score, 9), one.statement.key))


def distinct(items: Iterable[EvidenceItem]) -> list[EvidenceItem]:
    """Return the best item of each stance and address, without those that repeat another one word for word."""
    taken: set[tuple[str, str]] = set()
    by_text: dict[tuple[str, tuple[str, ...]], EvidenceItem] = {}
    repeats: set[tuple[str, tuple[str, ...], str]] = set()
    for item in ordered(map(_undecided, items)):
        place = (address_of(item.statement), item.label)
        if place in taken:
            continue
        key = (item.label, tuple(token.form for token in content_forms(tokens_of(item.statement.text), None)))
        first = by_text.setdefault(key, item)
        if first is not item and (*key, place[0]) not in repeats:
            by_text[key] = replace(first, copies=first.copies + 1)
            repeats.add((*key, place[0]))
        if first is item or item.label != NEITHER:  # an undecided address may have something else to say
            taken.add(place)
    decide = {address_of(item.statement) for item in by_text.values() if item.label != NEITHER}
    once = [
        _without(item, "place") if item.label == NEITHER and address_of(item.statement) in decide else item
        for item in by_text.values()
    ]
    return list(_few_of_each_domain(ordered(once)))


def _undecided(item: EvidenceItem) -> EvidenceItem:
    """Return an item without what its stance moved it by, if a later statement has undone that stance."""
    return _without(item, "decides") if item.label == NEITHER else item


def _without(item: EvidenceItem, name: str) -> EvidenceItem:
    """Return an item without a part of its score."""
    part = item.parts.get(name, 0.0)
    return replace(item, score=max(0.0, item.score - part), parts={**item.parts, name: 0.0}) if part else item


def _few_of_each_domain(items: Iterable[EvidenceItem]) -> Iterator[EvidenceItem]:
    """Yield items with at most two of each domain and stance, so that one owner's pages take no more places.

    What the plain search finds in approved pages and decides nothing is not counted.
    """
    count: Counter[tuple[str, str]] = Counter()
    for item in items:
        if item.label == NEITHER and item.statement.approved and item.parts.get("place"):
            yield item
            continue
        key = (domain_of(item), item.label)
        count[key] += 1
        if count[key] <= OF_A_DOMAIN:
            yield item


def chosen(items: Sequence[EvidenceItem], limit: int) -> list[EvidenceItem]:
    """Return the best items, among them one that contradicts if there is one, two if the second is strong."""
    against = [item for item in items if item.label == CONTRADICT]
    reserved = against[:QUOTA] + [item for item in against[QUOTA:STRONG_QUOTA] if item.stance.strength >= STRONG]
    reserved = reserved[:limit]
    decided = [item for item in items if item.label != NEITHER and item not in reserved]
    others = [item for item in items if item.label == NEITHER]
    return ordered([*reserved, *[*decided, *others][: max(0, limit - len(reserved))]])


def address_of(statement: Statement) -> str:
    """Return what one address is: a page without its tracking parameters, else the source."""
    try:
        parts = urlsplit(statement.url or "")
    except ValueError:
        return statement.source_id
    if not parts.hostname:
        return statement.source_id
    kept = sorted(pair for pair in parse_qsl(parts.query) if not pair[0].lower().startswith(_TRACKING))
    path = parts.path.rstrip("/") or "/"
    return f"{parts.hostname.removeprefix('www.')}{path}?{urlencode(kept)}".rstrip("?")


def _quality(statement: Statement) -> float:
    if statement.trust in ("own", "owner"):
        return FIRST_HAND
    return WEB if statement.url else UNKNOWN
