"""What `brain facts` shows first against homes labelled by readers; fits the weights of `usefulness.py`.

    python -m benchmarks.shown PATH... [--models FOLDER] [--write]

Each PATH is what `shown_homes.py` has built, without `--held`. `shown_labels.tsv` holds a line for each labelled
memory under the name of its home: the first digits of the hashes of its text and of its evidence (empty if it is the
same), and letters, read as the owner of the home, half a year later, seeing only the line. A first reader gave one of

    u  useful: one would be glad that an assistant knows it without looking it up; it stays worth knowing
    p  plausible: correct, specific, of the owner's own people and doings, and one may well ask for it, but ordinary
    t  trivial, or of interest to no one later
    c  needs context that the line does not give
    w  wrong: a day, a year, a name, who speaks
    g  garbled, a heading, a list, what every meeting says
    -  was not asked

to all sorts of lines, and two others, who did not know these letters, to those that the rules let through, one of

    U  correct and useful: stands on its own, specific, and fair that an assistant remembers and shows it
    X  useless: trivial, of a moment, generally known
    W  wrong by the look of it
    G  garbled, or not to be understood without its context

How useful a line is, is the share of readers who find it so; for a letter of the first reader it is the share of lines
with that letter that the others do. A useful, plausible, trivial or useless sentence stays so when it is written
otherwise, so it is found by its evidence, too; the other letters hold for the text as it was read. Labels whose text no
longer arises are counted and left out.

Homes are scored by a fit to the other homes, in ten parts. Only memories that hold or tell what happened, and that the
rules let through (`display.py`), count as shown; they count COUNTS times in the fit. `--write` fits to all labels and
writes `usefulness.toml` and `meaning.toml` beside the code.
"""

import argparse
import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

os.environ.setdefault("OMP_NUM_THREADS", "1")  # small matrices: more threads only wait for one another

import numpy as np
import polars as pl

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.logistic import Fit, Numbers, fit, probability
from benchmarks.shown_homes import recipes
from brain_retrieval.ids import stable_hash
from brain_retrieval.knowledge.memories.candidates import with_changes
from brain_retrieval.knowledge.memories.index import MemoryIndex
from brain_retrieval.knowledge.memories.shown import meaning
from brain_retrieval.knowledge.memories.shown.bars import MIN_USEFUL
from brain_retrieval.knowledge.memories.shown.choice import MOST_JUDGED
from brain_retrieval.knowledge.memories.shown.display import OPENING, may_stand_in_front, worth_showing
from brain_retrieval.knowledge.memories.shown.fitness import is_of_home
from brain_retrieval.knowledge.memories.shown.surroundings import Surroundings
from brain_retrieval.knowledge.memories.shown.usefulness import (
    CONSTANT,
    WEIGHTS,
    WITH,
    WITHOUT,
    features,
)
from brain_retrieval.knowledge.memories.stored import jotted, known_names, routine_openings, topics, worth_judging
from brain_retrieval.knowledge.memories.view import judged
from brain_retrieval.models.embedding.build import build_embedder
from brain_retrieval.settings import EmbeddingSettings

LABELS = Path(__file__).with_name("shown_labels.tsv")
USEFUL = "U"
OF_EVIDENCE = frozenset("uptUX")
NOT_ASKED = "-"
DIGITS = 8  # of a hash
PARTS = 10
RIDGE, VECTOR_RIDGE = 1500.0, 9000.0  # of standardised features, and of the numbers of a vector
COUNTS = 6.0  # of what the rules let through
THRESHOLDS = (0.0, 0.5, 0.55, 0.6, 0.65, 0.7, 0.75, 0.8, 0.85)
LEAST_WEIGHT = 0.002
# What the rule of labelling says about a feature: too few labels must not turn it round. Others may count either way.
FOR = """
    keep keep_rank self_contained slot slot_of_person life kind_decision kind_relationship kind_plan person day money
    start end later turn tells_of_oneself
"""
AGAINST = "short repeated nothing_named negated everyday vague"
HEADER = """\
# {what}
# Fitted by benchmarks/shown.py to {count} labelled memories of {homes} homes. Do not edit.
"""


def hashed(text: str) -> str:
    """Return the digits by which a label names a text."""
    return stable_hash(" ".join(text.split()))[:DIGITS]


