"""Extraction requests to a chat model: batching, caching, and retries for incomplete or invalid answers.

Texts are sent in batches but answers are cached for each part of a text, so adding a text to a day does not repeat the
requests of the other texts.
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

# `llm.max_output_tokens` is meant for short answers; an extraction is longer than its text.
OUTPUT_TOKENS = 16_000
# After this many failed calls in a row the endpoint counts as down and is not called again for this span.
PATIENCE = 3


class Kept(BaseModel):
    """Cache entry of an item: its reading, and the number of statements dropped for lack of a quote in the text."""

    reading: ItemReading
    dropped: int


@dataclass
class TextReading:
    """The model's readings of one text, part by part. With an `error` it is incomplete; extract the text locally."""

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
    """Return the reading of each row of DOCUMENT_TEXT by `chat`, in order; a failing endpoint does not raise.

    Args:
        batch_size: maximum number of items in a request; a long text is several items.
        max_input_chars: maximum length of a request in characters.
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
    """Return the cache key of an item, which does not depend on the rest of its batch."""
    return answer_key(model, prompt.NAME, prompt.SYSTEM, f"{item.header}\n{item.text}", Kept)


@dataclass
class _Session:
    """State of the requests of one span: readings and errors so far, and the reason to stop sending requests."""

    chat: CachedChat
    progress: Callable[[int], None]
    kept: dict[str, Kept] = field(default_factory=dict)
    errors: dict[str, ModelCallError] = field(default_factory=dict)
    failures: int = 0
    over: ModelCallError | None = None  # reason why no further request is sent

    def recall(self, keys: Sequence[str]) -> None:
        self.kept |= self.chat.recall(Kept, keys, name=prompt.NAME)
        self.progress(sum(key in self.kept for key in keys))

    def ask(self, batch: list[Item]) -> None:
        """Send a batch; if there is no usable answer, send its items one by one."""
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
        """Send a batch, cache the answered items, and return the items missing in the answer."""
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
