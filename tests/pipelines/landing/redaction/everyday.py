"""Everyday values of ten countries and look-alikes: reading the labelled sentences, and counting what was found."""

import re
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path

from brain_pipelines.landing.redaction.found import Found

HERE = Path(__file__).parent
_VALUE = re.compile(r"\{([A-Z_]+):([^}]+)\}")


@dataclass(frozen=True)
class Labelled:
    """A sentence and its values as (start, end, kind), in order."""

    country: str
    text: str
    values: tuple[tuple[int, int, str], ...]


def labelled(name: str) -> list[Labelled]:
    """Return the sentences of `everyday_<name>.txt`; "¦" keeps scanners from reporting made-up keys."""
    lines = (HERE / f"everyday_{name}.txt").read_text("utf-8").splitlines()
    return [_labelled(line.replace("¦", "")) for line in lines if not line.startswith("#")]


def _labelled(line: str) -> Labelled:
    country, _, marked = line.partition(" ")
    text, values, position = "", [], 0
    for match in _VALUE.finditer(marked):
        text += marked[position : match.start()]
        values.append((len(text), len(text) + len(match[2]), match[1]))
        text += match[2]
        position = match.end()
    return Labelled(country, text + marked[position:], tuple(values))


@dataclass
class Score:
    """Values found and not found, spans that cover nothing but values, and spans that also cover something else."""

    found: Counter[str] = field(default_factory=Counter)
    missed: list[tuple[str, str]] = field(default_factory=list)
    right: int = 0
    wrong: list[tuple[str, str]] = field(default_factory=list)

    @property
    def recall(self) -> float:
        """Share of values whose every letter and digit is replaced."""
        return self.found.total() / (self.found.total() + len(self.missed))

    @property
    def precision(self) -> float:
        """Share of replaced spans that hold no letter or digit outside of values."""
        return self.right / (self.right + len(self.wrong))


def score(sentences: Iterable[Labelled], find: Callable[[str], list[Found]]) -> Score:
    """Return what `find` does on labelled sentences."""
    total = Score()
    for one in sentences:
        covered = {i for f in find(one.text) for i in range(f.start, f.end)}
        labels = {i for start, end, _ in one.values for i in range(start, end)}
        for start, end, kind in one.values:
            if any(one.text[i].isalnum() and i not in covered for i in range(start, end)):
                total.missed.append((kind, one.text))
            else:
                total.found[kind] += 1
        for f in find(one.text):
            if any(one.text[i].isalnum() and i not in labels for i in range(f.start, f.end)):
                total.wrong.append((f"{f.kind} {one.text[f.start : f.end]}", one.text))
            else:
                total.right += 1
    return total
