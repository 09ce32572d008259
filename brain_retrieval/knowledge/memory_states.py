"""States of a memory and what becomes of it: candidate, active, core, archived; kept for ever, decaying, ephemeral."""

from datetime import datetime, timedelta
from typing import Literal

State = Literal["candidate", "active", "core", "archived"]
STATES = ("candidate", "active", "core", "archived")
TTL_POLICIES = ("keep_forever", "ephemeral", "decay")  # the first that applies decides
EPISODIC_DAYS = 30  # what an ephemeral source lives
SEMANTIC_DAYS = 90  # and everything else that is ephemeral
EPISODIC_ITEMS = ("source", "chunk")


def expires_at(item: str, ttl_policy: str, created_at: datetime) -> datetime | None:
    """Return when an ephemeral item ends, whatever its salience; None for all others."""
    if ttl_policy != "ephemeral":
        return None
    return created_at + timedelta(days=EPISODIC_DAYS if item in EPISODIC_ITEMS else SEMANTIC_DAYS)


def state_of(salience: float, recalls: int, ttl_policy: str, *, archive_below: float, core_recalls: int) -> State:
    """Return the state of an item that has not expired, of its salience and how often it was recalled.

    It depends on nothing else, so an archived item that is recalled (and boosted by that) is active again.
    """
    if ttl_policy == "keep_forever":
        return "core"
    if salience < archive_below:
        return "archived"
    if recalls >= core_recalls:
        return "core"
    return "active" if recalls else "candidate"
