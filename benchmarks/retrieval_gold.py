"""The chunks of an index that hold the evidence of a question.

`gold` has one group of chunk ids for each piece of evidence: any of them satisfies it, so recall@k is the share of
groups with a chunk in the first k. `held` has the chunks that hold at least a part of it, for the measure of packs.
"""

import re
from collections.abc import Sequence
from typing import Any
from urllib.parse import quote

from benchmarks.retrieval_material import Evidence, Question

Row = dict[str, Any]
COLUMNS = ("id", "uri", "position", "text", "message_ids", "start_seconds", "end_seconds")
_HEADING = re.compile(r"\s*#+ [^\n]*\s*")  # a chunk of nothing else holds no evidence
SHARE = 0.5  # of the shorter of chunk and evidence that overlaps, for a chunk to satisfy it


def chunks_by_file(rows: Sequence[Row]) -> dict[str, list[Row]]:
    """Return index rows by the inbox path of their file, in order."""
    files: dict[str, list[Row]] = {}
    for row in sorted(rows, key=lambda row: (row["uri"], row["position"])):
        files.setdefault(row["uri"].removeprefix("inbox:").partition("#")[0], []).append(row)
    return files


def question_row(user: str, question: Question, files: dict[str, list[Row]]) -> Row | None:
    """Return the line of `questions.jsonl` for a question, without evidence that no chunk holds; None if that is all.

    Args:
        files: as `chunks_by_file` returns them.
    """
    found = [(one, *_chunks(one, files.get(quote(one.file, safe="/~.-_"), []))) for one in question.evidence]
    kept = [(one, gold, held) for one, gold, held in found if gold]
    if not kept:
        return None
    return {
        "user": user,
        "query": question.query,
        "category": question.category,
        "gold": [gold for _, gold, _ in kept],
        "held": [held for _, _, held in kept],
        "gold_text": [one.text for one, _, _ in kept],
    }


def _chunks(evidence: Evidence, rows: Sequence[Row]) -> tuple[list[str], list[str]]:
    """Return the ids of the chunks that satisfy a piece of evidence, and of those that hold some of it."""
    if evidence.messages:
        ids = [row["id"] for row in rows if not set(evidence.messages).isdisjoint(row["message_ids"] or ())]
        return ids, ids
    if evidence.seconds is None:
        ids = [row["id"] for row in rows if not _HEADING.fullmatch(row["text"])]
        return ids, ids
    return _overlapping(evidence.seconds, rows)


def _overlapping(span: tuple[float, float], rows: Sequence[Row]) -> tuple[list[str], list[str]]:
    shares = {row["id"]: _share(span, (row["start_seconds"], row["end_seconds"])) for row in rows}
    held = [chunk for chunk, part in shares.items() if part > 0]
    best = max(shares.values(), default=0.0)
    return [chunk for chunk in held if shares[chunk] >= min(SHARE, best)], held


def _share(first: tuple[float, float], second: tuple[float, float]) -> float:
    """Return the overlap of two spans as a share of the shorter one."""
    common = min(first[1], second[1]) - max(first[0], second[0])
    shorter = min(first[1] - first[0], second[1] - second[0])
    return max(0.0, common) / max(shorter, 1e-6)
