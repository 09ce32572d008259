"""Local speech recognition: Whisper on the CPU through faster-whisper (CTranslate2, int8). No network access.

A recording is processed in windows of ten minutes that are cut in pauses, so memory does not grow with its length.
Silero VAD removes silence first. Decoding is beam search at temperature 0 without the library's fallback to sampling,
so that results are reproducible. Instead of the fallback, thresholds remove hallucinations: an utterance is dropped if
it is repetitive (compression ratio), or if both its words and the presence of speech have a low probability.
"""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from brain_retrieval.errors import InvalidSettingsError, ModelMissingError
from brain_retrieval.extras import naming_the_extra
from brain_retrieval.models.speech.protocol import Progress, Transcript, Utterance, Word
from brain_retrieval.models.speech.waveform import RATE, Window, duration_of, windows
from brain_retrieval.models.weights.first_use import obtain
from brain_retrieval.models.weights.manifest import find_entry
from brain_retrieval.models.weights.weights import sha256_of
from brain_retrieval.settings import SpeechSettings

WINDOW_SECONDS = 600.0
# Whisper's own thresholds (Radford et al. 2022, section 4.5) for "failed" and "no speech".
MAX_COMPRESSION_RATIO = 2.4
MIN_LOG_PROBABILITY = -1.0
MAX_NO_SPEECH = 0.6
# An utterance with a lower mean word probability is always dropped.
MIN_WORD_PROBABILITY = 0.15
SILENCE_SECONDS = 2.0  # of silence around a doubtful word for it to count as hallucinated
MIN_LANGUAGE_PROBABILITY = 0.5


class FasterWhisperTranscriber:
    """A Whisper model in CTranslate2's format, loaded once."""

    def __init__(self, model: Path, *, name: str, beam_size: int, threads: int) -> None:
        """Load the model in directory `model`: model.bin, config.json, tokenizer.json and a vocabulary."""
        with naming_the_extra():
            from faster_whisper import WhisperModel

        self.name = name
        self._beam_size = beam_size
        self._model = WhisperModel(
            str(model), device="cpu", compute_type="int8", cpu_threads=threads, local_files_only=True
        )

    @classmethod
    def from_settings(cls, settings: SpeechSettings, models_dir: Path) -> "FasterWhisperTranscriber":
        """Return the transcriber of these settings.

        Raises:
            ModelMissingError: weights are missing or do not match the manifest.
            InvalidSettingsError: no such entry, or an entry of another kind.
        """
        directory, name = find_whisper(settings.model, models_dir)
        return cls(directory, name=name, beam_size=settings.beam_size, threads=settings.threads)

    def transcribe(self, sound: Path, *, language: str | None = None, progress: Progress | None = None) -> Transcript:
        """Return the transcript of a recording; see `Transcriber`.

        Without `language`, it is detected in the first window where the detection is reliable, and kept from there on.
        """
        kept: list[Utterance] = []
        dropped, probability = 0, None
        for window in windows(sound, WINDOW_SECONDS):
            if _has_speech(window):
                segments, info = self._recognise(window, language)
                found = [(segment, _utterance(segment, window.start)) for segment in segments]
                good = [utterance for segment, utterance in found if _is_speech(segment) and utterance.text]
                dropped += len(found) - len(good)
                kept.extend(good)
                if language is None and good and info.language_probability >= MIN_LANGUAGE_PROBABILITY:
                    language, probability = info.language, round(float(info.language_probability), 3)
            if progress is not None:
                progress(window.seconds)
        return Transcript(language, tuple(kept), duration_of(sound), self.name, probability, dropped)

    def _recognise(self, window: Window, language: str | None) -> tuple[Iterable[Any], Any]:
        return self._model.transcribe(
            window.samples,
            language=language,
            beam_size=self._beam_size,
            temperature=0.0,
            compression_ratio_threshold=MAX_COMPRESSION_RATIO,
            log_prob_threshold=MIN_LOG_PROBABILITY,
            no_speech_threshold=MAX_NO_SPEECH,
            condition_on_previous_text=False,  # a hallucinated sentence would cause further ones
            hallucination_silence_threshold=SILENCE_SECONDS,
            vad_filter=True,
            word_timestamps=True,
        )


def _has_speech(window: Window) -> bool:
    from faster_whisper.vad import get_speech_timestamps

    return bool(get_speech_timestamps(window.samples, sampling_rate=RATE))


def _utterance(segment: Any, offset: float) -> Utterance:
    words = tuple(
        Word(word.word, _seconds(offset + word.start), _seconds(offset + word.end), round(float(word.probability), 3))
        for word in segment.words or ()
        if word.word.strip()
    )
    text = "".join(word.text for word in words).strip() or segment.text.strip()
    start, end = (words[0].start, words[-1].end) if words else (offset + segment.start, offset + segment.end)
    return Utterance(text, _seconds(start), _seconds(end), words)


def _seconds(value: float) -> float:
    return round(float(value), 3)  # the library's numbers are NumPy's


def _is_speech(segment: Any) -> bool:
    if segment.compression_ratio > MAX_COMPRESSION_RATIO:
        return False
    if segment.no_speech_prob > MAX_NO_SPEECH and segment.avg_logprob < MIN_LOG_PROBABILITY:
        return False
    words = segment.words or ()
    return not words or sum(word.probability for word in words) / len(words) >= MIN_WORD_PROBABILITY


def find_whisper(model: str, models_dir: Path) -> tuple[Path, str]:
    """Return the directory and name of the configured Whisper model: a directory, else a manifest entry.

    Raises:
        ModelMissingError: weights that are not here or not those of the manifest.
        InvalidSettingsError: no such entry, or an entry of another kind.
    """
    directory = Path(model).expanduser()
    # A name without a separator is an entry, even if the working directory has a folder of that name.
    if len(directory.parts) > 1:
        weights = directory / "model.bin"
        if not weights.is_file():
            raise ModelMissingError(f"{weights} is missing; a Whisper directory is CTranslate2's, with model.bin")
        return directory, f"{directory.resolve().name}-{sha256_of(weights)[:8]}"
    entry = find_entry(model)
    if entry.kind != "speech":
        raise InvalidSettingsError(f"{entry.name} is of kind {entry.kind}, not a speech model")
    return obtain(entry, models_dir)["model.bin"].parent, entry.name
