"""What is shown first: a short list of current memories about named things, one for each subject and topic.

A memory's rank is a sum of plain parts, each between 0 and 1, which a card shows: how likely a reader wants it back,
how specific it is, how many independent sources state it, how recent it is, and how often its subject was recalled.
What only says what a named thing is comes last.
"""

import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from functools import cache
from typing import Any

from brain_retrieval.knowledge.memories.compared.claims import WRITTEN
from brain_retrieval.knowledge.memories.facets import Facet
from brain_retrieval.knowledge.memories.seen import CURRENT, OUTDATED, Seen
from brain_retrieval.knowledge.memories.shown.fitness import LIFE, OWNER, PROGRAMS, is_fit, said, states_when_or_price
from brain_retrieval.knowledge.memories.supersession import ASIDE
from brain_retrieval.knowledge.memory_states import HIGH
from brain_retrieval.language.concepts import MARK, PART, TITLED
from brain_retrieval.language.lexicon import SHARED
from brain_retrieval.language.plain import lowered, word_pattern
from brain_retrieval.language.self_description import instructs_program

FRONT = 4  # characters before a name at the beginning: "the "
MIN_KEEP = 0.6  # calibrated: of the memories at this probability, six in ten are wanted back
HALF_LIFE_DAYS = 120.0
# Meetings and mail hold much that concerns others; from them a memory must be surer to be shown first.
LESS_PERSONAL = {"meeting": 0.1, "email": 0.1, "slack-thread": 0.1, "web-page": 0.2, "web-crawl": 0.2, "document": 0.1}
# Outside of talk, of what states neither a time nor a price; of those less sure that were shown 4 of 13 were useful.
UNSTATED = 0.1
WEIGHTS = {
    "useful": 6.0,
    "keep": 1.0,
    "specific": 0.4,
    "personal": 0.3,
    "life": 2.0,
    "support": 0.4,
    "followed": 1.0,
    "recent": 0.35,
    "recalled": 0.5,
    "general": -0.7,
    "technical": -0.3,
    "routine": -0.6,
}
BY_WORDS = 0.125  # of a life by single words of a sentence, beside 1 for what a life turns on
_PEOPLE = ("speaker", "listener")
CONVERSATION = "conversation"

# Sources that begin a sentence with the same characters, as the minutes of every meeting begin and end.
ROUTINE, OPENING = 4, 48
LEAST_REPEATED, REPEATED = 3, 0.75  # content words of a sentence, and their share that another one has
MOST_OF_SOURCE = 3  # memories of one source in front, so that one long text does not fill the list
_WHEN = frozenset({"date", "time", "month", "year"})
_MONEY = re.compile(r"[A-Z]{3}(?:/\w{1,20})?")
_IDENTIFIER = re.compile(
    r"[a-z]{2}[A-Z][a-z]+[A-Z]|\w_\w|\w\(\)|`|(?<!\w)[./~]\w+/\w|--?[a-z]{3,}=|\.(?:py|js|ts|md|json|ya?ml|toml)\b"
)

Row = Mapping[str, Any]


def worth_showing(row: Row) -> bool:
    """Return whether a memory may be among those shown first: probably wanted, asserted, complete, about a name.

    One of high sensitivity is shown to those who ask for it alone.
    """
    stated = row["listener"] or row["slot_attribute"] or any(map(states_when_or_price, row["values"] or ()))
    floor = MIN_KEEP + LESS_PERSONAL.get(row["source"], 0.0 if stated else UNSTATED)
    written = row["method"] in WRITTEN
    # "We only use tabs here, please remember that": what is meant stands in it.
    to_program = row["source"] == CONVERSATION and row["speaker"] == OWNER
    alone = row["self_contained"] or (to_program and instructs_program(said(row)))
    return (
        (written or (row["keep"] >= floor and alone))
        and row["modality"] == "asserted"
        and row["sensitivity"] != HIGH
        and (row["speaker"] or "").casefold() not in PROGRAMS
        and bool(row["entities"] or row["speaker"])
        and is_fit(row)
    )


