"""Features of the candidates of labelled questions, as the product computes them: what a ranker is trained on.

    python -m benchmarks.ranker_data HOMES OUT [--sets units/locomo ...]

HOMES holds the homes that `benchmarks/retrieval_homes.py` builds, each with a `questions.jsonl`. One `.npz` a set.
With `--foreign` the questions of another set are asked of the homes, with `--unanswerable` those of a file.
"""

import argparse
import json
import tomllib
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.retrieval_methods import read_chunks
from brain_retrieval.brain import Brain
from brain_retrieval.query.analysis.clauses import MOST_STATEMENTS
from brain_retrieval.query.features.bylines import publishers
from brain_retrieval.query.features.pool import Pool
from brain_retrieval.query.features.registry import NOT_LEARNED, features_of
from brain_retrieval.query.features.statements import stated
from brain_retrieval.query.fusion import fuse, normalise
from brain_retrieval.query.ranking import boosts, formula, interacting
from brain_retrieval.query.request import build_options, build_scope

MOST_PUBLISHERS = 6  # kept of a question
UNANSWERABLE = Path(__file__).with_name("unanswerable.toml")


def features_of_question(brain: Brain, query: str):
    """Return the candidates' ids, feature name -> values, the formula's score and the part of it that a title named by
    the question adds, and the shares of statements and publishers."""
    searcher, settings = brain._searcher, brain.settings.retrieval
    index = searcher.index([])
    options = build_options(settings, k=None, fusion=None, weights=None, expand=False, min_similarity=None)
    question = searcher.questions.read(query)
    scope = build_scope(zone=brain.settings.zone)
    candidates, _ = searcher.candidates(index, question, scope, options, [])
    normalised = {name: normalise(arm) for name, arm in candidates.arms.items()}
    fused = fuse(candidates.arms, normalised, options.method, options.weights)
    pool = Pool(question, candidates, normalised, fused, settings.neighbour_weights)
    pool = interacting(pool, options.method, options.weights, options.settings.rrf_k)
    groups = features_of(pool)
    flat = {f"{group}.{name}": values for group, found in groups.items() for name, values in found.items()}
    flat = {name: values for name, values in flat.items() if name not in NOT_LEARNED}
    shares = stated(pool)
    shares = np.pad(shares, ((0, 0), (0, MOST_STATEMENTS - shares.shape[1])))
    published = publishers(pool)[:, :MOST_PUBLISHERS]
    published = np.pad(published, ((0, 0), (0, MOST_PUBLISHERS - published.shape[1])))
    title = boosts(groups, settings)["title"]
    return candidates.ids, flat, formula(groups, settings), title, shares, published


def questions_of(home: Path, limit: int | None, asked_of: Path | None = None):
    """Return the questions of a home; with `asked_of`, asked of that home's users, where they have no answer."""
    questions = [json.loads(line) for line in (home / "questions.jsonl").open(encoding="utf-8")]
    if limit:
        questions = questions[:: max(1, len(questions) // limit)]
    if asked_of is not None:
        users = sorted(path.name for path in (asked_of / "users").iterdir())
        questions = [q | {"user": users[n % len(users)], "gold": []} for n, q in enumerate(questions)]
    return questions


def unanswerable(home: Path) -> list[dict[str, Any]]:
    """Return the questions of `unanswerable.toml` for a home, one user after the other."""
    listed = tomllib.loads(UNANSWERABLE.read_text("utf-8"))
    users = sorted(path.name for path in (home / "users").iterdir())
    asked = [*listed["any"], *listed.get(home.name, ())]
    known = {"category": "unanswerable", "gold": []}
    return [known | {"user": users[n % len(users)], "query": query} for n, query in enumerate(asked)]


def units_of(home: Path, user: str) -> dict[str, int]:
    """Return chunk id -> number of what counts as found once: a unit of the set or, in ingested homes, the chunk."""
    chunks = read_chunks(home, user)
    whole = chunks.uris if home.parent.name == "units" else chunks.ids
    numbers = {key: n for n, key in enumerate(dict.fromkeys(whole))}
    return {chunk: numbers[key] for chunk, key in zip(chunks.ids, whole, strict=True)}


def collect(home: Path, questions):
    rows = {
        name: []
        for name in ("x", "q", "base", "title", "stated", "published", "group", "unit", "category", "user", "reach")
    }
    names = []
    brains = {}
    units = {user: units_of(home, user) for user in {question["user"] for question in questions}}
    for number, question in enumerate(questions):
        user = question["user"]
        brain = brains.setdefault(user, Brain.open(home, user=user))
        ids, flat, base, title, shares, published = features_of_question(brain, question["query"])
        names = list(flat)
        gold = {chunk: n for n, group in enumerate(question["gold"]) for chunk in group}
        rows["x"].append(np.stack(list(flat.values()), axis=1).astype(np.float32))
        rows["group"].append(np.array([gold.get(key, -1) for key in ids]))
        rows["unit"].append(np.array([units[user][key] for key in ids]))
        rows["q"].append(np.full(len(ids), number))
        rows["base"].append(base)
        rows["title"].append(title)
        rows["stated"].append(shares.astype(np.float32))
        rows["published"].append(published.astype(np.float32))
        rows["category"].append(question["category"])
        rows["user"].append(user)
        rows["reach"].append(len(set(gold.values())))  # evidence of which another piece has all chunks counts with it
    wide = ("x", "group", "unit", "q", "base", "title", "stated", "published")
    stacked = {name: np.concatenate(rows[name]) for name in wide}
    return stacked | {name: np.array(rows[name]) for name in ("category", "user", "reach")} | {"names": np.array(names)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("homes", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--sets", nargs="+", default=[])
    parser.add_argument("--limit", type=int)
    parser.add_argument("--foreign", help="a set whose questions are asked of the homes of --sets instead of their own")
    parser.add_argument("--unanswerable", action="store_true", help="ask the questions of unanswerable.toml")
    arguments = parser.parse_args()
    arguments.out.mkdir(parents=True, exist_ok=True)
    for name in arguments.sets:
        home = arguments.homes / name
        foreign = arguments.homes / arguments.foreign if arguments.foreign else None
        if arguments.unanswerable:
            asked, suffix = unanswerable(home), ".unanswerable"
        else:
            asked = questions_of(foreign or home, arguments.limit, asked_of=home if foreign else None)
            suffix = f".{foreign.name}" if foreign else ""
        found = collect(home, asked)
        np.savez_compressed(arguments.out / f"{name.replace('/', '_')}{suffix}.npz", **found)
        groups = [set(found["group"][found["q"] == n]) - {-1} for n in range(len(found["reach"]))]
        covered = np.mean([len(group) / max(reach, 1) for group, reach in zip(groups, found["reach"], strict=True)])
        print(f"{name}: {len(groups)} questions, gold among candidates {covered:.3f}", flush=True)


if __name__ == "__main__":
    main()
