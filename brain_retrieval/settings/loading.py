"""Loading and validation of a home's settings. The sections are defined in the modules beside this one.

A value comes from, first wins: the environment (`BRAIN_EMBEDDING__MODEL=…`), `<home>/brain.toml`, the default.
An unknown key is an error, because a misspelt setting that is silently ignored is hard to find.
"""

import os
import tomllib
from collections.abc import Iterator, Mapping
from datetime import date
from difflib import get_close_matches
from functools import cache, lru_cache
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo, available_timezones

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator, model_validator

from brain_retrieval.errors import InvalidSettingsError, home_error
from brain_retrieval.home import checkout
from brain_retrieval.settings.cells import CellSettings
from brain_retrieval.settings.connectors import ConnectorSettings
from brain_retrieval.settings.evidence import EvidenceSettings
from brain_retrieval.settings.home_partitions import PartitionUnit, read_home_partitions
from brain_retrieval.settings.knowledge import (
    CostSettings,
    ExtractionSettings,
    GraphSettings,
    KnowledgeSettings,
    MemorySettings,
    OwnerSettings,
    TeamSettings,
)
from brain_retrieval.settings.language import (
    EnrichmentSettings,
    LlmSettings,
    NlpSettings,
    PrivacySettings,
    UserSettings,
)
from brain_retrieval.settings.media import OcrSettings, SpeechSettings, VisionSettings
from brain_retrieval.settings.notify import NotifySettings, RecordSettings
from brain_retrieval.settings.remote import check_remote_tasks
from brain_retrieval.settings.secrecy import warn_if_exposed
from brain_retrieval.settings.sections import (
    ChunkingConfig,
    ChunkingOverride,
    Cleaning,
    EmbeddingSettings,
    IndexSettings,
    Limits,
    RetrievalSettings,
)
from brain_retrieval.settings.server import ServerSettings
from brain_retrieval.settings.storage import BackupSettings, DeletionSettings, WorkerSettings
from brain_retrieval.settings.trust import TrustSettings
from brain_retrieval.settings.web import CrawlSettings, FetchSettings

ENV_PREFIX = "BRAIN_"
# Variables with this prefix that are read elsewhere: home, user, the broker of workers, and test switches.
OTHER_VARIABLES = frozenset({"BRAIN_HOME", "BRAIN_USER", "BRAIN_BROKER"})
OTHER_PREFIXES = ("BRAIN_TEST_", "BRAIN_BENCH_")
_PLAIN = (str, int, Path, date)  # types of settings that are the text of a variable


def default_models_dir() -> Path:
    """Return `<checkout>/data/models` when run from a checkout, else `~/.cache/brain/models`."""
    root = checkout()
    return root / "data" / "models" if root else Path.home() / ".cache" / "brain" / "models"


class Settings(BaseModel):
    """All settings of one home. Use `load_settings`, which reads the file and gives clear error messages."""

    model_config = ConfigDict(extra="forbid", frozen=True, hide_input_in_errors=True, validate_default=True)

    models_dir: Path = Field(default_factory=default_models_dir)
    offline: bool = False  # never fetch weights at their first use; `brain models pull` still does
    embedding: EmbeddingSettings = EmbeddingSettings()
    chunking: dict[str, ChunkingOverride] = Field(default_factory=dict)  # by source
    cleaning: dict[str, Cleaning] = Field(default_factory=dict)  # by source
    limits: Limits = Limits()
    index: IndexSettings = IndexSettings()
    retrieval: RetrievalSettings = RetrievalSettings()
    ocr: OcrSettings = OcrSettings()
    vision: VisionSettings = VisionSettings()
    speech: SpeechSettings = SpeechSettings()
    llm: LlmSettings = LlmSettings()
    nlp: NlpSettings = NlpSettings()
    enrichment: EnrichmentSettings = EnrichmentSettings()
    privacy: PrivacySettings = PrivacySettings()
    fetch: FetchSettings = FetchSettings()
    crawl: CrawlSettings = CrawlSettings()
    evidence: EvidenceSettings = EvidenceSettings()
    trust: TrustSettings = TrustSettings()
    connectors: ConnectorSettings = ConnectorSettings()
    extraction: ExtractionSettings = ExtractionSettings()
    users: dict[str, UserSettings] = Field(default_factory=dict)  # by user
    owners: dict[str, OwnerSettings] = Field(default_factory=dict)  # by user
    teams: dict[str, TeamSettings] = Field(default_factory=dict)  # by the user id of the team
    knowledge: KnowledgeSettings = KnowledgeSettings()
    memory: MemorySettings = MemorySettings()
    graph: GraphSettings = GraphSettings()
    costs: CostSettings = CostSettings()
    server: ServerSettings = ServerSettings()
    notify: NotifySettings = NotifySettings()
    records: RecordSettings = RecordSettings()
    deletion: DeletionSettings = DeletionSettings()
    backup: BackupSettings = BackupSettings()
    cells: CellSettings = CellSettings()
    workers: WorkerSettings = WorkerSettings()
    time_zone: str = "UTC"  # IANA name; the partition day of an event is its date in this zone
    first_day: date = date(2024, 1, 1)  # a home chooses its own when the first files land
    partitions: PartitionUnit = "day"
    partition_budget: int = Field(default=100_000, ge=1)

    def __init__(self, **given: Any) -> None:
        """What is not given comes from the environment, then from the defaults."""
        super().__init__(**_merge(_from_environment(), given))

    @field_validator("models_dir")
    @classmethod
    def _expand(cls, path: Path) -> Path:
        return path.expanduser()

    @field_validator("time_zone")
    @classmethod
    def _check_zone(cls, name: str) -> str:
        if name != "UTC" and name not in _listed_zones() and name not in _time_zones():
            raise ValueError(f"{name!r} is not an IANA time zone such as Europe/Berlin")
        return name

    @model_validator(mode="after")
    def _check_models(self) -> "Settings":
        check_remote_tasks(self)
        return self

    @property
    def zone(self) -> ZoneInfo:
        return ZoneInfo(self.time_zone)

    def language_of(self, user: str) -> str:
        """Return the language of a user's full text and questions, ISO 639-1."""
        return self.users.get(user, UserSettings()).language

    def limits_for(self, source: str) -> Limits:
        """Return the limits for the files of a source, with what is cleaned from its texts."""
        if source not in self.cleaning:
            return self.limits
        return self.limits.model_copy(update={"cleaning": self.cleaning[source]})

    def chunking_for(self, source: str, preset: ChunkingConfig) -> ChunkingConfig:
        """Return the preset of a source with the owner's changes applied and checked.

        Raises:
            InvalidSettingsError: if the changed fields contradict the rest of the preset.
        """
        if source not in self.chunking:
            return preset
        changes = self.chunking[source].model_dump(exclude_none=True)
        try:
            return ChunkingConfig(**{**preset.model_dump(), **changes})
        except ValidationError as error:
            raise InvalidSettingsError(_explain(error, prefix=("chunking", source))) from None


