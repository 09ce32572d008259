"""`CachedChat`: a chat model with a response cache, a cost ledger and a monthly budget.

All requests on behalf of a user go through `open_chat`.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Self

from pydantic import BaseModel, ValidationError

from brain_retrieval.home import Space
from brain_retrieval.models.chat.build import build_chat
from brain_retrieval.models.chat.chat_cache import Place, Remembered, ResponseCache, answer_key
from brain_retrieval.models.chat.chat_costs import CostLedger, CostRow, Prices
from brain_retrieval.models.chat.protocol import Answer, ChatModel, Content, Usage
from brain_retrieval.settings import CostSettings, Settings
from brain_retrieval.settings.language import Task


@dataclass(frozen=True)
class CachedChat:
    """A `ChatModel` with optional cache and ledger; without a ledger costs are neither counted nor limited.

    `most_output` is the maximum number of output tokens; with the estimated input tokens it bounds a request's cost.
    """

    chat: ChatModel
    cache: ResponseCache | None = None
    ledger: CostLedger | None = None
    costs: CostSettings = field(default_factory=CostSettings)
    prices: Prices = field(default_factory=Prices)
    stage: str = ""
    source: str = ""
    most_output: int = 2000
    effort: str | None = None  # of reasoning, part of the cache's keys
    quoted: tuple[Place, ...] = ()  # of sources, in the next request: `brain why` lists its answer below them

    @property
    def name(self) -> str:
        return self.chat.name

    @property
    def identity(self) -> str:
        """The model and its effort of reasoning, which answers depend on."""
        return identity(self.name, self.effort)

    def complete(
        self,
        schema: type[Answer],
        *,
        system: str,
        user: Content,
        name: str,
        on_usage: Callable[[Usage], None] | None = None,
        allow: Callable[[int], None] | None = None,
        most_output: int | None = None,
    ) -> Answer:
        """Return the cached answer, or ask the model and cache its answer. See `ChatModel.complete`.

        Raises:
            BudgetExceededError: the request was not sent.
            ModelCallError: the endpoint failed, refused, or gave no valid answer after one repair.
        """
        key = answer_key(self.identity, name, system, user, schema)
        known = self.recall(schema, [key], name=name)
        if key in known:
            self._quote(key)
            return known[key]
        options = {"on_usage": on_usage, "allow": allow, "most_output": most_output}
        answer, usage = self.ask(schema, system=system, user=user, name=name, **options)
        self.keep({key: answer}, name=name, usage=usage)
        self._quote(key)
        return answer

    def ask(
        self,
        schema: type[Answer],
        *,
        system: str,
        user: Content,
        name: str,
        on_usage: Callable[[Usage], None] | None = None,
        allow: Callable[[int], None] | None = None,
        most_output: int | None = None,
    ) -> tuple[Answer, Usage]:
        """Ask without reading the cache; return the answer and its usage, including a repair request.

        Raises:
            BudgetExceededError: the request was not sent.
            ModelCallError: see `complete`.
        """
        key = answer_key(self.identity, name, system, user, schema)
        used: list[Usage] = []

        def count(usage: Usage) -> None:
            used.append(usage)
            self._count(usage, key, len(used))
            if on_usage is not None:
                on_usage(usage)

        def check(size: int) -> None:
            if self.ledger is not None:
                most, now = most_output or self.most_output, datetime.now(UTC)
                self.ledger.check(self.costs, self.prices, input_tokens=size, output_tokens=most, at=now)
            if allow is not None:
                allow(size)

        options = {"on_usage": count, "allow": check, "most_output": most_output}
        answer = self.chat.complete(schema, system=system, user=user, name=name, **options)
        return answer, _sum(used, self.name, name)

    def recall(self, schema: type[Answer], keys: Sequence[str], *, name: str) -> dict[str, Answer]:
        """Return the cached answers of `keys`; each is recorded as a cached request."""
        if self.cache is None or not self.costs.cache or not keys:
            return {}
        answers: dict[str, Answer] = {}
        rows: list[CostRow] = []
        known = self.cache.get(keys)
        if known:
            self.cache.touch(known)
        for key, found in known.items():
            try:
                answers[key] = schema.model_validate_json(found.answer)
            except ValidationError:  # cached in an older form under the same schema: ask again
                continue
            usage = Usage(self.name, name, found.input_tokens, found.output_tokens, 0.0)
            rows.append(self._row(usage, key, 0, cached=True))
        if self.ledger is not None and rows:
            self.ledger.add(rows)
        return answers

    def keep(self, answers: Mapping[str, BaseModel], *, name: str, usage: Usage) -> None:
        """Cache the answers of one request; its cost is divided among them."""
        if self.cache is None or not self.costs.cache or not answers:
            return
        share = len(answers)
        tokens = (usage.input_tokens // share, usage.output_tokens // share)
        kept = [Remembered(key, answer.model_dump_json(by_alias=True), *tokens) for key, answer in answers.items()]
        self.cache.put(self.name, name, kept)

    def _quote(self, key: str) -> None:
        if self.cache is not None and self.costs.cache:
            self.cache.quote(key, self.quoted)

    def close(self) -> None:
        """Close the files; the next call opens them again."""
        for store in (self.cache, self.ledger):
            if store is not None:
                store.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _count(self, usage: Usage, key: str, number: int) -> None:
        if self.ledger is not None:
            self.ledger.add([self._row(usage, key, number, cached=False)])

    def _row(self, usage: Usage, key: str, number: int, *, cached: bool) -> CostRow:
        return CostRow.of(
            key,
            str(number),
            at=datetime.now(UTC),
            model=usage.model,
            task=usage.task,
            source=self.source,
            stage=self.stage,
            input_tokens=usage.input_tokens,
            output_tokens=usage.output_tokens,
            seconds=round(usage.seconds, 3),
            money=0.0 if cached else self.prices.of(usage.input_tokens, usage.output_tokens),
            cached=int(cached),
        )


def open_chat(
    space: Space,
    settings: Settings,
    stage: str,
    source: str,
    *,
    task: Task | None = None,
    max_output_tokens: int = 0,
    model: ChatModel | None = None,
) -> CachedChat | None:
    """Return the chat model of these settings for one user, None if none is set.

    `task` chooses the settings of `llm.<task>`; `max_output_tokens` raises the limit of the settings for tasks with
    long answers; `model` replaces the model of the settings by the vision model.

    Raises:
        InvalidSettingsError: OpenAI's own endpoint without a key.
    """
    llm = settings.llm.for_task(task) if task else settings.llm
    llm = llm.model_copy(update={"max_output_tokens": max(llm.max_output_tokens, max_output_tokens)})
    chat = model or build_chat(settings.model_copy(update={"llm": llm}))
    if chat is None:
        return None
    own = llm if model is None else settings.vision
    prices = Prices(own.input_price, own.output_price)
    stores = ResponseCache(space), CostLedger(space)
    return CachedChat(chat, *stores, settings.costs, prices, stage, source, llm.max_output_tokens, own.reasoning_effort)


def identity(model: str, effort: str | None) -> str:
    """Return the name of a model in the keys of the cache."""
    return f"{model}, {effort} effort" if effort else model


def _sum(used: Sequence[Usage], model: str, task: str) -> Usage:
    return Usage(
        model,
        task,
        sum(u.input_tokens for u in used),
        sum(u.output_tokens for u in used),
        sum(u.seconds for u in used),
    )
