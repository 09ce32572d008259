"""Settings of what is done with language: chat model, parser, enrichment, and redaction of personal data."""

from typing import Literal

from pydantic import Field, SecretStr

from brain_retrieval.settings.sections import Section

# The languages that the full-text index has stems and stop words for, ISO 639-1.
TextLanguage = Literal[
    "ar", "da", "de", "el", "en", "es", "fi", "fr", "hu", "it", "nl", "no", "pt", "ro", "ru", "sv", "ta", "tr"
]


class UserSettings(Section, frozen=True):
    """What one user has different. `language` is that of the full text and the questions; the index follows it."""

    language: TextLanguage = "en"


class LlmSettings(Section, frozen=True):
    """An OpenAI-compatible chat endpoint. Off unless `model` is set; whoever uses it works without it too."""

    model: str | None = None
    base_url: str | None = None
    api_key: SecretStr | None = None
    timeout_seconds: float = Field(default=120.0, gt=0)
    max_attempts: int = Field(default=4, ge=1, le=20)
    max_input_chars: int = Field(default=24_000, ge=1000)
    max_output_tokens: int = Field(default=2000, ge=16)


class NlpSettings(Section, frozen=True):
    """The parser of the local extraction for English: a known model, the directory of a spaCy pipeline or a package."""

    model: str = "spacy-en-sm"


class EnrichmentSettings(Section, frozen=True):
    """Summary, keywords, tags and bucket of a source. "llm" needs the section `llm` and falls back to extractive."""

    provider: Literal["extractive", "llm"] = "extractive"


class PrivacySettings(Section, frozen=True):
    """Redaction of personal data in text, and what then becomes of the bytes as received.

    `detector` "patterns" finds what has a form (e-mail, phone, card, IBAN, secrets, …); "presidio" also names.
    `raw` applies when `redact` is on: keep the bytes, encrypt them with `raw_key`, or drop them once their text is
    stored.
    """

    redact: bool = False
    detector: Literal["patterns", "presidio"] = "patterns"
    raw: Literal["keep", "encrypt", "drop"] = "encrypt"
    raw_key: SecretStr | None = None
