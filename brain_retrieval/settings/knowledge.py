"""Settings of what is made of all sources together: extraction tier, owners, teams, knowledge, memory, graph, cost."""

from typing import Annotated, Literal

from pydantic import Field, SecretStr

from brain_retrieval.settings.sections import Section

Share = Annotated[float, Field(ge=0, le=1)]


class ExtractionSettings(Section, frozen=True):
    """Who reads entities and facts out of a text. "llm" needs the section `llm` and falls back to local.

    `batch_size` texts go into one request of at most `llm.max_input_chars` characters. The graph-write profile
    decides what of the extraction reaches the knowledge layer; extraction itself loses nothing.
    """

    provider: Literal["local", "llm"] = "local"
    batch_size: int = Field(default=8, ge=1, le=64)
    min_confidence: Share = 0.0  # of entities and facts that enter the knowledge layer
    min_mentions: int = Field(default=1, ge=1)


class OwnerSettings(Section, frozen=True):
    """Whose memory a user's is: the names and addresses that mean the owner."""

    name: str | None = None
    aliases: tuple[str, ...] = ()
    emails: tuple[str, ...] = ()


class TeamSettings(Section, frozen=True):
    """A team is a user of its own whose members may read it. `extraction` "lazy" costs nothing until one asks."""

    members: tuple[str, ...] = ()
    extraction: Literal["lazy", "eager"] = "lazy"


class KnowledgeSettings(Section, frozen=True):
    """Entity resolution and the nightly job. Thresholds are scores between 0 and 1."""

    merge_score: Share = 0.85
    nightly: str = "0 3 * * *"  # cron, in the time zone of the settings
    keep_snapshots: int = Field(default=30, ge=1)  # then month ends
    refresh_days: int = Field(default=7, ge=1)  # a user with nothing new gets a snapshot at least this often


class MemorySettings(Section, frozen=True):
    """Salience, storylines and macros; docs/memory.md gives the formulas."""

    initial_salience: Share = 0.5
    recall_boost: Share = 0.075
    base_rate: float = Field(default=0.02, gt=0)  # per day, of what was never recalled
    archive_below: Share = 0.01
    core_recalls: int = Field(default=10, ge=1)
    storyline_sources: int = Field(default=5, ge=2)
    storyline_days: int = Field(default=3, ge=1)
    storyline_age_days: float = Field(default=3, ge=0)
    storyline_idle_days: int = Field(default=90, ge=1)
    macro_storylines: int = Field(default=2, ge=2)
    macro_age_days: float = Field(default=30, ge=0)
    hub_share: Share = 0.5  # an entity in more of the sources than this is no anchor,
    hub_history: int = Field(default=100, ge=1)  # in a history of at least so many sources
    summary_requests: int = Field(default=100, ge=0)  # to a chat model, in one snapshot
    summaries: Literal["extractive", "llm"] = "extractive"
    log_access: bool = True


class GraphSettings(Section, frozen=True):
    """Where the graph is. "neo4j" needs a server; the embedded one is always filled and answers if the server fails."""

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
    """What chat models may cost. Prices are per million tokens; a budget of None means no limit, 0 no call at all.

    A budget is for one user and calendar month, in the currency of the prices.
    """

    input_price: float = Field(default=0.0, ge=0)
    output_price: float = Field(default=0.0, ge=0)
    monthly_budget: float | None = Field(default=None, ge=0)
    monthly_tokens: int | None = Field(default=None, ge=0)
    cache: bool = True
