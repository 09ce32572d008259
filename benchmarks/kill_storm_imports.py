"""What the forked commands of the kill storm need, imported once by the process that they are forked from."""

import warnings

import lancedb

from brain_pipelines import definitions
from brain_pipelines.commands import app
from brain_pipelines.ingest import files, local_runs, message
from brain_pipelines.knowledge import registry
from brain_pipelines.server import run
from brain_retrieval.models.embedding import onnx_embedder

# LanceDB starts its threads again after a fork; none is in the middle of anything in the process that forks.
warnings.filterwarnings("ignore", message="lancedb fork support")

__all__ = ["app", "definitions", "files", "lancedb", "local_runs", "message", "onnx_embedder", "registry", "run"]
