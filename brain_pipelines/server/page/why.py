"""Why a passage was found, in words and bars."""

import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from brain_pipelines.server.page.words import word
from brain_retrieval.query.explain import Contribution, contributions
from brain_retrieval.query.hits import Hit

INVISIBLE = 5e-4  # contributions below are left out
WIDTH = 100.0  # of a bar, in units of its drawing
LABELS = Path(__file__).parent / "labels.toml"  # of the parts of a score
LIKELY = ((0.8, "very likely"), (0.5, "likely"), (0.2, "possible"), (0.0, "a guess"))


@dataclass(frozen=True)
class Bar:
    """One contribution: a bar that begins where the one above ended, from `left` on a line of 100 units."""

    name: str
    kind: str  # retriever | around | boost | learned | lowering | sum
    value: float
    left: float
    width: float
    detail: str


@dataclass(frozen=True)
class Why:
    """What made up the place of a passage."""

    sentence: str
    bars: Sequence[Bar]
    likely: str  # in words; "" where the score is no probability


def explain(hits: Sequence[Hit]) -> list[Why]:
    """Return for each passage what made up its place; all bars have one scale."""
    whole = max((_reach(hit) for hit in hits), default=0.0) or 1.0
    return [Why(_sentence(hit), _bars(hit, whole), _likely(hit)) for hit in hits]


def _parts(hit: Hit) -> list[Contribution]:
    return [part for part in contributions(hit.why_ranked) if abs(part.value) >= INVISIBLE]


def _reach(hit: Hit) -> float:
    total, most = 0.0, 0.0
    for part in _parts(hit):
        total += part.value
        most = max(most, total)
    return most


def _bars(hit: Hit, whole: float) -> list[Bar]:
    bars, total = list[Bar](), 0.0
    for part in _parts(hit):
        low, high = sorted((total, total + part.value))
        left, right = (min(WIDTH, max(0.0, edge / whole * WIDTH)) for edge in (low, high))
        kind = "lowering" if part.value < 0 else part.kind
        width = max(0.6, right - left)
        bars.append(Bar(_name(part), kind, part.value, min(left, WIDTH - width), width, _detail(part)))
        total += part.value
    bars.append(Bar(word("Together"), "sum", total, 0.0, min(WIDTH, max(0.6, total / whole * WIDTH)), ""))
    return bars


@lru_cache(1)
def _labels() -> dict[str, dict[str, str]]:
    return tomllib.loads(LABELS.read_text("utf-8"))


def _name(part: Contribution) -> str:
    kind = "retrievers" if part.kind == "retriever" else "parts"
    return word(_labels()[kind].get(part.name, part.name.replace("_", " ").capitalize()))


def _detail(part: Contribution) -> str:
    return part.detail.removeprefix("learned: ")


def _sentence(hit: Hit) -> str:
    """Return how it was found and what moved it most."""
    arms = hit.why_ranked.arms
    found = [
        f"{word(_labels()['retrievers'].get(name, name))} ({_place(arm.rank)})"
        for name, arm in arms.items()
        if arm.rank
    ]
    by = word(" and ").join(found)
    first = word("Found by: {by}.").format(by=by) if found else word("Found through what lies beside it.")
    others = [part for part in _parts(hit) if part.kind in ("around", "boost", "learned") and part.name != "average"]
    raised = max((part for part in others if part.value > 0), key=lambda part: part.value, default=None)
    lowered = min((part for part in others if part.value < 0), key=lambda part: part.value, default=None)
    said = [first]
    said += [word("Most raised by: {part}.").format(part=_name(raised))] if raised else []
    said += [word("Most lowered by: {part}.").format(part=_name(lowered))] if lowered else []
    return " ".join(said)


def _place(rank: int) -> str:
    return word("place {rank}").format(rank=rank)


def _likely(hit: Hit) -> str:
    if hit.score == hit.why_ranked.final or not 0 <= hit.score <= 1:
        return ""
    return word(next(words for least, words in LIKELY if hit.score >= least))
