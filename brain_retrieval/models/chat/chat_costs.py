"""The cost ledger of chat models: one row per request, and the budget of a month (UTC). One SQLite file per user.

Rows contain counts and the names of models, tasks, source types and stages; no texts.
"""

from collections.abc import Iterable
from dataclasses import astuple, dataclass, fields
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal

from brain_retrieval.errors import BudgetExceededError
from brain_retrieval.home import Space
from brain_retrieval.ids import content_id
from brain_retrieval.settings import CostSettings
from brain_retrieval.stores.sqlite import Database

MILLION = 1_000_000
Group = Literal["source", "stage", "task", "model"]
GROUPS: tuple[Group, ...] = ("source", "stage", "task", "model")
SCHEMA = """
CREATE TABLE IF NOT EXISTS requests (
    request_id TEXT PRIMARY KEY,
    at TEXT NOT NULL,
    day TEXT NOT NULL,
    model TEXT NOT NULL,
    task TEXT NOT NULL,
    source TEXT NOT NULL,
    stage TEXT NOT NULL,
    input_tokens INTEGER NOT NULL,
    output_tokens INTEGER NOT NULL,
    seconds REAL NOT NULL,
    money REAL NOT NULL,
    cached INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS requests_day ON requests (day);
"""


@dataclass(frozen=True)
class CostRow:
    """One request, or one cache hit (`cached` 1, `money` 0, the tokens saved)."""

    request_id: str
    at: str  # UTC, ISO 8601
    day: str
    model: str
    task: str
    source: str  # source type
    stage: str
    input_tokens: int
    output_tokens: int
    seconds: float
    money: float
    cached: int

    @classmethod
    def of(cls, *named: str, at: datetime, **values: Any) -> "CostRow":
        """Return a row whose id is derived from its time and names, so that inserting it twice adds one row."""
        stamp = at.astimezone(UTC).isoformat(timespec="microseconds")
        return cls(request_id=content_id("cost", stamp, *named), at=stamp, day=stamp[:10], **values)


@dataclass(frozen=True)
class Prices:
    """Prices of a model per million tokens, in any currency; None where none is set."""

    input: float | None = None
    output: float | None = None

    def of(self, input_tokens: int, output_tokens: int) -> float:
        """Return the cost of tokens; those without a price cost nothing."""
        return (input_tokens * (self.input or 0.0) + output_tokens * (self.output or 0.0)) / MILLION

    def __bool__(self) -> bool:
        """Return whether a price is set."""
        return self.input is not None or self.output is not None


@dataclass(frozen=True)
class Spent:
    """Sums over requests. Tokens and money count sent requests only; `cached` is the number of cache hits."""

    requests: int
    input_tokens: int
    output_tokens: int
    seconds: float
    money: float
    cached: int

    @property
    def tokens(self) -> int:
        return self.input_tokens + self.output_tokens


_SUMS = """count(*) FILTER (WHERE NOT cached), total(input_tokens) FILTER (WHERE NOT cached),
total(output_tokens) FILTER (WHERE NOT cached), total(seconds) FILTER (WHERE NOT cached), total(money),
count(*) FILTER (WHERE cached)"""


