"""Every setting of Brain, its default and its limits. Nothing is opened or downloaded here.

A value comes from, first wins: the environment (`BRAIN_EMBEDDING__MODEL=…`), `<home>/brain.toml`, the default.
A key that does not exist is an error, because a misspelt setting that is silently ignored is found weeks later.
"""

import os
import tomllib
from collections.abc import Iterator, Mapping
from datetime import date
from difflib import get_close_matches
from pathlib import Path
from typing import Annotated, Any, Literal
from zoneinfo import ZoneInfo, available_timezones

from pydantic import BaseModel, Field, SecretStr, ValidationError, field_validator, model_validator
from pydantic_settings import BaseSettings, EnvSettingsSource, SettingsConfigDict

from brain_retrieval.errors import InvalidSettingsError
from brain_retrieval.home import project_root

ENV_PREFIX = "BRAIN_"
# Variables with our prefix that are read elsewhere: where the home is, who is asking, and what tests switch on.
OTHER_VARIABLES = frozenset({"BRAIN_HOME", "BRAIN_USER"})
OTHER_PREFIXES = ("BRAIN_TEST_", "BRAIN_BENCH_")

MEGABYTE = 1 << 20

Strategy = Literal["fixed", "semantic", "recursive", "document", "paragraph", "sentence"]
Unit = Literal["tokens", "characters"]


class Section(BaseModel, extra="forbid", frozen=True):
    """Base of every section: immutable, hashable, no unknown keys."""


class ChunkingConfig(Section, frozen=True):
    """How a text is cut. Sizes are in `unit`s: tokens of the embedder's own tokenizer, or characters.

    `min_size` 0 keeps small pieces apart; a minimum is what allows neighbours to be merged.
    `preserve_boundaries` means that no cut is made inside a turn, paragraph or section that fits in `max_size`.
    """

    strategy: Strategy = "recursive"
    unit: Unit = "tokens"
    max_size: int = Field(default=512, ge=1, le=1_000_000)
    overlap: int = Field(default=0, ge=0)
    min_size: int = Field(default=0, ge=0)
    preserve_boundaries: bool = True

    @model_validator(mode="after")
    def _check_sizes(self) -> "ChunkingConfig":
        # An overlap as large as the chunk never advances; a minimum above the maximum cannot be met.
        if self.overlap >= self.max_size:
            raise ValueError(f"overlap ({self.overlap}) must be smaller than max_size ({self.max_size})")
        if self.min_size > self.max_size:
            raise ValueError(f"min_size ({self.min_size}) must not exceed max_size ({self.max_size})")
        return self


class ChunkingOverride(Section, frozen=True):
    """The fields of a source's preset that the owner wants different; None keeps the preset's value."""

    strategy: Strategy | None = None
    unit: Unit | None = None
    max_size: int | None = None
    overlap: int | None = None
    min_size: int | None = None
    preserve_boundaries: bool | None = None


class EmbeddingSettings(Section, frozen=True):
    """Which model turns text into vectors.

    `model` is an entry of the manifest or a directory with `model.onnx` and `tokenizer.json` for "onnx", the
    endpoint's model name for "openai". `batch_size` None is the provider's own (8 local, 256 remote).
    `threads` work on one batch of a local model; it is 1 because runs are what is done in parallel.
    `dimensions` is the width of the vectors, needed for a remote model that Brain does not know.
    `tokenizer` counts the chunks' tokens: an entry, a directory or "approximate"; None is the model's own.
    """

    provider: Literal["onnx", "openai"] = "onnx"
    model: str = Field(default="minilm-int8", min_length=1)
    base_url: str | None = None
    api_key: SecretStr | None = None
    tokenizer: str | None = None
    dimensions: int | None = Field(default=None, ge=1, le=65_536)
    max_tokens: int | None = Field(default=None, ge=1)  # of one text; None: 256 local, 8191 remote
    batch_size: int | None = Field(default=None, ge=1, le=2048)
    timeout_seconds: float = Field(default=60.0, gt=0)
    max_attempts: int = Field(default=4, ge=1, le=20)
    threads: int = Field(default=1, ge=1, le=256)


