"""The sections of an entity's card: who it is, what holds now, what changed lately, open plans, and what ended."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from brain_retrieval.knowledge.memories.cards import MemoryCard
from brain_retrieval.knowledge.memories.relation import tells_relation
from brain_retrieval.knowledge.memories.seen import CURRENT, ENDED, OUTDATED
from brain_retrieval.knowledge.memories.shown.display import MIN_KEEP, says_the_same
from brain_retrieval.knowledge.memories.shown.fitness import OWNER, is_whole
from brain_retrieval.knowledge.memories.shown.matters import tells_matter
from brain_retrieval.knowledge.memories.shown.usefulness import is_everyday
from brain_retrieval.language.content_words import content_words
from brain_retrieval.language.folding import fold
from brain_retrieval.language.self_description import describes_speaker

MOST_CURRENT, MOST_CHANGES, MOST_PLANS = 7, 3, 3  # about ten lines in all
OF_ONESELF = 0.5  # for what someone says of himself or herself
OF_LIFE = 0.5  # for what a life turns on: a marriage, an illness, a new job
LATELY = timedelta(days=90)
OPEN = timedelta(days=90)  # how long a plan without a day is taken for one
WHO = ("works_at", "leads", "plays_for", "studies", "role")  # attributes that say who a person is


@dataclass(frozen=True)
class Sections:
    """Memories of one entity by section; a memory is in one section at most."""

    who: MemoryCard | None = None
    relation: MemoryCard | None = None  # to the owner
    current: tuple[MemoryCard, ...] = ()
    changes: tuple[MemoryCard, ...] = ()  # what began lately and ended something, newest first
    plans: tuple[MemoryCard, ...] = ()
    ended: tuple[MemoryCard, ...] = ()
    more: int = 0  # further memories that are not shown


def sections_of(cards: Sequence[MemoryCard], *, at: datetime, names: Sequence[str] = ()) -> Sections:
    """Return the sections for the memories of one entity, given best first.

    Args:
        cards: about the entity, with their status at `at`.
        at: the time asked about.
        names: of the entity; who it is to the owner is a sentence with one of them. The owner is no one to the owner.
    """
    likely = sorted(cards, key=lambda card: (-_worth(card), card.memory_id))
    # What has surely ended a memory that is worth showing is what holds in its place, however it is put.
    gone = (card for card in cards if card.keep >= MIN_KEEP and card.status == ENDED)
    replacing = {ended_by for card in gone for ended_by in card.ended_by}
    whole = [card for card in likely if not _breaks_off(card)]
    shown = distinct(c for c in whole if c.keep >= MIN_KEEP or c.method != "local" or c.memory_id in replacing)
    asserted = [card for card in shown if card.modality == "asserted"]
    # "Perhaps outdated" is a guess that is wrong as often as right, so it is shown, and marked.
    current = [card for card in asserted if card.status in (CURRENT, OUTDATED) and card.effective_from <= at]
    ending = {ended_by: card for card in cards for ended_by in card.ended_by}
    relation = _relation([card for card in cards if card.modality == "asserted" and card.status != ENDED], names)
    who = next((card for card in current if card is not relation and _says_who(card, names)), None)
    taken = {card.memory_id for card in (relation, who) if card}
    changes = sorted(
        (c for c in current if c.memory_id in ending and at - c.effective_from <= LATELY and c.memory_id not in taken),
        key=lambda card: (-card.effective_from.timestamp(), card.memory_id),
    )[:MOST_CHANGES]
    taken |= {card.memory_id for card in changes}
    plans = [c for c in shown if is_open_plan(c, at) and c.memory_id not in taken][:MOST_PLANS]
    taken |= {card.memory_id for card in plans}
    rest = [card for card in current if card.memory_id not in taken and card.kind != "plan"]
    rest = ([card for card in rest if not _of_the_day(card)] or ([] if taken else rest))[:MOST_CURRENT]
    rest = [replace(card, status=CURRENT) if _stays_so(card) else card for card in rest]
    rest.sort(key=lambda card: card.status == OUTDATED)
    ended = [card for card in shown if card.status == "ended"]
    listed = len(taken) + len(rest)
    return Sections(who, relation, tuple(rest), tuple(changes), tuple(plans), tuple(ended), max(0, len(cards) - listed))


def _breaks_off(card: MemoryCard) -> bool:
    """Return whether a line of talk is no whole sentence: "I said the lease was up, and …", which a card leaves out."""
    spoken = card.method == "local" and card.speaker not in (None, OWNER)
    return spoken and not is_whole(card.text.removeprefix(f"{card.speaker}: ").strip())


def _relation(cards: Sequence[MemoryCard], names: Sequence[str]) -> MemoryCard | None:
    """Return the newest sentence that says who the entity is to the owner ("my boss Greg"), the owner's own first."""
    if OWNER in names:
        return None
    telling = [card for card in cards if tells_relation(card.text, names)]
    return max(telling, key=lambda c: (c.speaker == OWNER, c.status == CURRENT, c.said_at, c.memory_id), default=None)


