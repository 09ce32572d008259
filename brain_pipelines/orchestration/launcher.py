"""Run launcher: Dagster's default with a health check, so that a lost run is found and retried.

Without it, a run lost with its machine or code server stays STARTED and keeps its slot. It uses three private names of
Dagster (hence the exact version pin); `tests/pipelines/orchestration/test_launcher.py` covers them.
"""

from collections.abc import Mapping
from typing import Any

import grpc
from dagster import DagsterRun
from dagster._core.launcher.base import CheckRunHealthResult, WorkerStatus
from dagster._core.launcher.default_run_launcher import DefaultRunLauncher
from dagster._grpc.types import CanCancelExecutionRequest, CanCancelExecutionResult
from dagster._serdes import ConfigurableClassData
from dagster_shared.serdes import deserialize_value

HEALTH_SECONDS = 10


class HealthCheckedRunLauncher(DefaultRunLauncher):
    """Asks the code server that started a run whether it is still running."""

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
            return CheckRunHealthResult(WorkerStatus.NOT_FOUND, f"code server unreachable: {type(error).__name__}")
        status = WorkerStatus.RUNNING if answer.can_cancel else WorkerStatus.NOT_FOUND
        return CheckRunHealthResult(status, "asked the code server")