class CostLedger(Database):
    """The requests of one user and their costs."""

    remedy = "it holds what models have cost: move it aside, and the count starts again at zero"

    def __init__(self, space: Space) -> None:
        super().__init__(costs_file(space), SCHEMA)

    def add(self, rows: Iterable[CostRow]) -> None:
        """Record requests; existing rows are not changed."""
        values = [astuple(row) for row in rows]
        marks = ",".join("?" * len(fields(CostRow)))
        with self.transaction() as connection:
            connection.executemany(f"INSERT OR IGNORE INTO requests VALUES ({marks})", values)

    def all(self) -> list[CostRow]:
        """Return every request, oldest first."""
        names = ", ".join(field.name for field in fields(CostRow))
        return [CostRow(*row) for row in self.rows(f"SELECT {names} FROM requests ORDER BY at, request_id")]

    def spent(self, month: str) -> Spent:
        """Return the sums of a month, written "2026-03"."""
        sql = f"SELECT {_SUMS} FROM requests WHERE day >= ? AND day < ?"
        return _sums(self.rows(sql, (f"{month}-00", f"{month}-99"))[0])

    def totals(self, month: str, by: Group) -> dict[str, Spent]:
        """Return the sums of a month for each source, stage, task or model."""
        if by not in GROUPS:
            raise ValueError(f"by must be one of {GROUPS}")
        sql = f"SELECT {by}, {_SUMS} FROM requests WHERE day >= ? AND day < ? GROUP BY 1 ORDER BY 1"
        return {row[0]: _sums(row[1:]) for row in self.rows(sql, (f"{month}-00", f"{month}-99"))}

    def of_model(self, model: str, stage: str) -> Spent:
        """Return the total sums of a model and stage."""
        sql = f"SELECT {_SUMS} FROM requests WHERE model = ? AND stage = ?"
        return _sums(self.rows(sql, (model, stage))[0])

    def measured(self) -> dict[tuple[str, str], Spent]:
        """Return the total sums by source and stage."""
        sql = f"SELECT source, stage, {_SUMS} FROM requests GROUP BY 1, 2"
        return {(row[0], row[1]): _sums(row[2:]) for row in self.rows(sql)}

    def since(self, source: str, stage: str, at: datetime) -> Spent:
        """Return the sums of a source and stage from a moment on."""
        sql = f"SELECT {_SUMS} FROM requests WHERE source = ? AND stage = ? AND day >= ? AND at >= ?"
        stamp = at.astimezone(UTC).isoformat(timespec="microseconds")
        return _sums(self.rows(sql, (source, stage, stamp[:10], stamp))[0])

    def check(
        self,
        costs: CostSettings,
        prices: "Prices",
        *,
        input_tokens: int,
        output_tokens: int,
        at: datetime,
        money: float | None = None,
    ) -> None:
        """Check that a request of at most so many tokens, or so much money, fits the month's budget.

        Raises:
            BudgetExceededError: if it may cost more than the month's budget leaves.
        """
        if costs.monthly_budget is None and costs.monthly_tokens is None:
            return
        spent = self.spent(month_of(at))
        if costs.monthly_tokens is not None and spent.tokens + input_tokens + output_tokens > costs.monthly_tokens:
            said = f"{spent.tokens:,} of {costs.monthly_tokens:,} tokens"
        elif costs.monthly_budget is not None and (
            costs.monthly_budget == 0
            or spent.money + (prices.of(input_tokens, output_tokens) if money is None else money) > costs.monthly_budget
        ):
            said = f"{spent.money:.4f} of {costs.monthly_budget:.4f}"
        else:
            return
        raise BudgetExceededError(
            f"not asked: {said} of {budget_of(costs, at)} are spent, and this may cost more than is left"
        )


def costs_file(space: Space) -> Path:
    """Return the file of a user's costs, which is there once a remote model was asked."""
    return space.root / "costs.sqlite"


def budget_of(costs: CostSettings, at: datetime) -> str:
    """Return the name of a month's budget with its limits: what was refused under it is asked for under another."""
    tokens = f"{costs.monthly_tokens:,} tokens" if costs.monthly_tokens is not None else ""
    money = f"{costs.monthly_budget:g} in money" if costs.monthly_budget is not None else ""
    return f"the budget of {month_of(at)} ({', '.join(filter(None, (money, tokens)))})"


def month_of(at: datetime) -> str:
    """Return the calendar month of a time in UTC, "2026-03"."""
    return at.astimezone(UTC).strftime("%Y-%m")


def _sums(row: tuple[Any, ...]) -> Spent:
    return Spent(int(row[0]), int(row[1]), int(row[2]), row[3], row[4], int(row[5]))
