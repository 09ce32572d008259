"""Pictures from a PDF as PNG in the scratch directory: pages without a text layer, and figures on other pages.

Runs in the sandbox's child; OCR runs outside of it.
"""

import hashlib
import time
from pathlib import Path
from typing import Any

from brain_pipelines.readers.document.pdf_page.lines import place_on
from brain_pipelines.readers.extracted import Block
from brain_retrieval.settings import Limits

SCAN_SCALE = 2.0  # 144 dpi: the best resolution for the OCR model, at 1.5–3.6 CPU seconds per page
MAX_PAGE_PIXELS = 16_000_000
MIN_WIDTH, MIN_HEIGHT = 160, 48  # pixels of a figure; smaller ones are icons and rules
MIN_SHARE = 0.02  # of the page
MAX_SHARE = 0.95  # a picture as large as the page is the scan behind a text layer


class PictureTaker:
    """Collects the pictures of one document, each once, up to the limits."""

    def __init__(self, scratch: Path | None, limits: Limits) -> None:
        self.scratch, self.limits = scratch, limits
        self.scans = 0
        self.left_out = 0
        self._seen: set[str] = set()
        self._deadline = time.monotonic() + limits.parse_seconds  # `readers.pdf` allows twice that for the file

    def _time_is_up(self) -> bool:
        return time.monotonic() > self._deadline

    def scan(self, page: Any, number: int) -> str | None:
        """Render a page and return the file name of its picture; None beyond the limit of scanned pages."""
        if self.scratch is None or self.scans >= self.limits.max_scanned_pages or self._time_is_up():
            return None
        self.scans += 1
        width, height = page.get_size()
        most = min(MAX_PAGE_PIXELS, self.limits.max_pixels)
        scale = min(SCAN_SCALE, (most / max(width * height, 1.0)) ** 0.5)
        name = f"page-{number}.png"
        page.render(scale=scale).to_pil().convert("RGB").save(self.scratch / name, compress_level=1)
        return name

    def figures(self, page: Any, number: int, images: list[Any]) -> list[Block]:
        """Return a block with a picture for each figure of a page that is large enough to contain text."""
        import pypdfium2

        blocks: list[Block] = []
        for item in images:
            box = place_on(page, item.get_bounds())
            if box is None or not MIN_SHARE <= (box[2] - box[0]) * (box[3] - box[1]) <= MAX_SHARE:
                continue
            try:
                name = self._save(item, number, len(blocks))
            except (pypdfium2.PdfiumError, ValueError, OSError):  # a damaged picture does not affect the text
                continue
            if name is not None:
                blocks.append(Block("", "image", page=number, box=box, picture=name))
        return blocks

    def _save(self, item: Any, number: int, index: int) -> str | None:
        width, height = item.get_px_size()
        if self.scratch is None or width < MIN_WIDTH or height < MIN_HEIGHT or width * height > self.limits.max_pixels:
            return None
        if len(self._seen) >= self.limits.max_pictures or self._time_is_up():
            self.left_out += 1
            return None
        picture = item.get_bitmap(render=False).to_pil().convert("RGB")
        digest = hashlib.sha256(picture.tobytes()).hexdigest()
        if digest in self._seen:  # duplicates, such as a logo on every page
            return None
        self._seen.add(digest)
        name = f"figure-{number}-{index}.png"
        picture.save(self.scratch / name, compress_level=1)
        return name
