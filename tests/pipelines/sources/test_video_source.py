"""video: speech and frames on one timeline with the time of each line; videos without text or speech."""

import json
import re
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from brain_pipelines.readers.extracted import Anchor, Block
from brain_pipelines.readers.video.timeline import interleave, split_at
from brain_retrieval.settings import OcrSettings, Settings
from tests.paths import SAMPLES
from tests.pipelines.readers.video.films import STORY, Shot, film
from tests.samples.shared import ReadSample
from tests.samples.taking import take_one

BEGAN = datetime(2026, 2, 3, 10, 15, tzinfo=UTC)
QUIET = Settings().model_copy(update={"ocr": OcrSettings(provider="off")})
SAMPLE = SAMPLES / "alice/video/booking page walkthrough.mp4"


def test_text_on_frames_is_recognised(tmp_path: Path, models_dir: Path) -> None:
    path = film(tmp_path / "a.mp4", STORY, sound=False, size=(640, 360), tags={"creation_time": BEGAN.isoformat()})
    taken = take_one("video", path)
    assert (taken.item.event_at, taken.item.event_from) == (BEGAN, "metadata")
    shown = [taken.text[segment["start"] : segment["end"]] for segment in taken.segments]
    assert len(shown) == 3
    for line, shot in zip(shown, STORY, strict=True):
        assert re.match(rf"On screen at 0:0\d: {shot.caption}", line)
    for segment in taken.segments:
        assert segment["kind"] == "frame"
        assert segment["time"] == BEGAN + timedelta(seconds=segment["start_seconds"])
    assert taken.document is not None
    assert len(json.loads(taken.document["attributes"])["frames"]) == 3
    assert taken.document["anchors"]


def test_measured_attributes_are_the_text_of_a_video_without_text(tmp_path: Path) -> None:
    shots = [Shot(2, "navy", "|"), Shot(2, "darkred", "|")]
    taken = take_one("video", film(tmp_path / "a.mp4", shots, sound=False), settings=QUIET, given=BEGAN)
    assert len(taken.segments) == 2
    assert taken.text.startswith("Picture at 0:")
    assert "dark blue" in taken.text and "dark red" in taken.text


def test_video_without_content_gives_a_reason(tmp_path: Path) -> None:
    path = film(tmp_path / "a.mp4", [Shot(2, "black")], sound=False)
    assert take_one("video", path).refusal.startswith("nothing to see or hear in it")


def test_a_broken_video_lands_and_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "2026-02-03 talk.mp4"
    path.write_bytes(b"\0\0\0\x18ftypmp42\0\0\0\0mp42isom" + bytes(5000))
    taken = take_one("video", path)
    assert taken.item.event_from == "name"
    assert taken.refusal.startswith("the video cannot be opened")


def test_the_sample_has_speech_between_its_slides(models_dir: Path, read_sample: ReadSample) -> None:
    (taken,) = read_sample(SAMPLE)
    kinds = [segment["kind"] for segment in taken.segments]
    assert kinds == ["speech", "frame"] * 3
    starts = [segment["start_seconds"] for segment in taken.segments]
    assert starts == sorted(starts)
    assert "usability" in taken.text or "calendar" in taken.text


def spoken(*words: tuple[str, float], lead: str = "") -> Block:
    text, anchors = lead, []
    for word, second in words:
        start = len(text)
        text += word
        anchors.append(Anchor(start, start + len(word), start_seconds=second, end_seconds=second + 0.4))
        text += " "
    return Block(text.rstrip(), "speech", start_seconds=0.0, end_seconds=9.0, anchors=tuple(anchors), speaker="Ann")


def test_turn_is_split_at_the_next_sentence() -> None:
    turn = spoken(("One", 0.0), ("two.", 1.0), ("Three", 4.0), ("four.", 5.0), ("Five.", 6.0), lead="Ann: ")
    one, other = split_at(turn, [0.5])
    assert (one.text, other.text) == ("Ann: One two.", "Ann: Three four. Five.")
    assert [other.text[a.start : a.end] for a in other.anchors] == ["Three", "four.", "Five."]
    assert (one.end_seconds, other.start_seconds, other.end_seconds) == (1.4, 4.0, 9.0)


@pytest.mark.parametrize("moment", [-1.0, 0.0, 8.0])
def test_frame_before_or_after_a_turn_does_not_split_it(moment: float) -> None:
    turn = spoken(("One", 0.0), ("two.", 1.0), ("Three.", 4.0))
    assert split_at(turn, [moment]) == [turn]
    frame = Block("x", "frame", start_seconds=moment)
    assert interleave([turn, frame]) == ([frame, turn] if moment <= 0 else [turn, frame])
