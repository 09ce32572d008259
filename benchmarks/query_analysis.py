"""How well query analysis by rules reads questions: accuracy by field and language, and a table of intents.

    python -m benchmarks.query_analysis                 # the set of tests/retrieval/query/analysis/questions.jsonl
    python -m benchmarks.query_analysis --wrong intent  # the questions whose intent is wrong

The set is our own. `held_out` questions were labelled before the rules were written and not read while writing them.
Half of the names, by their hash, are known to the analysis, as entities of a user would be.
"""

import argparse
import hashlib
import json
import time
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from brain_retrieval.query.analysis import Known, NameIndex, Question, analyse

QUESTIONS = Path(__file__).parent.parent / "tests" / "retrieval" / "query" / "analysis" / "questions.jsonl"
FIELDS = ("intent", "wants", "names", "time", "lists", "asks_then", "yes_no", "strategy", "language")
ZONE = ZoneInfo("Europe/Zurich")


@dataclass(frozen=True)
class Judged:
    """A labelled question, its analysis, and which fields are right."""

    label: dict[str, Any]
    question: Question
    right: dict[str, bool]


@cache
def read_questions() -> tuple[dict[str, Any], ...]:
    """Return the labelled questions."""
    return tuple(json.loads(line) for line in QUESTIONS.read_text("utf-8").splitlines())


def known_names() -> NameIndex:
    """Return half of the names, and those of questions whose strategy depends on both of them."""
    called = {
        name
        for label in read_questions()
        for name in label["names"]
        if label["strategy"] == "graph_only" or hashlib.sha256(name.lower().encode()).digest()[0] % 2 == 0
    }
    return NameIndex((name, Known(f"e-{name}", name, "Person")) for name in sorted(called))


def judge(labels: Iterable[dict[str, Any]]) -> list[Judged]:
    """Analyse each question as its user would ask it, in the language of an English index."""
    names = known_names()
    judged: list[Judged] = []
    for label in labels:
        now = datetime.fromisoformat(label["now"])
        question = analyse(label["text"], max_characters=8000, language="en", now=now, zone=ZONE, names=names)
        said = readable(question)
        judged.append(Judged(label, question, {name: said[name] == label[name] for name in FIELDS}))
    return judged


def readable(question: Question) -> dict[str, Any]:
    """Return the labelled fields of an analysed question in the form of the labels."""
    plain: dict[str, Any] = {name: getattr(question, name) for name in FIELDS}
    plain["names"] = [name.text for name in question.names]
    if (when := question.time) is not None:
        days = {"from": when.start and when.start.isoformat(), "to": when.end and when.end.isoformat()}
        plain["time"] = {"kind": when.kind, "event": when.event} if when.event else {"kind": when.kind, **days}
    return plain


def accuracy(judged: Sequence[Judged], field: str) -> float:
    """Return the share of questions in which a field is right."""
    return sum(one.right[field] for one in judged) / max(1, len(judged))


def print_table(judged: Sequence[Judged]) -> None:
    """Print accuracy by field and language, the held-out questions apart."""
    groups: dict[str, list[Judged]] = defaultdict(list)
    for one in judged:
        groups[one.label["language"]].append(one)
    groups["all"], groups["held out"] = list(judged), [one for one in judged if one.label["held_out"]]
    print("| questions | " + " | ".join(FIELDS) + " |")
    print("|---|" + "---|" * len(FIELDS))
    for name, group in groups.items():
        print(f"| {name} ({len(group)}) | " + " | ".join(f"{accuracy(group, field):.3f}" for field in FIELDS) + " |")


def print_confusion(judged: Sequence[Judged]) -> None:
    """Print how often each labelled intent (rows) was given each intent (columns)."""
    counts = Counter((one.label["intent"], one.question.intent) for one in judged)
    intents = sorted({intent for pair in counts for intent in pair})
    print("\n| labelled | " + " | ".join(intents) + " |\n|---|" + "---|" * len(intents))
    for row in intents:
        print(f"| {row} | " + " | ".join(str(counts[row, column]) for column in intents) + " |")


def print_cost(labels: Sequence[dict[str, Any]]) -> None:
    """Print the processor time of one question."""
    names = known_names()
    took: list[float] = []
    for label in labels:
        started = time.process_time()
        analyse(label["text"], max_characters=8000, language="en", zone=ZONE, names=names)
        took.append((time.process_time() - started) * 1000)
    took.sort()
    print(f"\nCPU ms a question: p50 {took[len(took) // 2]:.2f}, p95 {took[len(took) * 95 // 100]:.2f}")


def main() -> None:
    """Print the tables, or the mistakes in one field of the questions that are not held out."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--wrong", choices=FIELDS, help="list the mistakes in this field, held-out questions excepted")
    field = parser.parse_args().wrong
    judged = judge(read_questions())
    if field:
        for one in judged:
            if not one.right[field] and not one.label["held_out"]:
                print(one.label["text"], "|", one.label[field], "|", readable(one.question)[field])
        return
    print_table(judged)
    print_confusion(judged)
    print_cost(read_questions())


if __name__ == "__main__":
    main()
