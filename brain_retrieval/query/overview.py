"""An overview of what goes on: habits, macros and storylines of the newest snapshot that a question is about, cited.

Nothing is written at query time. The texts are those of the snapshot; how far one is about the question follows from
its own words, and from how many of the passages found for the question (by words and vectors) come from its sources,
beyond what its number of sources would have by chance.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any, Protocol

from brain_retrieval.knowledge.cards import StorylineCard
from brain_retrieval.knowledge.json_values import plain
from brain_retrieval.knowledge.memories.cards import MemoryCard
from brain_retrieval.knowledge.memories.shown.coming import SOON, Coming
from brain_retrieval.knowledge.reader import Knowledge
from brain_retrieval.knowledge.stories.closed import without_closed
from brain_retrieval.knowledge.stories.habit_cards import HabitCard, kinds_asked
from brain_retrieval.language.content_words import content_words

LIMIT = 10
AHEAD = timedelta(days=365)  # how far a storyline's next day may be
MOST_COMING = 10
MOST_HABITS = 8
PASSAGES = 20  # found for a question, by which storylines are judged
HEADINGS = {
    "happened": "What happened",
    "stands": "How it stands, the newest first",
    "planned": "What is planned",
    "decided": "What was decided, the newest first",
    "involved": "Who takes part",
    "goes_on": "What goes on",
}  # by the form of a broad question
WORDS, FOUND = 0.4, 0.6  # shares of the score


CitedSpan = tuple[str, str, tuple[int, int]]  # source_id, uri, span


class Evidence(Protocol):
    """What a passage is cited by."""

    @property
    def source_id(self) -> str:
        """Id of its source."""
        ...

    @property
    def uri(self) -> str:
        """Where it is."""
        ...

    @property
    def span(self) -> tuple[int, int]:
        """Its first character and the one behind its last."""
        ...


@dataclass(frozen=True)
class Theme:
    """A macro or storyline, how far it is about the question (0–1), and the numbers of its citations."""

    card: StorylineCard
    score: float
    citations: tuple[int, ...]
    next: Coming | None = None  # what it has a day for, from today on
    next_citation: int | None = None

    @property
    def text(self) -> str:
        """One line: name, time, extent, and what happened with citations."""
        card = self.card
        days = f"{card.started_at.date().isoformat()} – {card.last_event_at.date().isoformat()}"
        state = "goes on" if card.open else "ended"
        coming = f" Next: {self.next.card.text} [{self.next_citation}]" if self.next else ""
        return f"{card.name} ({days}, {state}, {card.source_count} sources): {self._account}{coming}".rstrip()

    @property
    def _account(self) -> str:
        """What happened: each sentence with its citation where they are known one by one."""
        if self.card.parts and len(self.card.parts) == len(self.citations):
            parts = zip(self.card.parts, self.citations, strict=True)
            return " ".join(f"{part.text} [{number}]" for part, number in parts)
        return f"{self.card.description} {''.join(f'[{number}]' for number in self.citations)}"


@dataclass(frozen=True)
class Overview:
    """Themes, the most relevant first; `cited` lists the passages that the numbers in the texts stand for, from 1."""

    snapshot: str | None
    question: str | None
    themes: tuple[Theme, ...]
    cited: tuple[CitedSpan, ...]
    coming: tuple[tuple[Coming, int], ...] = ()  # with the number of its citation; only of an overview of everything
    habits: tuple[tuple[HabitCard, int], ...] = ()  # with the number of the newest time
    answer: tuple[tuple[MemoryCard, int], ...] = ()  # what answers a broad question, with the numbers of the citations
    form: str = ""  # of the question, if it is a broad one that something answers

    @property
    def text(self) -> str:
        """What answers a broad question, is coming up or comes back, a line each, then the themes, a paragraph each."""
        coming = "\n".join(f"- {one.day.isoformat()}: {one.card.text} [{number}]" for one, number in self.coming)
        habits = "\n".join(f"- {one.text} [{number}]" for one, number in self.habits)
        answer = "\n".join(
            f"- {card.said_at.date().isoformat()}: {card.text} [{number}]" for card, number in self.answer
        )
        titled = ((HEADINGS.get(self.form, ""), answer), ("Coming up", coming), ("Habits", habits))
        lists = [f"{title}:\n{lines}" for title, lines in titled if lines]
        return "\n\n".join([*lists, *(theme.text for theme in self.themes)])

    def to_json(self) -> dict[str, Any]:
        """Return plain JSON values; times in ISO 8601."""
        themes = [
            {
                **theme.card.to_json(),
                "score": round(theme.score, 6),
                "text": theme.text,
                "cites": list(theme.citations),
                "next": {**theme.next.to_json(), "citation": theme.next_citation} if theme.next else None,
            }
            for theme in self.themes
        ]
        coming = [{**one.to_json(), "citation": number} for one, number in self.coming]
        habits = [{**one.to_json(), "citation": number} for one, number in self.habits]
        cited = [
            {"citation": number, "source_id": source_id, "uri": uri, "span": list(span)}
            for number, (source_id, uri, span) in enumerate(self.cited, start=1)
        ]
        own = {"snapshot": self.snapshot, "question": self.question, "text": self.text}
        answer = [{**card.to_json(), "citation": number} for card, number in self.answer]
        own |= {"form": self.form or None, "answer": answer}
        return plain({**own, "coming": coming, "habits": habits, "themes": themes, "citations": cited})


def overview(
    knowledge: Knowledge,
    question: str | None,
    passages: Iterable[tuple[str, float]],
    *,
    today: date,
    limit: int = LIMIT,
    least: float = 0.0,
    answer: tuple[str, Sequence[MemoryCard]] = ("", ()),
) -> Overview:
    """Return the overview of a snapshot.

    Args:
        knowledge: with a snapshot.
        question: what it is to be about; None: everything, what goes on and was recalled most first.
        passages: source id and score of what was found for the question.
        today: from which on a day is coming up.
        limit: of the themes.
        least: score of a theme of a question; nothing else is listed if none has it.
        answer: the form of a broad question, and the memories that answer it.

    Raises:
        NoSnapshotError: if there is no snapshot yet.
    """
    cards = without_closed(knowledge, knowledge.storylines(), question)
    found = _by_source(passages)
    count = max(knowledge.table("known_sources").height, 1)
    scores = {card.id: _score(card, _sources(card, cards), question, found, count) for card in cards}
    relevant = [card for card in cards if scores[card.id] > 0 and scores[card.id] >= least] if question else cards
    order = sorted(relevant, key=lambda card: (-scores[card.id], not card.open, -card.salience, card.id))[:limit]
    if least and not order:
        return Overview(knowledge.day, question, (), ())
    looks_ahead = question is None or any(card.open for card in order)
    ahead = knowledge.memory_reader.coming_up(today, within=AHEAD) if looks_ahead else []
    following = {card.id: _next(card, _sources(card, cards), ahead) for card in order}
    soon = [] if question else [one for one in ahead if one.day <= today + SOON][:MOST_COMING]
    numbers: dict[CitedSpan, int] = {}
    numbered = tuple((one, _number(numbers, one)) for one in answer[1])
    listed = tuple((one, _number(numbers, one.card)) for one in soon)
    regular = _habits(knowledge.habits(open_only=question is None), question)
    habits = tuple((one, _number(numbers, one.occurrences[-1])) for one in regular)
    themes = tuple(
        Theme(
            card,
            scores[card.id],
            tuple(_number(numbers, one) for one in card.citations),
            coming := following[card.id],
            _number(numbers, coming.card) if coming else None,
        )
        for card in order
    )
    form = answer[0] if numbered else ""
    return Overview(knowledge.day, question, themes, tuple(numbers), listed, habits, numbered, form)


def _habits(cards: Sequence[HabitCard], question: str | None) -> list[HabitCard]:
    """Return the habits with a word of the question or of a kind that it asks for; the commonest without one."""
    often = sorted(cards, key=lambda card: (not card.open, -card.times, card.id))
    if question is None:
        return often[:MOST_HABITS]
    asked = set(content_words(question))
    kinds = kinds_asked(question)
    fitting = [
        card for card in often if card.kind in kinds or asked & set(content_words(" ".join((card.name, *card.steps))))
    ]
    return fitting[:MOST_HABITS]


def _number(numbers: dict[CitedSpan, int], one: Evidence) -> int:
    """Return the number of a passage, a new one for the first that cites it."""
    return numbers.setdefault((one.source_id, one.uri, one.span), len(numbers) + 1)


def _next(card: StorylineCard, sources: Collection[str], ahead: Iterable[Coming]) -> Coming | None:
    """Return the nearest day that one of the storyline's sources has for its subject, None if it is said already."""
    said = {(one.source_id, one.span) for one in card.citations}
    names = set(content_words(card.anchor))  # a name has months, and so have most sentences with a day
    own = (one for one in ahead if one.card.source_id in sources and names & set(content_words(one.card.quote)))
    coming = next(own, None) if card.open else None
    return None if coming is None or (coming.card.source_id, coming.card.span) in said else coming


