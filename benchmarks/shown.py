"""What `brain facts` shows first against homes labelled by a reader; fits the weights of `usefulness.py`.

    python -m benchmarks.shown PATH [--ridge 2000] [--write]

PATH is what `shown_homes.py` has built, without `--held`. `shown_labels.tsv` holds a line for each labelled memory: the
home, the first digits of the hashes of its text and of its evidence, and one letter, read as the owner of the home:

    u  useful: half a year later the owner would be glad that an assistant knows it without looking it up
    t  trivial, or of interest to nobody later
    c  needs context that the line does not give
    w  wrong: a day, a year, a name, who speaks
    g  garbled, a heading, a list, what every meeting says

A useful or trivial sentence stays so when it is written otherwise, so it is found by its evidence, too; the other
letters hold for the text as it was read. Labels whose text no longer arises are counted and left out.

Each home is scored by a fit to the others. Only memories that hold or tell what happened, and that the
rules let through (`display.py`), count as shown. The
fit is pulled towards `shown_prior.toml`; what that does not know is free. `--write` fits to all labels and writes
`usefulness.toml` beside the code.
"""

import argparse
import os
import sys
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

os.environ.setdefault("OMP_NUM_THREADS", "1")  # small matrices: more threads only wait for one another

import numpy as np
import polars as pl

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.logistic import Fit, Numbers, auc, fit, probability
from benchmarks.shown_homes import recipes
from brain_retrieval.ids import stable_hash
from brain_retrieval.knowledge.memories.candidates import with_changes
from brain_retrieval.knowledge.memories.index import MemoryIndex
from brain_retrieval.knowledge.memories.reader import MOST_JUDGED
from brain_retrieval.knowledge.memories.shown.display import MIN_USEFUL, OPENING, may_stand_in_front, worth_showing
from brain_retrieval.knowledge.memories.shown.fitness import is_of_home
from brain_retrieval.knowledge.memories.shown.usefulness import CONSTANT, WEIGHTS, Surroundings, features
from brain_retrieval.knowledge.memories.stored import known_names, routine_openings, topics, worth_judging
from brain_retrieval.knowledge.memories.view import judged

LABELS, PRIOR = (Path(__file__).with_name(name) for name in ("shown_labels.tsv", "shown_prior.toml"))
USEFUL, OF_EVIDENCE = "u", frozenset("ut")
DIGITS = 10  # of a hash
RIDGE, NEW_RIDGE = 2000.0, 15.0  # of the weights that the prior has, and of the others
THRESHOLDS = (0.0, 0.5, 0.55, 0.6, 0.65, 0.7, 0.75)
LEAST_WEIGHT = 0.002
# What the rule of labelling says about a feature: too few labels must not turn it round. Others may count either way.
FOR = """
    keep keep_rank self_contained slot slot_of_person life kind_decision kind_relationship kind_plan person day money
    start end later turn
"""
AGAINST = "short repeated nothing_named negated everyday vague"
HEADER = """\
# Weights of `usefulness.py`: the log odds that the owner of a home is glad to see a memory, by feature.
# Fitted by benchmarks/shown.py to {count} labelled memories of {homes} homes ({useful} useful), towards the weights of
# benchmarks/shown_prior.toml: ridge penalty {ridge:g} on standardised features that it has. Do not edit.
"""


def hashed(text: str) -> str:
    """Return the digits by which a label names a text."""
    return stable_hash(" ".join(text.split()))[:DIGITS]


def read_labels() -> dict[str, dict[str, str]]:
    """Return by home the letter of each text; "e:" before a hash is that of the evidence."""
    found: dict[str, dict[str, str]] = {}
    for line in LABELS.read_text("utf-8").splitlines():
        if line and not line.startswith("#"):
            home, text, evidence, letter = line.split("\t")
            of_home = found.setdefault(home, {})
            of_home[text] = letter
            if letter in OF_EVIDENCE:
                of_home.setdefault(f"e:{evidence}", letter)
    return found


def in_front(index: MemoryIndex) -> frozenset[str]:
    """Return the ids of the memories that hold, or happened, when the home was built."""
    at: datetime = max(index.rows["received_at"].to_list())
    likely = worth_judging(index.rows, None, at=at, most=MOST_JUDGED)
    wanted = set(index.rows["memory_id"][likely].to_list())
    seen = judged(with_changes(index, likely, None), None, at=at, only=wanted)
    return frozenset(one.row["memory_id"] for one in seen if may_stand_in_front(one))


