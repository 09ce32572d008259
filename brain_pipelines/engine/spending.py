"""What remote models took for the days of a stage: the requests of a computation, divided among the days it stored."""

from collections.abc import Mapping
from datetime import datetime
from itertools import accumulate

from brain_retrieval.home import Space
from brain_retrieval.models.chat.chat_costs import CostLedger, costs_file
from brain_retrieval.stores.catalog import Catalog


def spent_since(space: Space, source: str, stage: str, began: datetime) -> tuple[int, float]:
    """Return the tokens and the money of a stage's requests since it began; (0, 0) without remote models."""
    if not costs_file(space).is_file():
        return 0, 0.0
    with CostLedger(space) as ledger:
        spent = ledger.since(source, stage, began)
    return spent.tokens, spent.money


def record_spent(catalog: Catalog, source: str, stage: str, rows: Mapping[str, int], spent: tuple[int, float]) -> None:
    """Record the share of each day by day -> rows read, since a request may hold the texts of several days."""
    tokens, money = spent
    weights = {day: max(1, rows[day]) for day in sorted(rows)}
    total = sum(weights.values())
    ends = [tokens * upto // total for upto in accumulate(weights.values())]
    starts = [0, *ends]
    days = {
        day: (end - start, money * weight / total)
        for (day, weight), start, end in zip(weights.items(), starts, ends, strict=False)
    }
    catalog.put_spent(source, stage, days)
