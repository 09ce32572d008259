"""Fit the probability that a hit is relevant, print how well it holds, and what the default cut costs.

    python -m benchmarks.calibrate_ranker FEATURES FOREIGN [--write]

FEATURES and FOREIGN are folders that `benchmarks/ranker_data.py` wrote: questions with their evidence, and questions
asked of homes that cannot answer them (`--foreign`; those of `--unanswerable` are judged and not fitted). The trees in
the package give the scores. The cut stays short of what costs a set LOSS; the table of what it costs judges each
set by weights that were fitted without its kind.
"""

import argparse
import json
from itertools import pairwise
from pathlib import Path

import numpy as np

from benchmarks.logistic import Fit, calibrated, fit
from benchmarks.ranker_fit import Labelled, corrected, with_statements
from brain_retrieval.query.ranker.calibration import FILE, Calibration, fits, logistic
from brain_retrieval.query.ranker.trees import shipped

MODEL = "minilm-int8"
FIRST = 10
WHOLE = "_session"  # sets of whole sessions: each part of the right one counts, also if it has nothing of the answer
LOSS = 0.01  # of recall@10, on the set that the cut costs most
# Of the largest cut: short of it, so that a home of another kind, and a paraphrase that shares no word with its
# passage, lose nothing.
BELOW = 0.48
# Weights of the names that no candidate has, of the words that the best one lacks, of those times how far the closest
# words are, of how strange a question is, and of things that no candidate has, before scaling. They are set, not
# fitted: a fit looks at all questions, the cut at the worst one in a hundred. Of the foreign questions that a cut
# within LOSS rejects, the third raises the share from .31 to .47; the fourth is for words that do not exist, of which
# the sets have none, the last for a dentist or a dishwasher that is nowhere, of which notes of a household say more.
READ = ("scores.cosine", "scores.closeness", "words.coverage", "words.pairs", "names.missing", "form.question_length")
READ += ("form.unknown", "names.absent_things")
PENALTIES = np.array([-4.0, -1.0, -8.0, -20.0, -6.0])


class Judged:
    """The first ten of each question of a set: their scores, how well anything fits, and whether they are relevant."""

    def __init__(self, data: Labelled) -> None:
        scores = final(data)
        scored, groups, level, self.reach = [], [], [], []
        bounds = data.bounds()
        for first, last in pairwise(bounds):
            order = first + np.argsort(-scores[first:last], kind="stable")[:FIRST]
            parts = {group: {} for group in ("scores", "words", "names", "form")}
            for name in READ:
                group, _, feature = name.partition(".")
                known = name in data.names  # the sets have what trees learn from
                values = data.column(name)[first:last] if known else np.zeros(last - first)
                parts[group][feature] = values.astype(np.float64)
            level.append(fits(parts))
            scored.append(scores[order] - data.title[order[0]])
            groups.append(data.group[order].tolist())
            self.reach.append(int(data.reach[data.question[first]]))
        self.name, self.kind, self.own_questions = data.name, data.kind, data.name.endswith(".unanswerable")
        self.groups = groups
        self.fits = np.array(level)
        self.scores = np.concatenate(scored)
        self.question = np.repeat(np.arange(len(scored)), [len(s) for s in scored])
        self.relevant = np.array([group >= 0 for question in groups for group in question], dtype=np.float64)

    def recall(self, shown: np.ndarray) -> float:
        """Return recall@10 of what is shown, bool (rows,)."""
        found, place = [], 0
        for groups, reach in zip(self.groups, self.reach, strict=True):
            kept = {group for n, group in enumerate(groups) if shown[place + n]} - {-1}
            found.append(len(kept) / max(reach, 1))
            place += len(groups)
        return float(np.mean(found))

    def answered(self, shown: np.ndarray) -> float:
        """Return the share of questions of which anything is shown."""
        starts = np.cumsum([0, *(len(groups) for groups in self.groups)])[:-1]
        return float(np.mean(np.logical_or.reduceat(shown, starts)))


def final(data: Labelled) -> np.ndarray:
    """Return the scores that order the hits: of formula, trees, statements and publishers."""
    trees = shipped()
    if trees.guard is None:
        raise SystemExit("the trees of the package have no guard")
    sums = trees.sums(trees.matrix({name: data.column(name) for name in data.names}))
    return with_statements(data, corrected(data, sums, trees.bound, trees.guard))


