"""The table ENTITY_MERGES: a log of all links that were followed or refused, with rule, score and reason."""

from collections import Counter
from dataclasses import replace

import polars as pl

from brain_pipelines.knowledge.entities.clusters import Link
from brain_pipelines.knowledge.entities.partition import Partition, shaped
from brain_pipelines.knowledge.entities.short_form_resolution import AmbiguousForm
from brain_pipelines.knowledge.entities.short_forms import SCORES
from brain_retrieval.ids import content_id
from brain_retrieval.stores.knowledge_tables import ENTITY_MERGES

MERGED, KEPT_APART = "merged", "kept_apart"
GUESS, GUESS_SCORE = "guess", 0.5
MAX_FITTING = 10  # candidates listed for a short form that stayed ambiguous


def merges_frame(partition: Partition, still_open: list[AmbiguousForm]) -> pl.DataFrame:
    """Return ENTITY_MERGES, one row for each link; refused links are left out if their names were joined otherwise."""
    clusters = partition.clusters
    rows = [_row(partition, link, MERGED, link.reason) for link in clusters.accepted]
    for refusal in clusters.refused:
        link = refusal.link
        if clusters.root(link.left) != clusters.root(link.right):
            rows.append(_row(partition, link, KEPT_APART, refusal.reason))
    rows.extend(_open_rows(partition, still_open))
    if not rows:
        return pl.DataFrame(ENTITY_MERGES.empty_table())
    frame = pl.DataFrame(rows, schema=ENTITY_MERGES.names, orient="row").sort(ENTITY_MERGES.names)
    return shaped(frame.unique("merge_id", keep="first", maintain_order=True), ENTITY_MERGES).sort("merge_id")


def _row(partition: Partition, link: Link, decision: str, reason: str) -> tuple[object, ...]:
    left, right = partition.names.nodes[link.left], partition.names.nodes[link.right]
    link, reason = _guessed(link, left.person.kind, right.person.kind, reason)
    return (
        content_id("merge", left.name_id, right.name_id, decision, link.rule),
        left.name_id,
        left.display or left.name,
        right.name_id,
        right.display or right.name,
        partition.entity_of(link.left).entity_id,
        decision,
        link.rule,
        link.score,
        reason,
        link.decided_by,
    )


def _guessed(link: Link, left: str, right: str, reason: str) -> tuple[Link, str]:
    """Return an inferred link of a name with an initial marked as such, with its reason; others as they are.

    A source joins "A. Chen" to "Alice" or "Alice Chen" by their form: no text says that they are one person.
    """
    if link.decided_by != "rule" or "initial" not in (left, right) or left == right:
        return link, reason
    if "lone" in (left, right):
        return replace(link, rule=GUESS, score=GUESS_SCORE), f"a guess: only the initial fits; {reason}"
    if link.rule == "alias":
        return replace(link, rule="initial", score=SCORES["initial"]), reason
    return link, reason


def _open_rows(partition: Partition, still_open: list[AmbiguousForm]) -> list[tuple[object, ...]]:
    """Return rows for ambiguous short forms: those decided by context, and those left undecided."""
    counts = Counter((choice.short, choice.whole, choice.how) for choice in partition.choices)
    chosen = Counter(choice.short for choice in partition.choices)
    rows: list[tuple[object, ...]] = []
    for (short, whole, how), count in sorted(counts.items()):
        score = max(c.score for c in partition.choices_of(short) if (c.whole, c.how) == (whole, how))
        reason = f"{how}: {count} of {partition.rows_of(short)}"
        row = list(_row(partition, Link(short, whole, score, "context", reason), MERGED, reason))
        row[0] = content_id("merge", str(row[1]), str(row[3]), MERGED, "context", how)
        row[5] = partition.entity_of(whole).entity_id
        rows.append(tuple(row))
    for item in still_open:
        left = partition.rows_of(item.node) - chosen[item.node]
        if left <= 0:
            continue
        fitting = sorted(item.candidates.values(), key=lambda c: (-c.score, c.node))
        reason = f"{len(fitting)} entities fit and {left} sources do not tell which"
        rows.extend(
            _row(partition, Link(item.node, c.node, c.score, c.rule, reason), KEPT_APART, reason)
            for c in fitting[:MAX_FITTING]
        )
    return rows
