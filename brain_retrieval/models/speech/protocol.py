"""What speech recognition is to the rest of Brain. `build.py` chooses the implementation.

Implementations are beside it: `speech_faster_whisper.py`, `speech_whisperx.py`, `speech_openai.py`.
"""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

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
    """A stretch of speech that was recognised in one piece. `speaker` None: the voices were not told apart."""

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
