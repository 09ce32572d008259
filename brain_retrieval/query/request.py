"""Validation of search options, and the filter built from them. The query text is parsed in `analysis/`."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date, datetime, tzinfo
from typing import TypedDict

from brain_retrieval.errors import InvalidQueryError
from brain_retrieval.moments import Moment, to_moment
from brain_retrieval.query.fusion import check_fusion
from brain_retrieval.query.hits import Clocks
from brain_retrieval.settings import RetrievalSettings
from brain_retrieval.settings.recipes import unknown_recipe
from brain_retrieval.stores.index.filters import IndexFilter

MAX_K = 1000

Names = Iterable[str] | str


class SearchOptions(TypedDict, total=False):
    """The options of `Brain.search` beside the query and `k`."""

    recipe: str | None
    as_of: Moment | None
    known_at: Moment | None
    sources: Names | None
    source_ids: Names | None
    people: Names | None
    days: Iterable[date | str] | date | str | None
    day_from: date | str | None
    day_to: date | str | None
    fusion: str | None
    weights: Mapping[str, float] | None
    expand: bool | None
    min_similarity: float | None
    min_score: float | None
    include_untrusted: bool
    session: str | None
    log: bool


@dataclass(frozen=True)
class Scope:
    """Which rows may be found; every retriever applies it before taking its top candidates."""

    within: IndexFilter
    clocks: Clocks
    people: tuple[str, ...] = ()  # as they were called; `within.speakers` are their spellings

    @property
    def narrowed(self) -> bool:
        """Whether certain sources, people or days were asked for, so that the best of them is worth showing."""
        within = self.within
        days = (within.days, within.day_from, within.day_to)
        return any(chosen is not None for chosen in (within.sources, within.source_ids, within.speakers, *days))


@dataclass(frozen=True)
class Options:
    """How to answer: `limit` hits, retrievers fused by `method` with `weights` (0 = not run).

    `settings` are those of the recipe; what a call gave by itself is in the other fields alone.
    """

    limit: int
    method: str
    weights: Mapping[str, float]
    expand: bool
    min_similarity: float | None
    settings: RetrievalSettings
    min_score: float | None = None


def build_options(
    settings: RetrievalSettings,
    *,
    recipe: str | None = None,
    k: int | None = None,
    fusion: str | None = None,
    weights: Mapping[str, float] | None = None,
    expand: bool | None = None,
    min_similarity: float | None = None,
    min_score: float | None = None,
) -> Options:
    """Return the given options, completed from the recipe; retrievers missing in `weights` are not run.

    Raises:
        InvalidQueryError: for an invalid option or an unknown recipe.
    """
    settings = settings_under(settings, recipe)
    defaults = settings.weights
    method = settings.fusion if fusion is None else fusion
    expand = settings.expand if expand is None else expand
    check_switches(expand=expand)
    min_similarity = settings.min_similarity if min_similarity is None else min_similarity
    min_score = settings.min_score if min_score is None else min_score
    chosen = defaults if weights is None else dict.fromkeys(defaults, 0.0) | dict(weights)
    check_fusion(method, chosen, defaults)
    if min_similarity is not None and not -1 <= min_similarity <= 1:
        raise InvalidQueryError(f"min_similarity is a cosine, -1 to 1, not {min_similarity!r:.40}")
    if min_score is not None and not 0 <= min_score <= 1:
        raise InvalidQueryError(f"min_score is a probability, 0 to 1, not {min_score!r:.40}")
    return Options(check_k(settings.k if k is None else k), method, chosen, expand, min_similarity, settings, min_score)


def check_switches(**switches: object) -> None:
    """Check that options that are on or off are given as True or False.

    Raises:
        InvalidQueryError: for another value, which would count as on.
    """
    for name, value in switches.items():
        if not isinstance(value, bool):
            raise InvalidQueryError(f"{name} is True or False, not {value!r:.40}")


def settings_under(settings: RetrievalSettings, recipe: str | None) -> RetrievalSettings:
    """Return the settings with a recipe's fields in their place; None is the recipe that the settings choose.

    Raises:
        InvalidQueryError: for an unknown recipe.
    """
    try:
        return settings.under(recipe)
    except KeyError:
        raise InvalidQueryError(unknown_recipe(str(recipe), settings.recipe_names)) from None


def build_scope(
    *,
    zone: tzinfo,
    as_of: Moment | None = None,
    known_at: Moment | None = None,
    sources: Names | None = None,
    source_ids: Names | None = None,
    people: Names | None = None,
    days: Iterable[date | str] | date | str | None = None,
    day_from: date | str | None = None,
    day_to: date | str | None = None,
) -> Scope:
    """Return the filter of a search and its two time limits.

    Args:
        zone: time zone for times without an offset and for the end of a day.
        as_of: upper limit of the event time; known_at: upper limit of the receipt time. Both inclusive.
        people: chunks in which any of these speaks; the name's usual capitalisations match.
        day_from: first day of the events, inclusive; day_to: the last, inclusive.

    Raises:
        InvalidQueryError: for an invalid time, day or name.
    """
    first, last = (None if one is None else _day(one) for one in (day_from, day_to))
    if first is not None and last is not None and first > last:
        raise InvalidQueryError(f"the first day {first} is after the last day {last}")
    clocks = Clocks(_limit("as_of", as_of, zone), _limit("known_at", known_at, zone))
    within = IndexFilter(
        sources=_names(sources),
        source_ids=_names(source_ids),
        speakers=_spellings(people),
        days=_days(days),
        day_from=first,
        day_to=last,
        as_of=clocks.as_of,
        known_at=clocks.known_at,
    )
    return Scope(within, clocks, tuple(_names(people) or ()))


def check_k(k: int) -> int:
    """Return `k` if it is 1–1000.

    Raises:
        InvalidQueryError: otherwise.
    """
    if isinstance(k, bool) or not isinstance(k, int) or not 1 <= k <= MAX_K:
        raise InvalidQueryError(f"k is a whole number from 1 to {MAX_K}, not {k!r:.40}")
    return k


def _limit(name: str, value: Moment | None, zone: tzinfo) -> datetime | None:
    if value is None:
        return None
    try:
        return to_moment(value, zone)
    except InvalidQueryError as error:
        raise InvalidQueryError(f"{name}: {error}") from error


def _names(value: Names | None) -> list[str] | None:
    if value is None:
        return None
    names = [value] if isinstance(value, str) else list(value)
    if any(not isinstance(name, str) for name in names):
        raise InvalidQueryError("a filter takes texts")
    return names


def _spellings(people: Names | None) -> list[str] | None:
    names = _names(people)
    return None if names is None else [s for n in names for s in (n, n.lower(), n.upper(), n.title())]


def _days(value: Iterable[date | str] | date | str | None) -> list[str] | None:
    if value is None:
        return None
    return [_day(day) for day in ([value] if isinstance(value, date | str) else value)]


def _day(value: date | str) -> str:
    return value.isoformat()[:10] if isinstance(value, date) else str(value)
