"""Selection, kind and rewriting of memories against labelled sentences; fits the weights of the selection.

    python benchmarks/memorable.py LABELLED... [--write] [--errors]

LABELLED are files in the format of `memorable_sets.py`. Cross-validation has five folds. "by document": no
conversation, note, mail or meeting is in training and test; "by group": no author, mailing list or set of meetings is,
which tells how well it does on texts of a new origin. Precision is natural only for the sentences with `draw` "random".
`--write` fits to all sentences and writes `weights.toml` beside the extraction code.
"""

import argparse
import os
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

os.environ.setdefault("OMP_NUM_THREADS", "1")  # small matrices: more threads only wait for one another

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.logistic import FOLDS, Fit, Numbers, auc, calibrated, fit, folds, probability, unseen_scores
from benchmarks.memorable_sets import Case, labelled
from benchmarks.memorable_text import report
from brain_pipelines.stages.extraction.memories.selection import CONSTANT, IN_TALK, PARSED, PLAIN, WEIGHTS, features

RIDGE = 120.0
THRESHOLDS = (0.3, 0.4, 0.5, 0.6, 0.7, 0.8)
# What the rule of labelling says about a feature; the others may count either way.
AGAINST = """
    only_calls calls_in_front question exclaimed open_end colon_end short stutter addressed generic vague praise
    feelings modals we you shown pointer_first encouraging_first spoken no_subject_ subject_pointer_
    subject_generic_ subject_vague_ subject_the_ no_verb_ commanded_ feeling_verb_ quality_ praising_ object_pointer_
    object_you_ no_specific_ vague_only_ mine_future_ further_clause_ joins
"""
EITHER = "long lower_start talk own negated he plans"
HEADER = """\
# Weights of the selection: the log odds that a sentence is worth keeping, by feature.
# Fitted by benchmarks/memorable.py to {count} labelled sentences ({kept} worth keeping): ridge penalty {ridge:g},
# weights against the expected sign set to 0, calibrated by Platt's method on the scores of unseen folds. Do not edit.
"""


def fitted(values: Numbers, labels: Numbers, names: Sequence[str]) -> Fit:
    against, either = set(AGAINST.split()), set(EITHER.split())
    plain = [name.removeprefix(IN_TALK) for name in names]
    signs = np.array([-1.0 if n in against else 0.0 if n in either else 1.0 for n in plain])
    return fit(values, labels, signs, RIDGE)


def matrix(cases: Sequence[Case]) -> tuple[Numbers, Numbers, list[str]]:
    """Return the features, labels and names of the features of cases with a sentence."""
    found = [features(case.sentence, case.signals, case.before) for case in cases if case.sentence]
    names = sorted({name for each in found for name in each})
    values = np.array([[each.get(name, 0.0) for name in names] for each in found])
    return values, np.array([float(case.keep) for case in cases if case.sentence]), names


def unseen(cases: Sequence[Case], groups: Sequence[str]) -> Numbers:
    """Return the calibrated probability of each case by fits to the other folds; 0 for what is no prose."""
    prose = np.array([case.sentence is not None for case in cases])
    values, labels, names = matrix(cases)
    fold = folds(groups)[prose]
    scores = unseen_scores(values, labels, fold, lambda v, y: _calibrated(v, y, names))
    found = np.zeros(len(cases))
    found[prose] = probability(scores)
    return found


def _calibrated(values: Numbers, labels: Numbers, names: Sequence[str]) -> Fit:
    """Return the fit calibrated on folds of its own examples."""
    scores = unseen_scores(values, labels, np.arange(len(labels)) % FOLDS, lambda v, y: fitted(v, y, names))
    return calibrated(fitted(values, labels, names), scores, labels)


def line(title: str, chance: Numbers, labels: Numbers) -> str:
    cells = []
    for threshold in THRESHOLDS:
        chosen = chance >= threshold
        precision = labels[chosen].mean() if chosen.any() else float("nan")
        cells.append(f"{precision:.2f}/{labels[chosen].sum() / max(1, labels.sum()):.2f}")
    order = np.argsort(-chance, kind="stable")
    hits = np.cumsum(labels[order])
    half = (hits / np.arange(1, len(labels) + 1))[hits >= labels.sum() / 2]
    best = half.max() if len(half) else float("nan")
    return f"{title:28} {len(labels):4} {labels.mean():.2f}  {auc(chance, labels):.3f}  {best:.2f}  {'  '.join(cells)}"


