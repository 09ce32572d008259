"""Cost estimate for chat models, computed from the same requests that the stages would send; and the report of costs.

No model is called and nothing is stored. Requests whose answers are cached cost nothing and are not counted.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any

from brain_pipelines.engine.stage_version import config_hash
from brain_pipelines.ingest.console import Bars
from brain_pipelines.landing.run_planning import spans
from brain_pipelines.sources.registry import SOURCES, SOURCES_BY_NAME
from brain_pipelines.stages.enrichment import prompt as enrichment_prompt
from brain_pipelines.stages.enrichment.llm import request_of
from brain_pipelines.stages.extraction.llm import prompt as extraction_prompt
from brain_pipelines.stages.extraction.llm.client import group_key
from brain_pipelines.stages.extraction.llm.lines import Group, requests_of, user_prompt
from brain_pipelines.stages.extractions import STAGE as EXTRACTIONS
from brain_pipelines.stages.extractions_llm import LLM, text_groups
from brain_retrieval.errors import InvalidQueryError
from brain_retrieval.home import Home
from brain_retrieval.models.chat.cached_chat import identity
from brain_retrieval.models.chat.chat_cache import ResponseCache, answer_key
from brain_retrieval.models.chat.chat_costs import CostLedger, Prices
from brain_retrieval.models.chat.chat_schema import strict_schema
from brain_retrieval.models.chat.cost_report import cost_report
from brain_retrieval.models.embedding.tokenizer import TokenCounter, build_tokenizer
from brain_retrieval.settings import Settings, load_settings
from brain_retrieval.settings.language import Task
from brain_retrieval.stores.catalog import Catalog
from brain_retrieval.stores.lake import Lake

TASKS: dict[str, Task] = {"extractions": "extraction", "enrichments": "enrichment"}
STAGES = tuple(TASKS)
# Fallbacks until the ledger has measured this model: output tokens for each token of numbered sentences (docs/costs.md)
# and for each text that is enriched (a full answer).
OUTPUT_PER_TOKEN = 0.35
OUTPUT_PER_TEXT = 150
# For texts that the local tier has not read yet: tokens of numbered sentences for each word, and words of a request.
SENTENCE_TOKENS_PER_WORD = 3.0
WORDS_PER_REQUEST = 200
# Minimum number of requests in the ledger before its measured ratios replace the fallbacks.
ENOUGH = 20
_COLUMNS = ("source_id", "source", "uri", "day", "title", "text", "segments", "authors", "language")


@dataclass
class Estimate:
    """Estimate for one stage of one source. `cached` counts texts, or parts of them, whose answers are stored."""

    source: str
    stage: str
    texts: int = 0
    words: int = 0
    cached: int = 0
    requests: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    money: float | None = None  # None without a price

    @property
    def per_10k_words(self) -> float | None:
        return None if self.money is None else self.money / max(self.words, 1) * 10_000

    def to_json(self) -> dict[str, Any]:
        return {**asdict(self), "money_per_10k_words": self.per_10k_words}


def estimate(
    home: Home,
    *,
    user: str,
    source: str | None = None,
    start: str | None = None,
    end: str | None = None,
    stages: Sequence[str] = STAGES,
    bars: Bars | None = None,
) -> list[Estimate]:
    """Return an estimate for each source and stage that has texts in [start, end], ISO days; `bars` show the progress.

    Raises:
        UnknownUserError: if nothing of the user has ever landed.
        InvalidQueryError: if the source type does not exist.
        ModelMissingError: if the tokenizer is not on this machine.
    """
    space, settings = home.existing_space(user), load_settings(home.path)
    if source is not None and source not in SOURCES_BY_NAME:
        raise InvalidQueryError(f"no source type {source!r}")
    names = [SOURCES_BY_NAME[source].name] if source else [one.name for one in SOURCES]
    with Catalog(space) as catalog, ResponseCache(space) as cache, CostLedger(space) as ledger:
        estimator = Estimator(user, settings, Lake(space, catalog), cache, ledger)
        todo = [(name, stage, days) for name in names for stage, days in _parts(catalog, name, stages, start, end)]
        if bars is not None:
            bars.total(f"{user}: days read", sum(len(days) for _, _, days in todo))
        advance = bars.advance if bars is not None else _nothing
        return [estimator.estimate_source(name, stage, days, advance) for name, stage, days in todo]


def _parts(
    catalog: Catalog, source: str, stages: Sequence[str], start: str | None, end: str | None
) -> Iterator[tuple[str, list[str]]]:
    """Yield the stages that a model would do for a source, with the days that have texts."""
    days = sorted({file.day for file in catalog.lake_files("text", source=source)})
    days = [day for day in days if (start or "") <= day <= (end or "9999-12-31")]
    for stage in stages:
        if days and not (stage == "extractions" and SOURCES_BY_NAME[source].extract_locally):
            yield stage, days


def _nothing(_days: int) -> None:
    """Show no progress."""


class Estimator:
    """Builds the requests that the stages would send and counts their tokens."""

    def __init__(self, user: str, settings: Settings, lake: Lake, cache: ResponseCache, ledger: CostLedger) -> None:
        # Estimated is the tier with a model, also where it is not switched on yet.
        chosen = settings.extraction.model_copy(update={"provider": LLM})
        self.settings = settings.model_copy(update={"extraction": chosen})
        self.user, self.lake, self.cache, self.ledger = user, lake, cache, ledger
        self.llm = {stage: settings.llm.for_task(task) for stage, task in TASKS.items()}
        self.counter: TokenCounter = build_tokenizer(settings.embedding, models_dir=settings.models_dir)

    def estimate_source(
        self, source: str, stage: str, days: Sequence[str], advance: Callable[[int], None] = _nothing
    ) -> Estimate:
        """Return the estimate of one stage of one source; `advance` is called with the number of days just read."""
        found = Estimate(source, stage)
        add = self._extractions if stage == "extractions" else self._enrichments
        for span in spans(days):
            rows = self.lake.read("text", source=source, days=span, columns=_COLUMNS).to_pylist()
            found.texts += len(rows)
            found.words += sum(len(row["text"].split()) for row in rows)
            add(found, rows, span)
            advance(len(span))
        prices = Prices(self.llm[stage].input_price, self.llm[stage].output_price)
        found.money = prices.of(found.input_tokens, found.output_tokens) if prices else None
        return found

    def _extractions(self, found: Estimate, rows: Sequence[dict[str, Any]], span: Sequence[str]) -> None:
        memories: dict[str, list[dict[str, Any]]] = {}
        for row in self.lake.read("memories", source=found.source, days=span).to_pylist():
            memories.setdefault(row["source_id"], []).append(row)
        current = config_hash(EXTRACTIONS, SOURCES_BY_NAME[found.source], self.settings, self.user)
        groups: list[Group] = []
        for place, row in enumerate(rows):
            own = memories.get(row["source_id"])
            if own is None:
                self._add_unread(found, row)
            elif any(one["method"] == LLM and one["config_hash"] == current for one in own):
                found.cached += 1
            else:
                groups += text_groups(place, row, own, self.settings)
        self._add_groups(found, groups)

    def _add_unread(self, found: Estimate, row: dict[str, Any]) -> None:
        """Add a text without local rows, by its length."""
        words = len(row["text"].split())
        size, requests = words * SENTENCE_TOKENS_PER_WORD, -(-words // WORDS_PER_REQUEST)
        found.requests += requests
        found.input_tokens += round(size) + requests * self._extraction_fixed
        found.output_tokens += round(size * self._output_ratio())

    def _add_groups(self, found: Estimate, groups: Sequence[Group]) -> None:
        chosen, model = self.settings.extraction, self._model("extractions")
        keyed = {group_key(model, group, described=chosen.describe_names): group for group in groups}
        known = self._known(keyed)
        pending = [group for key, group in keyed.items() if key not in known]
        found.cached += len(keyed) - len(pending)
        for batch in requests_of(pending, size=chosen.batch_size, most_chars=self.settings.llm.max_input_chars):
            size = self.counter.count(user_prompt(batch))
            found.requests += 1
            found.input_tokens += self._extraction_fixed + size
            found.output_tokens += round(size * self._output_ratio())

    @cached_property
    def _extraction_fixed(self) -> int:
        described = self.settings.extraction.describe_names
        system = extraction_prompt.system_prompt(described=described)
        return self._fixed(system, extraction_prompt.answer_schema(described=described))

    def _enrichments(self, found: Estimate, rows: Sequence[dict[str, Any]], _span: Sequence[str]) -> None:
        prompt, most = enrichment_prompt, self.settings.llm.max_input_chars
        requests, model = {}, self._model("enrichments")
        for row in rows:
            request = request_of(row, most)
            requests[answer_key(model, prompt.NAME, prompt.SYSTEM, request, prompt.EnrichmentAnswer)] = request
        known = self._known(requests)
        fixed = self._fixed(prompt.SYSTEM, prompt.EnrichmentAnswer)
        each = self._output_per_text()
        for key, request in requests.items():
            if key in known:
                found.cached += 1
                continue
            found.requests += 1
            found.input_tokens += fixed + self.counter.count(request)
            found.output_tokens += round(each)

    def _model(self, stage: str) -> str:
        return identity(self.llm[stage].model or "", self.llm[stage].reasoning_effort)

    def _known(self, keys: Iterable[str]) -> set[str]:
        return set(self.cache.get(keys)) if self.settings.costs.cache else set()

    def _fixed(self, system: str, answer: Any) -> int:
        """Return the tokens that every request contains: the system prompt and the JSON schema of the answer."""
        return self.counter.count(system) + self.counter.count(json.dumps(strict_schema(answer)))

    def _output_ratio(self) -> float:
        """Return output tokens for each token of numbered sentences, as measured with this model if often enough."""
        sent = self.ledger.of_model(self.llm["extractions"].model or "", "extractions")
        size = sent.input_tokens - self._extraction_fixed * sent.requests
        return sent.output_tokens / size if sent.requests >= ENOUGH and size > 0 else OUTPUT_PER_TOKEN

    def _output_per_text(self) -> float:
        """Return output tokens for each enriched text, as measured with this model if often enough."""
        sent = self.ledger.of_model(self.llm["enrichments"].model or "", "enrichments")
        return sent.output_tokens / sent.requests if sent.requests >= ENOUGH else OUTPUT_PER_TEXT


def costs(home: Home, *, user: str, month: str | None = None) -> dict[str, Any]:
    """Return a user's chat model costs in a month ("2026-03"; default: the current one, UTC) as plain JSON values.

    Raises:
        UnknownUserError: if nothing of the user has ever landed.
    """
    return cost_report(home.existing_space(user), load_settings(home.path).costs, month)
