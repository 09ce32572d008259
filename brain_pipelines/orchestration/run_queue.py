"""The run queue: one run a user at a time, whoever asked for the run, and pools that limit what runs occupy.

Runs of sensors and of the command line name their user in the tag `brain/user`. Runs of the UI, backfills above all,
name partitions only; they get the tag here when they are submitted. A run over days of several users has a tag for each
and waits until none of them has a run. A run that waits is in the queue and holds no place among the concurrent runs.

Where several homes share an instance as cells, each on a machine of its own, `runs_a_cell` limits the runs of each.
"""

from collections.abc import Mapping, Sequence
from typing import Any, cast

from dagster import DagsterInstance, DagsterRun, DagsterRunStatus, Field, Permissive, RunsFilter
from dagster._core.run_coordinator.base import SubmitRunContext
from dagster._core.run_coordinator.queued_run_coordinator import QueuedRunCoordinator, RunQueueConfig
from dagster._serdes import ConfigurableClassData

from brain_pipelines.orchestration.cells.names import CELL_TAG, Names, cell_of

USER = "brain/user"
SHARED = {"brain/users": "several"}
ONE_RUN_A_USER = {"key": USER, "value": {"applyLimitPerUniqueValue": True}, "limit": 1}
_START, _END = "dagster/asset_partition_range_start", "dagster/asset_partition_range_end"
_WAITING_OR_RUNNING = [
    DagsterRunStatus.QUEUED,
    DagsterRunStatus.NOT_STARTED,
    DagsterRunStatus.STARTING,
    DagsterRunStatus.STARTED,
    DagsterRunStatus.CANCELING,
]


def users_of(tags: Mapping[str, str], registered: Sequence[str]) -> list[str]:
    """Return the users of the partitions of a run; none for a run without partitions.

    Args:
        tags: of the run.
        registered: the users in the order in which Dagster knows them, which is that of ranges.
    """
    if USER in tags:
        return [tags[USER]]
    first, last = (tags.get(tag, tags.get("dagster/partition", "")).partition("|")[2] for tag in (_START, _END))
    if first == last or first not in registered or last not in registered:
        return sorted({first, last} - {""})
    one, other = sorted((registered.index(first), registered.index(last)))
    return list(registered[one : other + 1])


def user_tags(users: Sequence[str]) -> dict[str, str]:
    """Return the tags of a run of these users."""
    of_each = {f"{USER}/{user}": "1" for user in users}
    return {**of_each, **({USER: users[0]} if len(users) == 1 else SHARED)} if users else {}


def names_of(run: DagsterRun) -> Names:
    """Return the names of the home that a run belongs to, by its tag, else by the assets that it was asked for."""
    if CELL_TAG in run.tags:
        return Names(run.tags[CELL_TAG])
    return Names(next(iter({cell_of(key) for key in run.asset_selection or ()}), ""))


class UserRunCoordinator(QueuedRunCoordinator[DagsterInstance]):
    """Dagster's queue with a limit of one run a user.

    `pools` are the limits of pools that are not set in the UI; `runs_a_cell` is how many runs of a cell go on at once.
    """

    def __init__(self, pools: Mapping[str, int] | None = None, runs_a_cell: int = 0, **options: Any) -> None:
        super().__init__(**options)
        self._pools = dict(pools or {})
        self._runs_a_cell = runs_a_cell
        self._cells_set: set[str] = set()

    @classmethod
    def config_type(cls) -> dict[str, Any]:
        limits = Field(Permissive(), is_required=False, description="Runs that may occupy a pool at once, by pool.")
        of_cell = Field(int, is_required=False, default_value=0, description="Runs of a cell at once; 0 is no limit.")
        return {**cast("dict[str, Any]", super().config_type()), "pools": limits, "runs_a_cell": of_cell}

    @classmethod
    def from_config_value(
        cls, inst_data: ConfigurableClassData | None, config_value: Mapping[str, Any]
    ) -> "UserRunCoordinator":
        return cls(inst_data=inst_data, **config_value)

    def submit_run(self, context: SubmitRunContext) -> DagsterRun:
        """Give the run the tags of its users and its cell, and queue it."""
        run = context.dagster_run
        names = names_of(run)
        self._set_pools(names)
        tags = names.tags | user_tags(users_of(run.tags, self._instance.get_dynamic_partitions(names.users)))
        if new := {key: value for key, value in tags.items() if run.tags.get(key) != value}:
            self._instance.add_run_tags(run.run_id, new)
        return super().submit_run(context)

    def get_run_queue_config(self) -> RunQueueConfig:
        """Return the limits of the queue; those by user are computed from the runs that wait or go on."""
        config = super().get_run_queue_config()
        limits = [*config.tag_concurrency_limits, ONE_RUN_A_USER]
        if self._runs_a_cell:
            limits.append({**ONE_RUN_A_USER, "key": CELL_TAG, "limit": self._runs_a_cell})
        shared = (
            self._instance.get_runs(RunsFilter(statuses=_WAITING_OR_RUNNING, tags=SHARED)) if self.has_instance else ()
        )
        keys = {key for run in shared for key in run.tags if key.startswith(f"{USER}/")}
        return config._replace(tag_concurrency_limits=[*limits, *({"key": key, "limit": 1} for key in sorted(keys))])

    def _set_pools(self, names: Names) -> None:
        if names.cell in self._cells_set:
            return
        storage = self._instance.event_log_storage
        if storage.supports_global_concurrency_limits:
            chosen = {pool.name for pool in storage.get_pool_limits() if not pool.from_default}
            for name, limit in sorted(self._pools.items()):
                pool = names.pool(name)
                if pool not in chosen:
                    storage.set_concurrency_slots(pool, int(limit))
        self._cells_set.add(names.cell)