def read_labels() -> dict[str, dict[str, str]]:
    """Return by home the letters of each text, the first reader's first; "e:" before a hash is that of the evidence."""
    found: dict[str, dict[str, str]] = {}
    of_home: dict[str, str] = {}
    for line in LABELS.read_text("utf-8").splitlines():
        if line.startswith("["):
            of_home = found.setdefault(line.strip("[]"), {})
        elif line and not line.startswith("#"):
            text, evidence, letters = line.split("\t")
            of_home[text] = letters
            if letters[0] in OF_EVIDENCE or letters[0] == NOT_ASKED and set(letters[1:]) <= OF_EVIDENCE:
                others = "".join(letter for letter in letters[1:] if letter in OF_EVIDENCE)
                of_home.setdefault(f"e:{evidence or text}", letters[0] + others)
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
    letters: list[str] = field(default_factory=list)
    text: list[str] = field(default_factory=list)
    fit: list[bool] = field(default_factory=list)  # whether the rules let it through
    features: list[dict[str, float]] = field(default_factory=list)
    missing: int = 0

    def add(self, name: str, folder: Path, labels: Mapping[str, str]) -> None:
        about = recipes()[name]
        index = MemoryIndex.of(pl.read_parquet(folder / "memories.parquet"))
        home, known, routine = Surroundings.of(index.rows), known_names(index), routine_openings(index)
        topic, short = topics(index), jotted(index)
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
            self.letters.append(labels[key])
            self.text.append(row["text"])
            own = row["evidence"][:OPENING] not in routine
            held = row["memory_id"] in front
            self.fit.append(own and held and worth_showing(row) and is_of_home(row, known, topic, short))
            self.features.append(features(row, home))
        self.missing += sum(not key.startswith("e:") and key not in used for key in labels)

    def of_readers(self) -> Numbers:
        """Return the share of the readers who did not know the first letters that finds a line useful; NaN if none."""
        return np.array([_share(letters[1:].count(USEFUL), len(letters) - 1) for letters in self.letters])

    def useful(self) -> Numbers:
        """Return the share of all readers that finds each line useful."""
        others = self.of_readers()
        first = np.array([letters[0] for letters in self.letters])
        found = np.full(len(first), np.nan)
        for letter in sorted(set(first.tolist()) - {NOT_ASKED}):
            found[first == letter] = np.nanmean(others[first == letter])
        counts = np.array([len(letters) - 1 for letters in self.letters])
        sums = np.nan_to_num(others) * counts + np.nan_to_num(found)
        return sums / (counts + ~np.isnan(found))

    def matrix(self) -> tuple[Numbers, list[str]]:
        """Return the features (n, features) and their names."""
        names = sorted(self.features[0])
        return np.array([[each[name] for name in names] for each in self.features]), names

    def counts(self) -> Numbers:
        """Return how often each line counts in a fit."""
        return np.where(self.fit, COUNTS, 1.0)

    def parts(self) -> np.ndarray:
        """Return the part of each memory: no home is in two."""
        part = {home: place % PARTS for place, home in enumerate(sorted(set(self.home)))}
        return np.array([part[home] for home in self.home])


def fitted(values: Numbers, useful: Numbers, names: Sequence[str], counts: Numbers) -> Fit:
    """Return the fit to features, and to the numbers of a vector behind them if there are more columns than names."""
    positive, negative = frozenset(FOR.split()), frozenset(AGAINST.split())
    vector = values.shape[1] - len(names)
    signs = [float(name in positive) - float(name in negative) for name in names] + [0.0] * vector
    ridge = np.array([RIDGE] * len(names) + [VECTOR_RIDGE] * vector)
    return fit(values, useful, np.array(signs), ridge, counts=counts)


def left_out(cases: Labelled, values: Numbers, names: Sequence[str]) -> Numbers:
    """Return how useful each memory is by fits to other homes."""
    part, useful, counts = cases.parts(), cases.useful(), cases.counts()
    found = np.zeros(len(part))
    for each in sorted(set(part.tolist())):
        others = part != each
        fit_to = fitted(values[others], useful[others], names, counts[others])
        found[~others] = probability(fit_to.score(values[~others]))
    return found


