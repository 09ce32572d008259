"""`evaluate`: asks golden questions through `Brain.search` and measures what is found, where, and how fast."""

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from typing import Any

from brain_retrieval.brain import Brain
from brain_retrieval.query.hits import Hit
from brain_retrieval.serve.evaluation.golden_file import Golden, GoldenFile

DEFAULT_K = 10


@dataclass(frozen=True)
class Answer:
    """The result of one question: the rank of each thing that was expected, None if it is not among the first k.

    `timely` says of a question with a time limit whether the first expected passage is found and no unwanted one
    before it; None without a limit.
    """

    number: int  # in the file, from 1
    line: int
    question: str
    ranks: tuple[int | None, ...]
    timely: bool | None
    milliseconds: float
    warnings: tuple[str, ...] = ()

    @property
    def rank(self) -> int | None:
        """The rank of the first expected passage."""
        return min((rank for rank in self.ranks if rank is not None), default=None)

    @property
    def found(self) -> int:
        """How many of the expected things are found."""
        return sum(rank is not None for rank in self.ranks)

    def to_json(self) -> dict[str, Any]:
        return {
            "number": self.number,
            "line": self.line,
            "question": self.question,
            "rank": self.rank,
            "ranks": list(self.ranks),
            "timely": self.timely,
            "milliseconds": round(self.milliseconds, 3),
            "warnings": list(self.warnings),
        }


@dataclass(frozen=True)
class Evaluation:
    """The answers to the questions of a file, and measures of them."""

    answers: tuple[Answer, ...]
    k: int

    @property
    def measures(self) -> dict[str, float | None]:
        """Recall, MRR, as-of accuracy (None without a question that has a time limit), and latency in milliseconds.

        `recall_all` counts a question if all that it expects is found, `recall_any` if anything is.
        """
        answers, timely = self.answers, [a.timely for a in self.answers if a.timely is not None]
        took = sorted(answer.milliseconds for answer in answers)
        return {
            "recall_all": _mean([answer.found == len(answer.ranks) for answer in answers]),
            "recall_any": _mean([answer.found > 0 for answer in answers]),
            "mrr": _mean([1 / answer.rank if answer.rank else 0.0 for answer in answers]),
            "as_of_accuracy": _mean(timely) if timely else None,
            "p50_ms": _percentile(took, 0.5),
            "p95_ms": _percentile(took, 0.95),
        }

    @property
    def recall(self) -> float:
        """The measure that a least recall is compared with: `recall_all`."""
        return self.measures["recall_all"] or 0.0

    def to_json(self) -> dict[str, Any]:
        measures = {name: None if value is None else round(value, 6) for name, value in self.measures.items()}
        return {"k": self.k, "measures": measures, "questions": [answer.to_json() for answer in self.answers]}


def evaluate(
    brain: Brain,
    golden: GoldenFile,
    *,
    k: int | None = None,
    recipe: str | None = None,
    each: Callable[[Iterable[int]], Iterable[int]] = iter,
) -> Evaluation:
    """Return the answers to golden questions. Nothing is written to the access log.

    Args:
        k: hits of each question, 10 if not given.
        recipe: for questions that name none.
        each: draws the progress over the numbers of the questions.

    Raises:
        GoldenFileError: if a question names an unknown recipe.
        InvalidQueryError: for a question that cannot be asked, an invalid `k` or `recipe`.
    """
    golden.check_recipes(brain.settings.retrieval.recipe_names)
    limit = DEFAULT_K if k is None else k
    brain.search(golden.questions[0].question, limit, recipe=recipe, log=False)  # loading of models is not measured
    asked = list(zip(golden.questions, golden.lines, strict=True))
    unknown = _unknown_sources(brain, golden.questions)
    answers = (_answer(brain, asked[n][0], n + 1, asked[n][1], limit, recipe) for n in each(range(len(asked))))
    return Evaluation(tuple(_warned(one, asked[one.number - 1][0], unknown) for one in answers), limit)


def _unknown_sources(brain: Brain, questions: Iterable[Golden]) -> frozenset[str]:
    """Return the patterns that no source of the user has, whatever the time asked about; () if that is not known."""
    wanted = {pattern for golden in questions for pattern in golden.source}
    if not wanted:
        return frozenset()
    query = "SELECT DISTINCT unnest([uri, title, url, source_id]) AS name FROM sources"
    names = [name for name in brain.sql(query)["name"].to_pylist() if name]
    return frozenset(pattern for pattern in wanted if names and not _is_called(pattern, names))


def _warned(answer: Answer, golden: Golden, unknown: frozenset[str]) -> Answer:
    places = [str(n) for n, pattern in enumerate(golden.source, start=1) if pattern in unknown]
    if not places:
        return answer
    which = "" if len(golden.source) == 1 else f" {', '.join(places)}"
    warning = f"no source has the uri or title of `source`{which}"  # without the pattern, which is a user's text
    return replace(answer, warnings=(*answer.warnings, warning))


def _answer(brain: Brain, golden: Golden, number: int, line: int, k: int, recipe: str | None) -> Answer:
    chosen = golden.recipe or recipe
    hits = brain.search(golden.question, k, recipe=chosen, as_of=golden.as_of, known_at=golden.known_at, log=False)
    ranks = ranks_of(golden, hits)
    timely = None
    if golden.as_of is not None or golden.known_at is not None:
        first = min((rank for rank in ranks if rank is not None), default=None)
        before = hits[: first - 1] if first else []
        timely = first is not None and not any(_contains(hit, text) for hit in before for text in golden.not_text)
    took = hits.timings.total_ms
    return Answer(number, line, golden.question, ranks, timely, took, tuple(hits.warnings))


def ranks_of(golden: Golden, hits: Sequence[Hit]) -> tuple[int | None, ...]:
    """Return for each thing expected the rank of the first hit that has it: each text, else each source."""
    if not golden.text:
        return tuple(_first(hits, [_is_of(hit, pattern) for hit in hits]) for pattern in golden.source)
    allowed = [not golden.source or any(_is_of(hit, pattern) for pattern in golden.source) for hit in hits]
    return tuple(
        _first(hits, [may and _contains(hit, text) for hit, may in zip(hits, allowed, strict=True)])
        for text in golden.text
    )


def _first(hits: Sequence[Hit], fits: Sequence[bool]) -> int | None:
    return next((hit.rank for hit, fit in zip(hits, fits, strict=True) if fit), None)


def _is_of(hit: Hit, pattern: str) -> bool:
    ref = hit.source_ref
    return _is_called(pattern, [name for name in (ref.uri, ref.title, ref.url, ref.source_id) if name])


def _is_called(pattern: str, names: Iterable[str]) -> bool:
    wanted = pattern.casefold()
    return any(name == wanted or fnmatchcase(name, wanted) for name in map(str.casefold, names))


def _contains(hit: Hit, text: str) -> bool:
    return _plain(text) in _plain(hit.text)


def _plain(text: str) -> str:
    return " ".join(text.split()).casefold()


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else 0.0


def _percentile(values: Sequence[float], share: float) -> float:
    """Return the nearest-rank percentile of sorted values."""
    return values[max(0, math.ceil(share * len(values)) - 1)] if values else 0.0
