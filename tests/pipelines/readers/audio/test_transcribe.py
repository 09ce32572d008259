"""Merging of speech with other blocks, and recordings without speech. Speech recognition is a test server."""

from pathlib import Path

import pytest

from brain_pipelines.readers.audio.transcribe import add_speech
from brain_pipelines.readers.contract import Reading
from brain_pipelines.readers.extracted import Block, Extracted
from brain_retrieval.errors import BadInputError
from brain_retrieval.settings import Settings, SpeechSettings
from tests.fake_openai import FakeOpenAI
from tests.fake_openai_replies import Reply
from tests.pipelines.readers.audio.recordings import tone, wav

FRAMES = [Block("Slide one", "frame", start_seconds=0.0), Block("Slide two", "frame", start_seconds=10.0)]


def segment(text: str, start: float, **fields: float) -> dict[str, object]:
    return {"text": text, "start": start, "end": start + 2, "avg_logprob": -0.1, **fields}


@pytest.fixture
def reading(tmp_path: Path) -> Reading:
    wav(tmp_path / "sound.wav", tone(20, 16_000))
    return Reading(Settings(), tmp_path)


def hear(reading: Reading, blocks: list[Block], *segments: dict[str, object]) -> Extracted:
    with FakeOpenAI() as server:
        server.script(Reply(body={"language": "english", "text": "", "segments": list(segments)}))
        speech = SpeechSettings(provider="openai", model="whisper-1", base_url=server.base_url, diarize=False)
        configured = Reading(reading.settings.model_copy(update={"speech": speech}), reading.scratch)
        return add_speech(Extracted("mp4", blocks, sound="sound.wav"), configured)


def test_speech_and_frames_are_sorted_by_time(reading: Reading) -> None:
    found = hear(reading, FRAMES, segment("Welcome.", 1), segment("And now this.", 8), segment("The end.", 15))
    assert [b.text for b in found.blocks] == ["Slide one", "Welcome.", "And now this.", "Slide two", "The end."]
    assert found.sound is None and found.language == "en"
    assert found.attributes["speech"] == {"model": "whisper-1", "language": "en"}
    assert found.blocks[1].anchors[0].start_seconds == 1


def test_video_without_speech_keeps_its_frames(reading: Reading) -> None:
    assert hear(reading, FRAMES).blocks == FRAMES
    off = Reading(Settings(speech=SpeechSettings(provider="off")), reading.scratch)
    found = add_speech(Extracted("mp4", FRAMES, sound="sound.wav"), off)
    assert (found.blocks, found.sound) == (FRAMES, None)
    assert add_speech(found, off) is found


def test_recording_without_speech_is_refused_and_doubtful_passages_are_reported(reading: Reading) -> None:
    doubtful = segment("Thanks for watching!", 3, no_speech_prob=0.95, avg_logprob=-1.5)
    with pytest.raises(BadInputError, match="no speech in it"):
        hear(reading, [], doubtful)
    found = hear(reading, [], segment("Hello.", 1), doubtful)
    assert found.repairs == ["1 passage left out, most likely not speech"]
    assert found.attributes["speech"]["dropped_utterances"] == 1
