"""Speech to text by the real model: words, times, silence, language, and windows of a long recording."""

import wave
from dataclasses import replace
from pathlib import Path

import av
import numpy as np
import pytest

from brain_retrieval.errors import InvalidSettingsError, ModelMissingError
from brain_retrieval.models.speech import speech_faster_whisper
from brain_retrieval.models.speech.build import build_transcriber
from brain_retrieval.models.speech.diarize import label_speakers
from brain_retrieval.models.speech.protocol import Transcriber, Transcript
from brain_retrieval.models.speech.waveform import RATE, duration_of, read_samples, windows
from brain_retrieval.settings import Settings, SpeechSettings
from tests.paths import ROOT

JFK = "and so my fellow americans ask not what your country can do for you ask what you can do for your country"


def to_wav(source: Path, target: Path) -> Path:
    """Decode a recording to what transcribers read."""
    resampler = av.AudioResampler(format="s16", layout="mono", rate=RATE)
    with av.open(str(source)) as container, wave.open(str(target), "wb") as output:
        output.setparams((1, 2, RATE, 0, "NONE", ""))
        frames = [frame for part in container.decode(audio=0) for frame in resampler.resample(part)]
        output.writeframes(b"".join(frame.to_ndarray().tobytes() for frame in frames))
    return target


def write_wav(path: Path, samples: np.ndarray) -> Path:
    with wave.open(str(path), "wb") as output:
        output.setparams((1, 2, RATE, 0, "NONE", ""))
        output.writeframes((samples * 32767).astype("<i2").tobytes())
    return path


def plain(text: str) -> str:
    return " ".join("".join(c if c.isalnum() else " " for c in text.lower()).split())


@pytest.fixture(scope="session")
def transcriber(models_dir: Path) -> Transcriber:
    found = build_transcriber(Settings(), models_dir=models_dir)
    assert found is not None
    return found


