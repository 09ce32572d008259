"""What `brain facts` shows first against homes labelled by readers; fits the weights of `usefulness.py`.

    python -m benchmarks.shown PATH... [--models FOLDER] [--write]

Each PATH is what `shown_homes.py` has built, without `--held`. `shown_labels.tsv` holds a line for each labelled
memory under the name of its home: the first digits of the hashes of its text and of its evidence (empty if it is the
same), and one letter, read as the owner of the home, half a year later, seeing only the line:

    u  useful: one would be glad that an assistant knows it without looking it up; it stays worth knowing
    p  plausible: correct, specific, of the owner's own people and doings, and one may well ask for it, but ordinary
    t  trivial, or of interest to no one later
    c  needs context that the line does not give
    w  wrong: a day, a year, a name, who speaks
    g  garbled, a heading, a list, what every meeting says

A useful, plausible or trivial sentence stays so when it is written otherwise, so it is found by its evidence, too; the
other letters hold for the text as it was read. Labels whose text no longer arises are counted and left out.

The grade "asked" has u and p, "lasting" has u alone. Homes are scored by a fit to the other homes, in ten parts. Only
memories that hold or tell what happened, and that the rules let through (`display.py`), count as shown. `--write` fits
to all labels and writes `usefulness.toml` and `meaning.toml` beside the code.
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

from benchmarks.logistic import Fit, Numbers, auc, fit, probability
from benchmarks.shown_homes import recipes
from brain_retrieval.ids import stable_hash
from brain_retrieval.knowledge.memories.candidates import with_changes
from brain_retrieval.knowledge.memories.index import MemoryIndex
from brain_retrieval.knowledge.memories.reader import MOST_JUDGED
from brain_retrieval.knowledge.memories.shown import meaning
from brain_retrieval.knowledge.memories.shown.display import MIN_USEFUL, OPENING, may_stand_in_front, worth_showing
from brain_retrieval.knowledge.memories.shown.fitness import is_of_home
from brain_retrieval.knowledge.memories.shown.grades import ASKED, GRADES, LASTING
from brain_retrieval.knowledge.memories.shown.usefulness import (
    CONSTANT,
    WEIGHTS,
    WITH,
    WITHOUT,
    Surroundings,
    features,
)
from brain_retrieval.knowledge.memories.stored import known_names, routine_openings, topics, worth_judging
from brain_retrieval.knowledge.memories.view import judged
from brain_retrieval.models.embedding.build import build_embedder
from brain_retrieval.settings import EmbeddingSettings

LABELS = Path(__file__).with_name("shown_labels.tsv")
LETTERS_OF: Mapping[str, frozenset[str]] = {ASKED: frozenset("up"), LASTING: frozenset("u")}
OF_EVIDENCE = frozenset("upt")
DIGITS = 8  # of a hash
PARTS = 10
RIDGE, VECTOR_RIDGE = 250.0, 500.0  # of standardised features, and of the numbers of a vector
THRESHOLDS = (0.0, 0.3, 0.35, 0.4, 0.45, 0.5, 0.55, 0.6)
LEAST_WEIGHT = 0.002
# What the rule of labelling says about a feature: too few labels must not turn it round. Others may count either way.
FOR = """
    keep keep_rank self_contained slot slot_of_person life kind_decision kind_relationship kind_plan person day money
    start end later turn tells_of_oneself
