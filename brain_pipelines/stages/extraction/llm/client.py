"""What a chat model reads in texts: which requests are made, and what is done when an answer is short or wrong.

Texts go out in batches; what they hold is remembered for each part of a text by itself, so a text that is added to a
day does not make its neighbours be asked about again.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from pydantic import BaseModel

from brain_pipelines.stages.extraction.llm import prompt as prompt
from brain_pipelines.stages.extraction.llm.integrity import settle
from brain_pipelines.stages.extraction.llm.items import Item, batches, items_of, request_chars
from brain_pipelines.stages.extraction.llm.prompt import ExtractionAnswer, ItemReading
from brain_retrieval.errors import BudgetExceededError, ModelCallError, NoAnswerError
from brain_retrieval.models.chat.cached_chat import CachedChat
from brain_retrieval.models.chat.chat_cache import answer_key

# llm.max_output_tokens is made for short answers; what is read in a text is longer than the text.
OUTPUT_TOKENS = 16_000
# After so many failed calls in a row the endpoint is taken for down, and the rest of the span does not wait for it.
PATIENCE = 3


class Kept(BaseModel):
    """What is remembered of an item: its reading, and how many statements had no quote in any text."""

    reading: ItemReading
    dropped: int


@dataclass
class TextReading:
    """What was read in one text, part by part. With an `error` it was not read as a whole and is to be read locally."""

    parts: list[tuple[Item, ItemReading]] = field(default_factory=list)
    dropped: int = 0
    error: ModelCallError | None = None


def read_with(
    chat: CachedChat,
    documents: Sequence[dict[str, Any]],
    *,
    batch_size: int,
    max_input_chars: int,
    progress: Callable[[int], None] | None = None,
) -> list[TextReading]:
    """Return what `chat` reads in each row of DOCUMENT_TEXT, in order; never raises for a failing endpoint.

    Args:
        batch_size: items in one request at most; a long text is several items.
        max_input_chars: of a request.
        progress: called with the number of items just done.
    """
    items = items_of(documents, most=max_input_chars)
    session = _Session(chat, progress or (lambda _: None))
    keys = [item_key(chat.name, item) for item in items]
    session.recall(keys)
    pending = {key: item for key, item in zip(keys, items, strict=True) if key not in session.kept}
    most = request_chars(max_input_chars, chat.most_output)
    for batch in batches(list(pending.values()), size=batch_size, most=most):
        session.ask(batch)
    readings = [TextReading() for _ in documents]
    for key, item in zip(keys, items, strict=True):
        reading = readings[item.place]
        if key in session.kept:
            reading.parts.append((item, session.kept[key].reading))
            reading.dropped += session.kept[key].dropped
        else:
            reading.error = session.errors[key]
    return readings


def item_key(model: str, item: Item) -> str:
    """Return the key under which an item is remembered, whatever it is batched with."""
    return answer_key(model, prompt.NAME, prompt.SYSTEM, f"{item.header}\n{item.text}", Kept)


@dataclass
class _Session:
    """The requests of one span: what is known so far, and what keeps further requests from being made."""

    chat: CachedChat
    progress: Callable[[int], None]
    kept: dict[str, Kept] = field(default_factory=dict)
    errors: dict[str, ModelCallError] = field(default_factory=dict)
    failures: int = 0
    over: ModelCallError | None = None  # why nothing is asked any more

    def recall(self, keys: Sequence[str]) -> None:
        self.kept |= self.chat.recall(Kept, keys, name=prompt.NAME)
        self.progress(sum(key in self.kept for key in keys))

    def ask(self, batch: list[Item]) -> None:
        """Ask about a batch; about its texts one by one if it has no usable answer as a whole."""
        try:
            missing = self._request(batch)
        except NoAnswerError as error:
            if len(batch) > 1:
                for item in batch:
                    self.ask([item])
                return
            self._fail(batch, error)
        except ModelCallError as error:
            self._fail(batch, error)
        else:
            self._ask_again(missing)
        self.progress(len(batch))

    def _ask_again(self, missing: list[Item]) -> None:
        if not missing:
            return
        try:
            missing = self._request(missing)
        except ModelCallError as error:
            self._fail(missing, error)
            return
        left_out = NoAnswerError(f"{prompt.NAME} with {self.chat.name}: the text was left out of two answers")
        self.errors |= {item_key(self.chat.name, item): left_out for item in missing}

    def _request(self, batch: list[Item]) -> list[Item]:
        """Ask, keep what came, and return the items that were left out."""
        if self.over is not None:
            raise self.over
        user = prompt.user_prompt([(item.header, item.text) for item in batch])
        answer, usage = self.chat.ask(ExtractionAnswer, system=prompt.SYSTEM, user=user, name=prompt.NAME)
        self.failures = 0
        settled = settle(batch, answer)
        answered = {
            item_key(self.chat.name, batch[index]): Kept(reading=reading, dropped=settled.dropped[index])
            for index, reading in settled.readings.items()
        }
        self.chat.keep(answered, name=prompt.NAME, usage=usage)
        self.kept |= answered
        return [item for index, item in enumerate(batch) if index not in settled.readings]

    def _fail(self, batch: list[Item], error: ModelCallError) -> None:
        self.errors |= {item_key(self.chat.name, item): error for item in batch}
        if self.over is not None:
            return
        self.failures += 1
        if isinstance(error, BudgetExceededError):
            self.over = error
        elif self.failures >= PATIENCE:
            self.over = ModelCallError(f"not asked after {PATIENCE} failed calls in a row")
