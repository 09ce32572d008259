"""The interface of speech recognition. `build.py` is the factory.

Implementations: `speech_faster_whisper.py`, `speech_whisperx.py`, `speech_openai.py`.
"""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

Progress = Callable[[float], None]  # seconds of sound finished since the last call


@dataclass(frozen=True)
class Word:
    """One word with its start and end, in seconds from the start of the recording.

    `text` includes a preceding space, so that the concatenated words of an utterance are its text. `probability` is
    the model's, 0..1.
    """

    text: str
    start: float  # seconds from the start of the recording
    end: float
    probability: float


@dataclass(frozen=True)
class Utterance:
    """A segment of recognised speech. `speaker` None: no diarisation."""

    text: str
    start: float
    end: float
    words: tuple[Word, ...] = ()
    speaker: str | None = None
    speaker_confidence: float | None = None  # 0..1


@dataclass(frozen=True)
class Transcript:
    """The speech of one recording, in order. `dropped` counts segments that were removed as likely non-speech."""

    language: str | None  # ISO 639-1
    utterances: tuple[Utterance, ...]
    duration_seconds: float
    model: str
    language_probability: float | None = None
    dropped: int = 0


class Transcriber(Protocol):
    """Transcribes speech with word times. `name` is the model name stored with the result."""

    name: str

    def transcribe(self, sound: Path, *, language: str | None = None, progress: Progress | None = None) -> Transcript:
        """Return the transcript of a 16 kHz mono 16-bit WAV; it is empty if there is no speech.

        Args:
            sound: the recording; memory use does not depend on its length.
            language: ISO 639-1; None detects it.
            progress: is called with the seconds of sound finished since its last call.

        Raises:
            ModelCallError: an endpoint failed.
        """
        ...