def reliability(chance: Numbers, labels: Numbers) -> str:
    """Return predicted and observed share by fifth of the range, and the expected calibration error."""
    bins = np.minimum((chance * 5).astype(int), 4)
    cells = [
        (chance[bins == b].mean(), labels[bins == b].mean(), (bins == b).sum()) for b in range(5) if (bins == b).any()
    ]
    error = sum(abs(p - o) * n for p, o, n in cells) / len(labels)
    return "  ".join(f"{p:.2f}→{o:.2f} ({n})" for p, o, n in cells) + f"  error {error:.3f}"


def selection(title: str, cases: Sequence[Case], first: int) -> Numbers:
    """Print the cross-validated selection; `first` is the number of cases of the first file."""
    labels = np.array([float(case.keep) for case in cases])
    head = "  ".join(f"≥{t:.1f} p/r   "[:9] for t in THRESHOLDS)
    print(f"\n{title:28}    n  yes  AUC    p@r.5 {head}")
    by_document = np.zeros(0)
    for name, groups in (("document", [c.document for c in cases]), ("group", [c.row["group"] for c in cases])):
        alone = unseen(cases[:first], groups[:first])
        print(line(f"by {name}, first file alone", alone, labels[:first]))
        if len(cases) == first:
            continue
        chance = unseen(cases, groups)
        print(line(f"by {name}, on first file", chance[:first], labels[:first]))
        print(line(f"by {name}, all", chance, labels))
        by_document = chance if name == "document" else by_document
    chance = by_document if len(by_document) else unseen(cases, [c.document for c in cases])
    for column in ("source", "draw"):
        for value in sorted({case.row[column] for case in cases}):
            chosen = np.array([case.row[column] == value for case in cases])
            print(line(f"  {column} {value}", chance[chosen], labels[chosen]))
    print("reliability", reliability(chance, labels))
    return chance


def weights(cases: Sequence[Case]) -> list[str]:
    values, labels, names = matrix(cases)
    found = _calibrated(values, labels, names)
    lines = [f"{CONSTANT} = {found.constant:.4f}"]
    return lines + [f'"{n}" = {w:.4f}' for n, w in zip(names, found.weights, strict=True) if abs(w) >= 0.005]


def write(sets: Iterable[tuple[str, Sequence[Case]]]) -> None:
    parts, head = [], ""
    for name, cases in sets:
        head = HEADER.format(count=len(cases), kept=sum(case.keep for case in cases), ridge=RIDGE)
        parts.append("\n".join([f"\n[{name}]", *weights(cases)]) + "\n")
    WEIGHTS.write_text(head + "".join(parts), "utf-8")


def errors(cases: Sequence[Case], chance: Numbers) -> None:
    for place in np.argsort(-chance, kind="stable"):
        case = cases[place]
        if case.keep != (chance[place] >= 0.5):
            verdict = "kept" if case.keep else "not "
            print(f"{chance[place]:.2f} {verdict} {case.row['source']:12} {case.row['sentence'][:140]}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("paths", nargs="+", type=Path)
    parser.add_argument("--write", action="store_true", help="write the weights")
    parser.add_argument("--errors", action="store_true", help="print what is wrong at .5")
    options = parser.parse_args()
    first = sum(bool(text.strip()) for text in options.paths[0].read_text("utf-8").splitlines())
    sets = [(PARSED, labelled(options.paths)), (PLAIN, labelled(options.paths, parsed=False))]
    for name, cases in sets:
        chance = selection(name, cases, first)
        if name == PARSED:
            for title, some in (("first file", cases[:first]), ("other files", cases[first:])):
                print(f"\n{title}")
                report(some)
        if options.errors:
            errors(cases, chance)
    if options.write:
        write(sets)


if __name__ == "__main__":
    main()
