"""Reading of videos: choice of key frames, their times, and bounded cost of hostile files."""

import random
import struct
import time
import wave
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from brain_pipelines.readers.extracted import Extracted
from brain_pipelines.readers.registry import readers_of
from brain_pipelines.readers.video.video_facts import VIDEO_FACTS
from brain_retrieval.errors import BadInputError
from brain_retrieval.settings import Limits
from tests.pipelines.readers.video.films import CODECS, STORY, Shot, brightness, film, raw_film

LIMITS = Limits()


def read(path: Path, scratch: Path, limits: Limits = LIMITS) -> Extracted:
    scratch.mkdir(exist_ok=True)
    return readers_of()["mp4"](path, limits, scratch)


@pytest.mark.parametrize("suffix", CODECS)
def test_one_frame_per_scene_and_the_sound(tmp_path: Path, suffix: str) -> None:
    found = read(film(tmp_path / f"a{suffix}"), tmp_path / "scratch")
    assert [block.kind for block in found.blocks] == ["frame"] * 3
    starts = [block.start_seconds for block in found.blocks]
    assert starts == pytest.approx([1.5, 4.0, 6.5], abs=0.5)
    assert found.attributes["cuts"] == pytest.approx([3.0, 5.0], abs=0.25)
    blue, red, green = (brightness(tmp_path / "scratch" / (block.picture or "")) for block in found.blocks)
    assert (blue.argmax(), red.argmax(), green.argmax()) == (2, 0, 1)
    assert found.attributes["duration_seconds"] == pytest.approx(8.0, abs=0.2)
    assert (found.attributes["width"], found.attributes["height"], found.attributes["fps"]) == (320, 180, 15.0)
    with wave.open(str(tmp_path / "scratch" / (found.sound or ""))) as sound:
        assert (sound.getframerate(), sound.getnchannels()) == (16_000, 1)
        assert sound.getnframes() / 16_000 == pytest.approx(8.0, abs=0.1)
    assert not found.repairs


def test_time_of_a_frame_is_its_time_stamp(tmp_path: Path) -> None:
    found = read(film(tmp_path / "a.mp4", fps=15), tmp_path / "scratch")
    counts = np.array([block.start_seconds for block in found.blocks], dtype=float) * 15
    assert np.abs(counts - counts.round()).max() < 0.01


@pytest.mark.parametrize(("rotation", "shape"), [(90, (180, 320)), (-90, (180, 320)), (180, (320, 180))])
def test_frames_are_rotated_upright(tmp_path: Path, rotation: int, shape: tuple[int, int]) -> None:
    found = read(film(tmp_path / "a.mp4", STORY[:1], rotation=rotation, sound=False), tmp_path / "scratch")
    image = Image.open(tmp_path / "scratch" / (found.blocks[0].picture or ""))
    assert image.size == shape
    plain = read(film(tmp_path / "b.mp4", STORY[:1], sound=False), tmp_path / "plain")
    upright = Image.open(tmp_path / "plain" / (plain.blocks[0].picture or ""))
    turned = np.asarray(upright.rotate(rotation, expand=True), dtype=float)
    assert np.abs(np.asarray(image, dtype=float) - turned).mean() < 12
    assert found.attributes["rotation"] == rotation % 360


def test_slides_with_equal_colours_are_separate_scenes(tmp_path: Path) -> None:
    slides = [Shot(3, "white", ""), *(Shot(3, "black", text) for text in ("Budget", "People", "Next steps"))]
    found = read(film(tmp_path / "a.mp4", slides, still=True, sound=False), tmp_path / "scratch")
    assert [block.start_seconds for block in found.blocks] == pytest.approx([4.5, 7.5, 10.5], abs=0.6)


def test_repeated_scene_gives_one_frame(tmp_path: Path) -> None:
    one, other = Shot(2, "navy", "A"), Shot(2, "darkred", "B")
    found = read(film(tmp_path / "a.mp4", [one, other] * 3, still=True, sound=False), tmp_path / "scratch")
    assert len(found.blocks) == 2
    assert len(found.attributes["cuts"]) == 5


def test_longest_scenes_are_chosen_up_to_the_limit(tmp_path: Path) -> None:
    colours = ("navy", "darkred", "darkgreen", "purple", "olive", "teal", "gray", "orange")
    shots = [Shot(3.0 if n in (2, 5) else 1.4, colour, str(n)) for n, colour in enumerate(colours)]
    path = film(tmp_path / "a.mp4", shots, sound=False)
    found = read(path, tmp_path / "scratch", Limits(max_frames=2))
    assert [block.start_seconds for block in found.blocks] == pytest.approx([4.3, 10.1], abs=0.6)
    assert not read(path, tmp_path / "scratch", Limits(max_frames=2)).sound


def test_a_long_scene_gives_more_than_one_frame(tmp_path: Path) -> None:
    found = read(film(tmp_path / "a.mp4", [Shot(40, "navy", "x")], fps=5, sound=False), tmp_path / "scratch")
    starts = [block.start_seconds or 0 for block in found.blocks]
    assert 4 <= len(starts) <= 10
    assert min(b - a for a, b in pairwise(starts)) >= 5


