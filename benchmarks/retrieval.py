"""Recall, MRR and evidence within a pack, of Brain beside BM25, dense retrieval, RRF and a convex combination.

    python -m benchmarks.retrieval PATH [--sets locomo hotpotqa] [--layout ingested] [--limit 100] [--categories]

One run, one configuration, the same embedder and the same chunks for all methods. The homes come from
`retrieval_homes.py`: material landed and taken through the stages as `brain ingest` does ("ingested"), or one unit of
the set as one chunk ("units"). Each corpus is one user. Recall is the share of the pieces of evidence of which a chunk
is among the first k; "pack n" the share whose words are in a text of n tokens. Nothing is tuned here. Latency is that
of one search with embedding; the baselines scan arrays in memory, Brain reads its stores.
"""

import argparse
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks.retrieval_homes import CACHE, LAYOUTS, SETS, open_home, read_questions
from benchmarks.retrieval_measures import (
    BUDGETS,
    MEASURES,
    Outcome,
    pack_recall,
    paired_difference,
    rank_measures,
)
from benchmarks.retrieval_methods import BrainMethod, Chunks, Method, Tools, baselines, read_chunks
from brain_retrieval.settings import load_settings

REFERENCE, COMPARED = "convex", "Brain"
Outcomes = dict[str, dict[str, Outcome]]


def sampled(questions: Sequence[dict[str, Any]], limit: int | None) -> list[dict[str, Any]]:
    """Return at most `limit` questions, evenly sampled."""
    if not limit or len(questions) <= limit:
        return list(questions)
    return [questions[n * len(questions) // limit] for n in range(limit)]


def measure(home: Path, name: str, options: argparse.Namespace) -> Outcomes:
    """Return group -> method -> Outcome for a home. Adversarial questions, if a set has them, form their own group."""
    settings = load_settings(home)
    tools = Tools.of(settings)
    outcomes: Outcomes = {}
    questions = sampled(read_questions(home), options.limit)
    for user in dict.fromkeys(question["user"] for question in questions):
        chunks = read_chunks(home, user)
        methods: dict[str, Method] = baselines(chunks, tools) | {COMPARED: BrainMethod(home, user, settings)}
        if options.peers:
            from benchmarks.retrieval_peers import peers

            methods |= peers(chunks, tools)
        asked = [question for question in questions if question["user"] == user]
        examine(chunks, methods, asked, name, options, outcomes)
    return outcomes


def examine(
    chunks: Chunks,
    methods: dict[str, Method],
    questions: Sequence[dict[str, Any]],
    name: str,
    options: argparse.Namespace,
    outcomes: Outcomes,
) -> None:
    """Ask the questions of one user and add what is measured to `outcomes`."""
    whole = units_of(chunks, together=options.layout == "units")
    texts = dict(zip(chunks.ids, chunks.texts, strict=True))
    deep = 10 * min(10, -(-len(chunks.ids) // len(set(whole.values()))))
    for method, finder in methods.items():
        finder.search("a question to warm up", 10)
        for question in questions:
            started = time.perf_counter()
            found = finder.search(question["query"], deep)
            spent = (time.perf_counter() - started) * 1000
            ranked = list(dict.fromkeys(whole[chunk] for chunk in found))
            measured = rank_measures(ranked, [[whole[chunk] for chunk in group] for group in question["gold"]])
            for budget in () if options.no_packs else BUDGETS:
                pack = finder.pack(question["query"], budget)
                measured[f"pack {budget}"] = pack_recall(pack, question["held"], question["gold_text"], texts)
            for group in groups_of(name, question["category"], options.categories):
                outcomes.setdefault(group, {}).setdefault(method, Outcome()).add(measured, spent)


def units_of(chunks: Chunks, *, together: bool) -> dict[str, str]:
    """Return chunk id -> what counts as found: the chunk or, with `together`, the unit that it is a part of."""
    return dict(zip(chunks.ids, chunks.uris if together else chunks.ids, strict=True))


def groups_of(name: str, category: str, categories: bool) -> list[str]:
    whole = f"{name}, adversarial" if category == "adversarial" else name
    return [whole, f"{name}: {category}"] if categories and category != "adversarial" else [whole]


def table(outcomes: Outcomes) -> str:
    """Return a Markdown table, one row per group and method."""
    rows = [
        [group, str(len(outcome.milliseconds)), method, *outcome.cells()]
        for group, methods in outcomes.items()
        for method, outcome in methods.items()
    ]
    return markdown(["set", "questions", "method", *MEASURES, "p50 ms", "p95 ms"], rows)


def differences(outcomes: Outcomes) -> str:
    """Return a Markdown table of Brain minus convex with 95 % intervals."""
    rows = []
    for group, methods in outcomes.items():
        ours, theirs = methods[COMPARED].values, methods[REFERENCE].values
        cells = [_difference(ours[name], theirs[name]) if ours[name] else "–" for name in MEASURES]
        rows.append([group, str(len(methods[COMPARED].milliseconds)), *cells])
    return markdown([f"{COMPARED} − {REFERENCE}", "questions", *MEASURES], rows)


def _difference(ours: Sequence[float], theirs: Sequence[float]) -> str:
    mean, low, high = paired_difference(ours, theirs)
    return f"{mean:+.3f} [{low:.3f}, {high:.3f}]"


def markdown(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    return "\n".join("| " + " | ".join(row) + " |" for row in [head, ["---"] * len(head), *rows])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path, metavar="PATH", help="folder with one folder per set")
    parser.add_argument("--sets", nargs="+", default=list(SETS), help="folders to measure")
    parser.add_argument("--layout", choices=LAYOUTS, default="ingested")
    parser.add_argument("--limit", type=int, help="questions per set, evenly sampled")
    parser.add_argument("--categories", action="store_true", help="also a row for each category of question")
    parser.add_argument("--peers", action="store_true", help="also measure LlamaIndex and txtai, where installed")
    parser.add_argument("--no-packs", action="store_true", help="only recall and MRR")
    parser.add_argument("--cache", type=Path, default=CACHE)
    options = parser.parse_args()
    outcomes: Outcomes = {}
    for name in options.sets:
        started = time.perf_counter()
        outcomes |= measure(open_home(name, options.layout, options.data, options.cache), name, options)
        print(f"{name}: {time.perf_counter() - started:.0f} s", flush=True)
    print("\n" + table(outcomes) + "\n\n" + differences(outcomes))


if __name__ == "__main__":
    main()
