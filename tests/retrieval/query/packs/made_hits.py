"""Hits and memories made by hand for the tests of packs, and a tokenizer whose tokens are words."""

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from brain_retrieval.knowledge.memories.cards import MemoryCard
from brain_retrieval.query.hits import Hit, Neighbour, SearchResult, SourceRef, TemporalContext, WhyRanked
from brain_retrieval.query.packs.build import build_context
from brain_retrieval.query.packs.pack import ContextPack

NOW = datetime(2026, 1, 5, 23, tzinfo=UTC)
MAY = datetime(2026, 5, 4, tzinfo=UTC)
NONCE = "bafudo"
WORDS = "river stone lantern orbit velvet copper thunder meadow cipher harvest willow ember".split()


class Words:
    """Counts words, so that parts add up to the whole."""

    def count(self, text: str) -> int:
        return len(text.split())


class Characters:
    """Counts characters, of which the whole has more than the parts: the line breaks between them."""

    def count(self, text: str) -> int:
        return len(text)


def hit(text: str, rank: int = 1, *, source_id: str = "", start: int = 0, **of_ref: Any) -> Hit:
    number = of_ref.pop("number", rank)
    span = (start, start + len(text))
    ref = SourceRef(source_id or f"s{number}", "note", f"inbox:note/{number}.md", span, f"c{number}", **of_ref)
    why = WhyRanked({}, "weighted", 0.5, 0.5, 0.5, {}, 0.5)
    return Hit(rank, 1 / rank, text, ref, why, TemporalContext(NOW, NOW, "2026-01-05"))


def turn(text: str, offset: int, number: int) -> Neighbour:
    return Neighbour(offset, text, hit(text, number).source_ref)


def memory(text: str, **changes: Any) -> MemoryCard:
    card = MemoryCard(
        text, text, "fact", "current", MAY, False, None, MAY, MAY, None, "affirmed", "asserted", 0.5, "local", (), (),
        None, (), "s1", "inbox:note/1.md", (0, len(text)), text,
    )  # fmt: skip
    return replace(card, **changes)


def pack(hits: list[Hit], max_tokens: int, counter: Words | Characters | None = None, **options: Any) -> ContextPack:
    options.setdefault("nonce", NONCE)
    return build_context(SearchResult(hits), max_tokens=max_tokens, counter=counter or Words(), **options)


def texts(count: int, words: int) -> list[str]:
    return [" ".join(WORDS[(i * 5 + j * (i + 1)) % len(WORDS)] + str(i) for j in range(words)) for i in range(count)]
