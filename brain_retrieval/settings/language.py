"""Settings of the chat model, parser, enrichment, full-text language, and redaction of personal data."""

from typing import Literal

from pydantic import Field, SecretStr

from brain_retrieval.settings.section import Address, Section

# Languages with stemming and stop words in the full-text index, ISO 639-1.
TextLanguage = Literal[
    "ar", "da", "de", "el", "en", "es", "fi", "fr", "hu", "it", "nl", "no", "pt", "ro", "ru", "sv", "ta", "tr"
]


# Tasks of the chat model that may have a model of their own.
Task = Literal["extraction", "enrichment", "summaries"]
TASKS: tuple[Task, ...] = ("extraction", "enrichment", "summaries")
ReasoningEffort = Literal["none", "minimal", "low", "medium", "high", "xhigh"]


class UserSettings(Section, frozen=True):
    """Settings of one user. `language` applies to full text and queries; a change rebuilds the text index."""

    language: TextLanguage = "en"


class LlmTask(Section, frozen=True):
    """What one task does differently from the section `llm`; None takes the value from there.

    Prices are per million tokens, in any currency; without one, costs are shown in tokens. A task with a model of its
    own does not take the prices of another model.
    """

    model: str | None = None
    input_price: float | None = Field(default=None, ge=0)
    output_price: float | None = Field(default=None, ge=0)
    reasoning_effort: ReasoningEffort | None = None  # None leaves it to the endpoint


class LlmSettings(LlmTask, frozen=True):
    """An OpenAI-compatible chat endpoint. Off unless `model` is set; every stage also works without it.

    Answers are streamed. The time-outs concern the connection, the first token and every later token; an answer may
    take as long as `max_output_tokens` take at `min_tokens_per_second`.
    """

    base_url: Address | None = None
    api_key: SecretStr | None = None
    connect_seconds: float = Field(default=10.0, gt=0)
    first_token_seconds: float = Field(default=120.0, gt=0)
    idle_seconds: float = Field(default=30.0, gt=0)  # between two tokens
    min_tokens_per_second: float = Field(default=4.0, gt=0)
    max_attempts: int = Field(default=4, ge=1, le=20)
    max_input_chars: int = Field(default=24_000, ge=1000)
    max_output_tokens: int = Field(default=2000, ge=16)
    extraction: LlmTask = LlmTask()
    enrichment: LlmTask = LlmTask()
    summaries: LlmTask = LlmTask()

    def for_task(self, task: Task) -> "LlmSettings":
        """Return the settings of one task: its own values over those of this section."""
        own: LlmTask = getattr(self, task)
        changes = own.model_dump(exclude_none=True)
        if own.model not in (None, self.model):
            changes = {"input_price": None, "output_price": None, **changes}
        return self.model_copy(update={**changes, **dict.fromkeys(TASKS, LlmTask())})


class NlpSettings(Section, frozen=True):
    """The English parser of local extraction: a manifest entry, the directory of a spaCy pipeline or a package."""

    model: str = "spacy-en-sm"


class EnrichmentSettings(Section, frozen=True):
    """Summary, keywords, tags and bucket of a source. "llm" needs the section `llm` and falls back to extractive."""

    provider: Literal["extractive", "llm"] = "extractive"


class PrivacySettings(Section, frozen=True):
    """Redaction of personal data in text, and the handling of the original bytes.

    `detector` "patterns" finds structured data (e-mail, phone, card, IBAN, secrets, …); "presidio" also names.
    `raw` applies if `redact` is on: keep the original bytes, encrypt them with `raw_key`, or delete them once their
    text is stored.
    """

    redact: bool = False
    detector: Literal["patterns", "presidio"] = "patterns"
    raw: Literal["keep", "encrypt", "drop"] = "encrypt"
    raw_key: SecretStr | None = None
