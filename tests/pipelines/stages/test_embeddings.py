"""What is embedded again: texts that changed, and rows from before there were codes of words, if the model has any."""

from collections.abc import Sequence

import numpy as np
import pytest

from brain_pipelines.stages.embeddings import embed_chunks
from brain_retrieval.models.embedding.protocol import Embedder, Progress
from brain_retrieval.models.embedding.word_codes import CODE_BYTES, WordCodes
from brain_retrieval.schemas.embedded import KnownVector

CHUNKS = [{"chunk_id": f"c{n}", "context": "note", "text": f"text {n}"} for n in range(4)]
OLD = np.array([0.0, 1.0], np.float32)


class Remote:
    """Vectors alone, and which texts they were made of."""

    name, dim, max_tokens, at_once = "m", 2, 100, 3

    def __init__(self) -> None:
        self.asked: list[str] = []

    def embed(self, texts: Sequence[str], *, progress: Progress | None = None) -> np.ndarray:
        self.asked += texts
        return np.tile(np.array([1.0, 0.0], np.float32), (len(texts), 1))


class Local(Remote):
    """The same with codes: one word a text, whose code is the text's last character."""

    def embed_coded(
        self, texts: Sequence[str], *, progress: Progress | None = None
    ) -> tuple[np.ndarray, list[WordCodes]]:
        codes = [WordCodes(("text",), np.full((1, CODE_BYTES), ord(text[-1]), np.uint8)) for text in texts]
        return self.embed(texts, progress=progress), codes


def known(place: int, codes: bytes | None, text: str | None = None) -> dict[str, KnownVector]:
    return {f"c{place}": KnownVector(f"note\ntext {place}" if text is None else text, OLD, codes)}


HELD = known(0, b"0" * CODE_BYTES) | known(1, None) | known(2, b"", "note\nanother text") | known(3, b"")


@pytest.mark.parametrize(
    ("embedder", "again", "codes"),
    [
        (Local(), ["1", "2"], [b"0" * CODE_BYTES, b"1" * CODE_BYTES, b"2" * CODE_BYTES, b""]),
        (Remote(), ["2"], [None] * 4),
    ],
    ids=["local", "remote"],
)
def test_only_what_lacks_something_is_embedded(embedder: Embedder, again: list[str], codes: list[bytes | None]) -> None:
    rows, stopped = embed_chunks(CHUNKS, embedder, HELD)
    assert stopped is None
    assert isinstance(embedder, Remote) and embedder.asked == [f"note\ntext {n}" for n in again]
    assert [row["word_codes"] for row in rows if row is not None] == codes
    assert [row["vector"].tolist() == OLD.tolist() for row in rows if row is not None] == [
        str(n) not in again for n in range(4)
    ]
    assert [row["id"] for row in rows if row is not None] == ["c0", "c1", "c2", "c3"]


def test_a_chinese_text_is_embedded_as_written_and_indexed_as_pairs() -> None:
    chunk = {"chunk_id": "c", "context": "", "text": "合同六月到期 (Tove)"}
    model = Remote()
    rows, _ = embed_chunks([chunk], model, {})
    assert model.asked == ["合同六月到期 (Tove)"]
    assert rows[0] is not None and rows[0]["search_text"].split() == ["合同", "同六", "六月", "月到", "到期", "(Tove)"]
    again = Remote()
    assert embed_chunks([chunk], again, {"c": KnownVector(rows[0]["search_text"], rows[0]["vector"], None)})[0] == rows
    assert not again.asked
