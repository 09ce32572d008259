"""The Celery application of a worker: it executes runs that `launcher.py` sent, with Dagster's own task.

While a process executes a run, it holds the mark of the run in PostgreSQL. Redis gives a task out again when it was
not concluded after some time, because its worker may be dead: if it is not, the second finds the mark taken. A process
whose parent was killed ends at once, so that no run goes on that cannot be stopped any more.
"""

import ctypes
import logging
import os
import signal
import sys
from typing import Any

from celery import Celery, Task
from celery.signals import worker_process_init
from dagster import DagsterInstance
from dagster._grpc.types import ExecuteRunArgs
from dagster._serdes import unpack_value
from dagster_celery.tasks import create_execute_job_task

from brain_pipelines.orchestration.workers.fence import Fence, address_of
from brain_pipelines.orchestration.workers.launcher import WorkerRunLauncher
from brain_retrieval.errors import InvalidSettingsError

_TO_PARENT_DEATH = 1  # PR_SET_PDEATHSIG
LOGGER = logging.getLogger(__name__)


class MarkedTask(Task):
    """A task that executes a run under its mark."""

    marks: str  # address of the database that holds them

    def __call__(self, *args: Any, **options: Any) -> Any:
        packed = options.get("execute_job_args_packed") or args[0]
        run_id = unpack_value(packed, as_type=ExecuteRunArgs).run_id
        with Fence(self.marks) as fence:
            if not fence.mark(run_id):
                LOGGER.warning("run %s is executed by another process already", run_id)
                return 0
            return super().__call__(*args, **options)


def build_app(instance: DagsterInstance) -> Celery:
    """Return the application for the broker that the launcher of an instance names.

    Raises:
        InvalidSettingsError: the instance has another launcher.
    """
    launcher = instance.run_launcher
    if not isinstance(launcher, WorkerRunLauncher):
        raise InvalidSettingsError("the dagster.yaml of a worker is dagster.workers.yaml, as that of the home")
    app = launcher.celery
    MarkedTask.marks = address_of(instance)
    create_execute_job_task(app, base=MarkedTask)  # pyright: ignore[reportArgumentType] - any option of a task
    worker_process_init.connect(_end_with_parent, weak=False)
    return app


def _end_with_parent(**_: Any) -> None:
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_TO_PARENT_DEATH, signal.SIGKILL, 0, 0, 0)
        if os.getppid() == 1:  # it was killed before this line
            os.kill(os.getpid(), signal.SIGKILL)
