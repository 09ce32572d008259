"""What each family of features does for the verdicts, and which share of evidence of each grade is right.

    python -m benchmarks.evidence_ablation tests/retrieval/evidence household allotment bureau
    python -m benchmarks.evidence_ablation tests/retrieval/evidence --pairs vitaminc FOLDER --grades

The statements for a claim are gathered once and judged again without a family: its features have the value that says
nothing. A grade is right of an item if its stance is that of the claim's verdict, of a claim if its verdict is.
"""

import argparse
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from unittest.mock import patch

import numpy as np

from benchmarks.evidence import CACHE, HEADER, NOW, PAIRS, Score, Tools
from benchmarks.evidence_home import USER, build, labelled
from benchmarks.evidence_sets import HALVES
from brain_retrieval.brain import Brain
from brain_retrieval.evidence import judging
from brain_retrieval.evidence.candidates.gathering import Gathered
from brain_retrieval.evidence.candidates.statement import Statement
from brain_retrieval.evidence.claims.claim import SubClaim
from brain_retrieval.evidence.claims.parsed import parser_for
from brain_retrieval.evidence.claims.reading import read_claim
from brain_retrieval.evidence.items import NEITHER
from brain_retrieval.evidence.stance.features import StanceFeatures
from brain_retrieval.evidence.trust import GRADES, WORST, grade_of
from brain_retrieval.evidence.verdict import whole_verdict
from brain_retrieval.home import Home
from brain_retrieval.language.sentences import sentences
from brain_retrieval.query.analysis import analyse
from brain_retrieval.settings import load_settings

FAMILIES = {
    "all": {},
    "denial": {"denied": False, "general": False},
    "opposite words": {"opposite": False, "event": False},
    "refutation": {"refuted": False},
    "amounts": {"amounts": "none", "stated": True},
    "dates": {"dates": "none", "stated": True},
    "which one of a kind": {"contrary": False, "replaced": False},
    "another holder": {"other": False},
    "roles": {"reversed": False},
    "names": {"names": 1.0},
    "what has ended": {"ended": False, "outdated": False},
    "hedges, reports, questions": {"hedged": False, "reported": False, "asked": False},
    "action": {"action": 1.0},
    "subject": {"subject": None},
    "similarity": {"semantic": None},
}
RIGHT = {"support": "supported", "contradict": "contradicted"}


@dataclass(frozen=True)
class Asked:
    """A claim with its verdict, and what was gathered for each of its statements."""

    wanted: str
    parts: list[tuple[judging.Judging, SubClaim, Gathered]]


def of_home(folder: Path, name: str) -> list[Asked]:
    """Return the claims about a small home, which is built if it is not there."""
    home, found = Home(CACHE / name), []
    if not home.path.exists():
        build(home, folder / f"{name}.txt")
    finding = judging.Judging.finding
    with Brain.open(home.path, user=USER) as brain:
        for one in labelled(folder / f"{name}_claims.txt"):
            parts = []

            def record(self, claim, gathered, limit=10, parts=parts):
                parts.append((self, claim, gathered))
                return finding(self, claim, gathered, limit)

            with patch.object(judging.Judging, "finding", record):
                brain.evidence(one.claim, as_of=one.as_of)
            found.append(Asked(one.verdict, parts))
    return found


def of_pairs(name: str, path: Path, half: str) -> list[Asked]:
    """Return the claims of a set of pairs."""
    settings = load_settings(CACHE)
    tools, parser, found = Tools.of(settings), parser_for(settings, "en"), []
    for claim, text, wanted, *titles in PAIRS[name](path, half):
        read = read_claim(analyse(claim, max_characters=8000, language="en", now=NOW), parser=parser)
        said, title = [text[start:end] for start, end in sentences(text)], next(iter(titles), None)
        statements = tuple(
            Statement(one, "passage", str(n), "document", f"#{n}", (0, 1), NOW, NOW, language="en", title=title)
            for n, one in enumerate(said)
        )
        judge = judging.Judging(NOW, {}, tools.embedder.embed, read.key)
        found.append(Asked(wanted, [(judge, part, Gathered(statements, ())) for part in read.statements]))
    return found


def remembered(embed: judging.Embed) -> judging.Embed:
    """Return an embedder that computes each text once."""
    one = lru_cache(maxsize=1 << 16)(lambda text: embed([text])[0])
    return lambda texts: np.stack([one(text) for text in texts])


def judged(asked: Asked, change: dict, embed: Callable[[judging.Embed], judging.Embed]):
    """Return the findings for a claim with changed features."""
    read = judging.features_of

    def changed(*args) -> StanceFeatures:
        return replace(read(*args), **change)

    with patch.object(judging, "features_of", changed):
        return [
            replace(judge, embed=embed(judge.embed) if judge.embed else None).finding(part, gathered)
            for judge, part, gathered in asked.parts
        ]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--pairs", nargs=2, metavar=("SET", "PATH"))
    parser.add_argument("--half", choices=HALVES, default="look")
    parser.add_argument("--grades", action="store_true", help="no ablation")
    options = parser.parse_args()
    claims = [one for name in options.names for one in of_home(options.folder, name)]
    if options.pairs:
        claims += of_pairs(options.pairs[0], Path(options.pairs[1]), options.half)
    embed = lru_cache(maxsize=8)(remembered)
    print(f"{len(claims)} claims", HEADER, "|---" * 8 + "|", sep="\n")
    graded, whole = Counter(), Counter()
    for family, change in list(FAMILIES.items())[: 1 if options.grades else None]:
        score, none = Score(), set()
        for asked in claims:
            findings = judged(asked, change, embed)
            verdict = whole_verdict([finding.verdict for finding in findings])
            score.add(asked.wanted, verdict, [], none, 0.0)
            if family == "all":
                count(findings, verdict, asked.wanted, graded, whole)
        print(score.line(family if family == "all" else f"without {family}"))
    print("\n| grade | items | right | claims | right |\n|---|---|---|---|---|")
    for grade in (*(name for name, _ in GRADES), WORST):
        print(f"| {grade} | {shares(graded, grade)} | {shares(whole, grade)} |")


def count(findings, verdict, wanted, graded, whole):
    """Count the items and the claim by their grade and whether they are right."""
    for item in (item for finding in findings for item in finding.items if item.label != NEITHER):
        graded[grade_of(item.trust), RIGHT[item.label] == wanted] += 1
    if verdict in ("supported", "contradicted"):
        worst = min(finding.trust.value for finding in findings if finding.verdict != "unknown")
        whole[grade_of(worst), verdict == wanted] += 1


def shares(counts, grade):
    """Return the number of a grade and the share that is right."""
    right, wrong = counts[grade, True], counts[grade, False]
    return f"{right + wrong} | {right / (right + wrong):.2f}" if right + wrong else "0 | "


if __name__ == "__main__":
    main()