class Limits(Section, frozen=True):
    """What one untrusted file may cost. Beyond a limit the file goes to quarantine, it is not cut silently."""

    max_file_bytes: int = Field(default=64 * MEGABYTE, ge=1)
    max_pdf_bytes: int = Field(default=128 * MEGABYTE, ge=1)
    max_pages: int = Field(default=2000, ge=1)
    parse_seconds: float = Field(default=60.0, gt=0)
    parse_memory_mb: int = Field(default=1024, ge=64)
    max_archive_ratio: float = Field(default=100.0, ge=1)
    max_archive_bytes: int = Field(default=256 * MEGABYTE, ge=1)
    max_text_chars: int = Field(default=20_000_000, ge=1)


class RetrievalSettings(Section, frozen=True):
    """How a query is answered. The defaults are the one configuration that docs/retrieval.md measures.

    "weighted" is the convex combination of normalised scores; "rrf" is reciprocal rank fusion,
    sum of weight / (rrf_k + rank) (Cormack, Clarke and Büttcher 2009).
    """

    k: int = Field(default=10, ge=1, le=1000)
    arm_depth: int = Field(default=200, ge=1, le=10_000)  # candidates of each arm before fusion
    fusion: Literal["weighted", "rrf"] = "weighted"
    vector_weight: float = Field(default=0.5, ge=0)
    lexical_weight: float = Field(default=0.5, ge=0)
    rrf_k: int = Field(default=60, ge=1)
    # What a chunk gains from the chunks 1, 2, … away in the same source, relative to its own score of weight 1.
    neighbour_weights: tuple[Annotated[float, Field(ge=0, le=1)], ...] = (0.3, 0.15)
    parent_weight: float = Field(default=0.375, ge=0, lt=1)  # share of the source's best chunk in a chunk's score
    date_boost: float = Field(default=0.2, ge=0)  # for a chunk of a day that the question names; half for its month
    neighbours: int = Field(default=1, ge=0, le=20)  # turns shown on each side of a conversation hit
    context_tokens: int = Field(default=4000, ge=1)
    max_query_chars: int = Field(default=8000, ge=1)

    @model_validator(mode="after")
    def _check_weights(self) -> "RetrievalSettings":
        if self.vector_weight + self.lexical_weight <= 0:
            raise ValueError("vector_weight and lexical_weight must not both be 0")
        return self

    @property
    def weights(self) -> dict[str, float]:
        """The weight of each arm by its name."""
        return {"vector": self.vector_weight, "lexical": self.lexical_weight}


def default_models_dir() -> Path:
    """Return `<checkout>/data/models` when run from a checkout, else `~/.cache/brain/models`."""
    root = project_root()
    if (root / "pyproject.toml").is_file():
        return root / "data" / "models"
    return Path.home() / ".cache" / "brain" / "models"


