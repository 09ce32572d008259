"""Habits as records: what comes back every week or month, standing instructions and procedures."""

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any

from brain_retrieval.knowledge.json_values import plain
from brain_retrieval.knowledge.opened import Opened
from brain_retrieval.language.lexicon import SHARED
from brain_retrieval.language.plain import lowered, word_pattern

STATED, RULE, PROCEDURE = "stated", "rule", "procedure"
HOLDING = ("current", "upcoming")
BY_DAYS = ("weekly", "month_end", "month_start", "month_weekday")


@dataclass(frozen=True)
class Occurrence:
    """A sentence in which a habit shows: the half-open span in the cleaned text of its source."""

    source_id: str
    uri: str
    span: tuple[int, int]
    at: datetime
    text: str  # at most 200 characters
    memory_id: str | None  # the memory that states it


@dataclass(frozen=True)
class HabitCard:
    """A habit with the sentences that it rests on, one a day, the oldest first.

    `kind` is weekly, month_end, month_start or month_weekday for what was found by its days, `stated` for what
    someone said to be so, `rule` for what a program is always to do, `procedure` for steps in order.
    """

    id: str
    kind: str
    name: str
    steps: tuple[str, ...]
    times: int  # days on which it was done or said
    started_at: datetime
    last_at: datetime
    open: bool  # false if it has not come back for long
    occurrences: tuple[Occurrence, ...]

    @property
    def text(self) -> str:
        """One line: its name or its steps, how often and since when."""
        what = " → ".join(self.steps) if self.steps else self.name.rstrip(".")
        return f"{what} ({self.extent})"

    @property
    def extent(self) -> str:
        """How often it was done or said, in which time, and that it has ended if it has."""
        if self.times == 1:
            return self.last_at.date().isoformat()
        state = "" if self.open else ", no longer"
        return f"{self.times} times, {self.started_at.date().isoformat()} – {self.last_at.date().isoformat()}{state}"

    def to_json(self) -> dict[str, Any]:
        """Return plain JSON values; times in ISO 8601."""
        return {**plain(asdict(self)), "text": self.text}


def kinds_asked(question: str) -> frozenset[str]:
    """Return the kinds of habits that a question asks for.

    >>> sorted(kinds_asked("What are my habits?"))
    ['month_end', 'month_start', 'month_weekday', 'stated', 'weekly']
    """
    asked = {
        "habits": (*BY_DAYS, STATED),
        "rules": (RULE,),
        "procedures": (PROCEDURE,),
    }
    lexicon = SHARED.every_language("habits")
    said = lowered(question)
    return frozenset(
        kind for key, kinds in asked.items() if word_pattern(lexicon.listed(key)).search(said) for kind in kinds
    )


def habit_cards(rows: Iterable[Mapping[str, Any]], uris: Mapping[str, str]) -> list[HabitCard]:
    """Return the cards of rows of HABITS; `uris` has the place of each source."""
    return [
        HabitCard(
            id=row["habit_id"],
            occurrences=tuple(
                Occurrence(
                    one["source_id"],
                    uris.get(one["source_id"], ""),
                    (one["start"], one["end"]),
                    one["at"],
                    one["text"],
                    one["memory_id"],
                )
                for one in row["occurrences"]
            ),
            steps=tuple(row["steps"]),
            **{name: row[name] for name in ("kind", "name", "times", "started_at", "last_at", "open")},
        )
        for row in rows
    ]


def habits_of(knowledge: Opened, *, open_only: bool) -> list[HabitCard]:
    """Return the habits of a snapshot, the latest first; none that is stated and no longer holds."""
    uris = dict(knowledge.sources.select("source_id", "uri").iter_rows())
    cards = habit_cards(knowledge.table("habits").iter_rows(named=True), uris)
    stated = {card.occurrences[-1].memory_id or "" for card in cards if card.kind == STATED}
    found = knowledge.memory_reader.cards_of(stated) if stated else []
    held = {one.memory_id for one in found if one.status in HOLDING}
    known = [card for card in cards if card.kind != STATED or card.occurrences[-1].memory_id in held]
    return [card for card in known if card.open or not open_only]
