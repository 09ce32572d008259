"""Reading of audio files in the sandbox: containers, tags, wrong headers, damage, limits."""

import random
import wave
from pathlib import Path

import numpy as np
import pytest

from brain_pipelines.readers.audio import audio
from brain_pipelines.readers.audio.audio_facts import AUDIO_FACTS
from brain_pipelines.readers.detect import detect_format
from brain_pipelines.readers.extracted import Extracted
from brain_retrieval.errors import BadInputError
from brain_retrieval.settings import Limits
from tests.pipelines.readers.audio.recordings import CODECS, lying_mp3, lying_wav, record, tone, wav

LIMITS = Limits()


def read(path: Path, limits: Limits = LIMITS) -> Extracted:
    return audio.READ(path, limits, path.parent)


def samples_of(path: Path) -> np.ndarray:
    with wave.open(str(path)) as sound:
        assert (sound.getframerate(), sound.getnchannels(), sound.getsampwidth()) == (16_000, 1, 2)
        return np.frombuffer(sound.readframes(sound.getnframes()), "<i2")


def pitch(samples: np.ndarray) -> float:
    return float(np.abs(np.fft.rfft(samples[:16_000].astype(float))).argmax()) * 16_000 / min(16_000, len(samples))


@pytest.mark.parametrize("name", sorted(CODECS))
def test_every_container_decodes_to_the_same_wav(tmp_path: Path, name: str) -> None:
    found = read(record(tmp_path / name))
    assert found.sound and not found.blocks and not found.repairs
    samples = samples_of(tmp_path / found.sound)
    assert (
        len(samples) / 16_000
        == pytest.approx(2.0, abs=0.1)
        == pytest.approx(found.attributes["duration_seconds"], abs=0.2)
    )
    assert pitch(samples) == pytest.approx(440, abs=2)
    assert found.attributes["sample_rate"] == 48_000 and found.attributes["channels"] == 1


def test_tags_and_time_of_creation(tmp_path: Path) -> None:
    tags = {"title": "Ideas", "artist": "Alice", "creation_time": "2026-01-05T10:11:12Z"}
    found = read(record(tmp_path / "a.m4a", tags=tags))
    assert found.title == "Ideas" and detect_format(tmp_path / "a.m4a").name == "m4a"
    assert found.attributes["recorded_at"].startswith("2026-01-05T10:11:12")
    assert found.attributes["tags"]["artist"] == "Alice"
    peek = AUDIO_FACTS(tmp_path / "a.m4a", LIMITS, within=20)
    assert peek.attributes["recorded_at"] == found.attributes["recorded_at"] and peek.sound is None


@pytest.mark.parametrize("channels", [2, 6, 64])
def test_channels_are_mixed_to_mono(tmp_path: Path, channels: int) -> None:
    many = np.repeat(tone(1, 16_000), channels)
    read(wav(tmp_path / "a.wav", many, channels=channels))
    samples = samples_of(tmp_path / "sound.wav")
    assert pitch(samples) == pytest.approx(440, abs=2)
    assert 1500 < samples.max() < 4300


def test_too_long_recording_is_refused_by_header_and_while_decoding(tmp_path: Path) -> None:
    short = LIMITS.model_copy(update={"max_audio_seconds": 3.0})
    with pytest.raises(BadInputError, match=r"too long: 10:00:00, the limit is 4:00:00"):
        read(lying_mp3(tmp_path / "claims.mp3", claimed=36_000))
    with pytest.raises(BadInputError, match=r"too long: longer, the limit is 0:03"):
        read(lying_mp3(tmp_path / "a.mp3", claimed=1, real=5), short)
    with pytest.raises(BadInputError, match="too large"):
        read(record(tmp_path / "a.wav"), LIMITS.model_copy(update={"max_media_bytes": 1000}))


@pytest.mark.parametrize(("claimed", "real"), [(36_000, 1), (1, 8), (0, 2)])
def test_wrong_declared_length_yields_at_most_the_real_one(tmp_path: Path, claimed: float, real: float) -> None:
    found = read(lying_wav(tmp_path / "a.wav", claimed=claimed, real=real))
    assert found.attributes["duration_seconds"] == min(real, claimed or real)


@pytest.mark.parametrize("name", ["a.mp3", "a.flac", "a.opus"])
def test_truncated_recording_is_read_as_far_as_possible(tmp_path: Path, name: str) -> None:
    data = record(tmp_path / name, 8.0).read_bytes()
    (tmp_path / name).write_bytes(data[: len(data) // 2])
    found = read(tmp_path / name)
    assert 2.5 < found.attributes["duration_seconds"] < 5.5
    assert found.repairs or name == "a.opus"  # the length of an Ogg file is only in its last page


def test_undecodable_parts_are_skipped(tmp_path: Path) -> None:
    data = bytearray(record(tmp_path / "a.m4a", 4.0).read_bytes())
    for i in range(1000, len(data) - 3000, 997):
        data[i] ^= 0x55
    (tmp_path / "a.m4a").write_bytes(bytes(data))
    found = read(tmp_path / "a.m4a")
    assert any("left out" in repair for repair in found.repairs)
    assert found.attributes["duration_seconds"] > 1


def noise(count: int, seed: int = 0) -> bytes:
    return random.Random(seed).randbytes(count)


@pytest.mark.parametrize(
    ("name", "data", "reason"),
    [
        ("sync.mp3", b"".join(b"\xff\xfb\x90\x64" + noise(20, i) for i in range(2000)), "decoded|opened"),
        ("noise.mp3", noise(300_000), "decoded|opened"),
        ("noise.ogg", b"OggS\0\2" + noise(50_000), "damaged"),
        ("list.m3u8", b"#EXTM3U\n#EXTINF:1,\nfile:///etc/passwd\n", "opened"),
        ("list.mp3", b"ffconcat version 1.0\nfile '/etc/passwd'\n", "opened"),
        ("cut.wav", b"RIFF\x10\0\0\0WAVEfmt ", "damaged"),
    ],
)
def test_invalid_recording_is_refused_with_a_reason(tmp_path: Path, name: str, data: bytes, reason: str) -> None:
    (tmp_path / name).write_bytes(data)
    with pytest.raises(BadInputError, match=reason):
        read(tmp_path / name)


def test_recording_without_samples_or_index(tmp_path: Path) -> None:
    with pytest.raises(BadInputError, match="nothing in it can be decoded"):
        read(wav(tmp_path / "a.wav", np.zeros(0)))
    data = record(tmp_path / "a.m4a").read_bytes()
    (tmp_path / "a.m4a").write_bytes(data[: len(data) // 2])
    with pytest.raises(BadInputError, match="damaged or cut off"):
        read(tmp_path / "a.m4a")


def test_memory_is_independent_of_the_length(tmp_path: Path) -> None:
    """Ten minutes, 115 MB as samples, under a limit of 96 MB."""
    tight = LIMITS.model_copy(update={"parse_memory_mb": 96})
    found = read(lying_wav(tmp_path / "a.wav", claimed=600, real=600, rate=48_000), tight)
    assert found.attributes["duration_seconds"] == 600
