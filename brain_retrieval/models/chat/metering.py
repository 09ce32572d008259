"""`Meter`: cost ledger and budget of one user for remote models other than chat models: embeddings, speech."""

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Protocol

from brain_retrieval.home import Space
from brain_retrieval.models.chat.chat_costs import CostLedger, CostRow, Prices
from brain_retrieval.models.chat.protocol import Usage
from brain_retrieval.settings import CostSettings, Settings


class MeterOpener(Protocol):
    """Opens the meter of one user, with costs booked under a stage and source."""

    def __call__(self, price: float | None) -> "Meter":
        """Return the meter of a model at `price` a million tokens, or a minute of sound; None: it is not known."""
        ...


@dataclass(frozen=True)
class Meter:
    """Counts the requests of a remote model for one user, and refuses those that the budget does not leave.

    `price` is per million tokens. A model that is paid by the minute gives its own `money`. The ledger is open only
    while it is written, since requests are few and slow.
    """

    ledger: CostLedger
    costs: CostSettings
    price: float | None
    stage: str
    source: str
    holds: bool = True  # a spent budget refuses requests; else only a budget of 0 does

    def allow(self, tokens: int, money: float | None = None) -> None:
        """Check that a request of at most so many tokens fits the month's budget.

        Raises:
            BudgetExceededError: it may cost more than is left.
        """
        costs = self.costs
        if not self.holds and costs.monthly_budget != 0 and costs.monthly_tokens != 0:
            return
        price = Prices(0.0 if self.price is None else self.price)
        with self.ledger:
            self.ledger.check(costs, price, input_tokens=tokens, output_tokens=0, at=datetime.now(UTC), money=money)

    def count(self, usage: Usage, money: float | None = None) -> None:
        """Record a request that was answered."""
        at = datetime.now(UTC)
        spent = Prices(self.price).of(usage.input_tokens, 0) if money is None else money
        row = CostRow.of(
            usage.task,
            str(usage.input_tokens),
            at=at,
            model=usage.model,
            task=usage.task,
            source=self.source,
            stage=self.stage,
            input_tokens=usage.input_tokens,
            output_tokens=usage.output_tokens,
            seconds=round(usage.seconds, 3),
            money=spent,
            cached=0,
        )
        with self.ledger:
            self.ledger.add([row])


def open_meter(
    space: Space, settings: Settings, stage: str, source: str, price: float | None, *, holds: bool = True
) -> Meter:
    """Return the meter of a remote model for one user. Nothing is opened yet."""
    return Meter(CostLedger(space), settings.costs, price, stage, source, holds)
