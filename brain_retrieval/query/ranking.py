"""From what the retrievers found to an order: fuse, compute features, score, and explain what is returned.

The score is a formula of few weights; a trained correction may be added (`ranker/`). Every step is measured in
docs/retrieval.md on conversations, meetings, news and multi-hop questions with one configuration. No store is read.
"""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from brain_retrieval.query.analysis import Question
from brain_retrieval.query.analysis.any_time import only_time
from brain_retrieval.query.candidates import Candidates
from brain_retrieval.query.features.bylines import publishers
from brain_retrieval.query.features.pool import Pool, or_zero
from brain_retrieval.query.features.registry import features_of
from brain_retrieval.query.features.statements import spread, stated
from brain_retrieval.query.fusion import fuse, normalise, parts_of_fusion
from brain_retrieval.query.hits import ArmScore, WhyRanked
from brain_retrieval.query.late_interaction import NAME, late_interaction
from brain_retrieval.query.ranker.calibration import Calibration
from brain_retrieval.query.ranker.correction import Correction
from brain_retrieval.settings import RetrievalSettings

ONLY_TIME = 1.0  # for a passage of the time asked for, where nothing else is asked for
LINK_OVER = 0.3  # share of a link by title that counts beyond the score of the passage it comes from
BRIDGED, BELOW = 5, 0.02  # passages of a question that a bridge lifts, and how far they stay below where it starts


@dataclass(frozen=True)
class Ranked:
    """A candidate in its place: its row number among the candidates, and why."""

    row: int
    why: WhyRanked
    # Chance of being relevant, and that anything found is; None without a calibration for the embedding model.
    probability: float | None = None
    answered: float | None = None

    @property
    def score(self) -> float:
        """The public score of a hit: the probability, or without a calibration the number that orders the hits."""
        return self.why.final if self.probability is None else self.probability


@dataclass(frozen=True)
class Order:
    """The candidates of one question with what their scores are made of; row n of every array is candidate n."""

    candidates: Candidates
    method: str
    weights: Mapping[str, float]
    settings: RetrievalSettings
    normalised: Mapping[str, np.ndarray]
    features: Mapping[str, Mapping[str, np.ndarray]]
    added: Mapping[str, np.ndarray]
    final: np.ndarray
    correction: Correction | None
    calibration: Calibration | None

    def best(self, limit: int) -> list[Ranked]:
        """Return the `limit` best candidates, best first; equal scores are ordered by id."""
        if not len(self.candidates):
            return []
        return self._explained(self.candidates.best_first(self.final)[:limit])

    def texts(self) -> Iterator[str]:
        """Yield the candidates' texts, each below its title, best first."""
        for row in self.candidates.best_first(self.final).tolist():
            yield f"{self.candidates.titles[row]}\n{self.candidates.texts[row]}"

    def of(self, ids: Collection[str]) -> dict[str, Ranked]:
        """Return the candidates among these ids, by id."""
        rows = [row for row, key in enumerate(self.candidates.ids) if key in ids] if ids else []
        return {self.candidates.ids[found.row]: found for found in self._explained(np.array(rows, dtype=np.int64))}

    def _above(self) -> float:
        """Return what the scores of a question are higher by than those the calibration was fitted on.

        A title that the question names lifts all passages of a source alike, which makes none of them likelier.
        """
        return float(self.added["title"][self.final.argmax()])

    def _explained(self, rows: np.ndarray) -> list[Ranked]:
        """Return the candidates of these rows with what made up their scores, in the order given."""
        if not len(rows):
            return []
        learned = self.correction.parts(rows.tolist()) if self.correction is not None else [{} for _ in rows]
        arms, added = self.candidates.arms, self.added
        shares = parts_of_fusion(arms, self.normalised, self.method, self.weights, self.settings.rrf_k)
        answered = self.calibration.answered(self.features) if self.calibration is not None else None
        chances = [None] * len(rows)
        if self.calibration is not None and answered is not None:
            chances = (answered * self.calibration.fitting(self.final[rows] - self._above())).tolist()
        beside, around = self.features["beside"], surrounded(self.features, self.settings)

        def why(row: int, part: dict[str, float]) -> WhyRanked:
            return WhyRanked(
                arms={
                    name: ArmScore(
                        float(arm.scores[row]),
                        float(self.normalised[name][row]),
                        int(arm.ranks[row]) or None,
                        self.weights.get(name, 0.0),
                        float(shares[name][row]),
                    )
                    for name, arm in arms.items()
                    if np.isfinite(arm.scores[row])
                },
                fusion=self.method,
                fused=float(self.features["scores"]["fused"][row]),
                neighbourhood=float(around[row]),
                parent=float(beside["parent"][row]),
                boosts={name: float(values[row]) for name, values in added.items() if values[row]},
                final=float(self.final[row]),
                learned=part,
            )

        found = zip(rows.tolist(), learned, chances, strict=True)
        return [Ranked(row, why(row, part), chance, answered) for row, part, chance in found]


