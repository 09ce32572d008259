"""Configuration hash of a stage: identifies the settings that its stored rows depend on."""

from brain_pipelines.engine.stage import Stage
from brain_pipelines.sources.source import Source
from brain_retrieval.ids import stable_hash
from brain_retrieval.settings import Settings


def is_deferred(stage: Stage, settings: Settings, user: str) -> bool:
    """Return whether the stage is computed on request only (a per-reader stage in a team's space)."""
    team = settings.teams.get(user)
    return stage.per_reader and team is not None and team.extraction == "lazy"


def config_hash(stage: Stage, source: Source, settings: Settings, user: str) -> str:
    """Return the hash of the settings that a stage of a source depends on in a user's space.

    Raises:
        ModelMissingError: if it depends on a tokenizer that is not on this machine.
    """
    config = stage.config(settings, source)
    return stable_hash(["deferred", config] if is_deferred(stage, settings, user) else config)
