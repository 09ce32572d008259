"""Transcription over HTTP: what is sent, how words find their text, pieces, retries, secrets, nonsense."""

import io
import wave
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from brain_retrieval.errors import InvalidSettingsError, ModelCallError
from brain_retrieval.models.speech.speech_openai import MAX_BYTES, WINDOW_SECONDS, OpenAITranscriber
from brain_retrieval.models.speech.speech_words import place_words
from brain_retrieval.models.speech.waveform import RATE
from brain_retrieval.settings import SpeechSettings
from tests.fake_openai import FakeOpenAI
from tests.fake_openai_replies import Reply, api_error, rate_limited, server_error, truncated

KEY = "sk-test-1234567890"


def verbose(text: str, *, start: float = 0.0, **fields: Any) -> dict[str, Any]:
    """Build an answer with one segment, and half a second for every word."""
    plain = [word.strip(".,!?¿\"'").lower() for word in text.split()]
    words = [{"word": w, "start": start + i / 2, "end": start + i / 2 + 0.4} for i, w in enumerate(plain)]
    segment = {"text": " " + text, "start": start, "end": start + len(words) / 2, "avg_logprob": -0.1, **fields}
    return {"task": "transcribe", "language": "english", "text": text, "segments": [segment], "words": words}


@pytest.fixture
def sound(tmp_path: Path) -> Path:
    """Seven seconds of noise; the server does not listen."""
    samples = np.random.default_rng(0).uniform(-0.3, 0.3, 7 * RATE)
    samples[int(3.4 * RATE) : int(3.8 * RATE)] = 0
    with wave.open(str(tmp_path / "a.wav"), "wb") as output:
        output.setparams((1, 2, RATE, 0, "NONE", ""))
        output.writeframes((samples * 32767).astype("<i2").tobytes())
    return tmp_path / "a.wav"


def open_transcriber(server: FakeOpenAI, **options: Any) -> OpenAITranscriber:
    settings = SpeechSettings.model_validate(
        {"provider": "openai", "model": "whisper-1", "base_url": server.base_url, "api_key": KEY}
    )
    return OpenAITranscriber(settings, sleep=lambda _: None, **options)


def test_a_recording_becomes_words_with_punctuation_and_times(sound: Path) -> None:
    with FakeOpenAI() as server:
        server.script(Reply(body=verbose('Hello, world! He said: "stop" twice.', start=1.0)))
        found = open_transcriber(server).transcribe(sound)
    (utterance,) = found.utterances
    assert utterance.text == 'Hello, world! He said: "stop" twice.' == "".join(w.text for w in utterance.words)
    assert [(w.text, w.start) for w in utterance.words][:2] == [("Hello,", 1.0), (" world!", 1.5)]
    assert (found.language, found.model, found.duration_seconds) == ("en", "whisper-1", 7.0)
    body = server.requests[0].body
    assert body["response_format"] == "verbose_json" and sorted(body["timestamp_granularities"]) == ["segment", "word"]
    assert body["model"] == "whisper-1" and "language" not in body and body["temperature"] == "0"
    with wave.open(io.BytesIO(body["file"])) as sent:
        assert (sent.getframerate(), sent.getnframes()) == (RATE, 7 * RATE)


def test_a_long_recording_is_sent_in_pieces_with_exact_times(sound: Path) -> None:
    with FakeOpenAI() as server:
        server.script(Reply(body=verbose("one two")), Reply(body=verbose("three")))
        done: list[float] = []
        found = open_transcriber(server, window_seconds=5.0).transcribe(sound, progress=done.append)
    assert [u.text for u in found.utterances] == ["one two", "three"]
    assert 3.4 < found.utterances[1].start < 3.8  # cut in the pause
    assert done == [found.utterances[1].start, pytest.approx(7 - found.utterances[1].start)]
    assert server.requests[1].body["language"] == "en"  # what the first piece was found to be
    assert WINDOW_SECONDS * RATE * 2 <= MAX_BYTES < 25 * 1024 * 1024


def test_what_is_most_likely_no_speech_is_dropped(sound: Path) -> None:
    with FakeOpenAI() as server:
        server.script(Reply(body=verbose("Thanks for watching!", no_speech_prob=0.9, avg_logprob=-1.4)))
        found = open_transcriber(server).transcribe(sound)
        server.script(Reply(body=verbose("la la la la la", compression_ratio=9.0)))
        again = open_transcriber(server).transcribe(sound, language="de")
    assert (found.utterances, found.dropped, found.language) == ((), 1, None)
    assert (again.utterances, again.language) == ((), "de")


def test_digital_silence_is_not_sent(tmp_path: Path) -> None:
    with wave.open(str(tmp_path / "a.wav"), "wb") as output:
        output.setparams((1, 2, RATE, 0, "NONE", ""))
        output.writeframes(bytes(2 * RATE))
    with FakeOpenAI() as server:
        assert open_transcriber(server).transcribe(tmp_path / "a.wav").utterances == ()
    assert server.requests == []


def test_passing_failures_are_retried(sound: Path) -> None:
    with FakeOpenAI() as server:
        server.script(rate_limited(retry_after="0"), server_error(503), Reply(body=verbose("hello")))
        assert open_transcriber(server).transcribe(sound).utterances[0].text == "hello"
    assert len(server.requests) == 3


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        (api_error(401, f"Incorrect API key provided: {KEY}"), "HTTP 401"),
        (truncated(), "not what was agreed"),
        (Reply(body={"segments": [{"text": "no times"}]}), "segments without text or times"),
    ],
)
def test_lasting_failures_say_why_and_keep_the_key(sound: Path, reply: Reply, reason: str) -> None:
    with FakeOpenAI() as server:
        server.script(reply, reply, reply)
        with pytest.raises(ModelCallError, match=reason) as caught:
            open_transcriber(server).transcribe(sound)
    assert KEY not in str(caught.value)


def test_without_a_key_openai_is_not_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with pytest.raises(InvalidSettingsError, match="BRAIN_SPEECH__API_KEY"):
        OpenAITranscriber(SpeechSettings(provider="openai", model="whisper-1"))


@pytest.mark.parametrize(
    ("text", "words", "placed"),
    [
        ("Well, no.", ["well", "no"], ["Well,", " no."]),
        ("¿Qué? ¡Sí!", ["qué", "sí"], ["¿Qué?", " ¡Sí!"]),
        ("你好。", ["你", "好"], ["你", "好。"]),
        ("It costs 5 euros", ["it", "costs", "five", "euros"], ["It", " costs 5", " euros"]),
        ("nothing fits", ["xyz"], []),
    ],
)
def test_bare_words_find_their_place(text: str, words: list[str], placed: list[str]) -> None:
    found = place_words(text, [(w, i, i + 0.5) for i, w in enumerate(words)], offset=10.0, probability=0.5)
    assert [word.text for word in found] == placed
    assert all(word.start >= 10 for word in found)
