"""Run launcher: Dagster's default with a health check, so that a lost run is found and retried.

Without it, a run lost with its machine stays STARTED and keeps its slot. A run whose code server has died goes on: its
process holds a mark (`run_workers.py`), so it is neither declared failed nor started a second time. The class uses
three private names of Dagster (hence the exact version pin); `tests/pipelines/orchestration/test_launcher.py` covers
them.
"""

import logging
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import grpc
from dagster import DagsterRun
from dagster._core.launcher.base import CheckRunHealthResult, WorkerStatus
from dagster._core.launcher.default_run_launcher import DefaultRunLauncher
from dagster._grpc.types import CanCancelExecutionRequest, CanCancelExecutionResult
from dagster._serdes import ConfigurableClassData
from dagster_shared.serdes import deserialize_value

from brain_pipelines.engine.run_workers import Worker, worker_of

HEALTH_SECONDS = 10
# A server that was lost together with the run comes back in this time. Dagster's retry of a run needs it.
GRACE_SECONDS = 60.0
LOGGER = logging.getLogger(__name__)


class HealthCheckedRunLauncher(DefaultRunLauncher):
    """Asks the code server that started a run whether it is still running."""

    def __init__(self, inst_data: ConfigurableClassData | None = None) -> None:
        super().__init__(inst_data)
        self._unreachable: dict[str, float] = {}  # run -> since when its server does not answer, monotonic

    @classmethod
    def from_config_value(
        cls, inst_data: ConfigurableClassData | None, config_value: Mapping[str, Any]
    ) -> "HealthCheckedRunLauncher":
        return cls(inst_data=inst_data)

    @property
    def supports_check_run_worker_health(self) -> bool:
        return True

    def check_run_worker_health(self, run: DagsterRun) -> CheckRunHealthResult:
        """Return RUNNING, or NOT_FOUND if no process that could finish the run exists."""
        if self._worker(run.run_id) is not None:
            return CheckRunHealthResult(WorkerStatus.RUNNING, "the process of the run holds its mark")
        client = self._get_grpc_client_for_termination(run.run_id)
        if client is None:
            return CheckRunHealthResult(WorkerStatus.NOT_FOUND, "the run names no code server")
        request = CanCancelExecutionRequest(run_id=run.run_id)
        try:
            answer = deserialize_value(
                client.can_cancel_execution(request, timeout=HEALTH_SECONDS), CanCancelExecutionResult
            )
        except Exception as error:
            cause = error.__cause__ or error
            if isinstance(cause, grpc.RpcError) and cause.code() == grpc.StatusCode.DEADLINE_EXCEEDED:
                return CheckRunHealthResult(WorkerStatus.RUNNING, "the code server is busy")
            first = self._unreachable.setdefault(run.run_id, time.monotonic())
            if time.monotonic() - first < GRACE_SECONDS:
                return CheckRunHealthResult(WorkerStatus.RUNNING, "the code server is waited for")
            return CheckRunHealthResult(WorkerStatus.NOT_FOUND, f"code server unreachable: {type(error).__name__}")
        self._unreachable.pop(run.run_id, None)
        status = WorkerStatus.RUNNING if answer.can_cancel else WorkerStatus.NOT_FOUND
        return CheckRunHealthResult(status, "asked the code server")

    def terminate(self, run_id: str) -> bool:
        """End a run: through the server that started it, else by a signal to its process."""
        try:
            if super().terminate(run_id):
                return True
        except Exception as error:
            LOGGER.info("the code server did not end run %s: %s", run_id, type(error).__name__)
        worker = self._worker(run_id)
        return worker is not None and worker.interrupt()

    def _worker(self, run_id: str) -> Worker | None:
        if not self.has_instance or not self._instance.is_persistent:
            return None
        return worker_of(Path(self._instance.root_directory), run_id)
