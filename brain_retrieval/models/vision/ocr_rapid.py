"""Text recognition by PP-OCR models under onnxruntime, from the rapidocr wheel. No network access.

A picture much longer than wide (a screenshot of a whole page) is read in windows that are cut between lines of text:
scaled down as a whole, its letters would be illegible.
"""

import os
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from brain_retrieval.errors import ModelMissingError
from brain_retrieval.extras import require
from brain_retrieval.models.vision.ocr_layout import is_standing, order, quarter_turns
from brain_retrieval.models.vision.protocol import Box, TextLine
from brain_retrieval.settings import OcrSettings

WEIGHTS = {
    "Det": "PP-OCRv6_det_small.onnx",
    "Cls": "ch_ppocr_mobile_v2.0_cls_mobile.onnx",
    "Rec": "PP-OCRv6_rec_small.onnx",
}
LONG, WIDE = 3.0, 6.0  # times as high as wide, or as wide as high; beyond, it is read in windows
WINDOW = 2.0  # length of a window, in times the shorter side
MAX_WINDOWS = 40
MIN_SIDE = 32  # pixels; smaller pictures hold no legible text
MIN_WIDTH = 200  # pixels; the detector scales the shorter side up to 736, and the longer one with it


@dataclass(frozen=True)
class _Piece:
    corners: np.ndarray  # (4, 2), pixels
    text: str
    confidence: float


class RapidReader:
    """An `OcrReader`. Calls from several threads are serialised."""

    def __init__(self, settings: OcrSettings) -> None:
        """Load the models.

        Raises:
            ModelMissingError: rapidocr or one of its models is not installed.
        """
        models = _models_dir()
        from rapidocr import RapidOCR

        threads = min(settings.threads, os.cpu_count() or 1)
        options = {
            "Global.log_level": "critical",
            "Global.text_score": settings.min_confidence,
            "Global.max_side_len": settings.max_side,
            "EngineConfig.onnxruntime.intra_op_num_threads": threads,
            "EngineConfig.onnxruntime.inter_op_num_threads": 1,
        }
        # Explicit paths keep the library from downloading models.
        paths = {f"{part}.model_path": str(models / name) for part, name in WEIGHTS.items()}
        self.name = "rapidocr-ppocrv6-small"
        self._settings = settings
        self._lock = threading.Lock()
        self._engine = RapidOCR(params={**options, **paths})

    def read(self, picture: Path) -> list[TextLine]:
        """Return the text of a PNG in reading order. See `OcrReader.read`."""
        pixels = _load(picture, self._settings.max_side)
        height, width = pixels.shape[:2]
        if min(height, width) < MIN_SIDE // 4 or max(height, width) < MIN_SIDE:
            return []
        with self._lock:
            pieces, turns = self._best(pixels)
        if not pieces:
            return []
        corners = np.stack([piece.corners for piece in pieces])
        size = (width, height) if turns % 2 == 0 else (height, width)
        boxes = [_box(_turned_back(piece.corners / size, turns)) for piece in pieces]
        return [
            TextLine(pieces[p.index].text, boxes[p.index], pieces[p.index].confidence, p.row, p.paragraph)
            for p in order(corners, [len(piece.text) for piece in pieces])
        ]

    def _best(self, pixels: np.ndarray) -> tuple[list[_Piece], int]:
        """Return the pieces, and by how many quarter turns the picture was rotated.

        The orientation classifier is wrong about some pieces and, if there are few, about all of them. A page that
        seems rotated is therefore read both ways, and the reading with the higher confidence is kept.
        """
        pieces, turns = self._pieces(pixels)
        if not turns:
            return pieces, 0
        ways = [(self._pieces(np.ascontiguousarray(np.rot90(pixels, way)))[0], way) for way in (turns, turns ^ 2)]
        return max(ways, key=lambda way: sum(piece.confidence * len(piece.text) for piece in way[0]))

    def _pieces(self, pixels: np.ndarray) -> tuple[list[_Piece], int]:
        """Return the pieces of text in a picture, and the number of quarter turns that would make it upright."""
        pieces: list[_Piece] = []
        quads: list[np.ndarray] = []
        backs: list[bool] = []
        for window, x, y in _windows(pixels):
            offset = np.array([x, y])
            for corners, back, text, score in self._recognise(window):
                quads.append(corners)
                backs.append(back)
                if text.strip() and score >= self._settings.min_confidence:
                    pieces.append(_Piece(corners + offset, " ".join(text.split()), round(float(score), 4)))
        return pieces, quarter_turns(np.stack(quads), backs) if quads else 0

    def _recognise(self, window: np.ndarray) -> Iterator[tuple[np.ndarray, bool, str, float]]:
        """Yield (corners in pixels, looks upside down, text, confidence) of each piece.

        The steps are rapidocr's, except that the classifier's result is applied to vertical pieces only.
        """
        from rapidocr.main import RapidOCRError
        from rapidocr.utils.process_img import map_boxes_to_original

        image, record = self._engine.preprocess_img(window)
        try:
            detected: Any
            crops, detected = self._engine.detect_and_crop(image, record)
            flipped, classified = self._engine.cls_and_rotate(crops)
            standing = is_standing(detected.boxes)
            chosen = [turned if up else crop for crop, turned, up in zip(crops, flipped, standing, strict=True)]
            recognised = self._engine.recognize_txt(chosen)
        except RapidOCRError:  # raised if there is no text
            return
        boxes = map_boxes_to_original(detected.boxes, record, *window.shape[:2])
        backs = [label == "180" for label, _ in classified.cls_res or ()]
        yield from zip(boxes, backs, recognised.txts or (), recognised.scores or (), strict=True)


