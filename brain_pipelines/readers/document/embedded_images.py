"""Pictures embedded in documents, written as PNGs to the scratch directory for OCR outside the sandbox.

Icons, rules, plain areas, duplicates and vector formats (EMF, WMF) are left out. Runs in the sandbox's child.
"""

import hashlib
import io
import time
import zipfile
from pathlib import Path
from typing import Any

from brain_pipelines.readers.extracted import Block
from brain_retrieval.settings import Limits

FORMATS = ("PNG", "JPEG", "GIF", "BMP", "TIFF", "WEBP")
MIN_SIDE, MIN_PIXELS = 60, 20_000  # smaller ones are decoration
MIN_RANGE = 24  # of 255, between the darkest and the lightest grey
TIME_SHARE = 0.4  # of the time for the whole file
MAX_MEMBER_BYTES = 64 << 20


class PictureSink:
    """Collects the pictures of one document, at most `limits.max_pictures` of them."""

    def __init__(self, limits: Limits, scratch: Path | None) -> None:
        self.count = 0
        self._limits, self._scratch = limits, scratch
        self._seen: set[str] = set()
        self._beyond = self._large = 0
        self._deadline = time.monotonic() + limits.parse_seconds * TIME_SHARE

    def take(self, data: bytes, **place: Any) -> Block | None:
        """Return a block for the bytes of a picture, or None if it is left out.

        Args:
            data: an image file.
            place: fields of the block: page, box, section.
        """
        from PIL import Image

        if self._scratch is None or not self.is_new(data):
            return None
        Image.MAX_IMAGE_PIXELS = None  # checked below against our own limit
        try:
            with Image.open(io.BytesIO(data), formats=FORMATS) as image:
                return self.take_image(image, **place)
        except (MemoryError, RecursionError):
            raise
        except Exception:  # a picture that cannot be decoded does not affect the document's text
            return None

    def is_new(self, data: bytes) -> bool:
        """Return whether these bytes are seen for the first time, and remember them."""
        digest = hashlib.sha256(data).hexdigest()
        known = digest in self._seen
        self._seen.add(digest)
        return not known

    def has_room(self, pixels: int) -> bool:
        """Return whether a picture of so many pixels is within the limits; if not, it is counted as left out."""
        if pixels > self._limits.max_pixels:
            self._large += 1
        elif self.count >= self._limits.max_pictures or time.monotonic() > self._deadline:
            self._beyond += 1
        else:
            return True
        return False

    def take_image(self, image: Any, **place: Any) -> Block | None:
        """Return a block for an open Pillow image, or None if it is left out."""
        from brain_pipelines.readers.image.image import upright

        width, height = image.size
        if min(width, height) < MIN_SIDE or width * height < MIN_PIXELS or self._scratch is None:
            return None
        if not self.has_room(width * height):
            return None
        picture = upright(image)
        low, high = picture.convert("L").resize((64, 64)).getextrema()
        if high - low < MIN_RANGE:
            return None
        self.count += 1
        name = f"picture-{self.count}.png"
        picture.save(self._scratch / name, "PNG", compress_level=1)
        return Block("", "image", picture=name, **place)

    def remarks(self) -> list[str]:
        """Return the repairs: how many pictures were left out because of a limit."""
        found = []
        if self._beyond:
            found.append(f"{self._beyond} pictures not read: {self.count} of them were, more are too many for one file")
        if self._large:
            found.append(f"{self._large} pictures not read: more than {self._limits.max_pixels / 1e6:g} million pixels")
        return found


def archive_pictures(path: Path, folders: tuple[str, ...], sink: PictureSink) -> list[Block]:
    """Return a block for each picture in these folders of a checked zip archive, sorted by name."""
    blocks = []
    with zipfile.ZipFile(path) as archive:
        members = sorted((m for m in archive.infolist() if m.filename.startswith(folders)), key=_natural)
        for member in members:
            if member.file_size <= MAX_MEMBER_BYTES and (block := sink.take(archive.read(member))):
                blocks.append(block)
    return blocks


def _natural(member: zipfile.ZipInfo) -> tuple[int, str]:
    return len(member.filename), member.filename  # image2 before image10