def _says_who(card: MemoryCard, names: Sequence[str]) -> bool:
    """Return whether a memory states what this entity does; one about someone else says nothing of it."""
    if card.attribute not in WHO:
        return False
    subject = fold(card.subject or "")
    own = {fold(name) for name in names}
    return not names or subject in own or any(set(subject.split()) & set(name.split()) for name in own)


def distinct(cards: Iterable[MemoryCard]) -> list[MemoryCard]:
    """Return the cards without those that say what an earlier one says, nearly in the same words."""
    kept = list[MemoryCard]()
    said = list[tuple[frozenset[str], MemoryCard]]()
    for card in cards:
        words = frozenset(content_words(card.text))
        same = (
            one
            for before, one in said
            if one.values == card.values
            and one.attribute_value == card.attribute_value
            and one.status == card.status
            and one.polarity == card.polarity
            and says_the_same(before, words)
        )
        if next(same, None) is None:
            kept.append(card)
            said.append((words, card))
    return kept


def _worth(card: MemoryCard) -> float:
    return card.score + card.keep + OF_ONESELF * _tells(card) + OF_LIFE * tells_matter(card.text)


def _stays_so(card: MemoryCard) -> bool:
    """Return whether a memory tells what happened, which no later sentence makes untrue: "I met Graham at the weir".

    A turn of a life is another matter: who has moved again lives elsewhere.
    """
    happened = card.status == OUTDATED and card.kind == "event" and not card.attribute
    return happened and not tells_matter(card.text, once=True)


def _of_the_day(card: MemoryCard) -> bool:
    """Return whether a memory only tells of a meal, sleep or the weather of a day: shown if there is nothing else."""
    stated = card.method == "local" and card.kind in ("event", "fact") and card.polarity != "negated"
    if not stated or card.values or card.attribute or _tells(card) or tells_matter(card.text):
        return False
    return is_everyday(card.text)


def _tells(card: MemoryCard) -> bool:
    """Return whether its speaker says what stays true of himself or herself."""
    return describes_speaker(_said(card), to_program=card.speaker == OWNER)


def _said(card: MemoryCard) -> str:
    return card.text.removeprefix(f"{card.speaker}: ").strip()


def is_open_plan(card: MemoryCard, at: datetime) -> bool:
    """Return whether a memory is a plan that is not ended or over, or something that holds from a later day."""
    if card.status == "ended" or card.modality in ("question", "reported"):
        return False
    if card.modality == "asserted" and card.effective_from > at:
        return True
    return card.kind == "plan" and not _is_over(card, at)


def _is_over(card: MemoryCard, at: datetime) -> bool:
    """Return whether the last day that a plan states has been, or it states none and was made long ago."""
    days = [value for dimension, value in card.values if dimension == "date"]
    return max(days) < at.date().isoformat() if days else at - card.said_at > OPEN
