"""Choosing what answers a question: the memories about it, the passages worth reading, the storyline it is part of."""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime

from brain_retrieval.errors import BrainError
from brain_retrieval.knowledge.memories.asked.answer import NAME
from brain_retrieval.knowledge.memories.cards import MemoryCard
from brain_retrieval.knowledge.memories.facets import Facet, Row
from brain_retrieval.knowledge.memories.reader import MemoryReader
from brain_retrieval.knowledge.memories.seen import OUTDATED
from brain_retrieval.knowledge.memories.shown.fitness import OWNER, PROGRAMS, is_of_another
from brain_retrieval.knowledge.memories.supersession import WEB
from brain_retrieval.knowledge.reader import Knowledge
from brain_retrieval.language.content_words import content_words
from brain_retrieval.language.folding import fold
from brain_retrieval.language.self_description import asks_of_oneself, asks_of_us, describes_speaker, words_of_liking
from brain_retrieval.query.analysis import Question
from brain_retrieval.query.ask.asked import has_gone
from brain_retrieval.query.ask.coverage import Wanted
from brain_retrieval.query.ask.filling import KINDS
from brain_retrieval.query.ask.heirs import heirs_of
from brain_retrieval.query.ask.judged import Judge, asserted
from brain_retrieval.query.ask.particulars import Particular, particular_asked
from brain_retrieval.query.ask.rating import AS_GOOD, ROUNDING, Rating
from brain_retrieval.query.ask.small_words import small_words
from brain_retrieval.query.hits import Hit
from brain_retrieval.query.overview import Theme, overview
from brain_retrieval.query.packs.excerpts import excerpt, word_weights

MOST_NAMED = 3  # names of the question by which memories are read
MOST_READ = 50  # memories for each of them
MOST_MEMORIES = 6
MUCH_WORSE = 0.4  # less than the best answer that another one is left out for
FAR_WORSE = 0.6  # the same for what is asserted, where the best answer is only possible
MOST_PASSAGES = 3  # whose memories are looked at, whatever words they have
LEAST_SCORE, LEAST_SHARE = 0.05, 0.25  # of a passage: its probability, and its share of the best one's
UNLIKELY, UNLIKELY_NAMED = 0.25, 0.1  # below which a passage has a word of what is asked; the latter with a name of it
LEAST_STORY = 0.5  # score of a storyline
EXCERPT_WORDS = 45
_LABEL = re.compile(r"\s{0,8}(?:#{1,6}\s|[Tt]ags:)")  # lines that say nothing beside a title


def memories_about(
    reader: MemoryReader, question: Question, hits: Sequence[Hit], *, at: datetime | None
) -> tuple[MemoryCard, ...]:
    """Return the memories that answer a question: what holds first, the best answers before others, then what ended."""
    own = reader.owner_words(question.text)
    wanted = Wanted(question.text, question.language, own)
    if not wanted.weights:
        return ()
    likes = wanted.weights.keys() & content_words(" ".join(words_of_liking(question.language)))
    only_likes = likes == wanted.weights.keys()  # "what do I like": whatever the word is
    known = _known(reader, question, hits, at, only_likes=only_likes)
    rows = reader.rows_by_id(known)
    known, formed = _stating(particular_asked(question), known, rows)
    of_oneself = bool(own) or asks_of_oneself(question.text, question.language)
    if of_oneself:
        with_others = asks_of_us(question.text, question.language)
        known = _without_others(known, rows, () if with_others else reader.owner)
        if only_likes:
            known = {key: card for key, card in known.items() if describes_speaker(_said(card))}
    facets = {key: Facet(rows[key]) for key in known}
    names = frozenset[str]().union(*(facet.names | facet.voice for facet in facets.values()))
    named = frozenset(word for name in question.names for word in content_words(name.text, question.language))
    names = named | (names - small_words(question.text, question.language))
    wanted = replace(wanted, names=names & wanted.weights.keys())
    asks_who = question.wants == "person" and wanted.weights.keys() <= wanted.names
    if asks_who:  # much holds of a person at once: nothing of it takes the place of something else
        said = reader.about(question.text, at=at, limit=MOST_READ, is_question=False)
        known |= {card.memory_id: card for card in said if card.memory_id in known}
    time = question.time
    days = (time.start, time.end) if time and time.restricts and time.start and time.end else None
    near = reader.nearness(question.text, known)
    kind = NAME if wanted.naming else KINDS.get(question.wants)
    judge = Judge(wanted, likes, kind, hits, near, of_oneself=of_oneself, days=days, asks_who=asks_who, formed=formed)
    rated = judge.rated(known, facets)
    if not rated:
        return ()
    first = max(rated, key=lambda key: (not rated[key].behind, rated[key].whole, key))
    for heir, rating in heirs_of(known[first], reader, at, judge, rated, rated[first]):
        known.setdefault(heir.memory_id, heir)
        rated[heir.memory_id] = rating
    dated = question.wants == "time"
    changed = {key for key in rated if key in facets and _is_later_change(known[key], facets[key], known[first])}
    rated = _good_enough(rated, known, first, changed, dated=dated)
    best = sorted(
        rated, key=lambda key: (has_gone(known[key], dated), not asserted(known[key]), -rated[key].whole, key)
    )
    return in_order(_without_repeats(known[key] for key in best)[:MOST_MEMORIES], rated, dated=dated)


