"""Writes the samples that are heard: a voice memo and a meeting of two. Needs the program espeak-ng.

.venv/bin/python data/samples/make_speech.py
"""

import io
import subprocess
import wave
from fractions import Fraction
from pathlib import Path

import numpy as np

SAMPLES = Path(__file__).parent
RATE = 22_050  # of espeak-ng
PAUSE_SECONDS = 0.6
Voice = tuple[str, str, str, float]  # name, words a minute, pitch, and what a longer throat does to all of it
NOTE: Voice = ("en-us+f2", "120", "55", 1.0)
ALICE: Voice = ("en-gb+f2", "132", "72", 0.9)
BOB: Voice = ("en-us+m2", "158", "15", 1.15)
MEMO = (
    (NOTE, "Hello world, this is Alice on the tram in Lisbon."),
    (NOTE, "The new booking page should show the price before the calendar, because people left in the test."),
    (NOTE, "On Monday I will ask Priya to draw two versions of it."),
)
MEETING = (
    (ALICE, "Good morning Bob. Let us talk about the table in the component library."),
    (BOB, "Good morning. The table is finished, but sorting ten thousand rows was still too slow last week."),
    (ALICE, "How slow is it now?"),
    (BOB, "It takes less than one tenth of a second. We decided to draw only the rows that can be seen."),
    (ALICE, "Very good. Then I will move the settings page to the new table on Thursday."),
    (BOB, "Please wait until the accessibility test is over. The keyboard cannot reach the last column yet."),
    (ALICE, "Agreed. I will start with the navigation and come to the settings page next week."),
)


def say(voice: Voice, text: str) -> np.ndarray:
    """Return the samples of a sentence, int16."""
    name, speed, pitch, throat = voice
    command = ["espeak-ng", "-v", name, "-s", speed, "-p", pitch, "--stdout", text]
    spoken = subprocess.run(command, capture_output=True, check=True).stdout
    with wave.open(io.BytesIO(spoken)) as sound:
        samples = np.frombuffer(sound.readframes(sound.getnframes()), dtype="<i2")
    places = np.linspace(0, len(samples) - 1, round(len(samples) * throat))
    return np.interp(places, np.arange(len(samples)), samples).astype(np.int16)


def record(path: Path, lines: tuple[tuple[Voice, str], ...], *, codec: str, tags: dict[str, str]) -> None:
    """Write the lines one after the other, with pauses."""
    import av

    pause = np.zeros(round(PAUSE_SECONDS * RATE), np.int16)
    samples = np.concatenate([pause, *(part for voice, text in lines for part in (say(voice, text), pause))])
    path.parent.mkdir(parents=True, exist_ok=True)
    with av.open(str(path), "w", container_options={"fflags": "bitexact"}) as container:
        container.metadata.update(tags)
        stream = container.add_stream(codec, rate=RATE if codec == "aac" else 48_000, layout="mono")
        stream.bit_rate = 20_000
        resampler = av.AudioResampler(format=stream.format, layout="mono", rate=stream.rate)
        frame = av.AudioFrame.from_ndarray(samples[None], format="s16", layout="mono")
        frame.rate, frame.pts, frame.time_base = RATE, 0, Fraction(1, RATE)
        for part in (*resampler.resample(frame), *resampler.resample(None)):
            container.mux(stream.encode(part))
        container.mux(stream.encode(None))


def main() -> None:
    """Write both recordings."""
    alice = SAMPLES / "alice"
    memo = {"creation_time": "2026-02-04T17:42:10Z", "title": "New Recording 3"}
    record(alice / "voice-memo" / "New Recording 3.m4a", MEMO, codec="aac", tags=memo)
    record(alice / "meeting" / "2026-01-22 09-30 table with Bob.opus", MEETING, codec="libopus", tags={})


if __name__ == "__main__":
    main()