def _by_source(passages: Iterable[tuple[str, float]]) -> dict[str, float]:
    """Return the best score of each source as a share of the sum over all of them."""
    best: dict[str, float] = {}
    for source_id, score in passages:
        best[source_id] = max(best.get(source_id, 0.0), score)
    total = sum(best.values())
    return {key: score / total for key, score in best.items()} if total > 0 else {}


def _sources(card: StorylineCard, cards: Sequence[StorylineCard]) -> set[str]:
    """Return the sources of a storyline, or of all parts of a macro."""
    parts = [card, *(one for one in cards if one.id in card.storyline_ids)]
    return {source.source_id for part in parts for source in part.sources}


def _score(
    card: StorylineCard, sources: Collection[str], question: str | None, found: Mapping[str, float], count: int
) -> float:
    """Return how far a storyline is about a question: by its own words, and by the sources of what was found.

    Args:
        card: of the storyline.
        sources: its sources, of `count` in all.
        question: asked.
        found: by source, its share of what was found.
    """
    asked = set(content_words(question or ""))
    own = set(content_words(f"{card.anchor} {card.name} {card.description}"))
    words = len(asked & own) / len(asked) if asked else 0.0
    more = sum(found.get(key, 0.0) for key in sources) - len(sources) / count
    return WORDS * words + FOUND * max(0.0, more)
