"""Days that wait for a remote model: a budget was spent, or an endpoint did not answer, so something is missing.

What could be made without the model is stored, and the ledger's reason says what is missing. Every later run of the day
makes up for it, unless the budget that was spent is still the same: its requests would not be sent.
"""

from datetime import datetime

from brain_retrieval.settings import CostSettings
from brain_retrieval.stores.catalog import LedgerRow

WAITING = "waiting: "
ATTEMPT = "(waiting)"  # in place of an item, in the count of attempts


def waits(row: LedgerRow) -> bool:
    """Return whether a day waits for a remote model, with or without rows."""
    return row.error.startswith(WAITING)


def is_held(row: LedgerRow, costs: CostSettings, now: datetime) -> bool:
    """Return whether a day waits for a budget that is still spent: it is asked again next month, or under another."""
    if not waits(row):
        return False
    from brain_retrieval.models.chat.chat_costs import budget_of

    return budget_of(costs, now) in row.error