@cache
def _listed_zones() -> frozenset[str]:
    """Return the names of the package tzdata: one small file, for every command of a home with a time zone."""
    from importlib.resources import files

    try:
        return frozenset(files("tzdata").joinpath("zones").read_text("utf-8").split())
    except (ImportError, OSError):
        return frozenset()


@cache
def _time_zones() -> frozenset[str]:
    return frozenset(available_timezones())  # opens every file of the system's zone directory


def load_settings(home: Path | None = None) -> Settings:
    """Return the settings of `home`: the environment over `<home>/brain.toml` over the defaults.

    Raises:
        InvalidSettingsError: unreadable file, unknown key or illegal value; values are never repeated in the message.
    """
    _check_variables(os.environ)
    # HOME is part of the default of models_dir
    given = sorted((name, value) for name, value in os.environ.items() if _is_ours(name) or name == "HOME")
    text = _read_file(home)
    if home is not None:
        warn_if_exposed(home)
    try:
        return _validated(text, tuple(given), tuple(sorted(read_home_partitions(home).values.items())))
    except tomllib.TOMLDecodeError as error:
        raise InvalidSettingsError(f"cannot read {home and home / 'brain.toml'}: {error}") from None
    except ValidationError as error:
        raise InvalidSettingsError(_explain(error)) from None
    except ValueError as error:  # a variable that should hold JSON and does not; the cause would show its value
        raise InvalidSettingsError(f"settings: {str(error)[:200]}") from None


@lru_cache(maxsize=8)  # every command and stage asks for the settings, and checking them takes 10 ms
def _validated(text: str, _environment: tuple[tuple[str, str], ...], chosen: tuple[tuple[str, Any], ...]) -> Settings:
    """Return the settings of a file's text; the environment is read below, and is an argument for the cache."""
    below = _merge(dict(chosen), tomllib.loads(text))
    return Settings(**_merge(below, _from_environment()))


def _from_environment() -> dict[str, Any]:
    """Return what the environment sets. pydantic-settings, half of the time of loading settings, reads what is nested.

    Raises:
        ValueError: if a variable that should hold JSON does not.
    """
    found: dict[str, Any] = {}
    for name, value in os.environ.items():
        top, _, nested = name[len(ENV_PREFIX) :].lower().partition("__")
        if not _is_ours(name) or (field := Settings.model_fields.get(top)) is None:
            continue
        kind = field.annotation
        if nested or not (isinstance(kind, type) and issubclass(kind, _PLAIN)):
            from pydantic_settings import EnvSettingsSource

            reader: Any = EnvSettingsSource  # it reads any model; its types name only that of its own package
            return reader(Settings, env_prefix=ENV_PREFIX, env_nested_delimiter="__")()
        found[top] = value
    return found


def _read_file(home: Path | None) -> str:
    path = home / "brain.toml" if home else None
    if path is None or not path.is_file():
        return ""
    try:
        return path.read_text("utf-8")
    except (UnicodeDecodeError, OSError) as error:
        if (unusable := home_error(error)) is not None:
            raise unusable from error
        raise InvalidSettingsError(f"cannot read {path}: {error}") from None


def _merge(low: Mapping[str, Any], high: Mapping[str, Any]) -> dict[str, Any]:
    merged = dict(low)
    for key, value in high.items():
        both = isinstance(value, Mapping) and isinstance(merged.get(key), Mapping)
        merged[key] = _merge(merged[key], value) if both else value
    return merged


def _is_ours(name: str) -> bool:
    return name.upper().startswith(ENV_PREFIX)


def _check_variables(environment: Mapping[str, str]) -> None:
    # pydantic-settings ignores a top-level variable that it does not know. One that is nested or resembles a setting
    # is reported as a mistake; any other is assumed to belong to another program.
    for name in environment:
        if not _is_ours(name) or name.upper() in OTHER_VARIABLES:
            continue
        top = name[len(ENV_PREFIX) :].lower().split("__")[0]
        known = top in Settings.model_fields or name.upper().startswith(OTHER_PREFIXES)
        if not known and ("__" in name or _suggest(top)):
            raise InvalidSettingsError(f"environment variable {name} is not a setting{_suggest(top)}")


def _suggest(key: str) -> str:
    near = get_close_matches(key, (known for known in _all_keys(Settings) if known != key), n=1)
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
        lines.append(f"{'.'.join(place)}: {what}" if place else what)
    return "settings: " + "; ".join(lines)
