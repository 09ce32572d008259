"""screenshot: pictures of a screen. Read like `image`; a separate source type so that they can be filtered."""

import re
from datetime import tzinfo
from pathlib import Path
from typing import Any

from brain_pipelines.readers.contract import Delivery, Item, Reading, ReadResult
from brain_pipelines.readers.image.describe_image import description_config
from brain_pipelines.sources import image
from brain_pipelines.sources.result import read_whole
from brain_pipelines.sources.source import Source
from brain_retrieval.settings import ChunkingConfig, Limits


def locate(delivery: Delivery, zone: tzinfo, limits: Limits) -> list[Item]:
    """Return the one item of a screenshot; its time is mostly in its name."""
    return image.locate(delivery, zone, limits)


def read(raw_row: dict[str, Any], path: Path, reading: Reading) -> ReadResult:
    """Return the description, the visible text and the decoded codes of a screenshot.

    Raises:
        BadInputError: if it is not an image, or it is damaged or too large.
    """
    return read_whole(raw_row, path, reading, readers=image.READERS, source=SOURCE.name)


SOURCE = Source(
    name="screenshot",
    context_type="picture",
    description="Screenshots: the text on the screen in reading order, with the place of each line.",
    suffixes=image.SUFFIXES,
    formats=tuple(image.READERS),
    locate=locate,
    read=read,
    pool="ocr",
    chunking=ChunkingConfig(strategy="recursive", max_size=800, overlap=80, min_size=100),
    text_config=description_config,
    named=re.compile(r"screen ?shot|screen[-_ ]?capture|bildschirmfoto|captura", re.I),
    instead_of="image",
    aliases=("capture_screenshot", "screen_capture"),
)
