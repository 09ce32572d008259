"""What the process of a run needs, loaded once by the process that runs are forked from.

Only code: settings, the calendar and the definitions are read by each run (`brain_pipelines.definitions` is not here).
LanceDB is not here either, since it starts threads when it is loaded, which do not survive a fork.
"""

from brain_pipelines.engine import run_stage
from brain_pipelines.orchestration import maintenance, schedules, sensors, snapshot_assets, source_assets, team_assets
from brain_pipelines.orchestration.runs import code_server
from brain_pipelines.orchestration.workers import executor
from brain_retrieval.models.embedding import onnx_embedder

__all__ = [
    "code_server", "executor", "maintenance", "onnx_embedder", "run_stage", "schedules", "sensors", "snapshot_assets",
    "source_assets", "team_assets",
]  # fmt: skip
