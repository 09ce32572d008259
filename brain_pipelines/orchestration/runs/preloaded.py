"""What the process of a run needs, loaded once by the process that runs are forked from.

Only code: settings, the calendar and the definitions are read by each run (`brain_pipelines.definitions` is not here).
LanceDB is not here either, since it starts threads when it is loaded, which do not survive a fork.
"""

from brain_pipelines.engine import run_stage
from brain_pipelines.orchestration.runs import code_server, location
from brain_retrieval.models.embedding import onnx_embedder

__all__ = ["code_server", "location", "onnx_embedder", "run_stage"]
