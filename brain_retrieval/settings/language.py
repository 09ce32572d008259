"""Settings of the chat model, parser, enrichment, full-text language, and redaction of personal data."""

from typing import Literal

from pydantic import Field, SecretStr

from brain_retrieval.settings.sections import Section

# Languages with stemming and stop words in the full-text index, ISO 639-1.
TextLanguage = Literal[
    "ar", "da", "de", "el", "en", "es", "fi", "fr", "hu", "it", "nl", "no", "pt", "ro", "ru", "sv", "ta", "tr"
]


class UserSettings(Section, frozen=True):
    """Settings of one user. `language` applies to full text and queries; a change rebuilds the text index."""

    language: TextLanguage = "en"


class LlmSettings(Section, frozen=True):
    """An OpenAI-compatible chat endpoint. Off unless `model` is set; every stage also works without it."""

    model: str | None = None
    base_url: str | None = None
    api_key: SecretStr | None = None
    timeout_seconds: float = Field(default=120.0, gt=0)
    max_attempts: int = Field(default=4, ge=1, le=20)
    max_input_chars: int = Field(default=24_000, ge=1000)
    max_output_tokens: int = Field(default=2000, ge=16)


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
