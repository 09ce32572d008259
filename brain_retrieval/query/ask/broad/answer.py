"""Answers to broad questions: a few memories of several sources, each form in its own order.

- what happened: what tells most of each storyline and other source of the time, in the order of time;
- how something stands: what the newest sources about it say, the newest first;
- what is planned: what has a day ahead, the nearest first, then what is left to be done, the newest first;
- what was decided: the decisions, the newest first;
- who takes part: for each person what tells most of the person there, who is named most first;
- what goes on: the state of each storyline that goes on, then what else was said lately, the newest first.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from datetime import date, datetime, timedelta
from itertools import zip_longest

from brain_retrieval.knowledge.cards import StorylineCard
from brain_retrieval.knowledge.memories.asked.lines import GONE
from brain_retrieval.knowledge.memories.cards import MemoryCard
from brain_retrieval.knowledge.memories.shown.coming import announced_before, is_over
from brain_retrieval.knowledge.memories.shown.fitness import OWNER, PROGRAMS
from brain_retrieval.knowledge.reader import Knowledge
from brain_retrieval.language.folding import fold
from brain_retrieval.language.outcomes import outcome
from brain_retrieval.query.analysis import QuestionTime
from brain_retrieval.query.ask.broad.forms import Broad, tells
from brain_retrieval.query.ask.broad.read import Reading, Statement, judged

MOST = 6  # memories of an answer
MOST_SOURCES, MOST_TITLED = 4, 2  # of how something stands: other sources, storylines that are called so
_AT_ONCE = 8  # statements that are judged together
LATELY = timedelta(days=60)  # in which what goes on was said
PLANNED = timedelta(days=90)  # in which a plan was made that is still open
REMAINING = timedelta(days=60)  # in which something was said to be left
AHEAD = timedelta(days=365)
MOST_DATED, MOST_OF_DECISION = 4, 3
LESS = 0.25  # of the words of a topic than the best decision has
TAKING_PART = ("Person", "Organization")
# What adds to the probability that a memory is worth keeping.
TELLING = {"decision": 0.25, "event": 0.2, "plan": 0.05}
VALUES, ABOUT, STRONG, STATE, ANNOUNCED = 0.1, 0.3, 0.15, 0.4, 0.3


def broad_answer(
    knowledge: Knowledge, broad: Broad, time: QuestionTime | None, *, at: datetime, timeless: bool
) -> tuple[MemoryCard, ...]:
    """Return what answers a broad question, in the order in which it is to be read; () if nothing is known.

    Args:
        knowledge: of the user, with its limit of what was known.
        broad: the question.
        time: that it names.
        at: the moment asked about, aware.
        timeless: whether storylines may be used, which know what came later.
    """
    reading = Reading(knowledge, broad, at, timeless)
    answer: Callable[[Reading, QuestionTime | None], Iterable[MemoryCard]] = {
        "happened": _happened,
        "stands": _stands,
        "planned": _planned,
        "decided": _decided,
        "involved": _involved,
        "goes_on": _goes_on,
    }[broad.form]
    return tuple(answer(reading, time))


def _happened(reading: Reading, time: QuestionTime | None) -> list[MemoryCard]:
    first, last = (time.start, time.end) if time else (None, None)
    if reading.broad.topic:
        statements = [one for one in reading.of_topic() if _is_within(one.card, reading, first, last)]
    else:
        statements = reading.said_between(first, last)
    statements = [one for one in statements if one.card.modality in ("asserted", "reported")]
    chosen: list[Statement] = []
    for one in _in_turn(_groups(statements, reading.storylines)):
        if all(one.card.text != other.card.text for other in chosen):
            chosen.append(one)
        if len(chosen) == MOST:
            break
    return _shown(sorted(chosen, key=_time))


def _stands(reading: Reading, _time_asked: QuestionTime | None) -> list[MemoryCard]:
    statements = [one for one in judged(reading.of_topic()) if one.card.status not in GONE]
    by_source = _by(statements, lambda one: one.card.source_id)
    newest = sorted(by_source.values(), key=lambda group: max(_time(one) for one in group), reverse=True)
    # A storyline that is called so says how it stands; the sentences with the words say what else there is.
    found = [card for card in _states(reading, reading.titled[:MOST_TITLED]) if card.status not in GONE]
    for number, group in enumerate(newest[:MOST_SOURCES]):
        best = sorted(group, key=lambda one: _state_weight(one, reading.broad.language), reverse=True)
        found += [one.card for one in best[: 2 if number == 0 else 1]]
    return list({card.memory_id: card for card in found}.values())[:MOST]


def _planned(reading: Reading, time: QuestionTime | None) -> list[MemoryCard]:
    today = _today(reading)
    statements = reading.of_topic() if reading.broad.topic else reading.said_between(None, None)
    standing = [one for one in statements if _may_be_open(one.card, today)]
    ahead = {one.card.memory_id: day for one in standing if (day := _next_day(one.card, today)) is not None}
    dated = sorted(
        (one for one in standing if one.card.memory_id in ahead),
        key=lambda one: (ahead[one.card.memory_id], -_weight(one)[0], one.card.memory_id),
    )
    if time is not None and time.start is not None and time.end is not None:
        within = [one for one in dated if time.start.isoformat() <= ahead[one.card.memory_id] <= time.end.isoformat()]
        return [card for card in _shown(within) if card.status not in GONE]
    left = [one for one in standing if one.card.memory_id not in ahead and _is_left(one, reading)]
    newest = sorted(left, key=lambda one: (_time(one), _weight(one)), reverse=True)
    chosen = _first_standing(dated, 2, MOST_DATED)
    return [one.card for one in (*chosen, *_first_standing(newest, 1, MOST - len(chosen)))]


def _decided(reading: Reading, time: QuestionTime | None) -> list[MemoryCard]:
    first, last = (time.start, time.end) if time else (None, None)
    statements = reading.of_topic() if reading.broad.topic else reading.said_between(first, last)
    within = [one for one in statements if _is_within(one.card, reading, first, last)]
    decisions = [one for one in within if _is_decision(one, one.card.text, reading.broad.language)]
    most = max((one.share for one in decisions), default=0.0)  # what Ann decided of the flat, not what else she did
    decisions = [one for one in decisions if one.share >= most - LESS]
    # A note of a decision: first the sentence that tells it, else the best ones.
    sources = _by(decisions, lambda one: one.card.source_id)
    newest = sorted(sources.values(), key=lambda group: max(_time(one) for one in group), reverse=True)
    found: list[Statement] = []
    for group in newest:
        stating = [one for one in group if _is_decision(one, one.card.quote, reading.broad.language)] or group
        best = sorted(stating, key=_weight, reverse=True)[:MOST_OF_DECISION]
        found += sorted(best, key=_time)
    return _shown(found[:MOST])


def _is_decision(one: Statement, text: str, language: str) -> bool:
    return one.card.kind == "decision" or tells("decisions", text, language)


def _involved(reading: Reading, _time_asked: QuestionTime | None) -> list[MemoryCard]:
    owner = {fold(name) for name in reading.knowledge.memory_reader.owner}
    named: dict[str, list[Statement]] = defaultdict(list)
    for one in reading.of_whole():
        for entity in one.row["entities"] or ():
            is_other = fold(entity["name"]) not in owner and entity["role"] != "listener"
            if entity["type"] in TAKING_PART and is_other and not _is_program(entity["name"]):
                named[entity["name"]].append(one)
    counts = Counter({name: len({one.card.source_id for one in group}) for name, group in named.items()})
    found: dict[str, Statement] = {}
    for name in sorted(counts, key=lambda name: (-counts[name], name)):
        best = max(named[name], key=_weight)
        found.setdefault(best.card.memory_id, best)
    return _shown(list(found.values())[:MOST])


def _is_program(name: str) -> bool:
    return name.casefold().partition(" ")[0] in {*PROGRAMS, OWNER}


def _goes_on(reading: Reading, _time_asked: QuestionTime | None) -> list[MemoryCard]:
    since = (reading.at - LATELY).astimezone(reading.knowledge.settings.zone).date()
    statements = reading.said_between(since, None)
    going = [card for card in reading.storylines if card.open and card.last_event_at >= reading.at - LATELY]
    states = [card for card in _states(reading, going[:MOST]) if reading.at - card.said_at <= LATELY]
    known = {card.source_id for card in states}
    statements = [one for one in statements if one.card.source_id not in known]
    # What no storyline tells: the best of each source, and of these the best, the newest first.
    rest = _first_standing(sorted(statements, key=_weight, reverse=True), 1, max(2, MOST - len(states)))
    newest = sorted((one.card for one in rest), key=lambda card: card.said_at, reverse=True)
    return [*states, *newest][:MOST]


def _states(reading: Reading, cards: Sequence[StorylineCard]) -> list[MemoryCard]:
    """Return the state now of storylines."""
    places = [(card.citations[-1].source_id, card.citations[-1].span) for card in cards if card.citations]
    stated = reading.knowledge.memory_reader.stated_in(places, at=reading.at)
    found: dict[str, MemoryCard] = {}
    for source_id, span in places:
        own = [card for card in stated if card.source_id == source_id and card.span == span]
        found |= {card.memory_id: card for card in own[:1]}
    return list(found.values())


def _groups(statements: Sequence[Statement], storylines: Iterable[StorylineCard]) -> list[list[Statement]]:
    """Return statements by storyline, those of a source in none by source, each with what tells most first."""
    group_of: dict[str, str] = {}
    for card in sorted(storylines, key=lambda card: (card.source_count, card.id), reverse=True):
        group_of |= {one.source_id: card.id for one in card.sources}  # the smallest one in the end
    groups = _by(statements, lambda one: group_of.get(one.card.source_id, one.card.source_id))
    best = [sorted(group, key=_weight, reverse=True) for group in groups.values()]
    return sorted(best, key=lambda group: (len({one.card.source_id for one in group}), _weight(group[0])), reverse=True)


def _in_turn(groups: Sequence[Sequence[Statement]]) -> Iterable[Statement]:
    """Yield the first of each group, then the first of another source of each, and at last the others."""
    firsts = [_each_source(group, 1) for group in groups]
    kept = {one.card.memory_id for group in firsts for one in group}
    others = [[one for one in group if one.card.memory_id not in kept] for group in groups]
    for lists in (firsts, others):
        for row in zip_longest(*lists):
            yield from (one for one in row if one is not None)


def _shown(statements: Sequence[Statement]) -> list[MemoryCard]:
    """Return the cards of what has been chosen, with what has ended each."""
    return [one.card for one in judged(statements)]


def _first_standing(statements: Sequence[Statement], each: int, most: int) -> list[Statement]:
    """Return the first statements that nothing has ended, at most `each` of a source, judging no more than needed."""
    counts: Counter[str] = Counter()
    kept: list[Statement] = []
    for start in range(0, len(statements), _AT_ONCE):
        if len(kept) >= most:
            break
        some = [one for one in statements[start : start + _AT_ONCE] if counts[one.card.source_id] < each]
        for one in judged(some):
            if one.card.status not in GONE and counts[one.card.source_id] < each:
                counts[one.card.source_id] += 1
                kept.append(one)
    return kept[:most]


def _each_source(statements: Iterable[Statement], most: int) -> list[Statement]:
    """Return statements in their order, at most so many of each source."""
    counts: Counter[str] = Counter()
    kept: list[Statement] = []
    for one in statements:
        counts[one.card.source_id] += 1
        if counts[one.card.source_id] <= most:
            kept.append(one)
    return kept


def _by(statements: Iterable[Statement], key: Callable[[Statement], str]) -> dict[str, list[Statement]]:
    groups: dict[str, list[Statement]] = defaultdict(list)
    for one in statements:
        groups[key(one)].append(one)
    return groups


def _may_be_open(card: MemoryCard, today: date) -> bool:
    """Return whether a memory may be open, whatever has ended it."""
    return card.polarity == "affirmed" and card.modality != "conditional" and not is_over(card, today)


def _is_left(one: Statement, reading: Reading) -> bool:
    """Return whether something without a day is planned, or was said lately to be left to do."""
    card = one.card
    if card.modality == "reported" or card.kind in ("preference", "feeling"):
        return False
    if card.kind == "plan":
        return reading.at - card.said_at <= PLANNED
    return reading.at - card.said_at <= REMAINING and tells("remains", card.text, reading.broad.language)


def _next_day(card: MemoryCard, today: date) -> str | None:
    """Return the first day or month from today on, within AHEAD, that a memory names; an ISO day."""
    last = (today + AHEAD).isoformat()
    stated = (value[:10] for dimension, value in card.values if dimension in ("date", "month"))
    days = (value if len(value) > len("2026-06") else f"{value}-28" for value in stated)
    return min((day for day in days if today.isoformat() <= day <= last), default=None)


def _is_within(card: MemoryCard, reading: Reading, first: date | None, last: date | None) -> bool:
    day = card.said_at.astimezone(reading.knowledge.settings.zone).date()
    return (first is None or day >= first) and (last is None or day <= last)


def _today(reading: Reading) -> date:
    return reading.at.astimezone(reading.knowledge.settings.zone).date()


def _time(one: Statement) -> tuple[datetime, int]:
    return one.card.said_at, one.card.span[0]


def _weight(one: Statement) -> tuple[float, str]:
    """Return how much a memory tells; the id makes an order of equal ones."""
    card = one.card
    weight = card.keep + TELLING.get(card.kind, 0.0) + VALUES * bool(card.values) + ABOUT * one.about
    # What was announced is said better by what came of it.
    weight -= ANNOUNCED * announced_before(card.values, card.said_at.date(), date.max)
    return weight + STRONG * (one.row["cue"] == "strong"), card.memory_id


def _state_weight(one: Statement, language: str) -> tuple[float, str]:
    weight, memory_id = _weight(one)
    return weight + STATE * outcome(one.card.quote, language), memory_id
