"""The WhisperX adapter: against a stand-in that speaks the API of 3.8, and the real one where it is installed."""

import importlib.util
import sys
import wave
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from brain_retrieval.errors import ModelMissingError
from brain_retrieval.models.speech.build import build_transcriber
from brain_retrieval.models.speech.speech_whisperx import WhisperXTranscriber
from brain_retrieval.models.speech.waveform import RATE
from brain_retrieval.settings import Settings, SpeechSettings

SPEECH = SpeechSettings(provider="whisperx")


class StandIn:
    """Answers as `whisperx` does for one recording of two people."""

    def __init__(self) -> None:
        self.loaded: dict[str, Any] = {}
        self.aligned: list[str] = []

    def load_model(self, whisper_arch: str, device: str, **options: Any) -> "StandIn":
        self.loaded = {"whisper_arch": whisper_arch, "device": device, **options}
        return self

    def transcribe(self, audio: np.ndarray, batch_size: int | None = None, language: str | None = None) -> Any:
        assert audio.dtype == np.float32
        segments = [{"text": " Hello there. I have 5 of them.", "start": 0.5, "end": 4.0}] if audio.any() else []
        return {"segments": segments, "language": language or "en"}

    def load_align_model(self, language_code: str, device: str, **where: Any) -> tuple[str, dict[str, Any]]:
        assert Path(where["model_dir"]).name == language_code and where["model_cache_only"]
        if language_code == "xx":
            raise ValueError("No default align-model for language: xx")
        self.aligned.append(language_code)
        return "aligner", {"language": language_code}

    def align(self, transcript: Any, model: str, metadata: Any, audio: Any, device: str, **options: Any) -> Any:
        first = [
            {"word": "Hello", "start": 0.5, "end": 0.9, "score": 0.8},
            {"word": "there.", "start": 1.0, "end": 1.4},
        ]
        second = [{"word": "I", "start": 2.0, "end": 2.1, "score": 0.9}, {"word": "have", "start": 2.2, "end": 2.5}]
        second += [{"word": "5"}, {"word": "of", "start": 3.0, "end": 3.1}, {"word": "them.", "start": 3.2, "end": 3.9}]
        return {
            "segments": [
                {"text": " Hello there.", "start": 0.5, "end": 1.4, "words": first},
                {"text": "I have 5 of them.", "start": 2.0, "end": 3.9, "words": second},
            ]
        }


class Diarization:
    """`whisperx.diarize` with a pipeline that hears SPEAKER_01 first."""

    def __init__(self, token: str, device: str) -> None:
        assert (token, device) == ("hf-token", "cpu")

    def __call__(self, audio: np.ndarray, num_speakers: int | None = None) -> str:
        return "turns"

    @staticmethod
    def assign_word_speakers(turns: str, result: Any) -> Any:
        for segment, speaker in zip(result["segments"], ("SPEAKER_01", "SPEAKER_00"), strict=True):
            segment["speaker"] = speaker
        return result


@pytest.fixture
def whisperx(monkeypatch: pytest.MonkeyPatch) -> StandIn:
    stand_in, package, diarize = StandIn(), ModuleType("whisperx"), ModuleType("whisperx.diarize")
    for name in ("load_model", "load_align_model", "align"):
        setattr(package, name, getattr(stand_in, name))
    diarize.__dict__.update(DiarizationPipeline=Diarization, assign_word_speakers=Diarization.assign_word_speakers)
    monkeypatch.setitem(sys.modules, "whisperx", package)
    monkeypatch.setitem(sys.modules, "whisperx.diarize", diarize)
    monkeypatch.delenv("HF_TOKEN", raising=False)
    return stand_in


@pytest.fixture
def sound(tmp_path: Path) -> Path:
    with wave.open(str(tmp_path / "a.wav"), "wb") as output:
        output.setparams((1, 2, RATE, 0, "NONE", ""))
        output.writeframes(np.full(5 * RATE, 1000, "<i2").tobytes())
    return tmp_path / "a.wav"


@pytest.fixture
def aligners(tmp_path: Path, models_dir: Path) -> Path:
    """The models with an alignment model for English."""
    directory = tmp_path / "models"
    directory.mkdir()
    for entry in models_dir.iterdir():
        (directory / entry.name).symlink_to(entry)
    (directory / "whisperx-align/en").mkdir(parents=True)
    (directory / "whisperx-align/en/weights.pth").write_bytes(b"x")
    return directory


def test_words_and_times(whisperx: StandIn, sound: Path, aligners: Path) -> None:
    transcriber = WhisperXTranscriber(SPEECH, aligners)
    found = transcriber.transcribe(sound)
    assert [u.text for u in found.utterances] == ["Hello there.", "I have 5 of them."]
    assert ["".join(w.text for w in u.words) for u in found.utterances] == [u.text for u in found.utterances]
    assert found.utterances[1].words[2].start == 2.5  # a number has the time of the word before
    assert [u.speaker for u in found.utterances] == [None, None]
    assert (found.model, found.language, found.duration_seconds) == ("whisperx-whisper-base", "en", 5.0)
    assert Path(whisperx.loaded["whisper_arch"]).joinpath("model.bin").is_file()
    transcriber.transcribe(sound)
    assert whisperx.aligned == ["en"]  # loaded once


def test_speakers_with_a_token(whisperx: StandIn, sound: Path, aligners: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_TOKEN", "hf-token")
    found = WhisperXTranscriber(SPEECH, aligners).transcribe(sound)
    assert [u.speaker for u in found.utterances] == ["Speaker 1", "Speaker 2"]


@pytest.mark.parametrize("language", ["de", "xx"])
def test_a_language_that_cannot_be_aligned_has_no_word_times(
    whisperx: StandIn, sound: Path, aligners: Path, caplog: pytest.LogCaptureFixture, language: str
) -> None:
    (aligners / "whisperx-align/xx").mkdir()
    (aligners / "whisperx-align/xx/weights.pth").write_bytes(b"x")
    transcriber = WhisperXTranscriber(SPEECH, aligners)
    for _ in range(2):
        (found,) = transcriber.transcribe(sound, language=language).utterances
        assert (found.text, found.start, found.end, found.words) == ("Hello there. I have 5 of them.", 0.5, 4.0, ())
    assert sum(f"words have no times in '{language}'" in record.message for record in caplog.records) == 1


def test_without_the_extra_the_error_says_how_to_get_it(models_dir: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "whisperx", None)
    with pytest.raises(ModelMissingError, match=r"pip install \"brain\[whisperx\]\""):
        build_transcriber(Settings(speech=SPEECH), models_dir=models_dir)


@pytest.mark.skipif(importlib.util.find_spec("whisperx") is None, reason="needs the extra brain[whisperx]")
def test_the_real_one_has_the_names_that_are_used() -> None:
    import inspect

    from whisperx import alignment, asr, diarize

    def names(function: Any) -> set[str]:
        return set(inspect.signature(function).parameters)

    assert {"compute_type", "asr_options", "threads"} <= names(asr.load_model)
    assert {"audio", "batch_size", "language"} <= names(asr.FasterWhisperPipeline.transcribe)
    assert {"language_code", "device"} <= names(alignment.load_align_model)
    assert {"return_char_alignments"} <= names(alignment.align)
    assert {"token", "device"} <= names(diarize.DiarizationPipeline.__init__)
    assert {"num_speakers"} <= names(diarize.DiarizationPipeline.__call__)