@pytest.fixture(scope="session")
def jfk(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return to_wav(ROOT / "tests/samples/jfk.opus", tmp_path_factory.mktemp("jfk") / "jfk.wav")


@pytest.fixture(scope="session")
def transcript(transcriber: Transcriber, jfk: Path) -> Transcript:
    return transcriber.transcribe(jfk)


def test_every_word_of_a_real_speech(transcript: Transcript) -> None:
    assert plain(" ".join(u.text for u in transcript.utterances)) == JFK
    assert transcript.language == "en" and (transcript.language_probability or 0) > 0.8
    assert transcript.duration_seconds == pytest.approx(11.0, abs=0.05)
    assert transcript.model == "whisper-base"


def test_words_have_times_and_make_up_the_text(transcript: Transcript) -> None:
    for utterance in transcript.utterances:
        assert "".join(word.text for word in utterance.words).strip() == utterance.text
        times = [t for word in utterance.words for t in (word.start, word.end)]
        assert times == sorted(times)
        assert all(type(t) is float for t in times)  # plain numbers, which JSON can hold
    country = [w for u in transcript.utterances for w in u.words if plain(w.text) == "country"]
    assert [round(word.start) for word in country] == [6, 10]


def test_silence_and_noise_give_no_utterances(transcriber: Transcriber, tmp_path: Path) -> None:
    noise = np.random.default_rng(1).normal(0, 0.05, 4 * RATE).clip(-1, 1)
    sound = write_wav(tmp_path / "noise.wav", np.concatenate([np.zeros(4 * RATE), noise]))
    assert transcriber.transcribe(sound).utterances == ()


def test_a_long_recording_is_read_in_windows_with_exact_times(
    transcriber: Transcriber, transcript: Transcript, jfk: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(speech_faster_whisper, "WINDOW_SECONDS", 16.0)
    silence = np.zeros(9 * RATE)
    sound = write_wav(tmp_path / "long.wav", np.concatenate([silence, read_samples(jfk)]))
    done: list[float] = []
    shifted = transcriber.transcribe(sound, language="en", progress=done.append)
    assert len(done) > 1 and sum(done) == pytest.approx(duration_of(sound))
    assert shifted.language == "en"
    first, again = transcript.utterances[0].words[1], shifted.utterances[0].words[1]
    assert plain(again.text) == plain(first.text) == "so"
    assert again.start == pytest.approx(first.start + 9, abs=0.4)


def test_one_voice_is_one_speaker(jfk: Path, transcript: Transcript, models_dir: Path) -> None:
    labelled = label_speakers(jfk, transcript, models_dir=models_dir)
    assert {u.speaker for u in labelled.utterances} == {"Speaker 1"}
    assert all(u.speaker_confidence is None for u in labelled.utterances)
    assert " ".join(u.text for u in labelled.utterances) == " ".join(u.text for u in transcript.utterances)


def test_two_voices_are_two_speakers_with_all_their_words(
    jfk: Path, transcript: Transcript, models_dir: Path, tmp_path: Path
) -> None:
    samples = read_samples(jfk)
    # A shorter throat: the same words in another voice.
    other = np.interp(np.arange(0, len(samples) - 1, 1.3), np.arange(len(samples)), samples)
    sound = write_wav(tmp_path / "two.wav", np.concatenate([samples, other]))
    shift = duration_of(jfk)

    def move(seconds: float) -> float:
        return shift + seconds / 1.3

    second = [
        replace(u, start=move(u.start), end=move(u.end), words=tuple(
            replace(w, start=move(w.start), end=move(w.end)) for w in u.words))
        for u in transcript.utterances
    ]  # fmt: skip
    both = replace(transcript, utterances=(*transcript.utterances, *second))
    labelled = label_speakers(sound, both, models_dir=models_dir)
    assert [u.speaker for u in labelled.utterances if u.end <= shift] == ["Speaker 1"] * len(transcript.utterances)
    assert {u.speaker for u in labelled.utterances if u.start >= shift} == {"Speaker 2"}
    assert all((u.speaker_confidence or 0) > 0.2 for u in labelled.utterances)
    labelled = label_speakers(sound, both, speakers=1, models_dir=models_dir)
    assert {u.speaker for u in labelled.utterances} == {"Speaker 1"}


def test_windows_follow_one_another_and_are_cut_where_it_is_quiet(tmp_path: Path) -> None:
    loud = np.random.default_rng(0).uniform(-0.5, 0.5, 30 * RATE)
    loud[int(8.2 * RATE) : int(8.8 * RATE)] = 0
    sound = write_wav(tmp_path / "a.wav", loud)
    found = list(windows(sound, 10.0))
    assert 8.2 < found[1].start < 8.8
    assert np.array_equal(np.concatenate([w.samples for w in found]), read_samples(sound))
    assert all(w.seconds <= 10.0 for w in found)
    position = 0.0
    for window in found:
        assert window.start == pytest.approx(position, abs=1e-9)
        position += window.seconds


def test_another_wav_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.wav"
    with wave.open(str(path), "wb") as output:
        output.setparams((2, 2, 44_100, 0, "NONE", ""))
        output.writeframes(b"\0" * 400)
    for bad in (path, Path(__file__)):
        with pytest.raises(ValueError, match=r"WAV|16 kHz"):
            duration_of(bad)


def test_settings_choose(models_dir: Path, tmp_path: Path) -> None:
    def build(**fields: object) -> Transcriber | None:
        return build_transcriber(Settings(speech=SpeechSettings(**fields)), models_dir=models_dir)  # pyright: ignore

    assert build(provider="off") is None
    assert build() is build()
    with pytest.raises(InvalidSettingsError, match="of kind embedder"):
        build(model="minilm-int8")
    with pytest.raises(ModelMissingError, match=r"model\.bin is missing"):
        build(model=str(tmp_path))
    with pytest.raises(ModelMissingError, match="brain models pull whisper-base"):
        build_transcriber(Settings(), models_dir=tmp_path)
