"""Judging of what was gathered for one statement of a claim: features, stance, rank, and the verdict that follows."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

import numpy as np

from brain_retrieval.evidence.candidates.gathering import ENOUGH, LEAST_OVERLAP, Gathered
from brain_retrieval.evidence.claims.claim import SubClaim
from brain_retrieval.evidence.items import CONTRADICT, NEITHER, SUPPORT, EvidenceItem
from brain_retrieval.evidence.model_judge import ModelJudge
from brain_retrieval.evidence.ranking import chosen, distinct, ordered, ranked
from brain_retrieval.evidence.report import NOTHING, TOO_WEAK, Finding
from brain_retrieval.evidence.stance.compared import Read, Wanted
from brain_retrieval.evidence.stance.coverage import Aliases
from brain_retrieval.evidence.stance.judge import Stance, judge
from brain_retrieval.evidence.stance.reading import features_of
from brain_retrieval.evidence.sufficiency import cover_of
from brain_retrieval.evidence.trust import grade_of, interval, item_trust
from brain_retrieval.evidence.verdict import Verdict, settled_in_time, verdict_of

MOST_EMBEDDED = 32  # statements of which the similarity is computed
NEAR = 0.75  # similarity as in `StanceFeatures`, with which a statement is admitted without words of the claim
SHOWN = 10
Embed = Callable[[Sequence[str]], "np.ndarray"]
_LABEL_OF: dict[Verdict, str] = {"supported": SUPPORT, "contradicted": CONTRADICT}


@dataclass(frozen=True)
class Judging:
    """What the statements of one request are judged with.

    Attributes:
        at: the time asked about.
        aliases: other names of the people and things in the claim.
        embed: texts to vectors of unit length; None: without similarity.
        seed: of the intervals.
        model: judges what the rules leave open; None: rules alone.
    """

    at: datetime
    aliases: Aliases
    embed: Embed | None
    seed: str
    model: ModelJudge | None = None

    def finding(self, claim: SubClaim, gathered: Gathered, limit: int = SHOWN) -> Finding:
        """Return the finding for one statement of a claim."""
        judged = self.items(claim, gathered)
        items = distinct(settled_in_time(judged, claim))
        verdict = verdict_of(items)
        if verdict == "unknown" and self.model is not None:
            items = distinct(settled_in_time(self.model.judged(claim, judged), claim))
            verdict = verdict_of(items)
        label = _LABEL_OF.get(verdict, NEITHER)
        items = [replace(item, trust=item_trust(item, label, self.at)) for item in items]
        decided = [item for item in items if item.label != NEITHER]
        trust = interval([item.trust for item in decided if label in (item.label, NEITHER)], self.seed + claim.text)
        return Finding(
            claim=claim,
            verdict=verdict,
            items=tuple(chosen(items, limit)),
            unknown=tuple(_unknown(claim, verdict, decided)),
            trust=trust,
            grade=grade_of(trust.value),
            coverage=cover_of(decided),
            considered=len(gathered.statements),
            steps=gathered.steps,
        )

    def items(self, claim: SubClaim, gathered: Gathered) -> list[EvidenceItem]:
        """Return the admitted statements, judged and ranked, the best first."""
        wanted = Wanted(claim)
        reads = [Read(statement) for statement in gathered.statements]
        features = [features_of(wanted, read, self.aliases) for read in reads]
        order = sorted(
            range(len(reads)),
            key=lambda place: (-features[place].overlap, -reads[place].statement.score, reads[place].statement.key),
        )
        near = self._similarities(claim.text, [reads[place].said.text for place in order[:MOST_EMBEDDED]])
        for place, cosine in zip(order, near, strict=False):
            features[place] = features_of(wanted, reads[place], self.aliases, cosine)
        found = []
        for read, own in zip(reads, features, strict=True):
            stance = judge(own, negated=claim.negated, then=claim.then, hedged=claim.hedged)
            if not read.said.whole:
                stance = Stance(NEITHER, 0.0, 0.0, stance.about, "no sentence")
            outside = own.overlap < LEAST_OVERLAP and (own.semantic or 0.0) < NEAR and not own.graph
            found.append(ranked(own, stance, read.said, claim.type, at=self.at, backfill=outside))
        admitted = [item for item in found if not _is_backfill(item) or item.statement.place is not None]
        rest = ordered(item for item in found if _is_backfill(item) and item.statement.place is None)
        return ordered([*admitted, *rest[: max(0, ENOUGH - len(admitted))]])

    def _similarities(self, text: str, others: Sequence[str]) -> list[float]:
        if self.embed is None or not others:
            return []
        vectors = self.embed([text, *others])
        return [float(cosine) for cosine in vectors[1:] @ vectors[0]]


def _is_backfill(item: EvidenceItem) -> bool:
    features = item.features
    return features.overlap < LEAST_OVERLAP and (features.semantic or 0.0) < NEAR and not features.graph


def _unknown(claim: SubClaim, verdict: Verdict, decided: Sequence[EvidenceItem]) -> list[str]:
    """Return what no evidence decides."""
    if verdict == "unknown":
        return [TOO_WEAK if decided else NOTHING]
    found = []
    if claim.quantities and all(item.features.amounts == "none" for item in decided):
        found.append("the amount: no evidence states one")
    if claim.dates and all(item.features.dates == "none" for item in decided):
        found.append("the date: no evidence states one")
    return found
