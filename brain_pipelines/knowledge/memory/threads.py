"""Threads: the sources that mention one entity, grouped in one greedy pass in order of event time.

A source joins an open thread; a thread closes after `idle_days` without a source, and the next source starts a new one.
Parallel threads exist only for clearly different topics. Later sources never move earlier ones, so threads are stable
from snapshot to snapshot unless a source of the past is added or removed.
"""

import math
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

DAY_US = 86_400_000_000
SAME_TOPIC = 0.7  # similarity above which, within NEAR_DAYS, a thread is preferred for a source
NEAR_DAYS = 30
OTHER_TOPIC = 0.05  # a source less similar than this to every open thread starts a new one
MOST_OPEN = 8  # maximum number of parallel threads; then a source joins the best one regardless of topic
LONGEST_DAYS = 365  # for which a thread stays open at most, however few sources came in between
PROFILE_SOURCES = 20  # newest sources whose terms form the topic profile of a thread
Terms = frozenset[str]


@dataclass(frozen=True, slots=True)
class Mention:
    """One source that mentions the entity; `at` is its event time in microseconds since 1970, UTC."""

    source_id: str
    source_type: str
    at: int
    weight: float

    @property
    def day(self) -> int:
        """Days since 1970."""
        return self.at // DAY_US


@dataclass(slots=True)
class Thread:
    """Sources in order of event time, and the term counts of the newest of them (the topic profile)."""

    mentions: list[Mention] = field(default_factory=list)
    _terms: list[Terms] = field(default_factory=list)
    _profile: dict[str, int] = field(default_factory=dict)
    _squares: int = 0  # sum of the squared counts, exact

    @property
    def first_day(self) -> int:
        return self.mentions[0].day

    @property
    def last_day(self) -> int:
        return self.mentions[-1].day

    def add(self, mention: Mention, terms: Terms) -> None:
        """Append a source, not earlier than the last one."""
        self.mentions.append(mention)
        self._terms.append(terms)
        self._count(terms, 1)
        if len(self._terms) > PROFILE_SOURCES:
            self._count(self._terms[-PROFILE_SOURCES - 1], -1)

    def _count(self, terms: Terms, step: int) -> None:
        for term in terms:
            before = self._profile.get(term, 0)
            self._profile[term] = before + step
            # (before + step)² - before²: the norm is kept as an exact integer instead of being summed again.
            self._squares += (2 * before + step) * step

    def similarity(self, terms: Terms) -> float:
        """Return the cosine, 0–1, between the terms of a source and the term counts of the thread."""
        shared = sum(self._profile.get(term, 0) for term in terms)
        return round(shared / math.sqrt(self._squares * len(terms)), 9) if shared else 0.0


def threads_of(
    mentions: Iterable[Mention],
    terms: Mapping[str, Terms],
    *,
    idle_days: int,
    established: float,
    times: Sequence[int] = (),
    quiet: int = 0,
) -> list[Thread]:
    """Return the threads in order of their first source. The order of `mentions` does not matter.

    Args:
        mentions: of one entity, at most one a source.
        terms: by source_id, lower-case words of its keywords, without the entity's own name.
        idle_days: calendar days after which a thread takes no more sources.
        established: sources from which on a thread has a topic that another can differ from.
        times: of all sources of the user, µs, ascending.
        quiet: sources that must have come between, beside the days, for a thread to close; LONGEST_DAYS later it does
            anyhow. Whoever writes seldom has not left a subject after `idle_days`.
    """
    threads: list[Thread] = []
    still_open: list[Thread] = []
    for mention in sorted(mentions, key=lambda m: (m.at, m.source_id)):
        words = terms.get(mention.source_id, frozenset())
        still_open = [t for t in still_open if _is_open(t, mention, idle_days, times, quiet)]
        thread = _choose(still_open, mention, words, established)
        if thread is None:
            thread = Thread()
            threads.append(thread)
            still_open.append(thread)
        thread.add(mention, words)
    return threads


def _is_open(thread: Thread, mention: Mention, idle_days: int, times: Sequence[int], quiet: int) -> bool:
    days = mention.day - thread.last_day
    if days <= idle_days or days > LONGEST_DAYS:
        return days <= idle_days
    return bisect_left(times, mention.at) - bisect_right(times, thread.mentions[-1].at) < quiet


def _choose(candidates: Sequence[Thread], mention: Mention, terms: Terms, established: float) -> Thread | None:
    """Return the open thread that a source joins, None if it starts a new one.

    Preferred are threads near in time and on the same topic, then by similarity, size and last day.
    """
    # Small threads have no reliable topic yet, so a source may only start a parallel thread beside established ones.
    settled = all(len(t.mentions) >= established for t in candidates)
    if not candidates or (len(candidates) == 1 and not (settled and terms)):
        return candidates[0] if candidates else None
    similar = [t.similarity(terms) for t in candidates]
    if settled and terms and max(similar) < OTHER_TOPIC and len(candidates) < MOST_OPEN:
        return None
    ranks = [
        (s > SAME_TOPIC and mention.day - t.last_day <= NEAR_DAYS, s, len(t.mentions), t.last_day)
        for t, s in zip(candidates, similar, strict=True)
    ]
    return candidates[max(range(len(ranks)), key=lambda n: (ranks[n], -n))]
