"""What `brain facts` shows first against homes labelled by a reader; fits the weights of `usefulness.py`.

    python -m benchmarks.shown PATH [--write]

PATH is a folder with one folder for each home: `memories.parquet`, all rows of MEMORIES of a user, and `labels.json`
with `group` (homes of one author, list or club share it), `kind`, `language`, and `labels`: by memory id "useful",
"trivial", "wrong" or "garbled", read as the owner of the home. A line is useful if the owner, half a year later, would
be glad that an assistant knows it without looking it up.

Each group is scored by a fit to the others. Only memories that the rules let through (`display.py`) count as shown.
`--write` fits to all labels and writes `usefulness.toml` beside the code.
"""

import argparse
import json
import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

os.environ.setdefault("OMP_NUM_THREADS", "1")  # small matrices: more threads only wait for one another

import numpy as np
import polars as pl

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.logistic import Fit, Numbers, auc, fit, probability
from brain_retrieval.knowledge.memories.display import MIN_USEFUL, worth_showing
from brain_retrieval.knowledge.memories.fitness import is_of_home
from brain_retrieval.knowledge.memories.index import MemoryIndex
from brain_retrieval.knowledge.memories.stored import known_names
from brain_retrieval.knowledge.memories.usefulness import CONSTANT, WEIGHTS, Surroundings, features

RIDGE = 150.0
THRESHOLDS = (0.0, 0.5, 0.55, 0.6, 0.65, 0.7, 0.75)
MANY = 10  # useful memories that the rules let through: homes with a choice
LEAST_WEIGHT = 0.002
# What the rule of labelling says about a feature: too few labels must not turn it round. Others may count either way.
FOR = """
    keep keep_rank self_contained slot slot_of_person life kind_decision kind_relationship kind_plan person day money
    start end later
"""
AGAINST = "short repeated nothing_named negated"
HEADER = """\
# Weights of `usefulness.py`: the log odds that the owner of a home is glad to see a memory, by feature.
# Fitted by benchmarks/shown.py to {count} labelled memories of {homes} homes ({useful} useful): ridge penalty {ridge:g}
# on standardised features. Do not edit.
"""


@dataclass
class Labelled:
    """All labelled memories, in order of their homes."""

    home: list[str] = field(default_factory=list)
    group: list[str] = field(default_factory=list)
    kind: list[str] = field(default_factory=list)
    language: list[str] = field(default_factory=list)
    useful: list[bool] = field(default_factory=list)
    fit: list[bool] = field(default_factory=list)  # whether the rules let it through
    features: list[dict[str, float]] = field(default_factory=list)

    def add(self, folder: Path) -> None:
        about: dict[str, Any] = json.loads((folder / "labels.json").read_text("utf-8"))
        index = MemoryIndex.of(pl.read_parquet(folder / "memories.parquet"))
        home, known = Surroundings.of(index.rows), known_names(index)
        for row in index.rows.filter(pl.col("memory_id").is_in(list(about["labels"]))).iter_rows(named=True):
            self.home.append(folder.name)
            self.group.append(about["group"])
            self.kind.append(about["kind"])
            self.language.append(about["language"])
            self.useful.append(about["labels"][row["memory_id"]] == "useful")
            self.fit.append(worth_showing(row) and is_of_home(row, known))
            self.features.append(features(row, home))

    def matrix(self) -> tuple[Numbers, Numbers, list[str]]:
        """Return the features (n, features), the labels (n,) and the names of the features."""
        names = sorted(self.features[0])
        values = np.array([[each[name] for name in names] for each in self.features])
        return values, np.array(self.useful, float), names


def fitted(values: Numbers, labels: Numbers, names: Sequence[str]) -> Fit:
    positive, negative = frozenset(FOR.split()), frozenset(AGAINST.split())
    signs = np.array([float(name in positive) - float(name in negative) for name in names])
    return fit(values, labels, signs, RIDGE)


def left_out(cases: Labelled) -> Numbers:
    """Return the probability of each memory by a fit to all groups but its own."""
    values, labels, names = cases.matrix()
    scores, own = np.zeros(len(labels)), np.array(cases.group)
    for group in sorted(set(cases.group)):
        others = own != group
        scores[~others] = fitted(values[others], labels[others], names).score(values[~others])
    return probability(scores)


def table(cases: Labelled, chance: Numbers, labels: Numbers) -> None:
    """Print what would be shown at each threshold, with its share of useful memories."""
    homes, let_through = np.array(cases.home), np.array(cases.fit)
    useful = {home: labels[(homes == home) & let_through].sum() for home in set(cases.home)}
    many = np.array([useful[home] >= MANY for home in cases.home])
    rich = sum(count >= MANY for count in useful.values())
    print(f"\n{'probability':>11} {'shown':>6} {'useful':>7} {'a home':>7} {f'a home of {MANY}+ useful ({rich})':>28}")
    for threshold in THRESHOLDS:
        shown = let_through & (chance >= threshold)
        print(
            f"{threshold:11.2f} {shown.sum():6} {_share(labels[shown]):7.2f} {shown.sum() / len(useful):7.1f}"
            f" {(shown & many).sum() / max(1, rich):28.1f}"
        )


def by(title: str, values: Sequence[str], cases: Labelled, chance: Numbers, labels: Numbers) -> None:
    print(f"\n{title:12} {'homes':>5}  {'by the rules':>12}  {f'at {MIN_USEFUL}':>10}")
    column, homes, let_through = np.array(values), np.array(cases.home), np.array(cases.fit)
    for value in sorted(set(values)):
        every = let_through & (column == value)
        shown = every & (chance >= MIN_USEFUL)
        count = len(set(homes[column == value]))
        cells = (
            f"{labels[chosen].sum():4.0f} of {chosen.sum():3} {_share(labels[chosen]):.2f}" for chosen in (every, shown)
        )
        print(f"{value:12} {count:5}  {'  '.join(cells)}")


def _cell(labels: Numbers) -> str:
    return f"{labels.sum():4.0f} of {len(labels):3} {_share(labels):.2f}"


def _share(labels: Numbers) -> float:
    return float(labels.mean()) if len(labels) else float("nan")


def write(cases: Labelled) -> None:
    values, labels, names = cases.matrix()
    found = fitted(values, labels, names)
    head = HEADER.format(count=len(labels), homes=len(set(cases.home)), useful=int(labels.sum()), ridge=RIDGE)
    lines = [f"{CONSTANT} = {found.constant:.4f}"]
    weights = zip(names, found.weights, strict=True)
    lines += [f"{name} = {weight:.4f}" for name, weight in weights if abs(weight) >= LEAST_WEIGHT]
    WEIGHTS.write_text(head + "\n" + "\n".join(lines) + "\n", "utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("path", type=Path)
    parser.add_argument("--write", action="store_true", help="write the weights")
    options = parser.parse_args()
    cases = Labelled()
    for folder in sorted(path.parent for path in options.path.glob("*/labels.json")):
        cases.add(folder)
    chance, labels, let_through = left_out(cases), np.array(cases.useful, float), np.array(cases.fit)
    print(f"{len(labels)} labels, {len(set(cases.home))} homes, {len(set(cases.group))} groups, each left out once")
    inside = auc(chance[let_through], labels[let_through])
    print(f"AUC {auc(chance, labels):.3f}; of those the rules let through {inside:.3f}")
    table(cases, chance, labels)
    by("kind", cases.kind, cases, chance, labels)
    by("language", cases.language, cases, chance, labels)
    if options.write:
        write(cases)


if __name__ == "__main__":
    main()
