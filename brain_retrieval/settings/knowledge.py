"""Settings of extraction, owners, teams, entity resolution, memory, graph and model costs."""

from typing import Annotated, Literal

from pydantic import Field, SecretStr

from brain_retrieval.settings.section import Section

Share = Annotated[float, Field(ge=0, le=1)]


class ExtractionSettings(Section, frozen=True):
    """Extraction of memories, entities and facts. Tier "llm" needs a model and improves what the local tier finds.

    A request holds at most `batch_size` sentences. The graph-write profile filters what reaches the knowledge layer;
    the extraction rows are kept in full.
    """

    provider: Literal["local", "llm"] = "local"
    batch_size: int = Field(default=20, ge=1, le=50)
    ask_above: Share = 0.05  # sentences less worth keeping are asked about only if they state a value or a change
    describe_names: bool = False  # ask for the other forms and a description of each name, too
    min_confidence: Share = 0.0  # of entities and facts that enter the knowledge layer
    min_mentions: int = Field(default=1, ge=1)


class OwnerSettings(Section, frozen=True):
    """The names and addresses of the owner of a user's memory."""

    name: str | None = None
    aliases: tuple[str, ...] = ()
    emails: tuple[str, ...] = ()


class TeamSettings(Section, frozen=True):
    """A team: a user whose space its members may read. `extraction` "lazy" covers accessed sources only."""

    members: tuple[str, ...] = ()
    extraction: Literal["lazy", "eager"] = "lazy"


class KnowledgeSettings(Section, frozen=True):
    """Entity resolution and the nightly job. Thresholds are scores between 0 and 1."""

    merge_score: Share = 0.85
    nightly: str = "0 3 * * *"  # cron, in the time zone of the settings
    keep_snapshots: int = Field(default=30, ge=1)  # older ones: only the last of each month
    refresh_days: int = Field(default=7, ge=1)  # maximum age of a snapshot, even without new data


class MemorySettings(Section, frozen=True):
    """Salience, storylines and macros; docs/memory.md gives the formulas."""

    initial_salience: Share = 0.5
    recall_boost: Share = 0.075
    base_rate: float = Field(default=0.02, gt=0)  # per day, for items never recalled
    archive_below: Share = 0.01
    core_recalls: int = Field(default=10, ge=1)
    storyline_sources: int = Field(default=5, ge=2)
    storyline_days: int = Field(default=3, ge=1)
    storyline_age_days: float = Field(default=3, ge=0)
    storyline_idle_days: int = Field(default=90, ge=1)
    storyline_quiet_sources: int = Field(default=10, ge=0)
    macro_storylines: int = Field(default=2, ge=2)
    macro_age_days: float = Field(default=30, ge=0)
    hub_share: Share = 0.5  # an entity in a larger share of the sources is not an anchor,
    hub_history: int = Field(default=100, ge=1)  # once there are at least this many sources
    summary_requests: int = Field(default=100, ge=0)  # chat model requests per snapshot
    summaries: Literal["extractive", "llm"] = "extractive"
    log_access: bool = True


class GraphSettings(Section, frozen=True):
    """The graph store. "neo4j" needs a server; the embedded store is always filled and used if the server fails."""

    provider: Literal["embedded", "neo4j"] = "embedded"
    uri: str = "bolt://127.0.0.1:7687"
    user: str = "neo4j"
    password: SecretStr | None = None
    database: str = "neo4j"
    connect_seconds: float = Field(default=10.0, gt=0)
    query_seconds: float = Field(default=15.0, gt=0)
    publish_seconds: float = Field(default=600.0, gt=0)
    batch_rows: int = Field(default=5000, ge=1, le=100_000)


class CostSettings(Section, frozen=True):
    """Costs of remote models. A budget of None means no limit, 0 no call at all.

    A budget is for one user and calendar month, in the currency of the prices (`llm.input_price`, …). The cache of
    answers keeps what was used within `cache_days`, and at most `cache_megabytes` of it.
    """

    monthly_budget: float | None = Field(default=None, ge=0)
    monthly_tokens: int | None = Field(default=None, ge=0)
    cache: bool = True
    cache_days: int = Field(default=365, ge=1)
    cache_megabytes: int = Field(default=500, ge=1)
