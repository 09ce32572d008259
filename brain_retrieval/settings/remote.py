"""The tasks that the settings give to a remote model: which model, and whether its prices are known.

A task that is switched on without naming a model, and a budget in money that could not count, are mistakes that would
show only on the bill.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol

from brain_retrieval.settings.knowledge import CostSettings, ExtractionSettings, MemorySettings
from brain_retrieval.settings.language import EnrichmentSettings, LlmSettings, Task
from brain_retrieval.settings.media import SpeechSettings, VisionSettings
from brain_retrieval.settings.sections import EmbeddingSettings, RetrievalSettings


class RemoteSections(Protocol):
    """The sections of the settings that may name a remote model."""

    @property
    def llm(self) -> LlmSettings: ...
    @property
    def extraction(self) -> ExtractionSettings: ...
    @property
    def enrichment(self) -> EnrichmentSettings: ...
    @property
    def memory(self) -> MemorySettings: ...
    @property
    def retrieval(self) -> RetrievalSettings: ...
    @property
    def vision(self) -> VisionSettings: ...
    @property
    def speech(self) -> SpeechSettings: ...
    @property
    def embedding(self) -> EmbeddingSettings: ...
    @property
    def costs(self) -> CostSettings: ...


@dataclass(frozen=True)
class RemoteTask:
    """A task of a remote model. `model` is "" if none is named; `said` says what is then missing."""

    name: str
    model: str
    priced: bool
    price: str  # the settings that hold its price
    said: str = ""


def remote_tasks(settings: RemoteSections) -> Iterator[RemoteTask]:
    """Yield the tasks that are switched on for a remote model."""
    yield from _chat_tasks(settings)
    llm, retrieval = settings.llm, settings.retrieval
    if llm.model:  # without a switch of its own
        priced = _has_price(llm.input_price, llm.output_price)
        yield RemoteTask("answers of `brain ask`", llm.model, priced, "llm.input_price and output_price")
    for name, key, task in (
        ("query analysis", "analysis", retrieval.analysis),
        ("judging of evidence", "judge", retrieval.judge),
    ):
        if task.model is not None:
            own = _has_price(task.input_price, task.output_price)
            none = task.input_price is None and task.output_price is None
            shared = none and task.model == llm.model and _has_price(llm.input_price, llm.output_price)
            priced = own or shared
            price, said = f"retrieval.{key}.input_price and output_price", f"retrieval.{key}.model names no model"
            yield RemoteTask(name, task.model, priced, price, said)
    vision, speech, embedding = settings.vision, settings.speech, settings.embedding
    if vision.provider == "openai":
        priced = _has_price(vision.input_price, vision.output_price)
        yield RemoteTask("vision", vision.model, priced, "vision.input_price and output_price", _unnamed("vision"))
    # The default model of these two is a local one.
    if speech.provider == "openai":
        named = speech.model if "model" in speech.model_fields_set else ""
        yield RemoteTask("speech", named, speech.minute_price is not None, "speech.minute_price", _unnamed("speech"))
    if embedding.provider == "openai":
        named, priced = embedding.model if "model" in embedding.model_fields_set else "", embedding.input_price
        yield RemoteTask("embedding", named, priced is not None, "embedding.input_price", _unnamed("embedding"))


def check_remote_tasks(settings: RemoteSections) -> None:
    """Check that every remote task names its model, and that a budget in money can be counted.

    Raises:
        ValueError: naming the settings that are missing.
    """
    tasks = list(remote_tasks(settings))
    for task in tasks:
        if not task.model.strip():
            raise ValueError(task.said)
    costs = settings.costs
    unpriced = [task for task in tasks if not task.priced]
    if costs.monthly_budget and costs.monthly_tokens is None and unpriced:
        names = ", ".join(task.name for task in unpriced)
        prices = "; ".join(dict.fromkeys(task.price for task in unpriced))
        raise ValueError(
            f"costs.monthly_budget cannot limit {names}, which has no price: set {prices} (0 if it costs nothing), "
            "or limit tokens by costs.monthly_tokens"
        )


def _chat_tasks(settings: RemoteSections) -> Iterator[RemoteTask]:
    chosen: dict[Task, tuple[str, str]] = {
        "extraction": ("extraction.provider", settings.extraction.provider),
        "enrichment": ("enrichment.provider", settings.enrichment.provider),
        "summaries": ("memory.summaries", settings.memory.summaries),
    }
    for task, (key, value) in chosen.items():
        if value == "llm":
            llm = settings.llm.for_task(task)
            said = f"{key} is 'llm', but neither llm.model nor llm.{task}.model names a model"
            place = f"llm.{task}" if llm.model != settings.llm.model else "llm"
            priced = _has_price(llm.input_price, llm.output_price)
            yield RemoteTask(task, llm.model or "", priced, f"{place}.input_price and output_price", said)


def _unnamed(section: str) -> str:
    return f"{section}.provider is 'openai', but {section}.model does not name a model of the endpoint"


def _has_price(*prices: float | None) -> bool:
    # A budget that counts only what goes in, or only what comes out, is spent without being noticed.
    return all(price is not None for price in prices)
