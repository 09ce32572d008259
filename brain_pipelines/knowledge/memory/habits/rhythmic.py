"""Habits by their days: what comes back on a day of the week or at a time of the month.

Words whose days have one rhythm are one habit if they stand in the same sentences or notes: "Long run, market".
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Any

import polars as pl

from brain_pipelines.knowledge.memory.habits.names import name_of, rhythm_words
from brain_pipelines.knowledge.memory.habits.rhythms import LEAST, Rhythm, rhythm_of
from brain_pipelines.knowledge.memory.habits.said import Said, sentences_of
from brain_pipelines.knowledge.memory.habits.written import words_of_days
from brain_pipelines.knowledge.memory.stories.periods import main_language
from brain_retrieval.ids import content_id

SAME_SENTENCES = 0.5  # of a word's sentences, from which on it belongs to another one's habit
SAME_ENTRIES = 0.7  # of its sources and days
NAMED_SHARE = 0.6  # of the habit's days, for a second word to stand in its name
MOST_NAMES = 2
MOST_WORDS = 4000  # that are judged, the commonest; a habit is written of often


@dataclass
class _Track:
    """A word with a rhythm, and the sentences that have it on days of the rhythm."""

    word: str
    rhythm: Rhythm
    said: list[Said] = field(default_factory=list)

    @property
    def days(self) -> set[date]:
        return {one.day for one in self.said}

    @property
    def place(self) -> float:
        """How far from the beginning of its sentences the word stands, 0–1: what they are about stands in front."""
        places = [one.place_of(self.word) for one in self.said]
        return sum(places) / len(places) if places else 1.0

    @property
    def entries(self) -> set[tuple[str, date]]:
        """The sources, each with the day: a diary may be one file."""
        return {(one.source_id, one.day) for one in self.said}


def rhythmic_habits(pieces: pl.DataFrame, barred: Collection[str], today: date) -> Iterator[dict[str, Any]]:
    """Yield rows of HABITS.

    Args:
        pieces: of `written`.
        barred: forms of words that name no habit: names of people.
        today: the last day of the snapshot.
    """
    usual = main_language(pieces["language"].drop_nulls())
    pieces = pieces.with_columns(pl.col("language").fill_null(usual))  # that of a few words is often not known
    rhythms = _rhythms(pieces, barred)
    for group in _groups(_tracks(pieces, rhythms)):
        yield _row(group, today)


def _rhythms(pieces: pl.DataFrame, barred: Collection[str]) -> dict[str, Rhythm]:
    """Return the words whose days have a rhythm."""
    words = words_of_days(pieces).filter(~pl.col("word").is_in(list(barred)))
    days = words.join(pieces.select("piece", "day"), on="piece").select("word", "day").unique()
    often = days.group_by("word").agg(pl.col("day").sort()).filter(pl.col("day").list.len() >= LEAST)
    often = often.sort([pl.col("day").list.len(), pl.col("word")], descending=[True, False]).head(MOST_WORDS)
    writing = pieces["day"].unique().sort().to_list()
    found = ((word, rhythm_of(listed, writing)) for word, listed in often.iter_rows())
    return {word: rhythm for word, rhythm in found if rhythm}


def _tracks(pieces: pl.DataFrame, rhythms: Mapping[str, Rhythm]) -> list[_Track]:
    """Return the words with their sentences, the commonest first."""
    tracks = {word: _Track(word, rhythm) for word, rhythm in rhythms.items()}
    if not tracks:
        return []
    having = words_of_days(pieces).filter(pl.col("word").is_in(list(tracks)))["piece"].unique()
    for row in pieces.filter(pl.col("piece").is_in(having)).iter_rows(named=True):
        for said in sentences_of(row):
            for word in said.forms & tracks.keys():
                if tracks[word].rhythm.has(said.day):
                    tracks[word].said.append(said)
    return sorted(tracks.values(), key=lambda one: (one.rhythm, -len(one.days), one.place, one.word))


def _groups(tracks: Sequence[_Track]) -> list[list[_Track]]:
    """Return the words that are one habit together, the commonest of each first."""
    groups: list[list[_Track]] = []
    for track in tracks:
        for group in groups:
            if group[0].rhythm == track.rhythm and _belongs(track, group):
                group.append(track)
                break
        else:
            groups.append([track])
    return groups


def _belongs(track: _Track, group: Sequence[_Track]) -> bool:
    said = {one for member in group for one in member.said}
    same = sum(one in said for one in track.said)
    shared = len(track.entries & group[0].entries)
    return same >= SAME_SENTENCES * len(track.said) or shared >= SAME_ENTRIES * len(track.entries)


def _row(group: Sequence[_Track], today: date) -> dict[str, Any]:
    head = group[0]
    first_of_day: dict[date, Said] = {}
    for said in sorted(head.said, key=lambda one: one.order):
        first_of_day.setdefault(said.day, said)
    occurrences = list(first_of_day.values())
    language = main_language(one.language for one in occurrences)
    last = max(first_of_day)
    return {
        "habit_id": content_id("habit", head.rhythm.kind, head.rhythm.weekday, head.rhythm.nth, head.word),
        "kind": head.rhythm.kind,
        "name": f"{_names(group)}, {rhythm_words(head.rhythm, language)}",
        "steps": [],
        "times": len(occurrences),
        "started_at": occurrences[0].at,
        "last_at": occurrences[-1].at,
        "open": (today - last).days <= head.rhythm.longest_pause,
        "occurrences": [one.occurrence for one in occurrences],
    }


def _names(group: Sequence[_Track]) -> str:
    """Return what the habit is called: the phrase of its commonest word, and of others that most of its days have."""
    head, names, used = group[0], list[str](), set[str]()
    days = head.days
    for track in group:
        if track.word in used or len(track.days & days) < NAMED_SHARE * len(days) or len(names) == MOST_NAMES:
            continue
        name, words = name_of(track.word, [(one.text, one.language) for one in track.said])
        if not words & used:
            names.append(name)
        used |= words
    joined = ", ".join(names)
    return joined[:1].upper() + joined[1:]