@dataclass
class Labelled:
    """All labelled memories, in order of their homes."""

    home: list[str] = field(default_factory=list)
    kind: list[str] = field(default_factory=list)
    language: list[str] = field(default_factory=list)
    letter: list[str] = field(default_factory=list)
    fit: list[bool] = field(default_factory=list)  # whether the rules let it through
    features: list[dict[str, float]] = field(default_factory=list)
    missing: int = 0

    def add(self, name: str, folder: Path, labels: Mapping[str, str]) -> None:
        about = recipes()[name]
        index = MemoryIndex.of(pl.read_parquet(folder / "memories.parquet"))
        home, known, routine = Surroundings.of(index.rows), known_names(index), routine_openings(index)
        topic = topics(index)
        front, used = in_front(index), set[str]()
        for row in index.rows.iter_rows(named=True):
            text, evidence = hashed(row["text"]), f"e:{hashed(row['evidence'])}"
            key = text if text in labels else evidence
            if key not in labels:
                continue
            used |= {text, evidence}
            self.home.append(name)
            self.kind.append(about["kind"])
            self.language.append(about["language"])
            self.letter.append(labels[key])
            own = row["evidence"][:OPENING] not in routine
            held = row["memory_id"] in front
            self.fit.append(own and held and worth_showing(row) and is_of_home(row, known, topic))
            self.features.append(features(row, home))
        self.missing += sum(not key.startswith("e:") and key not in used for key in labels)

    @property
    def useful(self) -> Numbers:
        return np.array([letter == USEFUL for letter in self.letter], float)

    def matrix(self) -> tuple[Numbers, list[str]]:
        """Return the features (n, features) and their names."""
        names = sorted(self.features[0])
        return np.array([[each[name] for name in names] for each in self.features]), names


def prior(names: Sequence[str]) -> Fit:
    """Return the fit that was made to labels which are no longer at hand."""
    weights = tomllib.loads(PRIOR.read_text("utf-8"))
    return Fit(weights[CONSTANT], np.array([weights.get(name, 0.0) for name in names]))


def fitted(values: Numbers, labels: Numbers, names: Sequence[str], ridge: float) -> Fit:
    positive, negative = frozenset(FOR.split()), frozenset(AGAINST.split())
    signs = np.array([float(name in positive) - float(name in negative) for name in names])
    before = prior(names)
    signs[(before.weights != 0) & (np.sign(before.weights) != signs)] = 0  # the prior knows better
    return fit(values, labels, signs, np.where(before.weights != 0, ridge, NEW_RIDGE), before)


def left_out(cases: Labelled, ridge: float) -> Numbers:
    """Return the probability of each memory by a fit to all homes but its own."""
    (values, names), labels = cases.matrix(), cases.useful
    scores, own = np.zeros(len(labels)), np.array(cases.home)
    for home in sorted(set(cases.home)):
        others = own != home
        scores[~others] = fitted(values[others], labels[others], names, ridge).score(values[~others])
    return probability(scores)


def table(title: str, cases: Labelled, chance: Numbers) -> None:
    """Print what would be shown at each threshold, with its share of useful memories."""
    labels, let_through, homes = cases.useful, np.array(cases.fit), len(set(cases.home))
    print(f"\n{title}: AUC of what the rules let through {auc(chance[let_through], labels[let_through]):.3f}")
    print(f"{'probability':>11} {'shown':>6} {'useful':>7} {'a home':>7}")
    for threshold in THRESHOLDS:
        shown = let_through & (chance >= threshold)
        print(f"{threshold:11.2f} {shown.sum():6} {_share(labels[shown]):7.2f} {shown.sum() / homes:7.1f}")


def by(title: str, values: Sequence[str], cases: Labelled, chance: Numbers) -> None:
    print(f"\n{title:12} {'homes':>5}  {'by the rules':>12}  {f'at {MIN_USEFUL}':>10}")
    labels, column = cases.useful, np.array(values)
    homes, let_through = np.array(cases.home), np.array(cases.fit)
    for value in sorted(set(values)):
        every = let_through & (column == value)
        shown = every & (chance >= MIN_USEFUL)
        count = len(set(homes[column == value]))
        cells = (
            f"{labels[chosen].sum():4.0f} of {chosen.sum():3} {_share(labels[chosen]):.2f}" for chosen in (every, shown)
        )
        print(f"{value:12} {count:5}  {'  '.join(cells)}")


def _share(labels: Numbers) -> float:
    return float(labels.mean()) if len(labels) else float("nan")


def write(cases: Labelled, ridge: float) -> None:
    (values, names), labels = cases.matrix(), cases.useful
    found = fitted(values, labels, names, ridge)
    head = HEADER.format(count=len(labels), homes=len(set(cases.home)), useful=int(labels.sum()), ridge=ridge)
    lines = [f"{CONSTANT} = {found.constant:.4f}"]
    weights = zip(names, found.weights, strict=True)
    lines += [f"{name} = {weight:.4f}" for name, weight in weights if abs(weight) >= LEAST_WEIGHT]
    WEIGHTS.write_text(head + "\n" + "\n".join(lines) + "\n", "utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("path", type=Path)
    parser.add_argument("--ridge", type=float, default=RIDGE)
    parser.add_argument("--write", action="store_true", help="write the weights")
    options = parser.parse_args()
    cases = Labelled()
    for name, labels in sorted(read_labels().items()):
        if (options.path / name / "memories.parquet").is_file():
            cases.add(name, options.path / name, labels)
    values, names = cases.matrix()
    print(f"{len(cases.letter)} labels of {len(set(cases.home))} homes; {cases.missing} texts do not arise")
    table("weights of the prior", cases, probability(prior(names).score(values)))
    chance = left_out(cases, options.ridge)
    table("each home left out", cases, chance)
    by("kind", cases.kind, cases, chance)
    by("language", cases.language, cases, chance)
    if options.write:
        write(cases, options.ridge)


if __name__ == "__main__":
    main()
