"""Writes the sample of a video: Alice's screen while she shows the new booking page. Needs the program espeak-ng.

.venv/bin/python data/samples/make_video.py
"""

import sys
from fractions import Fraction
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parent))
from make_speech import ALICE, RATE, say

TARGET = Path(__file__).parent / "alice/video/booking page walkthrough.mp4"
SIZE, FPS, PAUSE = (960, 540), 5, 0.7
RECORDED = "2026-02-03T10:15:00Z"
SLIDES = (
    ("#f4efe6", "#20304f", "Booking page, draft 4", ("Price first, calendar second",)),
    ("#e9f1ec", "#143d2b", "What changed since Lisbon", ("One column on phones", "Price above the fold", "New table")),
    ("#20304f", "#ffffff", "Open questions", ("Who signs off the icons?", "Launch on 12 March?")),
)
SPOKEN = (
    "This is the fourth draft of the booking page. The price comes first and the calendar comes second.",
    "Three things changed since the usability test in Lisbon. The page has one column on phones.",
    "Two questions are open. Bob will ask Priya who signs off the icons.",
)


def draw(slide: tuple[str, str, str, tuple[str, ...]]) -> "object":
    """Return the picture of a slide."""
    from PIL import Image, ImageDraw, ImageFont

    ground, ink, title, lines = slide
    image = Image.new("RGB", SIZE, ground)
    pen = ImageDraw.Draw(image)
    pen.text((60, 60), title, fill=ink, font=ImageFont.load_default(52))
    for n, line in enumerate(lines):
        pen.text((90, 190 + 80 * n), line, fill=ink, font=ImageFont.load_default(36))
    return image


def main() -> None:
    """Write the sample."""
    import av

    TARGET.parent.mkdir(parents=True, exist_ok=True)
    silence = np.zeros(round(PAUSE * RATE), np.int16)
    spoken = [np.concatenate([silence, say(ALICE, text), silence]) for text in SPOKEN]
    with av.open(str(TARGET), "w", container_options={"fflags": "bitexact"}) as container:
        container.metadata.update({"title": "Booking page walkthrough", "creation_time": RECORDED})
        picture = container.add_stream("libx264", rate=FPS)
        picture.width, picture.height, picture.pix_fmt = *SIZE, "yuv420p"
        picture.codec_context.thread_count = 1
        picture.options = {"crf": "30", "preset": "slow"}
        heard = container.add_stream("aac", rate=RATE, layout="mono")
        heard.bit_rate = 24_000
        number = 0
        for slide, sound in zip(SLIDES, spoken, strict=True):
            for _ in range(round(len(sound) / RATE * FPS)):
                frame = av.VideoFrame.from_image(draw(slide))
                frame.pts, frame.time_base = number, Fraction(1, FPS)
                container.mux(picture.encode(frame))
                number += 1
        container.mux(picture.encode(None))
        samples = np.concatenate(spoken)
        resampler = av.AudioResampler(format=heard.format, layout="mono", rate=RATE)
        frame = av.AudioFrame.from_ndarray(samples[None], format="s16", layout="mono")
        frame.sample_rate, frame.pts, frame.time_base = RATE, 0, Fraction(1, RATE)
        for piece in [*resampler.resample(frame), *resampler.resample(None)]:
            container.mux(heard.encode(piece))
        container.mux(heard.encode(None))


if __name__ == "__main__":
    main()