"""
AGAINST = "short repeated nothing_named negated everyday vague"
HEADER = """\
# {what}
# Fitted by benchmarks/shown.py to {count} labelled memories of {homes} homes ({asked} one may ask for, of which
# {lasting} last). Do not edit.
"""


def hashed(text: str) -> str:
    """Return the digits by which a label names a text."""
    return stable_hash(" ".join(text.split()))[:DIGITS]


def read_labels() -> dict[str, dict[str, str]]:
    """Return by home the letter of each text; "e:" before a hash is that of the evidence."""
    found: dict[str, dict[str, str]] = {}
    of_home: dict[str, str] = {}
    for line in LABELS.read_text("utf-8").splitlines():
        if line.startswith("["):
            of_home = found.setdefault(line.strip("[]"), {})
        elif line and not line.startswith("#"):
            text, evidence, letter = line.split("\t")
            of_home[text] = letter
            if letter in OF_EVIDENCE:
                of_home.setdefault(f"e:{evidence or text}", letter)
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
    text: list[str] = field(default_factory=list)
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
            self.text.append(row["text"])
            own = row["evidence"][:OPENING] not in routine
            held = row["memory_id"] in front
            self.fit.append(own and held and worth_showing(row) and is_of_home(row, known, topic))
            self.features.append(features(row, home))
        self.missing += sum(not key.startswith("e:") and key not in used for key in labels)

    def graded(self, grade: str) -> Numbers:
        """Return 1 for each memory of a grade, 0 for the others."""
        return np.array([letter in LETTERS_OF[grade] for letter in self.letter], float)

    def matrix(self) -> tuple[Numbers, list[str]]:
        """Return the features (n, features) and their names."""
        names = sorted(self.features[0])
        return np.array([[each[name] for name in names] for each in self.features]), names

    def parts(self) -> np.ndarray:
        """Return the part of each memory: no home is in two."""
        part = {home: place % PARTS for place, home in enumerate(sorted(set(self.home)))}
        return np.array([part[home] for home in self.home])


def fitted(values: Numbers, labels: Numbers, names: Sequence[str]) -> Fit:
    """Return the fit to features, and to the numbers of a vector behind them if there are more columns than names."""
    positive, negative = frozenset(FOR.split()), frozenset(AGAINST.split())
    vector = values.shape[1] - len(names)
    signs = [float(name in positive) - float(name in negative) for name in names] + [0.0] * vector
    return fit(values, labels, np.array(signs), np.array([RIDGE] * len(names) + [VECTOR_RIDGE] * vector))


def left_out(cases: Labelled, values: Numbers, names: Sequence[str]) -> dict[str, Numbers]:
    """Return by grade the probability of each memory by fits to other homes."""
    part = cases.parts()
    found = {grade: np.zeros(len(part)) for grade in GRADES}
    for each in sorted(set(part.tolist())):
        others = part != each
        for grade in GRADES:
            fit_to = fitted(values[others], cases.graded(grade)[others], names)
            found[grade][~others] = probability(fit_to.score(values[~others]))
    return found


def useful(chances: Mapping[str, Numbers]) -> Numbers:
    """Return the mean of the probabilities of both grades, as `usefulness` has it."""
    return np.mean([chances[grade] for grade in GRADES], axis=0)


def table(title: str, cases: Labelled, chances: Mapping[str, Numbers]) -> None:
    """Print what would be shown at each threshold, with its share of each grade."""
    grades = {grade: cases.graded(grade) for grade in GRADES}
    let_through, homes, score = np.array(cases.fit), np.array(cases.home), useful(chances)
    areas = ", ".join(f"{grade} {auc(chances[grade][let_through], grades[grade][let_through]):.3f}" for grade in GRADES)
    print(f"\n{title}: AUC of what the rules let through: {areas}")
    print(f"{'useful':>11} {'shown':>6} {ASKED:>7} {LASTING:>7} {'a home':>7} {'empty homes':>12}")
    for threshold in THRESHOLDS:
        shown = let_through & (score >= threshold)
        cells = " ".join(f"{_share(grades[grade][shown]):7.2f}" for grade in GRADES)
        some = set(homes[shown])
        count = len(set(homes))
        print(f"{threshold:11.2f} {shown.sum():6} {cells} {shown.sum() / count:7.1f} {count - len(some):12}")


def by(title: str, values: Sequence[str], cases: Labelled, chances: Mapping[str, Numbers]) -> None:
    print(f"\n{title:16} {'homes':>5} {'let through':>12} {ASKED:>6} {f'at {MIN_USEFUL}':>8} {ASKED:>6} {LASTING:>7}")
    grades = {grade: cases.graded(grade) for grade in GRADES}
    homes, let_through, column = np.array(cases.home), np.array(cases.fit), np.array(values)
    score = useful(chances)
    for value in sorted(set(values)):
        every = let_through & (column == value)
        shown = every & (score >= MIN_USEFUL)
        asked, lasting = (_share(grades[grade][shown]) for grade in GRADES)
        first = f"{value:16} {len(set(homes[column == value])):5} {every.sum():12} {_share(grades[ASKED][every]):6.2f}"
        print(f"{first} {shown.sum():8} {asked:6.2f} {lasting:7.2f}")


def _share(labels: Numbers) -> float:
    return float(labels.mean()) if len(labels) else float("nan")


def write(cases: Labelled, values: Numbers, vectors: Numbers, names: Sequence[str], model: str) -> None:
    """Fit to all labels and write the weights."""
    counts = {grade: int(cases.graded(grade).sum()) for grade in GRADES}
    stated = {"count": len(cases.letter), "homes": len(set(cases.home)), **counts}
    lines = [HEADER.format(what="Weights of `usefulness.py`: log odds of each grade by feature.", **stated)]
    directions = [HEADER.format(what="Weights of `meaning.py`: thousandths of log odds by number.", **stated)]
    directions.append(f'model = "{model}"')
    for kind, columns in ((WITH, np.c_[values, vectors]), (WITHOUT, values)):
        for grade in GRADES:
            found = fitted(columns, cases.graded(grade), names)
            lines += [f"[{kind}.{grade}]", f"{CONSTANT} = {found.constant:.4f}"]
            weights = zip(names, found.weights, strict=False)
            lines += [f"{name} = {weight:.4f}" for name, weight in weights if abs(weight) >= LEAST_WEIGHT]
            lines.append("")
            if kind == WITH:
                numbers = np.round(found.weights[len(names) :] / meaning.UNIT).astype(int).tolist()
                rows = [numbers[start : start + 24] for start in range(0, len(numbers), 24)]
                directions += [f"{grade} = [", *(f"    {', '.join(map(str, row))}," for row in rows), "]"]
    WEIGHTS.write_text("\n".join(lines).rstrip() + "\n", "utf-8")
    meaning.WEIGHTS.write_text("\n".join(directions) + "\n", "utf-8")


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
    print(f"{len(cases.letter)} labels of {len(set(cases.home))} homes; {cases.missing} texts do not arise")
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
