"""Items of extraction requests: texts, cut between paragraphs if long, and packed into batches."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from brain_pipelines.stages.extraction.llm import prompt as prompt
from brain_pipelines.stages.extraction.llm.quotes import Quotable
from brain_pipelines.stages.extraction.local.names.speakers import turns_of

# Recall of models falls with the length of a text.
PART_CHARS = 5500
# Characters for the tags, the index and the header of an item.
WRAPPING = 200
# Limits a batch so that its answer is not cut off: in conversations, the densest texts measured, an answer takes one
# token for each character of input.
CHARS_PER_OUTPUT_TOKEN = 0.75


@dataclass(frozen=True)
class Item:
    """Characters from `start` of the text of the document at `place` in the span."""

    place: int
    start: int
    text: str
    header: str

    @cached_property
    def quotable(self) -> Quotable:
        return Quotable(self.text)


def items_of(documents: Sequence[dict[str, Any]], *, most: int) -> list[Item]:
    """Return the items of rows of DOCUMENT_TEXT, none longer than `most` characters; blank parts are left out."""
    items: list[Item] = []
    for place, document in enumerate(documents):
        text = document["text"]
        turns = turns_of(document)
        for start, end in parts_of(text, min(most, PART_CHARS)):
            if text[start:end].strip():
                speaker = next(
                    (t.first_person for t in turns if t.start <= start < t.end or start <= t.start < end), None
                )
                head = prompt.header(source=document["source"], day=str(document["day"]), speaker=speaker)
                items.append(Item(place, start, text[start:end], head))
    return items


def batches(items: Sequence[Item], *, size: int, most: int) -> Iterator[list[Item]]:
    """Yield consecutive items, at most `size` and about `most` characters at a time."""
    batch: list[Item] = []
    chars = 0
    for item in items:
        cost = len(item.text) + WRAPPING
        if batch and (len(batch) == size or chars + cost > most):
            yield batch
            batch, chars = [], 0
        batch.append(item)
        chars += cost
    if batch:
        yield batch


def request_chars(max_input_chars: int, max_output_tokens: int) -> int:
    """Return how many characters of items one request may hold, so that its answer is not cut off."""
    return max(WRAPPING * 2, min(max_input_chars, int(max_output_tokens * CHARS_PER_OUTPUT_TOKEN)))


def parts_of(text: str, most: int) -> Iterator[tuple[int, int]]:
    """Yield the spans of a text in order, each at most `most` long, cut at the best place of their second half."""
    start = 0
    while len(text) - start > most:
        end = start + most
        for mark in ("\n\n", "\n", ". ", " "):
            cut = text.rfind(mark, start + most // 2, end - len(mark) + 1)
            if cut >= 0:
                end = cut + len(mark)
                break
        yield start, end
        start = end
    if start < len(text):
        yield start, len(text)