def _stating(
    particular: Particular | None, known: dict[str, MemoryCard], rows: Mapping[str, Row]
) -> tuple[dict[str, MemoryCard], frozenset[str]]:
    """Return the memories that may state a particular, all if none is asked for; and those that surely do, by id."""
    if particular is None:
        return known, frozenset()
    texts = {key: " ".join((row["text"], *row["anchors"])) for key, row in rows.items()}
    known = {key: card for key, card in known.items() if particular.may_be_in(texts[key])}
    if signed := {key: card for key, card in known.items() if particular.has_sign(texts[key])}:
        known = signed  # "the flight is 486" is a sum as well, but "we pay Ann 2,400" says that she earns it
    formed = (key for key, card in known.items() if particular.is_unmistakable and particular.has_form(card.text))
    return known, frozenset(formed)


def _good_enough(
    rated: Mapping[str, Rating], known: Mapping[str, MemoryCard], first: str, changed: Collection[str], *, dated: bool
) -> dict[str, Rating]:
    """Return the answers without those that are much worse than the `first`, the best one.

    Those `changed` later by a strong cue may be worse, as long as they have about as much of the question.
    """
    best, best_has_gone = rated[first], has_gone(known[first], dated)

    def is_good(key: str, one: Rating) -> bool:
        # What holds but has far less of the question is no answer beside the one that has ended.
        apart = best_has_gone and not has_gone(known[key], dated) and key not in known[first].ended_by
        if apart and one.covered < best.covered - MUCH_WORSE:
            return False
        if one.whole >= best.whole - MUCH_WORSE:
            return True
        # "We take a heat pump instead" has less of the question than what it changes.
        if key in changed and one.covered >= best.covered - AS_GOOD - ROUNDING:
            return True
        # What is only possible has more words of the question than what is asserted beside it.
        if not asserted(known[first]) and asserted(known[key]) and one.whole >= best.whole - FAR_WORSE:
            return True
        # What has ended is history of the best answer, however low its passage comes.
        # And what holds instead of it may be said in a passage that is found less easily.
        gone = has_gone(known[key], dated) or has_gone(known[first], dated)
        return gone and one.covered >= best.covered - AS_GOOD

    return {key: one for key, one in rated.items() if is_good(key, one)}


def _is_later_change(card: MemoryCard, facet: Facet, first: MemoryCard) -> bool:
    return facet.cue == "strong" and asserted(card) and card.polarity == "affirmed" and card.said_at > first.said_at


def _known(
    reader: MemoryReader, question: Question, hits: Sequence[Hit], at: datetime | None, *, only_likes: bool
) -> dict[str, MemoryCard]:
    """Return the memories with a word of the question or of a name in it, and those near it or in the best passages."""
    names = (question.text, *(name.canonical for name in question.entities[:MOST_NAMED]))
    names += words_of_liking(question.language) if only_likes else ()
    cards = [card for name in dict.fromkeys(names) for card in reader.about(name, at=at, limit=MOST_READ)]
    passages = [(hit.source_ref.source_id, hit.source_ref.span) for hit in worth_reading(hits, MOST_PASSAGES)]
    cards += reader.stated_in(passages, at=at)
    cards += reader.cards_of(reader.most_alike(question.text), at=at)
    known: dict[str, MemoryCard] = {}
    for card in cards:  # the words of the question come first: they show best what has ended
        if card.modality != "question" and not _LABEL.match(card.text):
            known.setdefault(card.memory_id, card)
    return known


def _without_others(
    known: Mapping[str, MemoryCard], rows: Mapping[str, Row], owner: Collection[str]
) -> dict[str, MemoryCard]:
    """Return the memories without what programs or pages say, and without what others are or say of themselves.

    Args:
        known: by id.
        rows: of MEMORIES, by id; what was read on a page of the world is of no one's own.
        owner: names of the owner; what is said under none of them is of another person if the owner speaks, too;
            none if others are asked for, too.
    """
    own = {fold(name) for name in (*owner, OWNER)}
    speaks = bool(owner) and any(card.speaker and _called(card.speaker, own) for card in known.values())
    return {
        key: card
        for key, card in known.items()
        if (card.speaker or "").casefold() not in PROGRAMS
        and rows[key]["source"] not in WEB
        and not is_of_another(rows[key])
        and not (speaks and card.speaker and not _called(card.speaker, own) and Facet(rows[key]).is_about_oneself)
    }


