"""Configuration hash of a stage: identifies the settings that its stored rows depend on, and says what changed."""

import json
from typing import Any

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


def config_key(config: str) -> str:
    """Return the key, in the catalog's metadata, of what a configuration hash stands for."""
    return f"config:{config}"


def describe(stage: Stage, source: Source, settings: Settings) -> str:
    """Return what the configuration hash of now stands for, as JSON: named parts, and all values."""
    found = {"named": dict(stage.named(settings, source)), "values": stage.config(settings, source)}
    return json.dumps(found, sort_keys=True, default=str)


def changes(before: str, after: str) -> list[tuple[str, str]]:
    """Return (what, how) for each part that differs between two descriptions: ("prompt", "1 → 2").

    What has no name is ("settings", the names of the values that differ, if they have any).
    """
    old, new = json.loads(before), json.loads(after)
    named = [
        (name, f"{old['named'][name]} → {value}" if name in old["named"] else value)
        for name, value in sorted(new["named"].items())
        if old["named"].get(name) != value
    ]
    if named or old == new:
        return named
    names = sorted(set(_differing(old["values"], new["values"])) - {""})
    return [("settings", ", ".join(names))]


def _differing(old: Any, new: Any, name: str = "") -> list[str]:
    """Return the names of the values that differ, "" for one without a name."""
    if isinstance(old, dict) and isinstance(new, dict):
        return [n for key in sorted({*old, *new}) for n in _differing(old.get(key), new.get(key), key)]
    if isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        return [n for pair in zip(old, new, strict=True) for n in _differing(*pair, name)]
    return [] if old == new else [name]
