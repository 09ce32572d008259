"""The settings of an imported user: sections added to `brain.toml`, and differences that change what is computed."""

import json
import tomllib
from collections.abc import Mapping
from typing import Any

from brain_pipelines.landing.archive.manifest import Manifest
from brain_pipelines.landing.archive.writing import SECTIONS
from brain_retrieval.errors import InvalidSettingsError
from brain_retrieval.home import Home
from brain_retrieval.settings import Settings, load_settings
from brain_retrieval.stores.durable import write_bytes


def add_settings(home: Home, user: str, found: Mapping[str, Any]) -> list[str]:
    """Append the sections of a user that `brain.toml` lacks; return their names. Sections that are there stay.

    What this version of Brain does not accept is left out.
    """
    path = home.path / "brain.toml"
    before = path.read_text("utf-8") if path.is_file() else ""
    stored, text, added = tomllib.loads(before), before, list[str]()
    for section in SECTIONS:
        values = found.get(section)
        if not isinstance(values, dict) or not values or user in stored.get(section, {}):
            continue
        lines = [f"{name} = {_value(value)}" for name, value in values.items() if name.isidentifier() and _plain(value)]
        text = "\n".join([text.rstrip("\n"), "", f"[{section}.{user}]", *lines, ""]).lstrip("\n")
        added.append(f"{section}.{user}")
    if not added:
        return []
    try:
        tomllib.loads(text)
        write_bytes(path, text.encode())
        load_settings(home.path)
    except (InvalidSettingsError, ValueError):
        if before:
            write_bytes(path, before.encode())
        else:
            path.unlink(missing_ok=True)
        return []
    return added


def differences(settings: Settings, manifest: Manifest) -> list[str]:
    """Return which settings of the exporting home are others in this home and change days, in sentences."""
    here = {"time_zone": settings.time_zone, "first_day": settings.first_day.isoformat()}
    there = {"time_zone": manifest.time_zone, "first_day": manifest.first_day}
    return [
        f"{name} of the home that the data comes from was {there[name]:.80}, that of this home is {here[name]}: "
        "an item may lie on another day"
        for name in here
        if here[name] != there[name]
    ]


def _plain(value: Any) -> bool:
    if isinstance(value, list):
        return all(isinstance(one, str) for one in value)
    return isinstance(value, str | bool | int | float)


def _value(value: Any) -> str:
    """Return a string, number, truth value or list of strings in TOML, which writes them as JSON does."""
    return json.dumps(value, ensure_ascii=False)
