"""Voice memos and meetings: transcript, times, speakers, titles, notes, refusals."""

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np
import pytest

from brain_pipelines.readers.audio.meeting_notes import make_meeting_notes
from brain_pipelines.sources.voice_memo import text_config
from brain_retrieval.settings import Settings, SpeechSettings
from tests.paths import ROOT
from tests.pipelines.readers.audio.recordings import record, wav
from tests.samples.shared import ReadSample
from tests.samples.taking import Taken, take_one

SAMPLES = ROOT / "data/samples/alice"
OFF = Settings(speech=SpeechSettings(provider="off"))


@pytest.fixture(scope="module")
def memo(models_dir: Path, read_sample: ReadSample) -> Taken:
    (taken,) = read_sample(SAMPLES / "voice-memo" / "New Recording 3.m4a")
    return taken


@pytest.fixture(scope="module")
def meeting(models_dir: Path, read_sample: ReadSample) -> Taken:
    (taken,) = read_sample(SAMPLES / "meeting" / "2026-01-22 09-30 table with Bob.opus")
    return taken


def attributes(taken: Taken) -> dict:
    assert taken.document is not None
    return json.loads(taken.document["attributes"])


def test_a_recording_says_hello_world(memo: Taken) -> None:
    taken = memo
    assert taken.text.startswith("Hello world")
    assert "booking page" in taken.text and "Priya" in taken.text
    assert taken.document is not None
    assert taken.document["title"].startswith("Hello world")  # "New Recording 3" is no title
    assert taken.document["language"] == "en"
    assert taken.item.event_at == datetime(2026, 2, 4, 17, 42, 10, tzinfo=UTC)


def test_every_word_has_a_time(memo: Taken) -> None:
    taken = memo
    assert taken.document is not None
    anchors = taken.document["anchors"]
    said = [(taken.text[a["start"] : a["end"]], a["start_seconds"], a["end_seconds"]) for a in anchors]
    assert " ".join(word for word, _, _ in said) == " ".join(taken.text.split())
    assert all(start <= end for _, start, end in said)
    (booking,) = [start for word, start, _ in said if word == "booking"]
    assert 4 < booking < 8
    first = taken.segments[0]
    assert first["time"] == taken.item.event_at + timedelta(seconds=first["start_seconds"])


def test_a_meeting_of_two_has_two_speakers_in_turn(meeting: Taken) -> None:
    taken = meeting
    assert [s["speaker"] for s in taken.segments] == ["Speaker 1", "Speaker 2"] * 3 + ["Speaker 1"]
    assert taken.text.count("Speaker 1: ") == 4
    bob = next(s for s in taken.segments if "10,000 rows" in taken.text[s["start"] : s["end"]])
    assert bob["speaker"] == "Speaker 2" and 5 < bob["start_seconds"] < 8
    assert bob["time"] == datetime(2026, 1, 22, 9, 30, tzinfo=UTC) + timedelta(seconds=bob["start_seconds"])
    assert taken.document is not None and taken.document["participants"] == ["Speaker 1", "Speaker 2"]
    speech = attributes(taken)["speech"]
    assert speech["model"] == "whisper-base"
    assert all(speaker["confidence"] > 0.3 for speaker in speech["speakers"])


def test_notes_are_verbatim_sentences_in_order(meeting: Taken) -> None:
    taken = meeting
    notes = attributes(taken)["notes"]
    points = [point for note in notes for point in note["points"]]
    assert any("settings page to the new table on Thursday" in point["text"] for point in points)
    assert all(point["text"] in taken.text for point in points)
    seconds = [point["start_seconds"] for point in points]
    assert seconds == sorted(seconds)
    assert {point["speaker"] for point in points} <= set(notes[0]["speakers"])


VTT = """WEBVTT

00:00:01.000 --> 00:00:04.000
<v Priya Nair>Let us decide on the budget for the booking page.

00:00:05.500 --> 00:00:08.000
<v Alice Chen>I will send the numbers by Friday.
"""


def test_a_transcript_is_a_meeting_with_names(tmp_path: Path) -> None:
    path = tmp_path / "a.vtt"
    path.write_text(VTT)
    taken = take_one("meeting", path, name="2026-01-22 10-00 Budget.vtt")
    assert taken.text.split("\n\n")[1] == "Alice Chen: I will send the numbers by Friday."
    assert [s["speaker"] for s in taken.segments] == ["Priya Nair", "Alice Chen"]
    assert taken.segments[1]["time"] == datetime(2026, 1, 22, 10, 0, 5, 500_000, tzinfo=UTC)
    points = attributes(taken)["notes"][0]["points"]
    assert {"text": "I will send the numbers by Friday.", "speaker": "Alice Chen", "start_seconds": 5.5} in points
    assert taken.document is not None
    assert all(taken.text[a["start"] : a["end"]] in VTT for a in taken.document["anchors"])


@pytest.mark.parametrize("source", ["voice-memo", "meeting"])
def test_recording_without_speech_is_refused_with_a_reason(source: str, tmp_path: Path, models_dir: Path) -> None:
    silent = wav(tmp_path / "silent.wav", np.zeros(32_000))
    assert take_one(source, silent).refusal == "no speech in it"
    assert "switched off" in take_one(source, silent, settings=OFF).refusal
    (tmp_path / "note.m4a").write_text("a text, not a recording")
    assert "does not read" in take_one(source, tmp_path / "note.m4a").refusal
    (tmp_path / "cut.m4a").write_bytes(record(tmp_path / "a.m4a").read_bytes()[:400])
    assert "damaged or cut off" in take_one(source, tmp_path / "cut.m4a").refusal


def test_a_text_depends_on_the_model_and_not_on_keys_or_threads() -> None:
    def config(**fields: object) -> object:
        return text_config(Settings(speech=SpeechSettings.model_validate(fields)))

    same = [config(), config(threads=1), config(api_key="sk-1"), config(timeout_seconds=5)]
    assert all(other == same[0] for other in same)
    for changed in (
        {"model": "/models/large"},
        {"diarize": False},
        {"speakers": 2},
        {"clean": False},
        {"language": "de"},
    ):
        assert config(**changed) != same[0]


def test_notes_have_a_block_for_every_topic() -> None:
    money = ["The budget of the booking page is too small.", "We should raise the budget by ten percent."]
    travel = ["The flight to Lisbon leaves at noon on Monday.", "The hotel in Lisbon is near the airport."]
    said = money * 4 + travel * 4
    text, segments = "", []
    for i, sentence in enumerate(said):
        place = {"start": len(text), "end": len(text) + len(sentence), "kind": "speech", "speaker": f"P{i % 2}"}
        segments.append({**place, "start_seconds": i * 20.0, "end_seconds": i * 20.0 + 15})
        text += sentence + "\n\n"
    first, second = make_meeting_notes(text, segments)
    assert "budget" in first["keywords"] and "lisbon" in second["keywords"]
    assert (first["start_seconds"], second["end_seconds"]) == (0.0, 315.0)
    assert first["speakers"] == ["P0", "P1"]
    assert make_meeting_notes("", []) == []
