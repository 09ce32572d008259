"""`contributions`: what each part of the ranking added to the score that orders the hits, `why_ranked.final`."""

from dataclasses import dataclass
from typing import Any, Literal

from brain_retrieval.query.hits import ArmScore, WhyRanked

Kind = Literal["retriever", "around", "boost", "learned"]
MEASURES = {"vector": "cosine", "lexical": "BM25", "memories": "fit", "late_interaction": "mean cosine of words"}


@dataclass(frozen=True)
class Contribution:
    """A part of the ranking score. `detail` says in words how it was reached."""

    kind: Kind
    name: str
    value: float
    detail: str = ""

    def to_json(self) -> dict[str, Any]:
        return {"kind": self.kind, "name": self.name, "value": round(self.value, 6), "detail": self.detail}


def contributions(why: WhyRanked) -> list[Contribution]:
    """Return what made up `why.final`, in the order of the steps of ranking.

    The retrievers' parts are the fused score. "neighbours" is what the mean with the chunks beside changed of it,
    "source" what the best chunk of the source changed of that; either may lower the score.
    """
    boosts, learned = sum(why.boosts.values()), sum(why.learned.values())
    formula = why.final - boosts - learned
    beside = f"mean with the chunks beside it {why.neighbourhood:.3f}"
    return [
        *(Contribution("retriever", name, arm.part, _of_arm(name, arm, why.fusion)) for name, arm in why.arms.items()),
        Contribution("around", "neighbours", why.neighbourhood - why.fused, beside),
        Contribution("around", "source", formula - why.neighbourhood, f"best chunk of its source {why.parent:.3f}"),
        *(Contribution("boost", name, value, _OF_BOOST.get(name, "")) for name, value in why.boosts.items()),
        *(Contribution("learned", name, value, _OF_GROUP.get(name, "")) for name, value in why.learned.items()),
    ]


_OF_BOOST = {
    "memories": "mean with how the best sentence worth keeping in it fits",
    "coverage": "words of the question in it, rare ones counting more",
    "date": "its day or month is named in the question",
    "around": "of the days before, after or at the event in the question",
    "second_hop": "covers what a first passage leaves open",
    "title_link": "a first passage names its title",
    "bridge": "shares a rare name with the page that the question names",
    "byline": "the question names who published or wrote it",
    "publishers": "of one of the publishers named that passages before it are not of",
    "title": "the question names its title",
    "statements": "what it has of statements of the question that passages before it lack",
}
_OF_GROUP = {
    "average": "learned: the same for every passage",
    "scores": "learned: scores and ranks",
    "beside": "learned: chunks beside it, its source",
    "words": "learned: words of the question in it",
    "people": "learned: who speaks",
    "dates": "learned: days and kind of source",
    "presence": "learned: what of the question it has",
    "form": "learned: length, question or answer",
    "names": "learned: names shared with others",
    "memories": "learned: sentences worth keeping in it",
}


def _of_arm(name: str, arm: ArmScore, fusion: str) -> str:
    place = f"#{arm.rank}" if arm.rank else "found by another"
    raw = f"{MEASURES.get(name, 'score')} {arm.score:.3f}, {place}"
    if fusion == "rrf":
        return raw
    share = arm.part / arm.normalised if arm.normalised else arm.weight
    return f"{raw} → {arm.normalised:.3f} × {share:.3g}"
