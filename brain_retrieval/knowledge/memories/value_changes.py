"""Whether a memory states another value than an earlier one for the same thing: a rent, the day of a launch."""

import re
from functools import cache, lru_cache

from brain_retrieval.knowledge.memories.amounts import labels, near, quantities, words_of_sums
from brain_retrieval.knowledge.memories.facets import Facet
from brain_retrieval.knowledge.memories.whose import of_one_owner
from brain_retrieval.language.concepts import concepts_of
from brain_retrieval.language.content_words import content_words, word_form
from brain_retrieval.language.lexicon import SHARED
from brain_retrieval.language.light_words import light_words
from brain_retrieval.language.plain import plain, word_expression
from brain_retrieval.language.values import VERSION, release_parts

RANK, NUMBER, _SCHEDULE, _PRICE = "rank", "number", ":schedule", ":price"
_MONEY = re.compile(r"[A-Z]{3}(?:/|\Z)")
DATED = frozenset({"year", "month", "time", "date"})
# Concepts that a value brings with it, so that they say nothing about a common subject.
_OF_VALUES = {
    "rank": ":rank",
    "version": ":version",
    "EUR": ":price",
    "USD": ":price",
    "GBP": ":price",
    "CHF": ":price",
}
_DIGIT = re.compile(r"\d")
_SEPARATOR = re.compile(r"[.,' ]")  # of thousands


def changes_value(a: Facet, b: Facet, shared: frozenset[str], often: frozenset[str], *, same: bool) -> bool:
    """Return whether `b` states another value than `a`, or gives one of it up; arguments as of `replaces_value`.

    Two dates of one thing are dates of it however often it is spoken of.
    """
    if gives_up_amount(a, b, shared):
        return True
    return (not b.negated or b.cue == "strong") and replaces_value(a, b, shared, often, same=same)


def replaces_value(a: Facet, b: Facet, shared: frozenset[str], often: frozenset[str], *, same: bool) -> bool:
    """Return whether `b` states another value of a dimension for the thing that `a` states one of.

    Args:
        a: the earlier memory.
        b: the later memory.
        shared: words that both have besides their subject.
        often: the same with the words that many memories have.
        same: whether both are about the same subject.
    """
    if b.comparable.keys().isdisjoint(a.comparable):
        return False
    measured = a.measured | b.measured
    planned = DATED if _SCHEDULE in a.concepts & b.concepts else frozenset[str]()
    return any(
        _differ(a.comparable[dimension], values, b, dimension)
        and _comparable(a, b, dimension, (often if dimension in planned else shared) - measured, same=same)
        for dimension, values in b.comparable.items()
        if dimension in a.comparable
    )


def gives_up_amount(a: Facet, b: Facet, shared: frozenset[str]) -> bool:
    """Return whether `b` states a change and names an amount of `a` as the former one: "1,260 instead of 1,340".

    `shared` are words that both have besides their subject, which may be what both are about, such as "rent".
    """
    if b.cue != "strong" or not ((shared & a.telling & b.telling) - words_of_sums() or _thing(a, b)):
        return False
    stated = {value for dimension, values in a.values.items() if dimension not in DATED for value in values}
    named = (found["number"] for found in _given_up().finditer(plain(b.row["text"])))
    return not stated.isdisjoint(_SEPARATOR.sub("", number) for number in named)


@cache
def _given_up() -> re.Pattern[str]:
    """Return a pattern of plain text for a number behind words of any language for what another one has replaced."""
    words = word_expression(SHARED.every_language("definitions").listed("given_up"), plain)
    return re.compile(rf"(?<!\w)(?:{words})\s[€$£¥]?\s?(?P<number>\d{{1,9}}(?:[.,' ]\d{{3}}){{0,3}})(?![\d.,]\d)")


def names_other_version(a: Facet, b: Facet) -> bool:
    """Return whether both state versions, and none of `b` replaces one of `a`: both remain true."""
    return VERSION in a.comparable and VERSION in b.comparable


def _confirms(a: Facet, b: Facet) -> bool:
    """Return whether `b` states a day that `a` states, as what holds: "moved from 2 March to 16 March"."""
    days = a.comparable.get("date", frozenset())
    again = b.comparable.get("date", frozenset())
    return bool(days & again) and not _differ(days, again, b, "date")


def says_again(a: Facet, b: Facet) -> bool:
    """Return whether both state the same attribute with the same value, or the same day."""
    if b.negated:
        return False
    if _confirms(a, b):
        return True
    if a.slot is None or b.slot is None:
        return False
    return a.slot[0] == b.slot[0] and bool(a.slot[2] & b.slot[2])