def rank(
    candidates: Candidates,
    *,
    method: str,
    weights: Mapping[str, float],
    question: Question,
    settings: RetrievalSettings,
    calibration: Calibration | None = None,
) -> Order:
    """Return the scores of all candidates; what is shown of them is explained when it is asked for."""
    normalised = {name: normalise(arm) for name, arm in candidates.arms.items()}
    if not len(candidates):
        return Order(candidates, method, weights, settings, normalised, {}, {}, np.empty(0), None, calibration)
    fused = fuse(candidates.arms, normalised, method, weights, settings.rrf_k)
    pool = interacting(
        Pool(question, candidates, normalised, fused, settings.neighbour_weights), method, weights, settings.rrf_k
    )
    candidates, normalised = pool.candidates, pool.normalised
    features = features_of(pool)
    added = boosts(features, settings)
    if only_time(question):
        added["date"] = added["date"] + ONLY_TIME * features["dates"]["inside"]
    final = placed(features, settings) + sum(added.values())
    correction = Correction.of(features) if settings.trained else None
    if correction is not None:
        final = final + correction.values
    added["statements"] = spread(final, stated(pool), candidates.ids, settings.statement_weight)
    final = final + added["statements"]
    added["publishers"] = spread(final, publishers(pool), candidates.ids, settings.publisher_weight)
    final = final + added["publishers"]
    return Order(candidates, method, weights, settings, normalised, features, added, final, correction, calibration)


def interacting(pool: Pool, method: str, weights: Mapping[str, float], rrf_k: int) -> Pool:
    """Return the pool with late interaction as a further retriever; it needs how rare words are among candidates."""
    asked, cosines = pool.candidates.asked, pool.normalised.get("vector")
    if not weights.get(NAME) or asked is None or cosines is None:
        return pool
    rarity = dict(zip(pool.stems, pool.rarity.tolist(), strict=True))
    arm = late_interaction(pool.candidates, asked, rarity, or_zero(cosines))
    if arm is None:
        return pool
    candidates, normalised = pool.candidates.with_arm(arm), {**pool.normalised, NAME: normalise(arm)}
    fused = fuse(candidates.arms, normalised, method, weights, rrf_k)
    return pool.rescored(candidates, normalised, fused)


def formula(features: Mapping[str, Mapping[str, np.ndarray]], settings: RetrievalSettings) -> np.ndarray:
    """Return float64 (n,): (1 - parent weight) * what is around + parent weight * parent + boosts."""
    return placed(features, settings) + sum(boosts(features, settings).values())


def placed(features: Mapping[str, Mapping[str, np.ndarray]], settings: RetrievalSettings) -> np.ndarray:
    """Return float64 (n,): the score of a passage in its place, from the chunks beside it and its source."""
    share = settings.parent_weight
    return (1 - share) * surrounded(features, settings) + share * features["beside"]["parent"]


def surrounded(features: Mapping[str, Mapping[str, np.ndarray]], settings: RetrievalSettings) -> np.ndarray:
    """Return float64 (n,): the mean with the chunks beside a passage, mixed with that over a window of its source."""
    share, beside = settings.window_weight, features["beside"]
    return (1 - share) * beside["neighbourhood"] + share * beside["window"]


def boosts(features: Mapping[str, Mapping[str, np.ndarray]], settings: RetrievalSettings) -> dict[str, np.ndarray]:
    """Return the boosts by name: words, days and names of the question, what a first passage leads to, and memories.

    Where memories were compared, the score becomes the weighted mean with how the best memory of the passage fits. One
    that could hold no memory keeps its score.
    """
    memories, here = features["memories"], placed(features, settings)
    added = {
        "memories": settings.memory_weight * memories["share"] * (memories["fit"] - here) * (1 - memories["silent"]),
        "coverage": settings.coverage_weight * features["words"]["coverage"],
        "date": settings.date_boost * features["dates"]["date"],
        "byline": settings.byline_boost * features["people"]["byline"],
        "title": settings.title_boost * features["names"]["title_asked"],
        "around": settings.around_boost * features["dates"]["around"],
        "second_hop": settings.hop_weight * features["names"]["second_hop"],
    }
    added["title_link"] = linked(here + sum(added.values()), features["names"], settings.link_weight)
    added["bridge"] = bridged(here + sum(added.values()), features["names"], settings.bridge_weight)
    return added


def linked(scores: np.ndarray, names: Mapping[str, np.ndarray], weight: float) -> np.ndarray:
    """Return float64 (n,): what links by title add to scores.

    A passage that is found by the title which a first one names belongs after that one: only LINK_OVER of the link
    may bring it before it.
    """
    gain = weight * names["title_link"]
    room = scores[names["linker"].astype(np.int64)] - scores
    return np.minimum(gain, np.maximum(room, LINK_OVER * gain))


def bridged(scores: np.ndarray, names: Mapping[str, np.ndarray], weight: float) -> np.ndarray:
    """Return float64 (n,): what bridges add to scores.

    A passage comes at most to just below the one that the bridge starts from; one of each page, and BRIDGED of a
    question.
    """
    gain, added = weight * names["bridge"], np.zeros(len(scores))
    start = names["bridger"].astype(np.int64)
    gain = np.where(gain > 0, np.minimum(gain, scores[start] - BELOW - scores), 0.0)
    order = np.lexsort((-scores, -scores - gain))
    taken = set[int]()
    for row in order[gain[order] > 0].tolist():
        if len(taken) == BRIDGED:
            break
        if (page := int(names["page"][row])) not in taken:
            taken.add(page)
            added[row] = gain[row]
    return added
