"""Fits the weights of `answers.py` to timelines, and measures them on sets of timelines left out.

    python -m benchmarks.timeline_answers PATH... [--ridge 10] [--write]

Each PATH is a set of timelines, as for `benchmarks/timelines.py`; `benchmarks/timelines_training.json`, to which
the weights in use are fitted, is one, of 423 timelines in six languages. Of a check, a memory that matches the question
is stale if its line matches `avoid`, and stays if it matches `want`; what matches neither most likely stays, and counts
less. A stale memory is paired with the later memory that matches `want` and fits best, one that stays with the later
one that fits best of all: these pairs are what the view decides on. Pairs of memories that no rule has ended count
more, because only those are asked for.

Each set is scored by a fit to the others. `--write` fits to all sets and writes `answers.toml` beside the code.
"""

import argparse
import json
import os
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest.mock import patch

os.environ.setdefault("OMP_NUM_THREADS", "1")  # small matrices: more threads only wait for one another

import numpy as np

from benchmarks.logistic import Fit, Numbers, newton
from benchmarks.timeline_rows import rows_of
from benchmarks.timelines import end_of, is_right, line_of
from brain_retrieval.knowledge.memories.asked import answers
from brain_retrieval.knowledge.memories.asked.answer import Answer
from brain_retrieval.knowledge.memories.asked.answers import CONSTANT, WEIGHTS, Answers
from brain_retrieval.knowledge.memories.asked.lines import in_order
from brain_retrieval.knowledge.memories.asked.related import is_name
from brain_retrieval.knowledge.memories.facets import Facet, Row
from brain_retrieval.knowledge.memories.matching import has_word, topic_words
from brain_retrieval.knowledge.memories.seen import BESIDE, INSTEAD, Seen
from brain_retrieval.knowledge.memories.view import judged, known_by, matching

RIDGE, ROUNDS = 10.0, 5
OF_UNKNOWN, OF_CURRENT = 0.3, 3.0  # how often such a memory counts
SHOWN = 5  # lines
BY_RULES = {CONSTANT: -30.0}  # weights by which nothing answers instead
LEAST_WEIGHT = 0.002

Check = Mapping[str, Any]


@dataclass
class Line:
    """A line of the answer to a check, as the rules leave it.

    Args:
        holds: whether the rules leave it as taken for true.
        stale: whether it must not be taken for true; None: unknown.
        pairs: float64 (pairs, features) with each later memory that may answer instead.
        wanted: bool (pairs,): which of these match what is wanted.
        names: of the features; empty without pairs.
    """

    holds: bool
    stale: bool | None
    pairs: Numbers
    wanted: np.ndarray
    names: tuple[str, ...]


@dataclass
class Asked:
    """A check with the memories of its timeline, and the lines of its answer."""

    check: Check
    rows: Sequence[Row]
    lines: list[Line]

    def seen(self, weights: Mapping[str, float]) -> list[Seen]:
        """Return the memories that match, as they are seen with weights."""
        at, about = end_of(self.check["as_of"]), self.check["about"]
        assert at is not None
        facets = [Facet(row) for row in self.rows]
        meaning = None if is_name(about, facets) else {}
        with patch.object(answers, "fitted_weights", return_value=weights):
            return list(judged(facets, about, at=at, known_at=end_of(self.check["known"]), meaning=meaning))

    def is_right(self, seen: Sequence[Seen]) -> bool:
        """Return whether the check is answered."""
        about, facet_of = self.check["about"], {row["memory_id"]: Facet(row) for row in self.rows}
        filled = not is_name(about, list(facet_of.values()))
        lines = in_order(seen, lambda one: has_word(about, facet_of[one.row["memory_id"]]), SHOWN, filled=filled)
        return bool(is_right(self.check, [(line_of(one.row), one.holds) for one in lines]))


def asked_in(timeline: Mapping[str, Any]) -> Iterator[Asked]:
    """Yield the checks of a timeline."""
    rows = rows_of(timeline)
    for check in timeline["checks"]:
        about, at, known_at = check["about"], end_of(check["as_of"]), end_of(check["known"])
        assert at is not None
        facets = sorted((one for one in map(Facet, rows) if known_by(one, at, known_at)), key=lambda one: one.order)
        meaning = None if is_name(about, facets) else {}
        found, related = matching(facets, about, topic_words(about), None, meaning)
        facet_of = {facet.row["memory_id"]: facet for facet, _ in (*found, *related)}
        compared = Answers(about, found, facets, at, related)
        asked = Asked(check, rows, [])
        seen = (one for one in asked.seen(BY_RULES) if INSTEAD not in one.parts)
        asked.lines = [_line(one, check, compared.pairs(facet_of[one.row["memory_id"]])) for one in seen]
        yield asked


def _line(seen: Seen, check: Check, pairs: Sequence[tuple[Answer, Mapping[str, float]]]) -> Line:
    wanted, avoided = (_matches(check[key], line_of(seen.row)) for key in ("want", "avoid"))
    return Line(
        holds=seen.holds,
        stale=not wanted if wanted or avoided else None,
        pairs=np.array([list(map(float, features.values())) for _, features in pairs]),
        wanted=np.array([_matches(check["want"], line_of(other.facet.row)) for other, _ in pairs], bool),
        names=tuple(pairs[0][1]) if pairs else (),
    )


