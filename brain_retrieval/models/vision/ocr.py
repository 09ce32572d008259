"""What text recognition is to the rest of Brain, and the one place that chooses it. `ocr_rapid.py` implements it."""

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Protocol

from brain_retrieval.settings import OcrSettings, Settings

Box = tuple[float, float, float, float]  # left, top, right, bottom


@dataclass(frozen=True)
class TextLine:
    """A piece of a line of text in a picture.

    `box` is in fractions 0..1 of the picture, origin top left. Pieces with the same `row` stand beside each other on
    one line, rows with the same `paragraph` belong together; both count up in reading order.
    """

    text: str
    box: Box
    confidence: float  # 0..1, the model's own
    row: int = 0
    paragraph: int = 0


class OcrReader(Protocol):
    """Reads the text in a picture. `name` says which model, for the record."""

    name: str

    def read(self, picture: Path) -> list[TextLine]:
        """Return the text of a PNG in reading order; [] if there is none. The same picture gives the same lines."""
        ...


def build_ocr(settings: Settings) -> OcrReader | None:
    """Return the reader of these settings, the same object for the same settings; None if it is "off".

    Raises:
        ModelMissingError: the package or its weights are not here.
    """
    return _build(settings.ocr)


def release_ocr() -> None:
    """Forget every cached reader, so that its memory goes as soon as nobody holds it."""
    _build.cache_clear()


@lru_cache(maxsize=2)
def _build(settings: OcrSettings) -> OcrReader | None:
    if settings.provider == "off":
        return None
    from brain_retrieval.models.vision.ocr_rapid import RapidReader

    return RapidReader(settings)