def test_truncated_video_is_read_with_a_repair(tmp_path: Path) -> None:
    whole = film(tmp_path / "a.mkv").read_bytes()
    (tmp_path / "b.mkv").write_bytes(whole[: len(whole) * 6 // 10])
    found = read(tmp_path / "b.mkv", tmp_path / "scratch")
    assert found.blocks
    assert any("break" in repair for repair in found.repairs)


def test_damaged_middle_is_skipped(tmp_path: Path) -> None:
    data = bytearray(film(tmp_path / "a.avi").read_bytes())
    rng = random.Random(3)
    for at in range(len(data) // 3, len(data) // 2):
        data[at] = rng.randrange(256)
    (tmp_path / "b.avi").write_bytes(bytes(data))
    found = read(tmp_path / "b.avi", tmp_path / "scratch")
    assert found.blocks or found.sound


def lying(path: Path, box: bytes, offset: int, value: bytes) -> Path:
    """Overwrite bytes at an offset after the name of an MP4 box."""
    data = bytearray(film(path, STORY[:1]).read_bytes())
    at = data.find(box)
    assert at > 0
    data[at + offset : at + offset + len(value)] = value
    path.write_bytes(bytes(data))
    return path


HUGE = struct.pack(">I", 0x7FFFFFFF)
HOSTILE = {
    "cut off before its contents": lambda p: p.write_bytes(film(p).read_bytes()[:20_000]),
    "noise": lambda p: p.write_bytes(b"\0\0\0\x20ftypisom" + random.Random(1).randbytes(50_000)),
    "a table of two billion samples": lambda p: lying(p, b"stsz", 12, HUGE),
    "a table of two billion times": lambda p: lying(p, b"stts", 8, HUGE),
    "contents of two gigabytes": lambda p: lying(p, b"moov", -4, HUGE),
    "a billion frames a second": lambda p: lying(p, b"mdhd", 16, struct.pack(">I", 1_000_000_000)),
    "nothing but a header": lambda p: p.write_bytes(b"\0\0\0\x18ftypmp42\0\0\0\0mp42isom"),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_videos_take_little_time(tmp_path: Path, name: str) -> None:
    HOSTILE[name](tmp_path / "a.mp4")
    began = time.process_time()
    try:
        found = read(tmp_path / "a.mp4", tmp_path / "scratch")
        assert found.blocks or found.sound
    except BadInputError as error:
        assert 10 < len(str(error)) < 300
        assert str(tmp_path) not in str(error)
    assert time.process_time() - began < 10


@pytest.mark.parametrize(
    ("limits", "reason"),
    [
        (Limits(max_video_seconds=5), r"too long: 0:08, the limit is 0:05 \(limits.max_video_seconds\)"),
        (Limits(max_media_bytes=5000), r"too large: \d+ bytes, the limit is 5000 \(limits.max_media_bytes\)"),
        (Limits(max_pixels=50_000), r"too large: 320 × 180 pixels"),
    ],
)
def test_exceeded_limits_give_reasons(tmp_path: Path, limits: Limits, reason: str) -> None:
    path = film(tmp_path / "a.mp4")
    with pytest.raises(BadInputError, match=reason):
        read(path, tmp_path / "scratch", limits)


def test_decoded_length_counts_not_the_declared_one(tmp_path: Path) -> None:
    """A Matroska stream does not declare its length."""
    data = bytearray(film(tmp_path / "a.mkv", sound=False).read_bytes())
    at = data.find(b"\x44\x89\x88")  # Duration, a float of 8 bytes
    assert at > 0
    data[at : at + 2] = b"\xec\x89"  # Void
    (tmp_path / "a.mkv").write_bytes(bytes(data))
    with pytest.raises(BadInputError, match="too long"):
        read(tmp_path / "a.mkv", tmp_path / "scratch", Limits(max_video_seconds=4))


def test_a_huge_picture_is_refused_before_it_is_decoded(tmp_path: Path) -> None:
    path = raw_film(tmp_path / "a.avi")
    data = bytearray(path.read_bytes())
    at = data.find(b"strf") + 12
    data[at : at + 8] = struct.pack("<II", 30_000, 30_000)
    path.write_bytes(bytes(data))
    with pytest.raises(BadInputError, match="none of its pictures can be decoded"):
        read(path, tmp_path / "scratch")


def test_metadata_is_read_without_decoding(tmp_path: Path) -> None:
    path = film(tmp_path / "a.mp4", tags={"creation_time": "2026-02-03T10:15:00Z", "title": "Walkthrough"}, sound=False)
    found = VIDEO_FACTS(path, LIMITS)
    assert found.attributes["recorded_at"].startswith("2026-02-03T10:15:00")
    assert found.attributes["tags"]["title"] == "Walkthrough"
    assert found.attributes["codecs"] == ["h264"]


def test_audio_only_in_a_video_container(tmp_path: Path) -> None:
    from tests.pipelines.readers.audio.recordings import record

    found = read(record(tmp_path / "a.webm"), tmp_path / "scratch")
    assert (found.blocks, found.sound, found.repairs) == ([], "sound.wav", ["no pictures in it, sound alone"])


def test_blank_video_has_no_frames(tmp_path: Path) -> None:
    path = film(tmp_path / "a.mp4", [Shot(3, "black")], sound=False)
    with pytest.raises(BadInputError, match="nothing to see or hear"):
        read(path, tmp_path / "scratch")


@pytest.mark.parametrize("suffix", [".mkv", ".webm", ".mp4"])
def test_concatenated_copies_are_read_once(tmp_path: Path, suffix: str) -> None:
    path = film(tmp_path / f"a{suffix}")
    path.write_bytes(path.read_bytes() * 50)
    began = time.process_time()
    found = read(path, tmp_path / "scratch")
    assert len(found.blocks) == 3
    assert found.attributes["duration_seconds"] < 60
    assert time.process_time() - began < 10
