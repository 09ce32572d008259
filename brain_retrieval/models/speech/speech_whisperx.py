"""Speech recognition by WhisperX, the extra `brain[whisperx]`: Whisper in batches, word times by forced alignment.

Words get times where an alignment model of the language is on disk, in `whisperx-align/<language>` of the models'
directory; else an utterance is as long as its stretch of speech, up to half a minute. If a Hugging Face token
(HF_TOKEN) is set, pyannote does speaker diarisation, which it fetches; otherwise `diarize.py` does.
"""

import importlib
import logging
import os
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from brain_retrieval.errors import ModelMissingError
from brain_retrieval.models.speech.protocol import Progress, Transcript, Utterance, Word
from brain_retrieval.models.speech.speech_faster_whisper import find_whisper
from brain_retrieval.models.speech.waveform import Window, duration_of, windows
from brain_retrieval.settings import SpeechSettings

WINDOW_SECONDS = 1800.0
BATCH_SIZE = 8
DEVICE, COMPUTE_TYPE = "cpu", "int8"
ALIGNERS = "whisperx-align"  # in the models' directory, a folder for each language
LOGGER = logging.getLogger(__name__)


class WhisperXTranscriber:
    """A Whisper model run by WhisperX on the CPU."""

    def __init__(self, settings: SpeechSettings, models_dir: Path) -> None:
        """Load the configured model; it uses the same files as faster-whisper.

        Raises:
            ModelMissingError: the extra or the weights are not installed.
        """
        self._whisperx = _import_whisperx()
        directory, name = find_whisper(settings.model, models_dir)
        self.name = f"whisperx-{name}"
        self._settings = settings
        self._aligners: dict[str, tuple[Any, Any] | None] = {}
        self._models_dir = models_dir
        self._model = self._whisperx.load_model(
            str(directory),
            device=DEVICE,
            compute_type=COMPUTE_TYPE,
            asr_options={"beam_size": settings.beam_size, "temperatures": [0.0]},
            threads=settings.threads,
        )

    def transcribe(self, sound: Path, *, language: str | None = None, progress: Progress | None = None) -> Transcript:
        """Return the transcript of a recording; see `Transcriber`."""
        kept: list[Utterance] = []
        for window in windows(sound, WINDOW_SECONDS):
            found = self._model.transcribe(window.samples, batch_size=BATCH_SIZE, language=language)
            if found["segments"]:
                language = language or found["language"]
                kept.extend(self._aligned(found, window))
            if progress is not None:
                progress(window.seconds)
        # pyannote's labels are valid within one window only, so longer recordings are left to `diarize.py`.
        seconds = duration_of(sound)
        if seconds > WINDOW_SECONDS:
            kept = [replace(utterance, speaker=None) for utterance in kept]
        return Transcript(language, tuple(_numbered(kept)), seconds, self.name)

    def _aligned(self, found: Mapping[str, Any], window: Window) -> list[Utterance]:
        aligned = {"segments": found["segments"]}
        if (aligner := self._aligner(found["language"])) is not None:
            model, metadata = aligner
            aligned = self._whisperx.align(
                found["segments"], model, metadata, window.samples, DEVICE, return_char_alignments=False
            )
        token = os.environ.get("HF_TOKEN")
        if self._settings.diarize and token:
            diarization = importlib.import_module("whisperx.diarize")
            pipeline = diarization.DiarizationPipeline(token=token, device=DEVICE)
            turns = pipeline(window.samples, num_speakers=self._settings.speakers)
            aligned = diarization.assign_word_speakers(turns, aligned)
        return [_utterance(segment, window.start) for segment in aligned["segments"] if segment["text"].strip()]

    def _aligner(self, language: str) -> tuple[Any, Any] | None:
        """Return the alignment model of a language; None, and once a warning, if none on disk can be read."""
        if language not in self._aligners:
            folder = self._models_dir / ALIGNERS / language
            self._aligners[language] = None
            if folder.is_dir() and any(folder.iterdir()):
                try:
                    self._aligners[language] = self._whisperx.load_align_model(
                        language_code=language, device=DEVICE, model_dir=str(folder), model_cache_only=True
                    )
                except (OSError, ValueError, RuntimeError) as error:
                    LOGGER.warning("the alignment model in %s cannot be used (%s)", folder, type(error).__name__)
            if self._aligners[language] is None:
                LOGGER.warning("words have no times in %r: %s has no alignment model", language, folder)
        return self._aligners[language]


def _import_whisperx() -> Any:
    try:
        return importlib.import_module("whisperx")
    except ImportError:
        raise ModelMissingError(
            'speech.provider is "whisperx", which is not installed; run: pip install "brain[whisperx]", '
            'or set speech.provider = "faster-whisper"'
        ) from None


def _utterance(segment: Mapping[str, Any], offset: float) -> Utterance:
    words: list[Word] = []
    last = float(segment["start"])
    for i, word in enumerate(segment.get("words") or ()):
        # Digits and symbols are not aligned; they get the time of the previous word.
        start, end = float(word.get("start", last)), float(word.get("end", word.get("start", last)))
        text = word["word"] if i == 0 or _joined(segment["text"], word["word"]) else f" {word['word']}"
        words.append(Word(text, round(offset + start, 3), round(offset + end, 3), float(word.get("score", 0.0))))
        last = end
    text = segment["text"].strip()
    start, end = offset + float(segment["start"]), offset + float(segment["end"])
    return Utterance(text, round(start, 3), round(end, 3), tuple(words), segment.get("speaker"))


def _joined(text: str, word: str) -> bool:
    """Return whether the text has no spaces between words, as in Chinese; WhisperX then returns characters."""
    return len(word) == 1 and " " not in text.strip()


def _numbered(utterances: list[Utterance]) -> list[Utterance]:
    """Renumber pyannote's labels in order of first speech: "Speaker 1", "Speaker 2", …"""
    labels = dict.fromkeys(utterance.speaker for utterance in utterances if utterance.speaker)
    names = {label: f"Speaker {i}" for i, label in enumerate(labels, 1)}
    return [replace(u, speaker=names.get(u.speaker) if u.speaker else None) for u in utterances]
