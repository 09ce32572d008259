"""Fitting of the ranker's trees on labelled features: loading, sampling, training, and recall of an order."""

from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from brain_retrieval.query.features.statements import spread
from brain_retrieval.query.ranker.guard import Guard
from brain_retrieval.settings import RetrievalSettings

SCALE = 10.0  # units of the trees in one unit of the formula
NEAR, FAR, LEAST = 1.0, 1.3, 0.5  # distances of a question from the training sets, and a share; see `Guard`
BEST, OTHERS = 25, 25  # candidates kept for training: the best by each of three scores, and some at random
# Features of which more never makes a passage worse, and those of which more never makes it better.
RISING = """
    scores.fused scores.lexical scores.lexical_z scores.lexical_rank scores.vector scores.vector_z
    scores.vector_rank scores.cosine scores.late_interaction scores.late_interaction_z scores.late_interaction_rank
    scores.closeness scores.both beside.neighbourhood beside.window beside.before beside.after
    beside.two_away beside.nearby beside.parent beside.parent_sum words.coverage words.title_coverage words.rarest
    words.clause words.pairs dates.date dates.date_near dates.inside dates.source_named names.pagerank
    names.pagerank_order names.shared_names names.title_link names.second_hop names.title_named people.speaker
    memories.fit memories.rank dates.around
""".split()
FALLING = ["people.other_speaker", "form.asks"]
PARAMETERS: dict[str, Any] = {
    "objective": "lambdarank",
    "num_leaves": 7,
    "learning_rate": 0.08,
    "min_data_in_leaf": 80,
    "feature_fraction": 0.6,
    "bagging_fraction": 0.8,
    "bagging_freq": 1,
    "lambda_l2": 10,
    "lambdarank_truncation_level": 20,
    "lambdarank_norm": False,  # a question with much evidence says more than one with little
    "monotone_constraints_method": "basic",
    "seed": 1,
    "num_threads": 1,
    "deterministic": True,
    "verbose": -1,
}


@dataclass(frozen=True)
class Labelled:
    """The candidates of the questions of one set, as `benchmarks/ranker_data.py` writes them.

    Args:
        x: float32 (n, features); base: the formula's score, without what the statements of a question add; title: the
            part of it that a title named by the question adds.
        stated: float32 (n, statements), what a candidate has of each; question: number of the question of each.
        published: float32 (n, groups), of which publishers a candidate is.
        group: which evidence of the question a candidate holds, -1 for none; reach: evidence of each question.
        unit: what a candidate is a part of; parts of one unit of a set take one place.
        user: of each question.
    """

    name: str
    names: tuple[str, ...]
    x: np.ndarray
    base: np.ndarray
    title: np.ndarray
    stated: np.ndarray
    published: np.ndarray
    question: np.ndarray
    group: np.ndarray
    unit: np.ndarray
    reach: np.ndarray
    user: np.ndarray

    @classmethod
    def load(cls, path: Path) -> "Labelled":
        stored = np.load(path)
        named = ("x", "base", "title", "stated", "published", "q", "group", "unit", "reach", "user")
        return cls(path.stem, tuple(stored["names"].tolist()), *(stored[name] for name in named))

    @property
    def kind(self) -> str:
        """The set without its layout and without whose questions were asked of it: all layouts are of one kind."""
        return self.name.partition("_")[2].partition(".")[0].removesuffix("_session")

    def of(self, kept: np.ndarray) -> "Labelled":
        """Return some of the candidates."""
        rows = ("x", "base", "title", "stated", "published", "question", "group", "unit")
        return replace(self, **{name: getattr(self, name)[kept] for name in rows})

    def means(self) -> np.ndarray:
        """Return float64 (questions, features): the mean of each feature over the candidates of a question."""
        bounds = self.bounds()
        return np.add.reduceat(self.x.astype(np.float64), bounds[:-1]) / np.diff(bounds)[:, None]

    def column(self, name: str) -> np.ndarray:
        return self.x[:, self.names.index(name)]

    def bounds(self) -> np.ndarray:
        """Return the first row of each question, and the number of rows."""
        return np.r_[np.flatnonzero(np.r_[True, np.diff(self.question) != 0]), len(self.question)]


