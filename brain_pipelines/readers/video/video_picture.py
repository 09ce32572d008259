"""Conversion of a video frame to a picture: downscaled when kept, rotated upright when written."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

from brain_pipelines.readers.image.codes import read_codes
from brain_pipelines.readers.image.image_facts import measure

if TYPE_CHECKING:
    from av.video.frame import VideoFrame

LONGEST_SIDE = 1600  # pixels of a written frame; text in a 4K video stays readable
SMALLEST_SIDE = 16


def turn_of(frame: "VideoFrame") -> int:
    """Return the counter-clockwise rotation that makes a frame upright: 0, 90, 180 or 270 degrees."""
    return round(frame.rotation / 90) * 90 % 360


def shrink(frame: "VideoFrame") -> "VideoFrame":
    """Return a frame scaled so that no side exceeds LONGEST_SIDE, in its own colour format."""
    width, height = frame.width, frame.height
    scale = min(1.0, LONGEST_SIDE / max(width, height))
    if scale == 1.0:
        return frame
    return frame.reformat(max(SMALLEST_SIDE, round(width * scale)), max(SMALLEST_SIDE, round(height * scale)))


def write_picture(frame: "VideoFrame", turn: int, target: Path) -> dict[str, Any]:
    """Write a frame as PNG, rotated counter-clockwise by `turn` (multiple of 90); return its measured attributes."""
    image = frame.to_image()
    if turn:
        image = image.rotate(turn, expand=True)
    image.save(target, "PNG", compress_level=1)
    facts: dict[str, Any] = {"width": image.width, "height": image.height}
    facts |= measure(image, {**facts, "format": "video"})
    codes = read_codes(image)
    return facts | ({"codes": codes} if codes else {})
