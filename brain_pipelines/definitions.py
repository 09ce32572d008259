"""The code location that Dagster loads: the definitions of the home that the environment names."""

from brain_pipelines.orchestration.runs.location import build_defs
from brain_retrieval.home import Home, default_home

__all__ = ["build_defs", "defs"]

defs = build_defs(Home(default_home()))
