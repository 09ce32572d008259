"""Train the ranker's trees, print how they transfer to kinds of data that were left out, and write them.

    python -m benchmarks.train_ranker FEATURES [--rounds 80] [--bound 1.0] [--write]

FEATURES is the folder that `benchmarks/ranker_data.py` wrote. Needs LightGBM, which the packages do not. The table has
recall@5 and @10 of convex fusion, of the formula, of trees trained without that kind of data, and of trees trained on
other questions of all kinds (three folds, by user where a set has several).
"""

import argparse
import json
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.ranker_fit import SCALE, Labelled, corrected, guard_of, recall, sampled, train, with_statements
from brain_retrieval.query.ranker.guard import Guard
from brain_retrieval.query.ranker.trees import FILE

FOLDS = 3


def left_out(sets: list[Labelled], rounds: int) -> dict[str, np.ndarray]:
    """Return set name -> sums of trees that were trained without that kind."""
    found = {}
    small = {one.name: sampled(one) for one in sets}
    for kind in sorted({one.kind for one in sets}):
        model = train([small[one.name] for one in sets if one.kind != kind], rounds)
        found |= {one.name: model.predict(one.x) for one in sets if one.kind == kind}
    return found


def crossed(sets: list[Labelled], rounds: int) -> dict[str, np.ndarray]:
    """Return set name -> sums of trees that were trained on all kinds, but on other questions."""
    found = {one.name: np.zeros(len(one.base)) for one in sets}
    for fold in range(FOLDS):
        parts = [sampled(one.of((folds(one) != fold)[one.question])) for one in sets]
        model = train(parts, rounds)
        for one in sets:
            tested = (folds(one) == fold)[one.question]
            found[one.name][tested] = model.predict(one.x[tested])
    return found


def folds(data: Labelled) -> np.ndarray:
    """Return the fold of each question: whole users where there are several, else every third question."""
    users = sorted(set(data.user.tolist()))
    if len(users) <= FOLDS:
        return np.arange(len(data.user)) % FOLDS
    return np.array([users.index(user) % FOLDS for user in data.user.tolist()])


def as_json(model: Any, names: tuple[str, ...], bound: float, guard: Guard) -> dict[str, Any]:
    """Return the trees of a LightGBM model as flat arrays, and the guard. See `Trees`."""
    flat: dict[str, list[Any]] = {key: [] for key in ("feature", "threshold", "left", "right", "value")}
    roots, depth = [], 0

    def add(node: dict[str, Any], level: int) -> tuple[int, float, int]:
        nonlocal depth
        depth = max(depth, level)
        place = len(flat["feature"])
        for column in flat.values():
            column.append(0)
        if "split_feature" not in node:
            count, value = node.get("leaf_count", 1), node["leaf_value"]
            left = right = place
        else:
            flat["feature"][place], flat["threshold"][place] = node["split_feature"], float(node["threshold"])
            left, lower, fewer = add(node["left_child"], level + 1)
            right, upper, more = add(node["right_child"], level + 1)
            count, value = fewer + more, (lower * fewer + upper * more) / (fewer + more)
        flat["left"][place], flat["right"][place], flat["value"][place] = left, right, round(value, 6)
        return place, value, count

    for tree in model.dump_model()["tree_info"]:
        roots.append(add(tree["tree_structure"], 0)[0])
    profiles, spread = np.round(guard.profiles, 5).tolist(), np.round(guard.spread, 5).tolist()
    kept = {"profiles": profiles, "spread": spread, "near": guard.near, "far": guard.far, "least": guard.least}
    head = {"features": list(names), "roots": roots, "depth": depth, "bound": bound, "scale": SCALE}
    return head | flat | {"guard": kept}


def table(sets: list[Labelled], out: dict[str, np.ndarray], within: dict[str, np.ndarray], bound: float) -> str:
    lines = ["| set (questions) | convex | formula | kind left out | other questions |", "|---|---|---|---|---|"]
    means, whole = [], guard_of(sets)
    for one in sets:
        others = guard_of([other for other in sets if other.kind != one.kind])
        orders = (
            one.column("scores.lexical") + one.column("scores.vector"),
            with_statements(one, one.base),
            with_statements(one, corrected(one, out[one.name], bound, others)),
            with_statements(one, corrected(one, within[one.name], bound, whole)),
        )
        found = [recall(one, scores).mean(axis=0) for scores in orders]
        means.append(found)
        cells = [f"{five:.3f} / {ten:.3f}" for five, ten in found]
        lines.append(f"| {one.name} ({len(one.reach)}) | " + " | ".join(cells) + " |")
    cells = [f"{five:.3f} / {ten:.3f}" for five, ten in np.mean(means, axis=0)]
    return "\n".join([*lines, "| mean | " + " | ".join(cells) + " |"])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("features", type=Path)
    parser.add_argument("--rounds", type=int, default=80)
    parser.add_argument("--bound", type=float, default=1.0)
    parser.add_argument("--write", action="store_true")
    arguments = parser.parse_args()
    sets = [Labelled.load(path) for path in sorted(arguments.features.glob("*.npz"))]
    out, within = left_out(sets, arguments.rounds), crossed(sets, arguments.rounds)
    print(table(sets, out, within, arguments.bound))
    if arguments.write:
        model = train([sampled(one) for one in sets], arguments.rounds)
        content = as_json(model, sets[0].names, arguments.bound, guard_of(sets))
        FILE.write_text(json.dumps(content, separators=(",", ":")) + "\n", "utf-8")


if __name__ == "__main__":
    main()
