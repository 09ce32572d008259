"""Weights on demand: use installed ones, else download them at first use, unless the settings say offline.

Importing this module or checking whether a model is installed downloads nothing.
"""

import sys
from collections.abc import Callable
from pathlib import Path

from brain_retrieval.errors import ModelMissingError
from brain_retrieval.home import default_home
from brain_retrieval.models.weights.manifest import ModelEntry, manifest
from brain_retrieval.models.weights.weights import is_installed, locate
from brain_retrieval.settings import load_settings


def obtain(entry: ModelEntry, models_dir: Path) -> dict[str, Path]:
    """Return the verified files of an entry by name; missing files are downloaded, with a line on standard error.

    Raises:
        ModelMissingError: not installed and offline (`offline = true`, `BRAIN_OFFLINE=1`), or no source has it.
    """
    if not is_installed(entry, models_dir) and not load_settings(default_home()).offline:
        from brain_retrieval.models.weights.download import pull  # its client is not needed otherwise

        progress, end = _progress_line(entry, models_dir)
        try:
            pull(entry, models_dir, progress=progress)
        finally:
            end()
    return locate(entry, models_dir)


def parser_directory(name: str, models_dir: Path | None = None) -> str:
    """Return the argument of `spacy.load` for the setting `nlp.model`: the directory of an entry, else `name`.

    `models_dir` None: that of this process's home.

    Raises:
        ModelMissingError: as for `obtain`.
    """
    entry = manifest().get(name)
    if entry is None:
        return name
    if entry.kind != "parser":
        raise ModelMissingError(f"{name} is of kind {entry.kind}, not a parser")
    return str(obtain(entry, models_dir or load_settings(default_home()).models_dir)["config.cfg"].parent)


def _progress_line(entry: ModelEntry, models_dir: Path) -> tuple[Callable[[str, int], None], Callable[[], None]]:
    """Return the progress callback and the one for the end. On a terminal they update one line."""
    done = 0
    counts = sys.stderr.isatty()
    start = f"first use: fetching {entry.name} ({entry.size / 1e6:.0f} MB, {entry.licence}) to {models_dir}"
    sys.stderr.write(start + ("" if counts else "; BRAIN_OFFLINE=1 forbids it\n"))
    sys.stderr.flush()

    def advance(_file: str, size: int) -> None:
        nonlocal done
        done += size
        if counts:
            sys.stderr.write(f"\r{start} {min(100, 100 * done // entry.size)} %")
            sys.stderr.flush()

    def end() -> None:
        if counts:
            sys.stderr.write("\n")

    return advance, end
