"""Which of the passages found fit a question: what states the thing asked for, and what is one's own, comes first."""

import re
from collections.abc import Sequence
from datetime import datetime

from brain_retrieval.knowledge.memories.asked.answer import AMOUNT
from brain_retrieval.knowledge.memories.compared.world_pages import is_page
from brain_retrieval.language.content_words import content_words
from brain_retrieval.query.analysis import Question
from brain_retrieval.query.ask.coverage import Wanted
from brain_retrieval.query.ask.filling import KINDS, Filling
from brain_retrieval.query.hits import Hit

_LINES = re.compile(r"\n|(?<=[.!?])\s")
ABOUT_AS_LIKELY = 0.5  # share of the probability of the likeliest passage
STATED = 2.0  # times as likely an answer is a passage with a line that has the moment, amount or place asked for
# Probability, and share of a question's words, of a passage that is shown where nothing likelier is found.
LEAST_FITTING, ALL_WORDS = 0.01, 0.8


def with_price(question: Question, hits: Sequence[Hit]) -> tuple[Hit, ...]:
    """Return the passages that may say what something costs, if that is asked for, else all.

    One without any amount does not, nor one that has less of the thing in question than a passage without an amount:
    what the sofa did is no answer to what it cost, and the price of a lamp is none, either, where any has the sofa.
    """
    wanted = Wanted(question.text, question.language)
    things = frozenset(wanted.weights) - wanted.prices
    if question.wants != "number" or not wanted.prices or not things:
        return tuple(hits)
    filling = Filling(wanted, AMOUNT)
    texts = [_text(hit) for hit in hits]
    had = [sum(wanted.weights[word] for word in things.intersection(content_words(text))) for text in texts]
    priced = [filling.states_amount(text) for text in texts]
    silent = max((share for share, has in zip(had, priced, strict=True) if not has), default=0.0)
    least = max(silent, min((share for share in had if share), default=0.0))
    return tuple(hit for hit, share, has in zip(hits, had, priced, strict=True) if has and share >= least)


def in_order_of_fit(question: Question, hits: Sequence[Hit]) -> tuple[Hit, ...]:
    """Return passages, the likeliest first, where one that states what is asked for counts as twice as likely.

    What was read on a page of the world comes behind what is the owner's own, if that has as much of the question.
    """
    filling = Filling(Wanted(question.text, question.language), KINDS.get(question.wants))
    stated = [any(filling.is_stated_in(line) for line in _LINES.split(hit.text)) for hit in hits]
    if any(stated):
        likely = {id(hit): hit.score * (STATED if one else 1.0) for hit, one in zip(hits, stated, strict=True)}
        order = sorted(range(len(hits)), key=lambda place: -likely[id(hits[place])])
        hits, stated = [hits[place] for place in order], [stated[place] for place in order]
    hits, stated = _newest_first(question, filling, hits, stated)
    if all(_is_read(hit) for hit in hits) or not any(_is_read(hit) for hit in hits):
        return tuple(hits)
    fits = [(filling.wanted.share_in(_text(hit)), one) for hit, one in zip(hits, stated, strict=True)]
    own = [fit for hit, fit in zip(hits, fits, strict=True) if not _is_read(hit)]
    behind = {
        id(hit)
        for hit, (share, one) in zip(hits, fits, strict=True)
        if _is_read(hit) and any(other >= share and also >= one for other, also in own)
    }
    return tuple(sorted(hits, key=lambda hit: id(hit) in behind))


def _newest_first(
    question: Question, filling: Filling, hits: Sequence[Hit], stated: list[bool]
) -> tuple[Sequence[Hit], list[bool]]:
    """Return passages with the newest of those first that have as much of the question and are about as likely."""
    if question.asks_then or (question.time is not None and question.time.restricts) or not hits:
        return hits, stated
    shares = [filling.wanted.share_in(_text(hit)) for hit in hits]
    good = [
        place
        for place, hit in enumerate(hits)
        if shares[place] >= shares[0] and stated[place] >= stated[0] and hit.score >= ABOUT_AS_LIKELY * hits[0].score
    ]
    first = max(good, key=lambda place: (_time(hits[place]), -place))
    order = [first, *(place for place in range(len(hits)) if place != first)]
    return [hits[place] for place in order], [stated[place] for place in order]


def _time(hit: Hit) -> datetime:
    return hit.source_ref.time or hit.temporal_context.event_at


def with_all_words(question: Question, hits: Sequence[Hit]) -> tuple[Hit, ...]:
    """Return the best passage that has nearly all words of a question, for one that has no likely answer.

    The probability of a short note that lists the books lent out is low where it is asked how many these are.
    """
    wanted = Wanted(question.text, question.language)
    fit = (hit for hit in hits if hit.score >= LEAST_FITTING and wanted.share_in(_text(hit)) >= ALL_WORDS)
    return tuple(hit for hit in (next(fit, None),) if hit is not None and wanted.weights)


def _is_read(hit: Hit) -> bool:
    return is_page(hit.source_ref.source, hit.source_ref.uri)


def _text(hit: Hit) -> str:
    return f"{hit.source_ref.title or ''}\n{hit.text}"
