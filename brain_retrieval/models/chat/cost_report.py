"""The report of what chat models have cost a user in a month, and what is left of the budget."""

from dataclasses import asdict
from datetime import UTC, datetime
from typing import Any

from brain_retrieval.home import Space
from brain_retrieval.models.chat.chat_costs import GROUPS, CostLedger, month_of
from brain_retrieval.settings import CostSettings


def cost_report(space: Space, settings: CostSettings, month: str | None = None) -> dict[str, Any]:
    """Return a user's costs in a month ("2026-03"; default: the current one, UTC) as plain JSON values."""
    month = month or month_of(datetime.now(UTC))
    with CostLedger(space) as ledger:
        total = ledger.spent(month)
        groups = {by: {k: asdict(v) for k, v in ledger.totals(month, by).items()} for by in GROUPS}
    limits = {"money": (settings.monthly_budget, total.money), "tokens": (settings.monthly_tokens, total.tokens)}
    budget = {
        name: {"limit": limit, "left": None if limit is None else max(0, limit - used)}
        for name, (limit, used) in limits.items()
    }
    return {"user": space.user, "month": month, "total": asdict(total), **groups, "budget": budget}
