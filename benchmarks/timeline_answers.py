"""Fits the weights of `answers.py` to timelines, and measures them on sets of timelines left out.

    python -m benchmarks.timeline_answers PATH... [--ridge 10] [--write]

Each PATH is a set of timelines, as for `benchmarks/timelines.py`. Of a check, a memory that matches the question is
stale if its line matches `avoid`, and stays if it matches `want`; what matches neither most likely stays, and counts
less. A stale memory is paired with the later memory that matches `want` and fits best, one that stays with the later
one that fits best of all: these pairs are what the view decides on. Pairs of memories that no rule has ended count
more, because only those are asked for.

Each set is scored by a fit to the others. `--write` fits to all sets and writes `answers.toml` beside the code.
"""

import argparse
import json
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

os.environ.setdefault("OMP_NUM_THREADS", "1")  # small matrices: more threads only wait for one another

import numpy as np

from benchmarks.logistic import Fit, Numbers, newton, probability
from benchmarks.timeline_rows import rows_of
from benchmarks.timelines import end_of, is_right, line_of
from brain_retrieval.knowledge.memories.answers import CONSTANT, LEAST, WEIGHTS, Answer, Answers
from brain_retrieval.knowledge.memories.facets import Facet
from brain_retrieval.knowledge.memories.later import LaterOnes
from brain_retrieval.knowledge.memories.matching import match_all
from brain_retrieval.knowledge.memories.seen import CURRENT, ENDED, OUTDATED, UPCOMING, Seen
from brain_retrieval.knowledge.memories.supersession import ANSWER
from brain_retrieval.knowledge.memories.view import known_by, view

RIDGE, ROUNDS = 10.0, 5
OF_UNKNOWN, OF_CURRENT = 0.3, 3.0  # how often such a memory counts
SHOWN = 5  # lines
LEAST_WEIGHT = 0.002

Check = Mapping[str, Any]


@dataclass
class Line:
    """A line of the answer to a check: its text, and what the rules say of it.

    Args:
        text: as `benchmarks/timelines.py` reads it.
        holds: whether the rules leave it as taken for true.
        shown: whether they leave it at all.
        stale: whether it must not be taken for true; None: unknown.
        pairs: float64 (pairs, features) with each later memory that may answer instead.
        wanted: bool (pairs,): which of these match what is wanted.
        names: of the features; empty without pairs.
    """

    text: str
    holds: bool
    shown: bool
    stale: bool | None
    pairs: Numbers
    wanted: np.ndarray
    names: tuple[str, ...]


@dataclass
class Asked:
    """A check with the lines of its answer, the best match first."""

    check: Check
    lines: list[Line]

    def is_right(self, found: Fit | None) -> bool:
        """Return whether the check is answered, by the rules and a fit."""
        shown = []
        for line in self.lines:
            if line.shown and not (found is not None and line.holds and _chance(found, line) >= LEAST):
                shown.append((line.text, line.holds))
        return bool(is_right(self.check, shown[:SHOWN]))


def _chance(found: Fit, line: Line) -> float:
    return float(probability(found.score(line.pairs)).max()) if len(line.pairs) else 0.0


def asked_in(timeline: Mapping[str, Any]) -> Iterator[Asked]:
    """Yield the checks of a timeline."""
    rows = rows_of(timeline)
    for check in timeline["checks"]:
        about, at, known_at = check["about"], end_of(check["as_of"]), end_of(check["known"])
        assert at is not None
        facets = sorted((one for one in map(Facet, rows) if known_by(one, at, known_at)), key=lambda one: one.order)
        found = [(facet, match) for facet, match in zip(facets, match_all(about, facets), strict=True) if match]
        facet_of = {facet.row["memory_id"]: facet for facet, _ in found}
        answers = Answers(about, found, at, LaterOnes(facets).rarity)
        seen = view(rows, about, at=at, known_at=known_at)
        yield Asked(check, [_line(one, check, answers.pairs(facet_of[one.row["memory_id"]])) for one in seen])


def _line(seen: Seen, check: Check, pairs: Sequence[tuple[Answer, Mapping[str, float]]]) -> Line:
    text = line_of(seen.row)
    free = seen.status in (CURRENT, UPCOMING) or {one.kind for one in seen.ended_by} == {ANSWER}
    wanted, avoided = (_matches(check[key], text) for key in ("want", "avoid"))
    return Line(
        text=text,
        holds=free,
        shown=free or seen.status not in (ENDED, OUTDATED),
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
    for name, checks in sets.items():
        others = [asked for other, own in sets.items() if other != name for asked in own]
        found = fitted(others, ridge)
        before, after = ([asked.is_right(fit) for asked in checks] for fit in (None, found))
        gained = sum(new and not old for old, new in zip(before, after, strict=True))
        lost = sum(old and not new for old, new in zip(before, after, strict=True))
        unknown = [line for asked in checks for line in asked.lines if line.holds and line.stale is None]
        hidden = sum(_chance(found, line) >= LEAST for line in unknown)
        print(
            f"{name:>16}: {len(checks)} checks, rules {np.mean(before):.3f}, with a fit to the others "
            f"{np.mean(after):.3f} (+{gained} -{lost}); other lines then perhaps outdated {hidden} of {len(unknown)}"
        )


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
        names = next(line.names for asked in checks for line in asked.lines if line.names)
        write(fitted(checks, options.ridge), names, len(checks))


if __name__ == "__main__":
    main()
