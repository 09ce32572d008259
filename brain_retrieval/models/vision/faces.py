"""Face detection with MTCNN under onnxruntime. Faces are counted, never identified. No network access.

Three small networks in a row (Zhang et al. 2016, "Joint Face Detection and Alignment Using Multitask Cascaded
Convolutional Networks"): the first proposes windows in an image pyramid, the others refine and reject. These weights
expect pictures with the width axis before the height axis.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

SIDE = 1000  # pixels of the longer side
MIN_FACE = 40  # pixels there
SHRINK = 0.709  # of the pyramid: half the area
MIN_PROPOSAL, MIN_PASS = 0.6, 0.7  # scores of the first network, of the others
MIN_CONFIDENCE = 0.95  # for a face to be counted
MAX_WINDOWS = 400


@dataclass(frozen=True)
class Face:
    """A detected face: box in fractions of the picture (left, top, right, bottom) and the model's confidence."""

    box: tuple[float, float, float, float]
    confidence: float


class FaceFinder:
    """The three networks, loaded once."""

    def __init__(self, files: dict[str, Path], *, threads: int = 1) -> None:
        self._propose, self._refine, self._decide = (_open(files[f"{name}net.onnx"], threads) for name in "pro")

    def find(self, picture: Path) -> list[Face]:
        """Return the faces in a PNG, from left to right."""
        image = _load(picture)
        boxes = _squares(_refined(self._refine, image, self._proposals(image), 24))
        boxes = _refined(self._decide, image, boxes, 48)
        height, width = image.shape[:2]
        faces: list[Face] = []
        for row in boxes[_kept(boxes, 0.7, smaller=True)]:
            left, top, right, bottom = (
                round(float(v), 5) for v in np.clip(row[:4] / [width, height, width, height], 0, 1)
            )
            if row[4] >= MIN_CONFIDENCE:
                faces.append(Face((left, top, right, bottom), round(float(row[4]), 4)))
        return sorted(faces, key=lambda face: face.box)

    def _proposals(self, image: np.ndarray) -> np.ndarray:
        found = [np.empty((0, 5))]
        for scale in _scales(image):
            shape = [int(np.ceil(side * scale)) for side in image.shape[1::-1]]
            pixels = _resized(image, (shape[0], shape[1])).transpose(1, 0, 2)[None]
            shifts, scores = self._propose.run(["conv2d_4", "softmax"], {self._propose.get_inputs()[0].name: pixels})
            at = np.argwhere(scores[0, :, :, 1] >= MIN_PROPOSAL)
            if len(at):
                low, high = np.fix((2 * at + 1) / scale), np.fix((2 * at + 12) / scale)
                score, shift = scores[0, at[:, 0], at[:, 1], 1], shifts[0, at[:, 0], at[:, 1]]
                boxes = np.column_stack([low, high, score, shift])
                found.append(_shifted(boxes[_kept(boxes, 0.5)], plus=0))
        boxes = np.concatenate(found)
        return _squares(boxes[_kept(boxes, 0.7)][:MAX_WINDOWS])


def _open(model: Path, threads: int) -> Any:
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads, options.inter_op_num_threads = threads, 1
    options.log_severity_level = 3
    return onnxruntime.InferenceSession(str(model), options, providers=["CPUExecutionProvider"])


def _load(picture: Path) -> np.ndarray:
    from PIL import Image

    with Image.open(picture, formats=("PNG",)) as image:
        image = image.convert("RGB")
        image.thumbnail((SIDE, SIDE), Image.Resampling.BOX)
        return np.asarray(image)


def _scales(image: np.ndarray) -> Iterator[float]:
    scale, side = 12 / MIN_FACE, min(image.shape[:2]) * 12 / MIN_FACE
    while side >= 12:
        yield scale
        scale, side = scale * SHRINK, side * SHRINK


def _resized(image: np.ndarray, size: tuple[int, int]) -> np.ndarray:
    """Return the image resized to (width, height), values in -1 … 1."""
    from PIL import Image

    small = Image.fromarray(image).resize(size, Image.Resampling.BOX)
    return (np.asarray(small, dtype=np.float32) - 127.5) * np.float32(0.0078125)


def _refined(session: Any, image: np.ndarray, boxes: np.ndarray, size: int) -> np.ndarray:
    """Return the boxes that a network accepts, with its box regression applied."""
    if not len(boxes):
        return boxes
    crops = np.stack([_resized(_crop(image, box), (size, size)).transpose(1, 0, 2) for box in boxes])
    names = [output.name for output in session.get_outputs()]
    shifts, scores = session.run([names[0], names[-1]], {session.get_inputs()[0].name: crops})
    passed = scores[:, 1] > MIN_PASS
    found = np.column_stack([boxes[passed, :4], scores[passed, 1], shifts[passed]])
    return _shifted(found if size == 48 else found[_kept(found, 0.7)], plus=1)


def _crop(image: np.ndarray, box: np.ndarray) -> np.ndarray:
    """Return the pixels inside a box, padded with black outside the picture."""
    left, top, right, bottom = (int(value) for value in np.fix(box[:4]))
    height, width = image.shape[:2]
    crop = np.zeros((max(1, bottom - top), max(1, right - left), 3), dtype=np.uint8)
    x0, y0, x1, y1 = max(left, 0), max(top, 0), min(right, width), min(bottom, height)
    if x1 > x0 and y1 > y0:
        crop[y0 - top : y1 - top, x0 - left : x1 - left] = image[y0:y1, x0:x1]
    return crop


def _shifted(boxes: np.ndarray, *, plus: int) -> np.ndarray:
    """Return boxes (left, top, right, bottom, score) moved by the four shifts that follow, in widths and heights."""
    size = boxes[:, [2, 3, 2, 3]] - boxes[:, [0, 1, 0, 1]] + plus
    return np.column_stack([boxes[:, :4] + boxes[:, 5:9] * size, boxes[:, 4]])


def _squares(boxes: np.ndarray) -> np.ndarray:
    centre = (boxes[:, :2] + boxes[:, 2:4]) / 2
    half = (boxes[:, 2:4] - boxes[:, :2]).max(axis=1, keepdims=True, initial=0) / 2
    return np.column_stack([centre - half, centre + half, boxes[:, 4]])


def _kept(boxes: np.ndarray, most: float, *, smaller: bool = False) -> list[int]:
    """Return the rows kept by non-maximum suppression, best first; overlap over the union or the smaller box."""
    left, top, right, bottom, score = boxes[:, :5].T
    area = (right - left + 1) * (bottom - top + 1)
    rest = np.argsort(-score, kind="stable")
    kept: list[int] = []
    while len(rest):
        best, rest = int(rest[0]), rest[1:]
        kept.append(best)
        width = np.minimum(right[best], right[rest]) - np.maximum(left[best], left[rest]) + 1
        height = np.minimum(bottom[best], bottom[rest]) - np.maximum(top[best], top[rest]) + 1
        shared = np.maximum(width, 0) * np.maximum(height, 0)
        whole = np.minimum(area[best], area[rest]) if smaller else area[best] + area[rest] - shared
        rest = rest[shared / whole <= most]
    return kept
