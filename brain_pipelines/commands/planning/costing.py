"""What it costs to run stale partitions again: requests, tokens, money and seconds. No model is called.

Chat requests are built as the stages would send them (`commands/estimate.py`), embeddings are counted in the chunks,
and requests for pictures and sound are as many a day as they were so far. Seconds are those that the ledger recorded
for the same partitions, or the average of the stage where there are none.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from statistics import median

from brain_pipelines.commands.estimate import TASKS, Estimator
from brain_pipelines.ingest.stale import Stale
from brain_pipelines.sources.registry import SOURCES_BY_NAME
from brain_retrieval.home import Space
from brain_retrieval.models.chat.chat_cache import ResponseCache
from brain_retrieval.models.chat.chat_costs import CostLedger, Prices
from brain_retrieval.models.embedding.openai_embedder import BATCH_SIZE
from brain_retrieval.settings import Settings
from brain_retrieval.stores.catalog import Catalog
from brain_retrieval.stores.lake import Lake


@dataclass
class Cost:
    """What a re-run costs. `money` None: no price is set, or no request is sent; `unread` days have no text yet."""

    requests: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    money: float | None = None
    seconds: float = 0.0
    unread: int = 0

    def add(self, other: "Cost") -> None:
        self.requests += other.requests
        self.input_tokens += other.input_tokens
        self.output_tokens += other.output_tokens
        self.seconds += other.seconds
        self.unread += other.unread
        if other.money is not None:
            self.money = (self.money or 0.0) + other.money


@contextmanager
def open_costing(space: Space, settings: Settings) -> Iterator["Costing"]:
    """Open what is needed to estimate the costs of one user."""
    with Catalog(space) as catalog, ResponseCache(space) as cache, CostLedger(space) as ledger:
        yield Costing(space.user, settings, catalog, cache, ledger)


@dataclass
class Costing:
    """Estimates the cost of partitions of one user."""

    user: str
    settings: Settings
    catalog: Catalog
    cache: ResponseCache
    ledger: CostLedger

    def of(self, source: str, stage: str, partitions: Sequence[Stale]) -> Cost:
        """Return the cost of running a stage of a source again on the days of `partitions`."""
        days = sorted(one.day for one in partitions)
        cost = self._requests(source, stage, days)
        cost.seconds = sum(self._seconds(one) for one in partitions)
        return cost

    def _requests(self, source: str, stage: str, days: Sequence[str]) -> Cost:
        if stage == "embeddings" and self.settings.embedding.provider == "openai":
            return self._embeddings(source, days)
        if stage == "text":
            return self._as_so_far(source, days)
        if stage in TASKS and self._asks(source, stage):
            return self._chat(source, stage, days)
        return Cost()

    def _asks(self, source: str, stage: str) -> bool:
        if stage == "extractions":
            return self.settings.extraction.provider == "llm" and not SOURCES_BY_NAME[source].extract_locally
        return self.settings.enrichment.provider == "llm"

    def _chat(self, source: str, stage: str, days: Sequence[str]) -> Cost:
        read = self._stored("text", source, days)
        found = self._estimator.estimate_source(source, stage, sorted(read)) if read else None
        if found is None:
            return Cost(unread=len(days))
        tokens = (found.input_tokens, found.output_tokens)
        return Cost(found.requests, *tokens, found.money, unread=len(days) - len(read))

    def _embeddings(self, source: str, days: Sequence[str]) -> Cost:
        cut = self._stored("chunks", source, days)
        chosen = self.settings.embedding
        chunks = self._lake.read("chunks", source=source, days=sorted(cut), columns=["token_count"])
        tokens = sum(chunks["token_count"].to_pylist())
        requests = -(-chunks.num_rows // (chosen.batch_size or BATCH_SIZE))
        price = Prices(chosen.input_price)
        money = price.of(tokens, 0) if price and requests else None
        return Cost(requests, tokens, 0, money, unread=len(days) - len(cut))

    def _as_so_far(self, source: str, days: Sequence[str]) -> Cost:
        """Return as much a day as the descriptions of pictures and the speech of this source took so far."""
        spent = self.ledger.measured().get((source, "text"))
        done = len(self.catalog.ledger(source=source, stage="text", state="ok"))
        if spent is None or not spent.requests or not done:
            return Cost()
        share = len(days) / done
        counts = (spent.requests, spent.input_tokens, spent.output_tokens)
        return Cost(*(round(count * share) for count in counts), money=spent.money * share if spent.money else None)

    def _stored(self, table: str, source: str, days: Sequence[str]) -> set[str]:
        return {file.day for file in self.catalog.lake_files(table, source=source, days=days)}

    def _seconds(self, one: Stale) -> float:
        if one.row is not None and one.row.seconds and one.row.state == "ok":
            return one.row.seconds
        return self._usual.get((one.source, one.stage), self._usual.get(("", one.stage), 0.0))

    @cached_property
    def _usual(self) -> dict[tuple[str, str], float]:
        """Median seconds of a day with rows, by source and stage, and by stage alone under the source "".

        Not the mean: one table of 100,000 rows would be expected on every day of mail.
        """
        seen: dict[tuple[str, str], list[float]] = {}
        for row in self.catalog.ledger(state="ok"):
            if row.rows:
                for source in (row.source, ""):
                    seen.setdefault((source, row.stage), []).append(row.seconds)
        return {key: median(values) for key, values in seen.items()}

    @cached_property
    def _lake(self) -> Lake:
        return Lake(self.catalog.space, self.catalog)

    @cached_property
    def _estimator(self) -> Estimator:
        return Estimator(self.user, self.settings, self._lake, self.cache, self.ledger)
