"""Text recognition of equal pictures done once: it takes half a second of a processor for each."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from brain_retrieval.models.vision.build import build_ocr
from brain_retrieval.models.vision.protocol import TextLine
from brain_retrieval.settings import load_settings


@contextmanager
def read_once() -> Iterator[None]:
    """Within this context the reader of the default settings remembers what it has read, by the bytes of the file."""
    reader = build_ocr(load_settings())
    assert reader is not None
    read, known = reader.read, dict[bytes, list[TextLine]]()

    def remembered(path: Path) -> list[TextLine]:
        content = path.read_bytes()
        if content not in known:
            known[content] = read(path)
        return known[content]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(reader, "read", remembered)
        yield
