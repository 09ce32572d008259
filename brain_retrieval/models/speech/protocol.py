"""What speech recognition is to the rest of Brain, and the one place that chooses which the settings mean.

Implementations are beside it: `speech_faster_whisper.py`, `speech_whisperx.py`, `speech_openai.py`.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Protocol

from brain_retrieval.home import default_home
from brain_retrieval.settings import Settings, SpeechSettings, load_settings

Progress = Callable[[float], None]  # seconds of sound finished since the last call


@dataclass(frozen=True)
class Word:
    """One word and when it was spoken.

    `text` is as it stands in its utterance, with the space before it where there is one: the words of an utterance,
    put together, are its text. `probability` is the model's own, 0..1.
    """

    text: str
    start: float  # seconds from the start of the recording
    end: float
    probability: float


@dataclass(frozen=True)
class Utterance:
    """A stretch of speech that was recognised in one piece. `speaker` None: nobody has told voices apart."""

    text: str
    start: float
    end: float
    words: tuple[Word, ...] = ()
    speaker: str | None = None
    speaker_confidence: float | None = None  # 0..1


@dataclass(frozen=True)
class Transcript:
    """The speech of one recording, in order. `dropped` counts what was recognised but is most likely no speech."""

    language: str | None  # ISO 639-1
    utterances: tuple[Utterance, ...]
    duration_seconds: float
    model: str
    language_probability: float | None = None
    dropped: int = 0


class Transcriber(Protocol):
    """Turns speech into text with times. `name` says which model, for the record."""

    name: str

    def transcribe(self, sound: Path, *, language: str | None = None, progress: Progress | None = None) -> Transcript:
        """Return the speech of a 16 kHz mono 16-bit WAV; no utterances if there is none.

        Args:
            sound: the recording, of any length; memory does not grow with it.
            language: ISO 639-1; None detects it.
            progress: is called with the seconds of sound finished since its last call.

        Raises:
            ModelCallError: an endpoint failed.
        """
        ...


def build_transcriber(settings: Settings, *, models_dir: Path | None = None) -> Transcriber | None:
    """Return the transcriber of these settings, the same object for the same settings; None if it is "off".

    `models_dir` None: that of the settings. Nothing is downloaded.

    Raises:
        ModelMissingError: weights or a package that are not here; the message says how to get them.
        InvalidSettingsError: a model nobody knows.
    """
    return _build(settings.speech, models_dir or settings.models_dir)


def own_models_dir() -> Path:
    """Return the models directory of this process's home."""
    return load_settings(default_home()).models_dir


def release_transcribers() -> None:
    """Forget every cached transcriber, so that its memory goes as soon as nobody holds it."""
    _build.cache_clear()


@lru_cache(maxsize=2)
def _build(settings: SpeechSettings, models_dir: Path) -> Transcriber | None:
    if settings.provider == "off":
        return None
    if settings.provider == "openai":
        from brain_retrieval.models.speech.speech_openai import OpenAITranscriber

        return OpenAITranscriber(settings)
    if settings.provider == "whisperx":
        from brain_retrieval.models.speech.speech_whisperx import WhisperXTranscriber

        return WhisperXTranscriber(settings, models_dir)
    from brain_retrieval.models.speech.speech_faster_whisper import FasterWhisperTranscriber

    return FasterWhisperTranscriber.from_settings(settings, models_dir)