def may_stand_in_front(one: Seen) -> bool:
    """Return whether a memory holds, or tells what happened, which a later change of its topic does not make untrue.

    What has surely ended (another value of the same attribute, a stated end) is not in front, nor what a later change
    may have ended, unless it is an event without an attribute: "I visited Hull" stays so after "I moved to Sheffield";
    or unless the change is one of other subjects, which only have a word in common with it.
    """
    happened = one.row["kind"] == "event" and not one.row["slot_attribute"]
    beside = bool(one.ended_by) and all(ending.kind == ASIDE for ending in one.ended_by)
    return one.status == CURRENT or one.status == OUTDATED and (happened or beside)


def rank_parts(
    row: Row,
    *,
    at: datetime,
    support: int,
    salience: float,
    useful: float = 0.0,
    followed: int = 0,
    matter: bool = False,
) -> dict[str, float]:
    """Return the parts of a memory's rank, each 0–1.

    Args:
        row: of MEMORIES.
        at: the time asked about.
        support: independent sources that state it, at least 1.
        salience: of the entity it is most about, 0–1.
        useful: how useful it is to its owner.
        followed: sources of the values that it has replaced: what changes again and again is what people follow.
        matter: whether a longer note tells in it what a life turns on.
    """
    named = [one for one in row["entities"] or () if one["role"] not in _PEOPLE]
    dimensions = {value["dimension"] for value in row["values"] or ()}
    stated = 0.35 if dimensions & _WHEN or any(map(_MONEY.fullmatch, dimensions)) else 0.15 * bool(dimensions)
    detail = min(1.0, 0.35 * bool(named) + stated + 0.3 * bool(row["slot_attribute"]))
    days = max(0.0, (at - row["effective_from"]).total_seconds() / 86_400)
    personal = _personal(row)
    return {
        "useful": useful,
        "keep": round(row["keep"], 6),
        "specific": detail,
        "personal": personal,
        "life": 1.0 if matter else BY_WORDS * (personal == 1 and bool(LIFE.intersection(row["anchors"]))),
        "support": round(1 - 1 / support, 6),
        "followed": round(1 - 1 / (1 + followed), 6),
        "recent": round(math.exp2(-days / HALF_LIFE_DAYS), 6),
        "recalled": round(salience, 6),
        "general": float(says_what_something_is(row)),
        "technical": float(_IDENTIFIER.search(row["text"]) is not None),
        "routine": float(is_routine(row)),
    }


def _personal(row: Row) -> float:
    """Return how much a memory is about people: the owner or speaker, a person who does something, one who is named."""
    people = {one["role"] for one in row["entities"] or () if one["type"] == "Person"}
    return 1.0 if "speaker" in people or "subject" in people else 0.5 if people else 0.0


def says_what_something_is(row: Row) -> bool:
    """Return whether a memory only says what a named thing is: "Etherpad is an editor", as any reference does."""
    if row["kind"] != "fact" or row["slot_attribute"] or row["values"] or row["method"] != "local":
        return False
    subject = next((one for one in row["entities"] or () if one["role"] == "subject"), None)
    if subject is None or subject["type"] == "Person" or subject["type"] == "Project":
        return False
    name, text = subject["name"].casefold(), row["text"].casefold()
    place = text.find(name)
    return 0 <= place <= FRONT and _defining().match(text, place + len(name)) is not None


@cache
def _defining() -> re.Pattern[str]:
    """Return a pattern for "is a", "are the", as they follow a name."""
    words = (SHARED.read("definitions").listed(key) for key in ("verbs", "articles"))
    verbs, articles = ("|".join(map(re.escape, each)) for each in words)
    return re.compile(rf"(?: \([^()]{{1,60}}\))?(?:, [^,.]{{1,80}},)? (?:{verbs}) (?:{articles})\b")


@cache
def _proceedings() -> re.Pattern[str]:
    """Return a pattern for what meetings say of themselves, in all languages: "agenda", "Tagesordnung"."""
    return word_pattern(SHARED.every_language("definitions").listed("proceedings"))


