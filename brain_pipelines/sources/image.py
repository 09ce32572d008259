"""image: photos, scans and drawings: description, recognised text, and the contents of QR codes and barcodes."""

from datetime import tzinfo
from pathlib import Path
from typing import Any

from brain_pipelines.readers.contract import Delivery, Item, Reading, ReadResult
from brain_pipelines.readers.event_time import locate_whole
from brain_pipelines.readers.image.describe_image import description_config
from brain_pipelines.readers.image.exif_time import exif_time
from brain_pipelines.readers.registry import readers_of, suffixes_of
from brain_pipelines.sources.result import read_whole
from brain_pipelines.sources.source import Source
from brain_retrieval.settings import ChunkingConfig, Limits

READERS = readers_of("image")
SUFFIXES = suffixes_of("image")


def locate(delivery: Delivery, zone: tzinfo, _limits: Limits) -> list[Item]:
    """Return the one item of an image; event time from EXIF, else from its name."""
    return [locate_whole(delivery, zone, lambda: (exif_time(delivery.path, zone), "metadata"), pictured=True)]


def read(raw_row: dict[str, Any], path: Path, reading: Reading) -> ReadResult:
    """Return the description, the visible text and the decoded codes of an image.

    Raises:
        BadInputError: if it is not an image, or it is damaged or too large.
    """
    return read_whole(raw_row, path, reading, readers=READERS, source=SOURCE.name)


SOURCE = Source(
    name="image",
    context_type="picture",
    description="Photos, scans and drawings: their text, their codes, what is known about them.",
    suffixes=SUFFIXES,
    formats=tuple(READERS),
    locate=locate,
    read=read,
    pool="ocr",
    chunking=ChunkingConfig(strategy="recursive", max_size=800, overlap=80, min_size=100),
    text_config=description_config,
    usual_for=tuple(READERS),
    aliases=("capture_image", "photo", "picture"),
)
