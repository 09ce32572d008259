"""Passwords in a settings file that other users of the machine can read."""

import logging
import stat
import tomllib
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

SECRETS = frozenset({"api_key", "password", "raw_key", "secret_access_key", "secrets", "session_token", "token"})
OTHERS = stat.S_IRWXG | stat.S_IRWXO
LOGGER = logging.getLogger(__name__)


def exposed(home: Path) -> list[str]:
    """Return the settings in `<home>/brain.toml` that hold a secret, if others than its owner may read the file."""
    path = home / "brain.toml"
    try:
        if not path.stat().st_mode & OTHERS:
            return []
        return sorted(_secrets(tomllib.loads(path.read_text("utf-8"))))
    except (OSError, ValueError):  # missing, or what `load_settings` reports as unreadable
        return []


def warn_if_exposed(home: Path) -> None:
    """Log once, for a file as it is now, which secrets others can read, and how to change it."""
    path = home / "brain.toml"
    if path.is_file():
        state = path.stat()
        _warn(home, state.st_mode, state.st_mtime_ns)


@cache
def _warn(home: Path, _mode: int, _mtime_ns: int) -> None:
    if names := exposed(home):
        LOGGER.warning(
            "other users of this machine can read %s in %s; `chmod 600` protects it",
            ", ".join(names),
            home / "brain.toml",
        )


def _secrets(values: Mapping[str, Any], prefix: str = "") -> Iterator[str]:
    for key, value in values.items():
        if key in SECRETS:
            yield f"{prefix}{key}"
        elif isinstance(value, Mapping):
            yield from _secrets(value, f"{prefix}{key}.")
        elif isinstance(value, list):
            for one in value:
                if isinstance(one, Mapping):
                    yield from _secrets(one, f"{prefix}{key}.")