def fitted(own: list[Judged], foreign: list[Judged]) -> Calibration:
    """Return the weights; questions that can be answered and those that cannot count the same together."""
    foreign = [s for s in foreign if not s.own_questions]
    levels = np.concatenate([s.fits for s in (*own, *foreign)])
    answered = np.r_[np.ones(sum(len(s.fits) for s in own)), np.zeros(sum(len(s.fits) for s in foreign))]
    copies = np.where(answered, 1, round(answered.sum() / max((1 - answered).sum(), 1)))
    levels, answered = levels.repeat(copies, 0), answered.repeat(copies)
    likeness = fit(levels[:, : -len(PENALTIES)], answered, np.ones(levels.shape[1] - len(PENALTIES)), ridge=1.0)
    question = Fit(likeness.constant, np.r_[likeness.weights, PENALTIES])
    question = calibrated(question, question.score(levels), answered)
    scores, labels = np.concatenate([s.scores for s in own]), np.concatenate([s.relevant for s in own])
    passage = fit(scores[:, None], labels, np.ones(1), ridge=1.0)
    weights = (question.constant, *question.weights.tolist())
    return Calibration(MODEL, weights, (passage.constant, float(passage.weights[0])), 0.0)


def answered(judged: Judged, by: Calibration) -> np.ndarray:
    """Return for each row the chance that its question is answered."""
    constant, *weights = by.question
    return logistic(constant + judged.fits @ np.array(weights))[judged.question]


def probabilities(judged: Judged, by: Calibration) -> np.ndarray:
    return answered(judged, by) * by.fitting(judged.scores)


def largest_cut(judged: Judged, by: Calibration) -> float:
    """Return the largest chance of an answer below which nothing may be shown without losing more than LOSS."""
    chances, whole = answered(judged, by), judged.recall(np.ones(len(judged.scores), bool))
    steps = np.unique(chances)
    kept = [step for step in steps.tolist() if judged.recall(chances >= step) >= whole - LOSS]
    return max(kept)


def reliability(sets: list[Judged], weights: Calibration) -> str:
    """Return a table: hits by probability, and the share of them that is relevant."""
    chance = np.concatenate([probabilities(s, weights) for s in sets])
    relevant = np.concatenate([s.relevant for s in sets])
    lines = ["| probability | hits | mean | relevant |", "|---|---|---|---|"]
    edges = (0.0, 0.02, 0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 1.0)
    for low, high in pairwise(edges):
        inside = (chance >= low) & (chance < high)
        if inside.any():
            share = (f"{chance[inside].mean():.3f}", f"{relevant[inside].mean():.3f}")
            lines.append(f"| {low:.2f}–{high:.2f} | {inside.sum()} | {share[0]} | {share[1]} |")
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("features", type=Path)
    parser.add_argument("foreign", type=Path)
    parser.add_argument("--write", action="store_true")
    arguments = parser.parse_args()
    own = [Judged(Labelled.load(path)) for path in sorted(arguments.features.glob("*.npz")) if WHOLE not in path.stem]
    foreign = [Judged(Labelled.load(path)) for path in sorted(arguments.foreign.glob("*.npz"))]
    weights = fitted(own, foreign)
    print("question", np.round(weights.question, 3), "passage", np.round(weights.passage, 3))
    print(reliability([*own, *foreign], weights))
    print("\n| set | recall@10 | after the cut | answered |\n|---|---|---|---|")
    left_out = {
        kind: fitted([s for s in own if s.kind != kind], [s for s in foreign if s.kind != kind])
        for kind in {s.kind for s in (*own, *foreign)}
    }
    most = min(largest_cut(judged, weights) for judged in own)
    cut = float(f"{BELOW * most:.2g}")
    for judged in own:
        shown = answered(judged, left_out[judged.kind]) >= cut
        whole = judged.recall(np.ones(len(judged.scores), bool))
        print(f"| {judged.name} | {whole:.3f} | {judged.recall(shown):.3f} | {judged.answered(shown):.3f} |")
    for judged in foreign:
        shown = answered(judged, left_out[judged.kind]) >= cut
        print(f"| {judged.name} ({len(judged.fits)}) | – | – | {judged.answered(shown):.3f} |")
    print(f"cut {cut}")
    if arguments.write:
        question, passage = (np.round(part, 6).tolist() for part in (weights.question, weights.passage))
        entry = {"model": MODEL, "question": question, "passage": passage, "cut": cut}
        FILE.write_text(json.dumps([entry]) + "\n", "utf-8")


if __name__ == "__main__":
    main()
