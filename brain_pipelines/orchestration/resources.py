"""Dagster resource shared by all assets: the home and its settings. Stores are opened per user by the stages."""

from functools import cached_property
from pathlib import Path

import dagster as dg

from brain_retrieval.home import Home, Space
from brain_retrieval.settings import Settings, load_settings


class BrainResource(dg.ConfigurableResource):
    """A Brain home. `home` is an absolute path; settings come from the environment and `<home>/brain.toml`."""

    home: str

    @property
    def path(self) -> Path:
        return Path(self.home)

    def space(self, user: str) -> Space:
        """Return the paths of one user."""
        return Home(self.path).space(user)

    @cached_property
    def settings(self) -> Settings:
        return load_settings(self.path)
