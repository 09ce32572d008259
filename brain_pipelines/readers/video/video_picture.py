"""One frame of a video as a picture: made small while it is held, turned upright when it is written."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

from brain_pipelines.readers.image.codes import read_codes
from brain_pipelines.readers.image.image_facts import measure

if TYPE_CHECKING:
    from av.video.frame import VideoFrame

LONGEST_SIDE = 1600  # pixels of a written frame; text in a film of 4K stays readable
SMALLEST_SIDE = 16


def turn_of(frame: "VideoFrame") -> int:
    """Return by how many degrees a frame is to be turned counter-clockwise to stand upright: 0, 90, 180 or 270."""
    return round(frame.rotation / 90) * 90 % 360


def shrink(frame: "VideoFrame") -> "VideoFrame":
    """Return a frame with no longer side than LONGEST_SIDE, in its own colour format."""
    width, height = frame.width, frame.height
    scale = min(1.0, LONGEST_SIDE / max(width, height))
    if scale == 1.0:
        return frame
    return frame.reformat(max(SMALLEST_SIDE, round(width * scale)), max(SMALLEST_SIDE, round(height * scale)))


def write_picture(frame: "VideoFrame", turn: int, target: Path) -> dict[str, Any]:
    """Write a frame as PNG, turned counter-clockwise by `turn` degrees, a multiple of 90; return what is measured."""
    image = frame.to_image()
    if turn:
        image = image.rotate(turn, expand=True)
    image.save(target, "PNG", compress_level=1)
    facts: dict[str, Any] = {"width": image.width, "height": image.height}
    facts |= measure(image, {**facts, "format": "video"})
    codes = read_codes(image)
    return facts | ({"codes": codes} if codes else {})
