"""Recall of evidence sentences and accuracy of verdicts on claims, beside BM25 and plain hybrid with the same judge.

    python -m benchmarks.evidence climate PATH/climate-fever.jsonl [--limit 300] [--half held]
    python -m benchmarks.evidence citations FOLDER
    python -m benchmarks.evidence health FOLDER
    python -m benchmarks.evidence health-pairs FOLDER
    python -m benchmarks.evidence vitaminc FOLDER
    python -m benchmarks.evidence fool-me-twice FOLDER
    python -m benchmarks.evidence sick PATH/SICK.txt
    python -m benchmarks.evidence everyday tests/retrieval/evidence/everyday.txt [--wrong all]
    python -m benchmarks.evidence home tests/retrieval/evidence [--name allotment] [--wrong]

The public sets are indexed one sentence a source, without memories or a snapshot; of pairs the judge alone is asked.
"home" takes a small home through landing and the stages, and asks the claims of a file. Times are processor seconds.
"""

import argparse
import time
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path
from tempfile import gettempdir

from benchmarks.evidence_home import USER, build, labelled
from benchmarks.evidence_sets import HALVES, PAIRS, READERS
from benchmarks.retrieval_methods import Tools, baselines, read_chunks
from benchmarks.retrieval_units import fill
from brain_retrieval.brain import Brain
from brain_retrieval.evidence.candidates.gathering import Gathered
from brain_retrieval.evidence.candidates.passages import placed
from brain_retrieval.evidence.candidates.statement import Statement
from brain_retrieval.evidence.claims.parsed import parser_for
from brain_retrieval.evidence.claims.reading import read_claim
from brain_retrieval.evidence.judging import Judging
from brain_retrieval.evidence.verdict import whole_verdict
from brain_retrieval.home import Home
from brain_retrieval.query.analysis import analyse
from brain_retrieval.settings import load_settings

CACHE = Path(gettempdir()) / "brain-evidence"
NOW = datetime(2021, 1, 1, tzinfo=UTC)
VERDICTS = ("supported", "contradicted", "unknown")
METHODS = ("BM25", "convex")


class Score:
    """Counts of one method."""

    def __init__(self):
        self.pairs, self.recalls, self.seconds, self.asked = Counter(), {5: [], 10: []}, 0.0, 0

    def add(self, wanted, found, ranked, gold, seconds):
        """Count one claim: its verdict, the first sentences found, and the time."""
        verdict = {"partly supported": "supported", "disputed": "unknown"}.get(found, found)
        self.pairs[wanted, verdict] += 1
        for k, recalls in self.recalls.items():
            if gold:
                recalls.append(len(gold & set(ranked[:k])) / len(gold))
        self.seconds += seconds
        self.asked += 1

    def line(self, name):
        """Return a line of the table."""
        total = self.pairs.total()
        right = sum(n for (wanted, found), n in self.pairs.items() if wanted == found)
        decided = sum(n for (_, found), n in self.pairs.items() if found != "unknown")
        precise = sum(n for (wanted, found), n in self.pairs.items() if wanted == found != "unknown")
        false = sum(n for (wanted, found), n in self.pairs.items() if found == "contradicted" != wanted)
        recall = " | ".join(f"{sum(r) / len(r):.3f}" if r else "" for r in self.recalls.values())
        precision = f"{precise / decided:.3f}" if decided else ""
        shares = f"{right / total:.3f} | {decided / total:.3f} | {precision} | {false / total:.3f}"
        return f"| {name} | {recall} | {shares} | {self.seconds / self.asked:.2f} |"


HEADER = "| method | recall@5 | @10 | accuracy | decided | right of these | false contradict | s a claim |"