def is_routine(row: Row) -> bool:
    """Return whether a memory is what meetings say of themselves; the title it stands under does not count."""
    return _proceedings().search(lowered(row.get("evidence") or row["text"])) is not None


def rank_score(parts: Mapping[str, float]) -> float:
    """Return the weighted sum of the parts."""
    return round(math.fsum(WEIGHTS[name] * value for name, value in parts.items()), 6)


def topic_key(row: Row) -> tuple[str, ...]:
    """Return what a memory is about, so that one list does not show the same thing twice: slot, or its main words."""
    if row["slot_attribute"]:
        return (row["slot_subject"] or "", row["slot_attribute"])
    subject = next((e["name"] for e in row["entities"] or () if e["role"] == "subject"), row["speaker"] or "")
    return (subject, *_own_anchors(row)[:3])


def one_a_topic(rows: Iterable[Row]) -> list[Row]:
    """Return the first memory of each topic, in order, without those that nearly repeat the words of one."""
    seen: set[tuple[str, ...]] = set()
    kept = list[Row]()
    for row in rows:
        key = topic_key(row)
        if key not in seen and not any(_repeats(row, one) for one in kept):
            seen.add(key)
            kept.append(row)
    return kept


def _repeats(row: Row, earlier: Row) -> bool:
    """Return whether a memory says what another one does, with its values and nearly its words.

    Of another speaker an amount of money is enough: "The council grants 900 euros", in its letter and in the minutes.
    """
    if any(row[key] != earlier[key] for key in ("polarity", "slot_attribute")):
        return False
    values, others = ({(one["dimension"], one["value"]) for one in each["values"] or ()} for each in (row, earlier))
    sums = {one for one in values if _MONEY.fullmatch(one[0])}
    same = values == others if row["speaker"] == earlier["speaker"] else bool(sums) and sums <= others
    return same and says_the_same(own_words(row), own_words(earlier))


def says_the_same(words: frozenset[str], others: frozenset[str]) -> bool:
    """Return whether two sentences with these content words say the same: the shorter one adds next to nothing."""
    least = min(len(words), len(others))
    return least >= LEAST_REPEATED and len(words & others) >= REPEATED * least


def own_words(row: Row) -> frozenset[str]:
    """Return the content words of a memory, in the form in which they are compared."""
    return frozenset(word for word in _own_anchors(row) if not word.startswith(MARK))


def mixed(rows: Sequence[Row]) -> list[Row]:
    """Return the rows with those of a source that has MOST_OF_SOURCE in front behind the others, else in order."""
    counts: Counter[str] = Counter()
    front, behind = list[Row](), list[Row]()
    for row in rows:
        counts[row["source_id"]] += 1
        (front if counts[row["source_id"]] <= MOST_OF_SOURCE else behind).append(row)
    return front + behind


def support_counts(facets: Sequence[Facet]) -> dict[str, int]:
    """Return by memory id how many sources state the same: the same slot and value, or the same words and values.

    Two memories with different amounts never support each other.
    """
    sources: dict[tuple[Any, ...], set[str]] = {}
    keys = {facet.row["memory_id"]: _statement_of(facet) for facet in facets}
    for facet in facets:
        if facet.asserted:
            sources.setdefault(keys[facet.row["memory_id"]], set()).add(facet.row["source_id"])
    return {memory_id: max(1, len(sources.get(key, ()))) for memory_id, key in keys.items()}


def _statement_of(facet: Facet) -> tuple[Any, ...]:
    if (found := facet.kept.get("statement")) is None:
        found = facet.kept["statement"] = _statement(facet.row)
    return found


def _statement(row: Row) -> tuple[Any, ...]:
    values = tuple(sorted((v["dimension"], v["value"]) for v in row["values"] or ()))
    if row["slot_attribute"]:
        return (row["slot_subject"], row["slot_attribute"], row["slot_value"], row["polarity"], values)
    return (tuple(_own_anchors(row)), row["polarity"], values)


def _own_anchors(row: Row) -> list[str]:
    """Return the anchors of a memory without those of compounds and of the title of its source."""
    return sorted(word for word in row["anchors"] if not word.startswith((PART, TITLED)))
