"""Merging of a video's speech and frames on one timeline: a long turn is split where a frame belongs."""

import math
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from brain_pipelines.readers.extracted import Block

ENDS = (".", "!", "?", "…", "。", "！", "？")


def interleave(blocks: Sequence[Block]) -> list[Block]:
    """Return timed blocks sorted by start; speech is split before the first sentence that follows a frame."""
    pictures = sorted(_start(block) for block in blocks if block.kind == "frame")
    parts: list[Block] = []
    for block in blocks:
        parts += split_at(block, pictures) if block.kind == "speech" else [block]
    return sorted(parts, key=lambda block: (_start(block), block.kind == "speech"))


def _start(block: Block) -> float:
    return -math.inf if block.start_seconds is None else block.start_seconds


def split_at(block: Block, moments: Sequence[float]) -> list[Block]:
    """Split a turn: after each of `moments` (seconds, ascending) the next sentence begins a new piece.

    Each piece begins with the prefix of the turn before its first word, such as the speaker's name.
    """
    if not block.anchors:
        return [block]
    lead = block.text[: block.anchors[0].start]
    cuts: list[int] = []  # anchors with which a piece begins
    for moment in moments:
        following = (
            n
            for n in range(1, len(block.anchors))
            if (block.anchors[n].start_seconds or 0.0) >= moment > (block.start_seconds or 0.0)
            and block.text[: block.anchors[n].start].rstrip().endswith(ENDS)
        )
        first = next(following, None)
        if first is not None and first not in cuts:
            cuts.append(first)
    edges = [0, *cuts, len(block.anchors)]
    return [_piece(block, lead, begin, end) for begin, end in pairwise(edges)]


def _piece(block: Block, lead: str, begin: int, end: int) -> Block:
    anchors = block.anchors[begin:end]
    first = anchors[0].start
    after = block.anchors[end].start if end < len(block.anchors) else len(block.text)
    shift = len(lead) - first
    return replace(
        block,
        text=lead + block.text[first:after].rstrip(),
        start_seconds=block.start_seconds if begin == 0 else anchors[0].start_seconds,
        end_seconds=block.end_seconds if end == len(block.anchors) else anchors[-1].end_seconds,
        anchors=tuple(replace(anchor, start=anchor.start + shift, end=anchor.end + shift) for anchor in anchors),
    )
