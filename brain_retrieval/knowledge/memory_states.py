"""Memory states, retention policies and levels of sensitivity, and when an ephemeral item expires."""

from datetime import datetime, timedelta
from typing import Literal

State = Literal["candidate", "active", "core", "archived"]
STATES = ("candidate", "active", "core", "archived")
TTL_POLICIES = ("keep_forever", "ephemeral", "decay")  # the first that applies decides
SENSITIVITIES = ("low", "normal", "high")  # for what is shown unasked, never for decay
NORMAL, HIGH = "normal", "high"  # normal: what states none; high: shown only to those who ask for it
EPISODIC_DAYS = 30  # lifetime of an ephemeral source
SEMANTIC_DAYS = 90  # lifetime of all other ephemeral items
EPISODIC_ITEMS = ("source", "chunk")


def expires_at(item: str, ttl_policy: str, created_at: datetime) -> datetime | None:
    """Return when an ephemeral item expires, whatever its salience; None for other policies."""
    if ttl_policy != "ephemeral":
        return None
    return created_at + timedelta(days=EPISODIC_DAYS if item in EPISODIC_ITEMS else SEMANTIC_DAYS)


def source_expired(ttl_policy: str | None, received_at: datetime, now: datetime) -> bool:
    """Return whether a source, and what was read from it, has expired by `now`."""
    ends = expires_at("source", ttl_policy or "decay", received_at)
    return ends is not None and ends <= now


def state_of(salience: float, recalls: int, ttl_policy: str, *, archive_below: float, core_recalls: int) -> State:
    """Return the state of an unexpired item from its salience and number of recalls.

    It depends on nothing else, so an archived item becomes active again when a recall raises its salience.
    """
    if ttl_policy == "keep_forever":
        return "core"
    if salience < archive_below:
        return "archived"
    if recalls >= core_recalls:
        return "core"
    return "active" if recalls else "candidate"
