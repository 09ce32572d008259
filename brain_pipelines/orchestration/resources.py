"""Dagster resource shared by all assets: the home and its settings. Stores are opened per user by the stages."""

from collections.abc import Generator
from contextlib import ExitStack, contextmanager
from functools import cached_property
from pathlib import Path

import dagster as dg

from brain_pipelines.engine.run_workers import marked
from brain_retrieval.home import Home, Space
from brain_retrieval.settings import Settings, load_settings


class BrainResource(dg.ConfigurableResource):
    """A Brain home. `home` is an absolute path; settings come from the environment and `<home>/brain.toml`."""

    home: str

    @property
    def path(self) -> Path:
        return Path(self.home)

    @contextmanager
    def yield_for_execution(self, context: dg.InitResourceContext) -> Generator["BrainResource", None, None]:
        """Mark the process that executes a run, so that the run is known to go on if its code server dies."""
        with ExitStack() as marks:
            if context.run_id and context.instance is not None and context.instance.is_persistent:
                marks.enter_context(marked(Path(context.instance.root_directory), context.run_id))
            yield self

    def space(self, user: str) -> Space:
        """Return the paths of one user."""
        return Home(self.path).space(user)

    @cached_property
    def settings(self) -> Settings:
        return load_settings(self.path)
