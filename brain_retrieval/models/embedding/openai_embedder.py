"""`OpenAIEmbedder`: embeddings from any endpoint with OpenAI's `/v1/embeddings` API. Retries are in `openai_calls`."""

import copy
import time
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from typing import Any, Self

import numpy as np

from brain_retrieval.errors import DimensionMismatchError, InvalidSettingsError, ModelCallError
from brain_retrieval.models.chat.metering import Meter
from brain_retrieval.models.chat.openai_calls import call, open_client, resolve_key
from brain_retrieval.models.chat.pace import Pace
from brain_retrieval.models.chat.protocol import Usage, estimate_tokens
from brain_retrieval.models.embedding.protocol import Progress
from brain_retrieval.settings import EmbeddingSettings

# Vector widths of known models; for others the settings give it.
KNOWN_WIDTHS = {"text-embedding-3-small": 1536, "text-embedding-3-large": 3072, "text-embedding-ada-002": 1536}
MAX_TOKENS = 8191
BATCH_SIZE = 256
# OpenAI accepts 300,000 tokens per request; the count is an estimate, so stay well below.
BATCH_TOKENS = 200_000
CHARS_PER_TOKEN = 3  # cautious: English has 4 to 5
TASK = "embedding"


class OpenAIEmbedder:
    """Unit-length vectors from a remote model, one request per batch.

    Texts beyond `max_tokens` are cut by an estimate of 3 characters a token.
    """

    def __init__(self, settings: EmbeddingSettings, *, sleep: Callable[[float], None] = time.sleep) -> None:
        native = KNOWN_WIDTHS.get(settings.model)
        dim = settings.dimensions or native
        if dim is None:
            raise InvalidSettingsError(f"set BRAIN_EMBEDDING__DIMENSIONS: the width of {settings.model} is not known")
        self.name = settings.model
        self.dim = dim
        self.max_tokens = settings.max_tokens or MAX_TOKENS
        self.at_once = settings.batch_size or BATCH_SIZE
        self._settings = settings
        self._key = resolve_key(settings.api_key, settings.base_url)
        self._sleep = sleep
        self._pace = Pace()
        self._meter: Meter | None = None
        # `dimensions` is sent only to models known to support it; many servers reject the parameter.
        self._options = {"dimensions": dim} if native is not None and dim != native else {}

    def embed(self, texts: Sequence[str], *, questions: bool = False, progress: Progress | None = None) -> np.ndarray:
        """Return float32 (len(texts), dim), unit length, in the order of `texts`. See `Embedder.embed`.

        `questions` changes nothing: the interface has no field for it.

        Raises:
            BudgetExceededError: a request was not sent.
            ModelCallError: the endpoint failed after all attempts or returned invalid vectors.
            NoAnswerError: it rejected one of the texts.
            DimensionMismatchError: it returned vectors of another width.
        """
        vectors = np.zeros((len(texts), self.dim), dtype=np.float32)
        # The endpoint rejects empty input.
        cut = [text[: self.max_tokens * CHARS_PER_TOKEN] or " " for text in texts]
        for rows in _batches(cut, self.at_once):
            vectors[rows] = self._request([cut[row] for row in rows])
            if progress is not None:
                progress(len(rows))
        return vectors

    def metered(self, meter: Meter) -> Self:
        """Return this embedder with its requests counted by `meter` and held back by its budget."""
        _ = self._client  # shared by the copies
        counted = copy.copy(self)
        counted._meter = meter
        return counted

    @cached_property
    def _client(self) -> Any:
        wait = self._settings.timeout_seconds
        return open_client(self._key, base_url=self._settings.base_url, timeout_seconds=wait, pace=self._pace)

    def _request(self, texts: list[str]) -> np.ndarray:
        size = sum(map(estimate_tokens, texts))
        if self._meter is not None:
            self._meter.allow(size)
        began, reported = time.perf_counter(), 0

        def send() -> list[tuple[int, np.ndarray]]:
            nonlocal reported
            # "float" because few other servers speak the library's default, base64.
            answer = self._client.embeddings.create(
                model=self.name, input=texts, encoding_format="float", **self._options
            )
            reported = int(getattr(answer.usage, "prompt_tokens", 0) or 0)
            return [(int(item.index), np.fromiter(item.embedding, np.float64)) for item in answer.data]

        items = call(
            send,
            what=f"embedding with {self.name}",
            secret=self._key,
            max_attempts=self._settings.max_attempts,
            sleep=self._sleep,
            blames_input=True,
            pace=self._pace,
            tokens=size,
        )
        if self._meter is not None:  # an endpoint that reports no usage must not appear to be free
            self._meter.count(Usage(self.name, TASK, reported or size, 0, time.perf_counter() - began))
        return self._checked(items, len(texts))

    def _checked(self, items: list[tuple[int, np.ndarray]], count: int) -> np.ndarray:
        if sorted(index for index, _ in items) != list(range(count)):
            raise ModelCallError(
                f"embedding with {self.name}: {len(items)} vectors for {count} texts, or wrong indices"
            )
        widths = {len(vector) for _, vector in items}
        if widths != {self.dim}:
            raise DimensionMismatchError(
                f"{self.name} answered vectors of width {sorted(widths)}, expected {self.dim}; set "
                "BRAIN_EMBEDDING__DIMENSIONS to the model's width, a new index is then built beside the old one"
            )
        matrix = np.stack([vector for _, vector in sorted(items, key=lambda item: item[0])])
        norms = np.linalg.norm(matrix, axis=1, keepdims=True)
        if not np.isfinite(norms).all() or not norms.all():
            raise ModelCallError(f"embedding with {self.name}: a vector of zeros, infinities or NaN")
        return (matrix / norms).astype(np.float32)


def _batches(texts: Sequence[str], batch_size: int) -> Iterator[list[int]]:
    """Yield consecutive row numbers, at most `batch_size` and about `BATCH_TOKENS` tokens at a time."""
    rows: list[int] = []
    tokens = 0
    for row, text in enumerate(texts):
        cost = len(text) // CHARS_PER_TOKEN + 1
        if rows and (len(rows) == batch_size or tokens + cost > BATCH_TOKENS):
            yield rows
            rows, tokens = [], 0
        rows.append(row)
        tokens += cost
    if rows:
        yield rows