def keeps_day(a: Facet, b: Facet) -> bool:
    """Return whether `a` states a coming day that another value of `b` leaves as it is: six instead of eight guests."""
    return "date" in a.comparable and b.cue != "strong" and b.comparable.keys().isdisjoint(DATED)


def of_other_kinds(a: Facet, b: Facet) -> bool:
    """Return whether one states a day and the other an amount: a house keeps its price when its completion is moved."""
    days = [one.comparable.keys() == {"date"} and all(map(_is_day, one.comparable["date"])) for one in (a, b)]
    amounts = [bool(one.comparable) and one.comparable.keys().isdisjoint(DATED) for one in (a, b)]
    return (days[0] and amounts[1]) or (days[1] and amounts[0])


def _is_day(date: str) -> bool:
    return len(date) == len("2026-01-31")


def _differ(old: frozenset[str], new: frozenset[str], b: Facet, dimension: str) -> bool:
    """Return whether values differ; a sentence of change may name the old value besides the new one."""
    if dimension == VERSION and any(_same_version(one, other) for one in old for other in new):
        return False
    if b.cue != "strong" or len(new) == 1:
        return not old & new
    return bool(new - old) and not old & (new - _replaced(b, new, dimension))


def _same_version(one: str, other: str) -> bool:
    """Return whether two versions are the same, or one is stated less exactly: "3" and "3.1", "2.0" and "2.0-rc1"."""
    return all(a == b for a, b in zip(release_parts(one), release_parts(other), strict=False))


def _replaced(b: Facet, new: frozenset[str], dimension: str) -> frozenset[str]:
    """Return the values that a sentence names as the former ones, by the word before; else all but the last one."""
    text = plain(b.row["text"])
    given_up = rf"{_before_former()}[^,;.\[\]]{{0,24}}"
    former = frozenset(value for value in new if re.search(rf"{given_up}\[{re.escape(value)}\]", text))
    stated = [value["value"] for value in b.row["values"] if value["dimension"] == dimension]
    return former or new - {stated[-1]}


@cache
def _before_former() -> str:
    """Return an expression of the words of all languages before a value that another one has replaced."""
    return rf"(?<!\w)(?:{word_expression(SHARED.every_language('dates').listed('replaced'), plain)})\s"


def _comparable(a: Facet, b: Facet, dimension: str, shared: frozenset[str], *, same: bool) -> bool:
    """Return whether two values of a dimension are values of the same thing."""
    topical = shared - {dimension, word_form(dimension)} - a.voice - b.voice
    concepts = (a.concepts & b.concepts) - {_OF_VALUES.get(dimension.partition(" ")[0].split("/")[0])}
    strong = b.cue == "strong"
    if dimension == VERSION:
        return _is_used(a, b) and _of_one_product(a, b, topical)
    if dimension == RANK:
        # "First" and "last" are places only where one of both speaks of a list, or both count the same: the fifth class
        # and the sixth, not the last day of school and the first term.
        of_list = _tells_rank(a) or _tells_rank(b) or bool(_ranked(a.row["text"]) & _ranked(b.row["text"]))
        return bool((topical or same) and of_list and (concepts or strong))
    if dimension not in DATED and (_is_of_another(a, b) or _paid_once(a, b)):
        return False
    if dimension == NUMBER:
        if a.row["kind"] == "event" and b.cue == "none":
            return False  # what was counted once stays true
        close = any(near(old, new) for old in a.values[dimension] for new in b.values[dimension])
        labelled = labels(a.row["text"]) & labels(b.row["text"]) & a.words & b.words
        alone = bool(_thing(a, b)) and a.telling_heads == b.telling_heads  # "LDL still 4.7." and "LDL 2.9!"
        of_one = alone or (bool(labelled) and bool(same or topical - labelled))
        return close and bool((same and strong) or (topical and concepts) or of_one or of_one_owner(a, b))
    if dimension in DATED:
        if dimension == "date" and not strong and max(a.comparable["date"]) < b.row["said_at"].date().isoformat():
            return False  # the day has been: the other one is of the next time
        if strong and _puts_right(a, b, dimension) and (topical or _thing(a, b)):
            return True
        return (_SCHEDULE in concepts or strong) and _of_one_event(a, b, topical, same=same)
    if a.subjects and b.subjects and not a.subjects & b.subjects:
        return False  # the length of one film and of another
    if _MONEY.match(dimension) and not _of_one_amount(a, b):
        return False
    if a.row["kind"] == "event" and not strong and not (a.heads & b.heads) - a.voice:
        return False  # what was paid once stays true: "I bought a pump for 400 euros"
    return bool(topical or _thing(a, b) or (same and (concepts or strong)))


def _tells_rank(facet: Facet) -> bool:
    """Return whether a sentence speaks of a league or a list, and not only of a first or last one."""
    return _OF_VALUES[RANK] in concepts_of(facet.row["text"], facet.language)