def _turned_back(corners: np.ndarray, turns: int) -> np.ndarray:
    """Return corners in fractions of a picture that was turned counter-clockwise as fractions of the original."""
    x, y = corners[:, 0], corners[:, 1]
    return np.stack(((x, y), (1 - y, x), (1 - x, 1 - y), (y, 1 - x))[turns], axis=1)


def _models_dir() -> Path:
    require("rapidocr")
    spec = find_spec("rapidocr")
    directory = Path(spec.origin).parent / "models" if spec and spec.origin else None
    if directory is None or not all((directory / name).is_file() for name in WEIGHTS.values()):
        raise ModelMissingError("text recognition needs the package rapidocr with its models; install Brain's packages")
    return directory


def _load(picture: Path, max_side: int) -> np.ndarray:
    """Return the picture as BGR, scaled down to `max_side`; for a long picture this applies to its windows."""
    from PIL import Image

    with Image.open(picture, formats=("PNG",)) as image:
        image = image.convert("RGB")
        scale = _scale(image.width, image.height, max_side)
        if scale < 1:
            size = (max(1, round(image.width * scale)), max(1, round(image.height * scale)))
            image = image.resize(size, Image.Resampling.LANCZOS)
        return np.ascontiguousarray(np.asarray(image)[:, :, ::-1])


def _is_long(width: int, height: int) -> bool:
    return height > LONG * width or width > WIDE * height


def _scale(width: int, height: int, max_side: int) -> float:
    short, long = sorted((width, height))
    if not _is_long(width, height):
        return min(1.0, max_side / long)
    return min(1.0, max_side / WINDOW / short, MAX_WINDOWS * max_side / 2 / long)


def _windows(pixels: np.ndarray) -> Iterator[tuple[np.ndarray, int, int]]:
    """Yield the windows of a picture and their offsets (x, y)."""
    height, width = pixels.shape[:2]
    short, long = sorted((height, width))
    if not _is_long(width, height):
        yield pixels, 0, 0
        return
    upright = height > width
    along = pixels if upright else pixels.swapaxes(0, 1)
    length = int(WINDOW * max(short, MIN_WIDTH))
    start = 0
    while start < long:
        end = start + length
        end = long if long - end < length // 4 else _quiet(along, start + length * 3 // 4, end)
        part = _widened(along[start:end])
        part = np.ascontiguousarray(part if upright else part.swapaxes(0, 1))
        yield (part, 0, start) if upright else (part, start, 0)
        start = end


def _quiet(along: np.ndarray, first: int, last: int) -> int:
    """Return the row between `first` and `last` with the least change between neighbouring pixels."""
    rows = along[first:last].astype(np.int16)
    ink = np.abs(np.diff(rows, axis=1)).sum(axis=(1, 2)).astype(np.float64)
    spread = np.convolve(ink, np.ones(9), mode="same")
    return first + int(np.argmin(spread[4:-4])) + 4


def _widened(part: np.ndarray) -> np.ndarray:
    """Return the part with its last column repeated up to MIN_WIDTH."""
    missing = MIN_WIDTH - part.shape[1]
    return np.pad(part, ((0, 0), (0, missing), (0, 0)), mode="edge") if missing > 0 else part


def _box(corners: np.ndarray) -> Box:
    low, high = np.clip(corners.min(axis=0), 0, 1), np.clip(corners.max(axis=0), 0, 1)
    return (_part(low[0]), _part(low[1]), _part(high[0]), _part(high[1]))


def _part(value: float) -> float:
    return round(float(value), 5)