class Settings(BaseSettings):
    """All settings of one home. Use `load_settings`, which adds the file and says clearly what is wrong."""

    model_config = SettingsConfigDict(
        env_prefix=ENV_PREFIX, env_nested_delimiter="__", extra="forbid", frozen=True, hide_input_in_errors=True
    )

    models_dir: Path = Field(default_factory=default_models_dir)
    embedding: EmbeddingSettings = EmbeddingSettings()
    chunking: dict[str, ChunkingOverride] = Field(default_factory=dict)  # by source
    limits: Limits = Limits()
    retrieval: RetrievalSettings = RetrievalSettings()
    time_zone: str = "UTC"  # of the days: an event belongs to the day it has in this zone
    first_day: date = date(2024, 1, 1)
    partition_budget: int = Field(default=100_000, ge=1)

    @field_validator("models_dir")
    @classmethod
    def _expand(cls, path: Path) -> Path:
        return path.expanduser()

    @field_validator("time_zone")
    @classmethod
    def _check_zone(cls, name: str) -> str:
        if name not in available_timezones():
            raise ValueError(f"{name!r} is not an IANA time zone such as Europe/Berlin")
        return name

    @property
    def zone(self) -> ZoneInfo:
        return ZoneInfo(self.time_zone)

    def chunking_for(self, source: str, preset: ChunkingConfig) -> ChunkingConfig:
        """Return the preset of a source with the owner's changes applied and checked.

        Raises:
            InvalidSettingsError: if the changed fields do not fit the preset's others.
        """
        if source not in self.chunking:
            return preset
        changes = self.chunking[source].model_dump(exclude_none=True)
        try:
            return ChunkingConfig(**{**preset.model_dump(), **changes})
        except ValidationError as error:
            raise InvalidSettingsError(_explain(error, prefix=("chunking", source))) from None


def load_settings(home: Path | None = None) -> Settings:
    """Return the settings of `home`: the environment over `<home>/brain.toml` over the defaults.

    Raises:
        InvalidSettingsError: unreadable file, unknown key or illegal value; values are never repeated in the message.
    """
    _check_variables(os.environ)
    from_file = _read_file(home)
    try:
        return Settings(**_merge(from_file, EnvSettingsSource(Settings)()))
    except ValidationError as error:
        raise InvalidSettingsError(_explain(error)) from None
    except ValueError as error:  # a variable that should hold JSON and does not; the cause would show its value
        raise InvalidSettingsError(f"settings: {str(error)[:200]}") from None


def _read_file(home: Path | None) -> dict[str, Any]:
    path = home / "brain.toml" if home else None
    if path is None or not path.is_file():
        return {}
    try:
        return tomllib.loads(path.read_text("utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, OSError) as error:
        raise InvalidSettingsError(f"cannot read {path}: {error}") from None


def _merge(low: Mapping[str, Any], high: Mapping[str, Any]) -> dict[str, Any]:
    merged = dict(low)
    for key, value in high.items():
        both = isinstance(value, Mapping) and isinstance(merged.get(key), Mapping)
        merged[key] = _merge(merged[key], value) if both else value
    return merged


def _check_variables(environment: Mapping[str, str]) -> None:
    # pydantic-settings ignores a top-level variable that it does not know. One that is nested or resembles a setting
    # is a mistake of ours to report; any other belongs to somebody else who likes the prefix.
    for name in environment:
        if not name.upper().startswith(ENV_PREFIX) or name.upper() in OTHER_VARIABLES:
            continue
        top = name[len(ENV_PREFIX) :].lower().split("__")[0]
        known = top in Settings.model_fields or name.upper().startswith(OTHER_PREFIXES)
        if not known and ("__" in name or _suggest(top)):
            raise InvalidSettingsError(f"environment variable {name} is not a setting{_suggest(top)}")


def _suggest(key: str) -> str:
    near = get_close_matches(key, _all_keys(Settings), n=1)
    return f"; did you mean {near[0]!r}?" if near else ""


def _all_keys(model: type[BaseModel]) -> Iterator[str]:
    for key, field in model.model_fields.items():
        yield key
        if isinstance(field.annotation, type) and issubclass(field.annotation, BaseModel):
            yield from _all_keys(field.annotation)


def _explain(error: ValidationError, prefix: tuple[str, ...] = ()) -> str:
    lines = []
    for fault in error.errors(include_input=False, include_url=False, include_context=False):
        place = [*prefix, *map(str, fault["loc"])]
        unknown = fault["type"] == "extra_forbidden"
        what = f"unknown key{_suggest(place[-1])}" if unknown else fault["msg"].removeprefix("Value error, ")
        lines.append(f"{'.'.join(place) or 'settings'}: {what}")
    return "settings: " + "; ".join(lines)