def sampled(data: Labelled) -> Labelled:
    """Return all that holds evidence, the best of each question by three scores, and some at random."""
    random = np.random.default_rng(0)
    kept = data.group >= 0
    bounds = data.bounds()
    for first, last in pairwise(bounds):
        for scores in (data.base, data.column("scores.fused"), data.column("names.pagerank")):
            kept[first + np.argsort(-scores[first:last])[:BEST]] = True
        kept[first + random.integers(0, last - first, OTHERS)] = True
    return data.of(kept)


def train(sets: list[Labelled], rounds: int) -> Any:
    """Return a LightGBM model that corrects the formula; each set weighs the root of its number of questions."""
    import lightgbm

    names = sets[0].names
    weights = np.concatenate([np.full(len(one.question), 1 / np.sqrt(len(one.reach))) for one in sets])
    directions = [1 if name in RISING else -1 if name in FALLING else 0 for name in names]
    data = lightgbm.Dataset(
        np.concatenate([one.x for one in sets]),
        np.concatenate([(one.group >= 0).astype(int) for one in sets]),
        group=np.concatenate([np.diff(one.bounds()) for one in sets]),
        weight=weights / weights.mean(),
        init_score=np.concatenate([one.base for one in sets]) * SCALE,
    )
    return lightgbm.train(PARAMETERS | {"monotone_constraints": directions}, data, rounds)


def guard_of(sets: list[Labelled]) -> Guard:
    """Return the guard of trees trained on these sets.

    A tenth of how the sets differ is added to how questions of one set do: a feature that is the same in all questions
    of every set would otherwise decide alone.
    """
    means = [one.means() for one in sets]
    profiles = np.stack([each.mean(axis=0) for each in means])
    within = np.sqrt(np.mean([each.var(axis=0) for each in means], axis=0))
    return Guard(profiles, within + 0.1 * profiles.std(axis=0) + 1e-3, NEAR, FAR, LEAST)


def corrected(data: Labelled, sums: np.ndarray, bound: float, guard: Guard) -> np.ndarray:
    """Return the formula's scores with the bounded correction, as far as it counts for each question."""
    shares = np.array([guard.share(data.x[first:last].astype(np.float64)) for first, last in pairwise(data.bounds())])
    return data.base + shares.repeat(np.diff(data.bounds())) * bound * np.tanh(sums / bound) / SCALE


def with_statements(data: Labelled, scores: np.ndarray) -> np.ndarray:
    """Return scores with what statements and publishers of each question add, as a search adds it at the end."""
    final, settings = scores.copy(), RetrievalSettings()
    weights = ((data.stated, settings.statement_weight), (data.published, settings.publisher_weight))
    for first, last in pairwise(data.bounds()):
        for shares, weight in weights:
            own = shares[first:last]
            own = own[:, own.any(axis=0)]  # the others are padding
            final[first:last] += spread(final[first:last], own, np.arange(last - first), weight)
    return final


def recall(data: Labelled, scores: np.ndarray) -> np.ndarray:
    """Return (questions, 2): the share of a question's evidence among its first 5 and first 10."""
    found = []
    for first, last in pairwise(data.bounds()):
        groups = data.group[first:last][first_of_units(scores[first:last], data.unit[first:last], 10)]
        reach = max(int(data.reach[data.question[first]]), 1)
        found.append([len(set(groups[:k].tolist()) - {-1}) / reach for k in (5, 10)])
    return np.array(found)


def first_of_units(scores: np.ndarray, units: np.ndarray, most: int) -> np.ndarray:
    """Return the places of the best candidate of each unit, best first, at most `most`."""
    order = np.argsort(-scores, kind="stable")
    _, first = np.unique(units[order], return_index=True)
    return order[np.sort(first)[:most]]
