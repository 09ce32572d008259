"""Settings of OCR, image description, speech recognition and speaker diarisation."""

from typing import Literal

from pydantic import Field, SecretStr

from brain_retrieval.settings.language import ReasoningEffort
from brain_retrieval.settings.section import Address, Section


class OcrSettings(Section, frozen=True):
    """Text recognition. With "off" pictures have no text, and scans without a text layer are rejected."""

    provider: Literal["rapidocr", "off"] = "rapidocr"
    min_confidence: float = Field(default=0.5, ge=0, le=1)  # of a line; below it the line is left out
    max_side: int = Field(default=2000, ge=200, le=10_000)  # pixels; a larger picture is scaled down first
    threads: int = Field(default=1, ge=1, le=256)


class VisionSettings(Section, frozen=True):
    """Image description. "local" uses measured properties only; "openai" asks the vision model `model`."""

    provider: Literal["local", "openai"] = "local"
    model: str = ""
    base_url: Address | None = None
    api_key: SecretStr | None = None
    input_price: float | None = Field(default=None, ge=0)  # per million tokens
    output_price: float | None = Field(default=None, ge=0)
    reasoning_effort: ReasoningEffort | None = None
    timeout_seconds: float = Field(default=120.0, gt=0)  # to the first token
    max_attempts: int = Field(default=3, ge=1, le=20)


class SpeechSettings(Section, frozen=True):
    """Speech recognition and speaker diarisation.

    `model` is an entry of the manifest or a directory for the local providers, the endpoint's model name for
    "openai". `language` None detects it. `speakers` None estimates how many there are. `minute_price` is that of a
    minute of sound at an endpoint, in the currency of the other prices.
    """

    provider: Literal["faster-whisper", "whisperx", "openai", "off"] = "faster-whisper"
    model: str = Field(default="whisper-base", min_length=1)
    base_url: Address | None = None
    api_key: SecretStr | None = None
    language: str | None = None
    beam_size: int = Field(default=5, ge=1, le=20)
    threads: int = Field(default=2, ge=1, le=256)
    clean: bool = True  # leave out "um" and words said twice by mistake
    diarize: bool = True
    speakers: int | None = Field(default=None, ge=1, le=50)
    minute_price: float | None = Field(default=None, ge=0)
    timeout_seconds: float = Field(default=600.0, gt=0)
    max_attempts: int = Field(default=3, ge=1, le=20)