@lru_cache(maxsize=1 << 12)
def _ranked(text: str) -> frozenset[str]:
    """Return the words behind words for a place: "class" of "in the fifth class"."""
    return frozenset(word_form(found["counted"]) for found in _places().finditer(plain(text)))


@cache
def _places() -> re.Pattern[str]:
    words = word_expression(SHARED.every_language("values").listed("ranks"), plain)
    return re.compile(rf"(?<!\w)(?:{words})\s(?P<counted>\w{{2,40}})")


def _puts_right(a: Facet, b: Facet, dimension: str) -> bool:
    """Return whether `b` names a day of `a` as the wrong one, beside another one: "it isn't 3 May but 10 May"."""
    stated = b.comparable[dimension]
    return len(stated) > 1 and not a.comparable[dimension].isdisjoint(_replaced(b, stated, dimension))


def _of_one_amount(a: Facet, b: Facet) -> bool:
    """Return whether two amounts may be amounts of the same: of a rent, and not of a deficit and of an account.

    What stands beside neither of them, "it is 910 euros now", tells nothing.
    """
    holder = (a.heads & b.heads) - quantities()  # who has both
    old, new = a.priced - holder, b.priced - holder
    if not (old and new):
        return True
    common = (old & (new | b.heads)) | (new & a.heads)
    apart = (a.priced & a.names) - b.words, (b.priced & b.names) - a.words  # the grant of the town, and of the region
    return bool(common - (a.names & b.names)) and not all(apart)


def _paid_once(a: Facet, b: Facet) -> bool:
    """Return whether `b` tells what was paid once, and `a` what something costs: "I paid 795 for rent in March"."""
    return b.row["kind"] == "event" and b.cue == "none" and a.row["kind"] != "event" and _PRICE in b.concepts


def _is_of_another(a: Facet, b: Facet) -> bool:
    """Return whether `b` states a value, and no change, of a person or thing that `a` does not name."""
    if b.cue == "strong" or b.row["from_stated"] or not a.heads.isdisjoint(b.heads):
        return False
    if a.telling_heads and a.telling_heads.isdisjoint(b.words) and b.telling_heads - a.words:
        return True  # "The shop across the street pays 2,400" and "Rent 1,900"
    named = (b.names & _before_number(b.row["text"])) - b.voice
    return bool(named) and named.isdisjoint(a.words)


@lru_cache(maxsize=1 << 14)
def _before_number(text: str) -> frozenset[str]:
    """Return the content words of a text before its first digit."""
    number = _DIGIT.search(text)
    return frozenset(content_words(text[: number.start()])) if number else frozenset()


def _is_used(a: Facet, b: Facet) -> bool:
    """Return whether both say which version is used, and not only what one of them is like or that it is published.

    The user's own "Released Heron 2.4" is such news of Heron; "Python 3.11 was released" is none of a server.
    """
    old, new = ((one.heads - one.products) or one.heads for one in (a, b))  # "the server" of "the server runs Python"
    changed = b.cue != "none" and bool(b.is_about_oneself or old & new)
    return (a.in_use or a.cue == "strong") and (b.in_use or changed)


def _of_one_product(a: Facet, b: Facet, topical: frozenset[str]) -> bool:
    """Return whether two versions are versions of one thing: not of the Python and Postgres it needs."""
    if a.products and b.products and not a.products & b.products:
        return False
    if runs_elsewhere(a, b):
        return False
    return bool(topical or ((a.heads & b.words) - a.voice - light_words()))


def runs_elsewhere(a: Facet, b: Facet) -> bool:
    """Return whether two versions are in use in different things: "the shop runs Django 4.2", and the blog 5.1."""
    if VERSION not in a.comparable or VERSION not in b.comparable:
        return False
    old, new = (one.telling_heads - one.products - one.voice for one in (a, b))
    return bool(old and new) and old.isdisjoint(b.words) and new.isdisjoint(a.words)


def _of_one_event(a: Facet, b: Facet, topical: frozenset[str], *, same: bool) -> bool:
    """Return whether two dates are dates of one event: "the launch is on …" twice, or more in common than a person."""
    of_others = same and not (a.is_about_oneself and b.is_about_oneself)  # all that one says of oneself has one subject
    about = a.telling_heads - a.names - a.voice  # "Dentist on the 17th", and "misread it, 19th for the dentist"
    if b.cue == "strong" and about and about <= topical:
        return True
    return bool(_thing(a, b)) or (bool(topical - a.names - b.names) and len(topical) + of_others > 1)


def _thing(a: Facet, b: Facet) -> frozenset[str]:
    """Return the words of what both are about, if it is no person or place: "salary"."""
    return (a.heads & b.heads) - a.names - b.names - a.voice - b.voice - light_words()
