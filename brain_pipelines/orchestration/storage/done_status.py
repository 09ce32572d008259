"""Days on which nothing is left to do count as materialised in Dagster, without an event for each.

Most partitions of an asset are days on which a user has no item of that source. Left as they are, Dagster calls them
missing and a backfill of "failed and missing" runs them all; an event for each would be a kilobyte for every day, user
and asset. Instead each user has one record among Dagster's: the day up to which the ledger was read, and the days not
done by then (`days/open_days.py` writes it). When the status of an asset is read, all other days are added to those
with an event. A day after the record, or any day of a user without one, is missing until it has been looked at.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from dagster import AssetKey, DagsterInstance, DynamicPartitionsDefinition, MultiPartitionsDefinition
from dagster._core.definitions.partitions.context import partition_loading_context
from dagster._core.loader import LoadingContext
from dagster._core.storage.event_log import EventLogStorage
from dagster._core.storage.partition_status_cache import AssetStatusCacheValue

from brain_pipelines.orchestration.cells.names import is_users
from brain_retrieval.ids import stable_hash

Pairs = Iterable[tuple[AssetKey, Any]]


@dataclass(frozen=True)
class Standing:
    """What is left to do for a user: `open_days` are ISO days by source or group of assets, up to `through`."""

    through: str
    open_days: Mapping[str, Sequence[str]]


class LedgerStatus(EventLogStorage):
    """Mix-in of an event log that counts days on which nothing is left to do as materialised."""

    def get_asset_status_cache_values(
        self, partitions_defs_by_key: Pairs, context: LoadingContext
    ) -> Sequence[AssetStatusCacheValue | None]:
        """Return the status of each asset; what Dagster keeps in its own cache holds events only."""
        pairs = list(partitions_defs_by_key)
        values = super().get_asset_status_cache_values(pairs, context)
        concerned = {key: found[2] for key, partitions in pairs if (found := _dimensions(partitions))}
        standings = {
            users: read_standings(self._instance, self._instance.get_dynamic_partitions(users))
            for users in set(concerned.values())
        }
        return [
            _with_done(self._instance, key, partitions, value, standings[concerned[key]]) if key in concerned else value
            for (key, partitions), value in zip(pairs, values, strict=True)
        ]


def read_standings(instance: DagsterInstance, registered: Iterable[str]) -> dict[str, Standing]:
    """Return the record of each of these users that has one."""
    users = {_key(user): user for user in registered}
    store = instance.daemon_cursor_storage
    found = store.get_cursor_values(set(users)) if users else {}
    return {users[key]: Standing(*json.loads(value)) for key, value in found.items() if value}


def write_standing(instance: DagsterInstance, user: str, standing: Standing | None) -> bool:
    """Write a user's record, None to remove it; return whether it has changed."""
    text = json.dumps([standing.through, dict(standing.open_days)], sort_keys=True) if standing else ""
    store = instance.daemon_cursor_storage
    if store.get_cursor_values({_key(user)}).get(_key(user), "") == text:
        return False
    store.set_cursor_values({_key(user): text})
    return True


def _key(user: str) -> str:
    return f"brain/open_days/{stable_hash(user)}"  # without the user's id, which forgetting could not remove


def _dimensions(partitions: Any) -> tuple[Any, str, str] | None:
    """Return the time dimension, its name and that of the users if an asset is partitioned by time and our users."""
    if not isinstance(partitions, MultiPartitionsDefinition):
        return None
    by_name = {one.name: one.partitions_def for one in partitions.partitions_defs}
    user = by_name.pop("user", None)
    if not isinstance(user, DynamicPartitionsDefinition) or not is_users(user.name):
        return None
    ((name, time),) = by_name.items()
    return time, name, str(user.name)


def _with_done(
    instance: DagsterInstance,
    key: AssetKey,
    partitions: MultiPartitionsDefinition,
    value: AssetStatusCacheValue | None,
    standings: Mapping[str, Standing],
) -> AssetStatusCacheValue | None:
    found = _dimensions(partitions)
    if found is None or not standings:
        return value
    with partition_loading_context(dynamic_partitions_store=instance):
        spans = _spans(found[0], max(one.through for one in standings.values()))
        done = [
            _keys(user, one.through, tuple(one.open_days.get(key.path[-2], ())), spans)
            for user, one in standings.items()
        ]
        held = value.serialized_materialized_partition_subset if value else None
        text = _joined(held or partitions.empty_subset().serialize(), done)
        if value is None:
            return AssetStatusCacheValue(0, partitions.get_serializable_unique_identifier(), text)
    return value._replace(serialized_materialized_partition_subset=text)


def _joined(held: str, done: Iterable[str]) -> str:
    """Return a serialised set of partitions with those that are done; Dagster's own class would sort all of them."""
    subset = json.loads(held)
    own = ", ".join(json.dumps(one) for one in subset.pop("subset"))
    return f'{json.dumps(subset)[:-1]}, "subset": [{", ".join(filter(None, [own, *done]))}]}}'


@lru_cache(maxsize=8)  # the definition of each asset is an object of its own, and they are equal
def _spans(time: Any, _through: str) -> tuple[str, ...]:
    """Return the days or months of a definition, at least up to a day that has come."""
    return tuple(time.get_partition_keys())


@lru_cache(maxsize=4096)  # the stages of a source have the same, and so have most sources of a user
def _keys(user: str, through: str, open_days: tuple[str, ...], spans: tuple[str, ...]) -> str:
    """Return the partitions of a user that are done as JSON; a month ("2026-01") is if none of its days is open."""
    waiting = {day[: len(spans[0])] for day in open_days} if spans else set()
    return ", ".join(f'"{span}|{user}"' for span in spans if span <= through and span not in waiting)
