"""Faces are counted if the weights are installed; without them there is no number."""

from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from brain_retrieval.models.vision.build import build_face_finder, has_face_finder
from brain_retrieval.models.vision.faces import _kept
from tests.pipelines.readers.image.drawn import draw_lines, save_png


def test_no_weights_no_finder(tmp_path: Path) -> None:
    assert not has_face_finder(tmp_path)
    assert build_face_finder(tmp_path) is None


@pytest.mark.parametrize("kind", ["page", "blank", "dot", "strip"])
def test_no_face_where_there_is_none(models_dir: Path, tmp_path: Path, kind: str) -> None:
    pictures = {
        "page": draw_lines([((60, 40), "Minutes of the design review"), ((60, 120), "Lisbon")], (900, 340)),
        "blank": Image.new("RGB", (300, 300), "white"),
        "dot": Image.new("RGB", (1, 1)),
        "strip": Image.new("RGB", (4000, 8), "grey"),
    }
    finder = build_face_finder(models_dir)
    assert finder is not None
    assert finder.find(save_png(pictures[kind], tmp_path / "picture.png")) == []


def test_of_windows_on_the_same_face_the_best_is_kept() -> None:
    boxes = np.array([[0, 0, 10, 10, 0.8], [1, 1, 11, 11, 0.9], [50, 50, 60, 60, 0.7], [2, 2, 5, 5, 0.75]])
    assert _kept(boxes, 0.5) == [1, 3, 2]
    assert _kept(boxes, 0.5, smaller=True) == [1, 2]