def table(title: str, cases: Labelled, chances: Numbers) -> None:
    """Print what would be shown at each threshold, and the share of it that the other readers find useful."""
    read, homes = cases.of_readers(), np.array(cases.home)
    judged = np.array(cases.fit) & ~np.isnan(read)
    print(f"\n{title}; of what the rules let through")
    print(f"{'at least':>11} {'shown':>6} {'useful':>7} {'a home':>7} {'empty homes':>12}")
    for threshold in THRESHOLDS:
        shown = judged & (chances >= threshold)
        some, count = set(homes[shown]), len(set(homes))
        share = read[shown].mean() if shown.any() else float("nan")
        print(f"{threshold:11.2f} {shown.sum():6} {share:7.3f} {shown.sum() / count:7.1f} {count - len(some):12}")


def by(title: str, values: Sequence[str], cases: Labelled, chances: Numbers) -> None:
    """Print what each kind of home would show, and the share of it that the other readers find useful."""
    print(f"\n{title:16} {'homes':>5} {'let through':>12} {'useful':>7} {f'at {MIN_USEFUL}':>8} {'useful':>7}")
    read, homes, column = cases.of_readers(), np.array(cases.home), np.array(values)
    judged = np.array(cases.fit) & ~np.isnan(read)
    for value in sorted(set(values)):
        every = judged & (column == value)
        shown = every & (chances >= MIN_USEFUL)
        own, of_shown = (read[rows].mean() if rows.any() else float("nan") for rows in (every, shown))
        first = f"{value:16} {len(set(homes[column == value])):5} {every.sum():12} {own:7.2f}"
        print(f"{first} {shown.sum():8} {of_shown:7.2f}")


def _share(part: int, whole: int) -> float:
    return part / whole if whole else float("nan")


def write(cases: Labelled, values: Numbers, vectors: Numbers, names: Sequence[str], model: str) -> None:
    """Fit to all labels and write the weights."""
    stated = {"count": len(cases.letters), "homes": len(set(cases.home))}
    lines = [HEADER.format(what="Weights of `usefulness.py`: log odds by feature.", **stated)]
    numbers: list[int] = []
    for kind, columns in ((WITH, np.c_[values, vectors]), (WITHOUT, values)):
        found = fitted(columns, cases.useful(), names, cases.counts())
        lines += [f"[{kind}]", f"{CONSTANT} = {found.constant:.4f}"]
        weights = zip(names, found.weights, strict=False)
        lines += [f"{name} = {weight:.4f}" for name, weight in weights if abs(weight) >= LEAST_WEIGHT]
        lines.append("")
        numbers = numbers or np.round(found.weights[len(names) :] / meaning.UNIT).astype(int).tolist()
    WEIGHTS.write_text("\n".join(lines).rstrip() + "\n", "utf-8")
    rows = [f"    {', '.join(map(str, numbers[start : start + 24]))}," for start in range(0, len(numbers), 24)]
    header = HEADER.format(what="Weights of `meaning.py`: thousandths of log odds by number.", **stated)
    text = "\n".join([header, f'model = "{model}"', "weights = [", *rows, "]"])
    meaning.WEIGHTS.write_text(text + "\n", "utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("paths", nargs="+", type=Path)
    parser.add_argument("--models", type=Path, default=Path("data/models"), help="the folder of the embedding model")
    parser.add_argument("--write", action="store_true", help="write the weights")
    options = parser.parse_args()
    cases = Labelled()
    for name, labels in sorted(read_labels().items()):
        built = [path / name for path in options.paths if (path / name / "memories.parquet").is_file()]
        if built:
            cases.add(name, built[0], labels)
    values, names = cases.matrix()
    print(f"{len(cases.letters)} labels of {len(set(cases.home))} homes; {cases.missing} texts do not arise")
    embedder = build_embedder(EmbeddingSettings(), models_dir=options.models)
    vectors = np.asarray(embedder.embed(cases.text), float)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    table("features alone, homes left out", cases, left_out(cases, values, names))
    chances = left_out(cases, np.c_[values, vectors], names)
    table("features and vectors, homes left out", cases, chances)
    by("kind", cases.kind, cases, chances)
    by("language", cases.language, cases, chances)
    if options.write:
        write(cases, values, vectors, names, embedder.name)


if __name__ == "__main__":
    main()