def _called(speaker: str, names: Collection[str]) -> bool:
    called = fold(speaker)
    return called in names or called.split(" ")[0] in names


def _said(card: MemoryCard) -> str:
    return card.text.removeprefix(f"{card.speaker}: ").strip()


def in_order(
    cards: Iterable[MemoryCard], rated: Mapping[str, Rating] | None = None, *, dated: bool = False
) -> tuple[MemoryCard, ...]:
    """Return memories that hold, then those that have ended; of both what is asserted first, then the best answers.

    Of answers that are about as good the newest comes first, by when it was said if it holds only from later. What is
    only possible or asked for says less than what was asserted and has perhaps ended: the newest of these comes first
    if nothing that holds is asserted.

    Args:
        cards: memories that answer a question.
        rated: how well, by id; None if all do so equally.
        dated: whether a day is asked for, which may be one that has passed.
    """
    chosen, none = tuple(cards), Rating(0.0, 0.0)
    rates = {card.memory_id: (rated or {}).get(card.memory_id, none) for card in chosen}
    good = max((one.covered for one in rates.values()), default=0.0) - AS_GOOD

    def place(card: MemoryCard) -> tuple[object, ...]:
        rate = rates[card.memory_id]
        day = min(card.effective_from, card.said_at).date().toordinal()
        said = card.said_at.timestamp()
        order = (rate.behind, not rate.full, rate.covered < good, -day, -rate.whole, -said, card.memory_id)
        return has_gone(card, dated), not asserted(card), *order

    ordered = sorted(chosen, key=place)
    # A page of the world does not replace what is one's own.
    if not any(asserted(card) and not has_gone(card, dated) and not rates[card.memory_id].behind for card in ordered):
        perhaps = next((card for card in ordered if card.status == OUTDATED and asserted(card)), None)
        ordered.sort(key=lambda card: card is not perhaps)
    return tuple(ordered)


def _without_repeats(cards: Iterable[MemoryCard]) -> list[MemoryCard]:
    """Return the first of the memories that say the same in the same words."""
    first: dict[object, MemoryCard] = {}
    for card in cards:
        first.setdefault((frozenset(content_words(card.text)), card.values), card)
    return list(first.values())


def worth_reading(hits: Sequence[Hit], most: int) -> tuple[Hit, ...]:
    """Return the passages that are worth reading, at most `most`; none if even the best one is probably no answer."""
    best = max((hit.score for hit in hits), default=0.0)
    floor = max(LEAST_SCORE, LEAST_SHARE * best)
    return tuple(hit for hit in hits if hit.score >= floor)[:most]


def about_what_is_asked(question: Question, hits: Sequence[Hit]) -> tuple[Hit, ...]:
    """Return passages without the unlikely ones that have no word of what is asked, only names or not even these.

    "The dog is back" is no answer to what the piano lesson costs, however little else the search has found.
    """
    names = frozenset(word for name in question.names for word in content_words(name.text, question.language))
    wanted = Wanted(question.text, question.language, names=names)
    if not wanted.tells_topic:
        return tuple(hits)
    has = [wanted.has_of(f"{hit.source_ref.title or ''}\n{hit.text}") for hit in hits]
    # If none of all has a word of what is asked, a name alone says less.
    of_name = UNLIKELY_NAMED if any(of_topic for of_topic, _ in has) else UNLIKELY
    least = [0.0 if of_topic else of_name if named else UNLIKELY for of_topic, named in has]
    return tuple(hit for hit, bound in zip(hits, least, strict=True) if hit.score >= bound)


def excerpts_of(question: str, hits: Sequence[Hit], language: str | None = None) -> tuple[str, ...]:
    """Return the sentences of each passage that are about a question in a language, a short passage as a whole."""
    weights = word_weights(question, (hit.text for hit in hits), language)
    return tuple(_excerpt(hit.text, weights) for hit in hits)


def _excerpt(text: str, weights: dict[str, float]) -> str:
    every = [line.rstrip() for line in text.splitlines() if line.strip()]
    lines = [line for line in every if not _LABEL.match(line)] or every
    if sum(len(line.split()) for line in lines) <= EXCERPT_WORDS:
        return "\n".join(lines)
    cut = excerpt(lines, weights, EXCERPT_WORDS, lambda part: len(part.split()), required=False)
    return "\n".join(cut.lines) if cut is not None else " ".join(text.split()[:EXCERPT_WORDS]) + " …"


def storyline_of(knowledge: Knowledge, question: str, hits: Sequence[Hit]) -> Theme | None:
    """Return the storyline that a question is most about; None if there is none, or no snapshot that could be read."""
    if knowledge.day is None:
        return None
    passages = ((hit.source_ref.source_id, hit.score) for hit in hits)
    today = datetime.now(knowledge.settings.zone).date()
    try:
        found = overview(knowledge, question, passages, today=today, limit=1, least=LEAST_STORY)
    except BrainError:
        return None
    return next(iter(found.themes), None)
