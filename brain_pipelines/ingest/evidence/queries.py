"""Queries for what is not known of a claim, one at a time, made of the claim's own words.

Nothing of the user's memory enters a query: only what the claim says leaves the machine.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from brain_retrieval.evidence.claims.claim import SubClaim
from brain_retrieval.evidence.report import EvidenceReport, Finding
from brain_retrieval.evidence.stance.coverage import forms_in

MOST_CHARACTERS = 300
RESOLVED = 1.0  # coverage from which a statement that is not disputed is asked for last


@dataclass(frozen=True)
class Query:
    """A query and what it is made of: "claim", "anchors", … or "model"."""

    text: str
    made_of: str


def next_query(report: EvidenceReport, asked: Iterable[str], worded: Iterable[str] = ()) -> Query | None:
    """Return the query to ask next, None if each would repeat one.

    Args:
        report: as it is known so far; statements of which least is known come first.
        asked: the queries so far.
        worded: further queries, by a model; asked after the claim itself.
    """
    before = {_words(text) for text in asked}
    findings = sorted(report.findings, key=_known)
    steps = [_steps(finding.claim) for finding in findings]
    queries = [step[0] for step in steps] + [Query(text, "model") for text in worded]
    queries += [step[rank] for rank in range(1, max(map(len, steps))) for step in steps if rank < len(step)]
    for query in queries:
        words = _words(query.text)
        if words and words not in before:
            return query
    return None


def _known(finding: Finding) -> float:
    """Return how much is known of a statement: 0 for nothing."""
    if finding.verdict in ("unknown", "disputed"):
        return 0.5 * finding.coverage
    return RESOLVED + finding.coverage


def _steps(claim: SubClaim) -> list[Query]:
    """Return the queries for one statement: the strictest first, then those without a part that may be wrong."""
    parts = [
        Query(claim.text, "claim"),
        Query(" ".join(dict.fromkeys(word for anchor in claim.anchors for word in anchor.split())), "anchors"),
        Query(
            f"{claim.subject} {claim.action}" if claim.subject and _words(claim.action) else "", "subject and action"
        ),
        Query(claim.object if len(_words(claim.object)) > 1 else "", "object"),
        Query(f"{claim.subject} {claim.object}" if claim.subject and claim.object else "", "subject and object"),
        Query(claim.subject if len(_words(claim.subject)) > 1 else "", "subject"),
    ]
    return [Query(" ".join(one.text.split())[:MOST_CHARACTERS].rstrip(" .!"), one.made_of) for one in parts]


def _words(text: str) -> frozenset[str]:
    return frozenset(forms_in(text, None))