def sampled(claims, limit):
    """Return at most `limit` claims, evenly sampled."""
    if not limit or len(claims) <= limit:
        return claims
    return [claims[n * len(claims) // limit] for n in range(limit)]


def measure_set(name, path, limit, half):
    """Print the table of a public set."""
    material = READERS[name](path, half)
    home = CACHE / name
    tools = Tools.of(load_settings(home))
    if not (home / "users" / name).exists():
        fill(home, material.corpus(), tools.embedder)
    chunks = read_chunks(home, name)
    numbers = {key: int(uri.rpartition("#")[2]) for key, uri in zip(chunks.ids, chunks.uris, strict=True)}
    others = {method: each for method, each in baselines(chunks, tools).items() if method in METHODS}
    scores = {method: Score() for method in (*METHODS, "hybrid search", "evidence")}
    parser = parser_for(load_settings(home), "en")
    with Brain.open(home, user=name) as brain:
        for claim, wanted, gold in sampled(material.claims, limit):
            read = read_claim(analyse(claim, max_characters=8000, language="en", now=NOW), parser=parser)
            for method, each in others.items():
                began = time.process_time()
                ranked = [numbers[key] for key in each.search(claim, 10)]
                verdict = judged(read, [material.sentences[n] for n in ranked], tools)
                scores[method].add(wanted, verdict, ranked, gold, time.process_time() - began)
            began = time.process_time()
            hits = brain.search(claim, 10, min_score=0.0, log=False)
            ranked = [int(hit.source_ref.uri.rpartition("#")[2]) for hit in hits]
            verdict = judged(read, [material.sentences[n] for n in ranked], tools)
            scores["hybrid search"].add(wanted, verdict, ranked, gold, time.process_time() - began)
            began = time.process_time()
            report = brain.evidence(claim, limit=10)
            items = sorted((item for one in report.findings for item in one.items), key=lambda item: -item.score)
            ranked = list(dict.fromkeys(int(item.statement.uri.rpartition("#")[2]) for item in items))
            scores["evidence"].add(wanted, report.verdict, ranked, gold, time.process_time() - began)
    asked = Counter(wanted for _, wanted, _ in sampled(material.claims, limit))
    print(f"{name}, {half}: {len(material.sentences)} sentences, {dict(asked)}\n", HEADER, "|---" * 8 + "|", sep="\n")
    for method, score in scores.items():
        print(score.line(method))
    print(dict(scores["evidence"].pairs))


def judged(claim, texts, tools, title=None, before=()):
    """Return the verdict of the same judge on sentences that another method found.

    Args:
        before: what the pronouns of each may stand for.
    """
    known = {"language": "en", "title": title}
    statements = tuple(
        Statement(text, "passage", str(n), "document", f"#{n}", (0, 1), NOW, NOW, context=context, **known)
        for n, (text, context) in enumerate(zip(texts, before or [""] * len(texts), strict=True))
    )
    judging = Judging(NOW, {}, tools.embedder.embed, claim.key)
    return whole_verdict([judging.finding(part, Gathered(statements, ())).verdict for part in claim.statements])


def measure_pairs(name, path, limit, half, wrong):
    """Print how often the judge has the label of one passage towards one claim."""
    settings = load_settings(CACHE)
    tools, parser = Tools.of(settings), parser_for(settings, "en")
    score, none = Score(), set()
    for claim, text, wanted, *titles in sampled(PAIRS[name](path, half), limit):
        began = time.process_time()
        read = read_claim(analyse(claim, max_characters=8000, language="en", now=NOW), parser=parser)
        said = list(placed(text, "en"))
        verdict = judged(read, [one[0] for one in said], tools, next(iter(titles), None), [one[2] for one in said])
        score.add(wanted, verdict, [], none, time.process_time() - began)
        if wrong == "all" and verdict != wanted or wrong and verdict not in (wanted, "unknown"):
            print(f"{wanted} -> {verdict} | {claim} | {text}")
    print(f"{name}, {half}", HEADER, "|---" * 8 + "|", score.line("judge"), sep="\n")
    print(dict(score.pairs))


def measure_home(folder, name, wrong):
    """Print how many claims about a small home have the right verdict."""
    home = Home(CACHE / name)
    if not home.path.exists():
        build(home, folder / f"{name}.txt")
    score, unused = Score(), set()
    with Brain.open(home.path, user=USER) as brain:
        for one in labelled(folder / f"{name}_claims.txt"):
            began = time.process_time()
            report = brain.evidence(one.claim, as_of=one.as_of)
            score.add(one.verdict, report.verdict, [], unused, time.process_time() - began)
            if wrong and report.verdict != one.verdict:
                print(f"{one.verdict} -> {report.verdict} [{one.as_of}] {one.claim}")
                for finding in report.findings:
                    for item in finding.items[:3]:
                        print(
                            f"    {item.label} {item.stance.strength:.2f} {item.stance.reason}: {item.statement.text}"
                        )
    print(HEADER, "|---" * 8 + "|", score.line(name), sep="\n")
    print(dict(score.pairs))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("set", choices=[*READERS, *PAIRS, "home"])
    parser.add_argument("path", type=Path)
    parser.add_argument("--limit", type=int, default=300)
    parser.add_argument("--half", choices=HALVES, default="look")
    parser.add_argument("--name", default="household")
    parser.add_argument("--wrong", nargs="?", const="decided", choices=["decided", "all"])
    options = parser.parse_args()
    if options.set == "home":
        measure_home(options.path, options.name, options.wrong)
    elif options.set in PAIRS:
        measure_pairs(options.set, options.path, options.limit, options.half, options.wrong)
    else:
        measure_set(options.set, options.path, options.limit, options.half)


if __name__ == "__main__":
    main()
