"""Recall@10 of the ranking with one part left out, by set and category of question.

    python -m benchmarks.ablation HOMES --sets ingested/locomo ingested/hotpotqa [--limit 200]

HOMES holds the homes that `benchmarks/retrieval_homes.py` builds. The candidates of a question are gathered once, as a
search does, and ranked once for each column. Without a retriever, what it alone found is no candidate.
"""

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.ranker_data import questions_of
from benchmarks.retrieval import markdown
from benchmarks.retrieval_measures import rank_measures
from brain_retrieval.brain import Brain
from brain_retrieval.query.analysis import Question
from brain_retrieval.query.candidates import Arm, Candidates
from brain_retrieval.query.ranking import rank
from brain_retrieval.query.request import build_options, build_scope
from brain_retrieval.settings import RetrievalSettings

# What is left out: retrievers, and changes of the settings.
VARIANTS: dict[str, tuple[Sequence[str], dict[str, Any]]] = {
    "all": ((), {}),
    "BM25": (("lexical",), {}),
    "vectors": (("vector",), {}),
    "late interaction": ((), {"late_interaction_weight": 0.0}),
    "memories": (("memories",), {}),
    "names": (("named",), {"hop_weight": 0.0, "link_weight": 0.0, "bridge_weight": 0.0, "title_boost": 0.0}),
    "neighbours, source": ((), {"neighbour_weights": (), "window_weight": 0.0, "parent_weight": 0.0}),
    "words": ((), {"coverage_weight": 0.0}),
    "dates": ((), {"date_boost": 0.0, "around_boost": 0.0}),
    "bylines": ((), {"byline_boost": 0.0, "publisher_weight": 0.0}),
    "statements": ((), {"statement_weight": 0.0}),
    "trees": ((), {"trained": False}),
    "scores (RRF)": ((), {"fusion": "rrf"}),
}


def without(candidates: Candidates, names: Sequence[str]) -> Candidates:
    """Return the candidates that the other retrievers found, and those beside first passages, with their scores."""
    kept = {name: arm for name, arm in candidates.arms.items() if name not in names}
    if len(kept) == len(candidates.arms):
        return candidates
    found = {name: arm.ranks > 0 for name, arm in candidates.arms.items() if name != "memories"}
    beside = ~np.any([*found.values()], axis=0)  # found by no retriever, beside a first passage
    rows = np.flatnonzero(np.any([found[name] for name in kept if name in found] + [beside], axis=0))
    arms = {name: Arm(name, arm.scores[rows], arm.ranks[rows]) for name, arm in kept.items()}
    return Candidates(candidates.rows.take(rows), arms, candidates.asked)


def recalls(candidates: Candidates, question: Question, gold: Any, settings: RetrievalSettings) -> list[float]:
    """Return recall@10 of each of VARIANTS."""
    found = []
    for names, changes in VARIANTS.values():
        chosen, left = settings.model_copy(update=changes), without(candidates, names)
        order = rank(left, method=chosen.fusion, weights=chosen.weights, question=question, settings=chosen)
        best = [left.ids[hit.row] for hit in order.best(10)]
        found.append(rank_measures(best, gold)["recall@10"])
    return found


def gathered(brain: Brain, query: str) -> tuple[Candidates, Question]:
    """Return the candidates of a question as a search gathers them."""
    searcher, settings = brain._searcher, brain.settings.retrieval
    options = build_options(settings, k=None, fusion=None, weights=None, expand=False, min_similarity=None)
    question, scope = searcher.questions.read(query), build_scope(zone=brain.settings.zone)
    return searcher.candidates(searcher.index([]), question, scope, options, [])[0], question


def table(measured: dict[tuple[str, str], list[list[float]]]) -> str:
    """Return a Markdown table: a row for each set and category, a column for each of VARIANTS."""
    rows = [
        [name, category, str(len(values)), *(f"{value:.3f}" for value in np.mean(values, axis=0))]
        for (name, category), values in measured.items()
    ]
    return markdown(["set", "questions about", "number", *VARIANTS], rows)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("homes", type=Path)
    parser.add_argument("--sets", nargs="+", required=True)
    parser.add_argument("--limit", type=int)
    arguments = parser.parse_args()
    measured: dict[tuple[str, str], list[list[float]]] = {}
    for name in arguments.sets:
        home, brains = arguments.homes / name, dict[str, Brain]()
        for asked in questions_of(home, arguments.limit):
            brain = brains.setdefault(asked["user"], Brain.open(home, user=asked["user"]))
            found = recalls(*gathered(brain, asked["query"]), asked["gold"], brain.settings.retrieval)
            measured.setdefault((home.name, asked["category"]), []).append(found)
    print(table(measured))


if __name__ == "__main__":
    main()
