"""Run launcher of a home with workers: runs of users go to Celery workers by Redis, all others stay in the home.

It is Dagster's own Celery launcher but for two things. Whether a run goes on is asked of PostgreSQL, where its worker
holds a mark for as long as its connection lives: Celery still calls a task started when its worker was killed. And the
retry of a run that was killed runs all its steps, because what the earlier ones did was never committed.
"""

import warnings
from collections.abc import Mapping
from typing import Any

from celery.exceptions import DuplicateTaskNameWarning
from dagster import DagsterInstance, DagsterRun
from dagster._core.launcher import CheckRunHealthResult, LaunchRunContext, WorkerStatus
from dagster._core.storage.tags import RETRY_STRATEGY_TAG
from dagster._serdes import ConfigurableClassData
from dagster_celery.launcher import CeleryRunLauncher
from dagster_celery.tags import DAGSTER_CELERY_TASK_ID_TAG

from brain_pipelines.orchestration.launcher import HealthCheckedRunLauncher
from brain_pipelines.orchestration.run_queue import USER
from brain_pipelines.orchestration.workers.fence import Fence, LostLockError, address_of

# Dagster registers its task again with each run that it sends.
warnings.filterwarnings("ignore", category=DuplicateTaskNameWarning)

WORKER_TAG = {"brain/where": "worker"}
PARTITIONS = ("dagster/partition", "dagster/asset_partition_range_start")


class WorkerRunLauncher(CeleryRunLauncher):
    """Sends runs of one user to workers and starts the others where the code server is."""

    def __init__(self, inst_data: ConfigurableClassData | None = None, **options: Any) -> None:
        options["config_source"] = {**SETTINGS, **(options.get("config_source") or {})}
        super().__init__(inst_data=inst_data, **options)
        self._here = HealthCheckedRunLauncher()

    @classmethod
    def from_config_value(
        cls, inst_data: ConfigurableClassData | None, config_value: Mapping[str, Any]
    ) -> "WorkerRunLauncher":
        return cls(inst_data=inst_data, **config_value)

    def register_instance(self, instance: DagsterInstance) -> None:
        """Make the instance known to both launchers."""
        super().register_instance(instance)
        self._here.register_instance(instance)

    def launch_run(self, context: LaunchRunContext) -> None:
        """Send a run to the workers, or start it here if it is not about the days of one user."""
        run = context.dagster_run
        if not goes_to_worker(run):
            self._here.launch_run(context)
            return
        self._instance.add_run_tags(run.run_id, {**WORKER_TAG, RETRY_STRATEGY_TAG: "ALL_STEPS"})
        super().launch_run(context)

    @property
    def supports_resume_run(self) -> bool:
        return False  # what the steps of a lost worker did is lost too: the run is started from the beginning

    def check_run_worker_health(self, run: DagsterRun) -> CheckRunHealthResult:
        """Return RUNNING while a connection to PostgreSQL holds the mark of the run, else NOT_FOUND."""
        if not is_at_worker(run):
            return self._here.check_run_worker_health(run)
        try:
            with Fence(address_of(self._instance)) as fence:
                alive = fence.is_marked(run.run_id)
        except LostLockError:
            return CheckRunHealthResult(WorkerStatus.RUNNING, "PostgreSQL does not answer")
        if alive:
            return CheckRunHealthResult(WorkerStatus.RUNNING, "its worker holds the mark of the run")
        return CheckRunHealthResult(WorkerStatus.NOT_FOUND, "no worker holds the mark of the run")

    def terminate(self, run_id: str) -> bool:
        """End a run."""
        run = self._instance.get_run_by_id(run_id)
        if run is None or run.is_finished:
            return False
        if not is_at_worker(run):
            return self._here.terminate(run_id)
        self._instance.report_run_canceling(run)
        self.celery.control.revoke(run.tags.get(DAGSTER_CELERY_TASK_ID_TAG, ""), terminate=True)
        return True

    def get_run_worker_debug_info(self, run: DagsterRun, include_container_logs: bool | None = True) -> str | None:
        """Return what Celery says of the task of a run."""
        task = run.tags.get(DAGSTER_CELERY_TASK_ID_TAG)
        return f"Celery task {task}: {self.celery.AsyncResult(task).state}" if task else None

    def dispose(self) -> None:
        """Close what both launchers hold."""
        self._here.dispose()
        super().dispose()


def goes_to_worker(run: DagsterRun) -> bool:
    """Return whether a run is about days of one user, which a worker can fetch."""
    return USER in run.tags and any(tag in run.tags for tag in PARTITIONS)


def is_at_worker(run: DagsterRun) -> bool:
    """Return whether a run was sent to the workers."""
    return WORKER_TAG.items() <= run.tags.items()


# For both ends. A worker takes one task, when it begins it.
SETTINGS = {
    "worker_prefetch_multiplier": 1,
    "worker_disable_prefetch": True,
    # A worker killed before the run began leaves the task to another one; Dagster ignores a task whose run has begun.
    "task_acks_late": True,
    "task_reject_on_worker_lost": True,
    "result_expires": 86_400,
    "broker_connection_retry_on_startup": True,
    "broker_transport_options": {"visibility_timeout": 60},
    "worker_max_tasks_per_child": 200,  # against leaks of libraries
}
