"""What the processes of `tests.victims` need, imported and loaded once by the server that they are forked from.

Nothing here may start a thread that a victim relies on: a forked process has only the thread that forked it.
"""

import lancedb

from brain_pipelines.engine import run_stage
from brain_pipelines.knowledge import registry as knowledge
from brain_pipelines.sources import registry as sources
from brain_pipelines.stages import registry as stages
from brain_pipelines.stages.extraction.local.nlp import load_model
from brain_pipelines.stages.text import language_of
from brain_retrieval.models.embedding import onnx_embedder
from tests.pipelines import conftest

__all__ = ["conftest", "knowledge", "lancedb", "onnx_embedder", "run_stage", "sources", "stages"]

load_model()
language_of("The model that recognises languages is loaded by the first text.")