def _matches(pattern: str, text: str) -> bool:
    return bool(pattern) and re.search(pattern, text, re.IGNORECASE) is not None


def fitted(checks: Sequence[Asked], ridge: float) -> Fit:
    """Return the fit to the pairs that fit best, which are chosen again after each round."""
    found: Fit | None = None
    for _ in range(ROUNDS):
        values, labels, counts = zip(*_examples(checks, found), strict=True)
        table, often = np.array(values), np.array(counts)
        middle, spread = np.average(table, axis=0, weights=often), table.std(0) + 1e-9
        scaled = newton((table - middle) / spread, np.array(labels, float), ridge, counts=often)
        weights = scaled.weights / spread
        found = Fit(scaled.constant - float(middle @ weights), weights)
    assert found is not None
    return found


def _examples(checks: Sequence[Asked], found: Fit | None) -> Iterator[tuple[Numbers, bool, float]]:
    """Yield pairs with whether the earlier memory is stale, and how often they count; without a fit all pairs."""
    for line in (line for asked in checks for line in asked.lines):
        pairs = line.pairs[line.wanted] if line.stale else line.pairs
        count = (OF_CURRENT if line.holds else 1.0) * (OF_UNKNOWN if line.stale is None else 1.0)
        if not len(pairs):
            continue
        if found is None:
            yield from ((pair, bool(line.stale), count / len(pairs)) for pair in pairs)
        else:
            yield pairs[int(found.score(pairs).argmax())], bool(line.stale), count


def report(sets: Mapping[str, Sequence[Asked]], ridge: float) -> None:
    """Print for each set the share of right checks by the rules alone, and with a fit to the other sets."""
    total = Counter[str]()
    for name, checks in sets.items():
        others = [asked for other, own in sets.items() if other != name for asked in own]
        weights = weights_of(fitted(others, ridge), names_of(others))
        before, after = ([asked.seen(given) for asked in checks] for given in (BY_RULES, weights))
        right = [[asked.is_right(seen) for asked, seen in zip(checks, each, strict=True)] for each in (before, after)]
        gained, lost = (sum(x and not y for x, y in zip(*each, strict=True)) for each in (right[::-1], right))
        unknown, hidden = _unknown(checks, before), _unknown(checks, before) - _unknown(checks, after)
        total.update(checks=len(checks), right=sum(right[1]), unknown=unknown, hidden=hidden)
        print(
            f"{name:>16}: {len(checks)} checks, rules {np.mean(right[0]):.3f}, with a fit to the others "
            f"{np.mean(right[1]):.3f} (+{gained} -{lost}); other lines then perhaps outdated {hidden} of {unknown}"
        )
    print(
        f"{'all':>16}: {total['right']} of {total['checks']}, others outdated {total['hidden']} of {total['unknown']}"
    )


def _unknown(checks: Sequence[Asked], seen: Sequence[Sequence[Seen]]) -> int:
    """Return how many lines are taken for true that match the question, and neither `want` nor `avoid`."""
    lines = ((asked.check, one) for asked, each in zip(checks, seen, strict=True) for one in each if one.holds)
    own = ((check, line_of(one.row)) for check, one in lines if one.parts.keys().isdisjoint((INSTEAD, BESIDE)))
    return sum(not any(_matches(check[key], line) for key in ("want", "avoid")) for check, line in own)


def names_of(checks: Sequence[Asked]) -> tuple[str, ...]:
    """Return the names of the features."""
    return next(line.names for asked in checks for line in asked.lines if line.names)


def weights_of(found: Fit, names: Sequence[str]) -> dict[str, float]:
    """Return a fit as `answers.toml` has it."""
    return {CONSTANT: found.constant, **dict(zip(names, map(float, found.weights), strict=True))}


def write(found: Fit, names: Sequence[str], number: int) -> None:
    """Write the weights beside the code."""
    lines = [
        "# Weights of `answers.py`: the log odds that a later memory answers a question instead of an earlier one.",
        f"# Fitted by benchmarks/timeline_answers.py to {number} questions about timelines. Do not edit.",
        "",
        f"{CONSTANT} = {found.constant:.4f}",
    ]
    kept = ((name, weight) for name, weight in zip(names, found.weights, strict=True) if abs(weight) >= LEAST_WEIGHT)
    lines += [f"{name} = {weight:.4f}" for name, weight in kept]
    WEIGHTS.write_text("\n".join(lines) + "\n", "utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("paths", type=Path, nargs="+")
    parser.add_argument("--ridge", type=float, default=RIDGE)
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    sets = {
        path.stem: [asked for timeline in json.loads(path.read_text("utf-8")) for asked in asked_in(timeline)]
        for path in options.paths
    }
    if len(sets) > 1:
        report(sets, options.ridge)
    if options.write:
        checks = [asked for own in sets.values() for asked in own]
        write(fitted(checks, options.ridge), names_of(checks), len(checks))


if __name__ == "__main__":
    main()
