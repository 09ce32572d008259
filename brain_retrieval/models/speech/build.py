"""Factory of the speech recogniser configured in the settings. The interface is in `protocol.py`."""

from functools import lru_cache
from pathlib import Path

from brain_retrieval.home import default_home
from brain_retrieval.models.chat.metering import Meter
from brain_retrieval.models.speech.protocol import Transcriber
from brain_retrieval.settings import Settings, SpeechSettings, load_settings


def build_transcriber(settings: Settings, *, models_dir: Path | None = None) -> Transcriber | None:
    """Return the transcriber of these settings, cached by settings; None if it is "off".

    `models_dir` None: that of the settings. Nothing is downloaded.

    Raises:
        ModelMissingError: weights or a package are missing; the message says how to get them.
        InvalidSettingsError: an unknown model.
    """
    return _build(settings.speech, models_dir or settings.models_dir)


def metered(transcriber: Transcriber, meter: Meter) -> Transcriber:
    """Return a transcriber whose requests are counted by `meter`; a local one costs nothing and stays as it is."""
    from brain_retrieval.models.speech.speech_openai import OpenAITranscriber

    return transcriber.metered(meter) if isinstance(transcriber, OpenAITranscriber) else transcriber


def own_models_dir() -> Path:
    """Return the models directory of this process's home."""
    return load_settings(default_home()).models_dir


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
