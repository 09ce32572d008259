"""How many entries a list has, for a question such as "how many books have I read" that no text answers by a number."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from urllib.parse import unquote

from brain_retrieval.knowledge.memories.cards import MemoryCard
from brain_retrieval.knowledge.memories.matching import similarity
from brain_retrieval.language.content_words import content_words
from brain_retrieval.query.analysis import Question
from brain_retrieval.query.ask.coverage import Wanted
from brain_retrieval.query.ask.word_forms import has_form
from brain_retrieval.query.hits import Hit

LEAST_ENTRIES = 3
LEAST_SHARE = 0.6  # of the question's words that a list and its title have
_ENTRY = re.compile(r"\s{0,8}(?:[-*•+]|\d{1,3}[.)])\s+(?:\[[ xX]\]\s+)?(?P<text>\S.*)")
_HEADING = re.compile(r"\s{0,3}#{1,6}\s+(?P<text>\S.*)")
_SUFFIX = re.compile(r"\.\w{1,8}$")
_YEAR = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)")


@dataclass(frozen=True)
class CountedList:
    """A list that a question asks the number of: its title, its entries, and the passage that it stands in."""

    title: str
    entries: tuple[str, ...]
    hit: Hit

    @property
    def number(self) -> int:
        return len(self.entries)

    def has(self, card: MemoryCard) -> bool:
        """Return whether a memory is one of the entries."""
        start, end = self.hit.source_ref.span
        return card.source_id == self.hit.source_ref.source_id and start < card.span[1] and card.span[0] < end


def counted_list(
    question: Question, shown: Iterable[Hit], found: Iterable[Hit], answers: Sequence[MemoryCard]
) -> CountedList | None:
    """Return the first list among some passages that has what is to be counted in its title, None if none has.

    A list that goes on in another passage is none, as its other entries may not have been found, and so is one of
    another year than that of the question. Where a memory states a number of what is to be counted, that is the answer.

    Args:
        question: asked.
        shown: passages, the best first.
        found: all passages of the search.
        answers: memories that answer the question, the best first.
    """
    wanted = Wanted(question.text, question.language)
    units = {unit for card in answers[:1] for unit, _ in card.values}
    if not wanted.counted or any(similarity(word, unit) for word in wanted.counted for unit in units):
        return None
    passages = Counter(hit.source_ref.source_id for hit in found)
    lists = (_list_of(hit, question.text, wanted) for hit in shown if passages[hit.source_ref.source_id] <= 1)
    return next((one for one in lists if one is not None), None)


def _list_of(hit: Hit, asked: str, wanted: Wanted) -> CountedList | None:
    lines = [line for line in hit.text.splitlines() if line.strip()]
    entries = tuple(match["text"].strip() for line in lines if (match := _ENTRY.match(line)))
    others = [line for line in lines if not _ENTRY.match(line)]
    if len(entries) < LEAST_ENTRIES or len(others) > 1:  # text beside the entries may count, or part them
        return None
    heading = _HEADING.match(others[0]) if others else None
    title = heading["text"] if heading else others[0] if others else hit.source_ref.title or ""
    name = _SUFFIX.sub("", unquote(hit.source_ref.uri.split("#", 1)[0], errors="replace").rpartition("/")[2])
    called = f"{title}\n{name}"
    years, own = set(_YEAR.findall(asked)), set(_YEAR.findall(called))
    if years and own and years.isdisjoint(own):
        return None
    words = content_words(called)
    if (
        not any(has_form(word, words) for word in wanted.counted)
        or wanted.share_in(f"{called}\n{hit.text}") < LEAST_SHARE
    ):
        return None
    return CountedList(title.strip().rstrip(":") or name, entries, hit)
