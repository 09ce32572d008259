"""Builds small wheels by hand, so that the tests of the wheel source run pip for real and without a network."""

import zipfile
from pathlib import Path


def build_wheel(folder: Path, name: str, version: str, members: dict[str, bytes]) -> Path:
    """Write a pure wheel with these members and return its path."""
    folder.mkdir(parents=True, exist_ok=True)
    info = f"{name}-{version}.dist-info"
    metadata = f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n"
    wheel = "Wheel-Version: 1.0\nGenerator: tests\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
    files = {**members, f"{info}/METADATA": metadata.encode(), f"{info}/WHEEL": wheel.encode()}
    files[f"{info}/RECORD"] = "".join(f"{path},,\n" for path in (*files, f"{info}/RECORD")).encode()
    path = folder / f"{name}-{version}-py3-none-any.whl"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for member, data in files.items():
            archive.writestr(member, data)
    return path
