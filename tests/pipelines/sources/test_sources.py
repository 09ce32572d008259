"""Invariants of all source types, on all samples."""

import dataclasses
import inspect
import re
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from brain_pipelines.readers.registry import FORMATS
from brain_pipelines.sources.registry import SOURCES, SOURCES_BY_NAME
from brain_pipelines.sources.source import Source
from brain_retrieval.schemas.names import PLACE_NAMES
from brain_retrieval.schemas.tables import DOCUMENT_TEXT
from tests.paths import ROOT
from tests.samples.shared import ReadSample
from tests.samples.taking import RECEIVED, take

SAMPLES = ROOT / "data/samples"
FILES = sorted(path for path in SAMPLES.glob("*/*/*") if path.is_file())
FILE_IDS = ["/".join(path.parts[-3:]) for path in FILES]
HEARD = ("voice-memo", "meeting", "video")  # speech recognition is slow: other tests cover it with shorter recordings


@pytest.mark.parametrize("source", SOURCES, ids=lambda source: source.name)
class TestSource:
    """One source type."""

    def test_source_is_a_record(self, source: Source) -> None:
        assert SOURCES_BY_NAME[source.name] is source
        assert re.fullmatch(r"[a-z]+(-[a-z]+)*", source.name) and source.description.endswith(".")
        assert all(suffix.startswith(".") for suffix in source.suffixes)
        assert set(source.formats) <= set(FORMATS)
        assert dataclasses.fields(source)

    def test_source_is_in_a_file_of_its_name(self, source: Source) -> None:
        assert Path(inspect.getfile(source.locate)).stem == source.name.replace("-", "_")

    def test_source_has_a_sample(self, source: Source) -> None:
        assert any((SAMPLES / "alice" / source.name).iterdir())


@pytest.mark.parametrize("path", FILES, ids=FILE_IDS)
def test_sample_is_read_without_issues(path: Path, read_sample: ReadSample) -> None:
    for taken in read_sample(path):
        assert not taken.reasons
        assert taken.item.event_from != "file"  # files have the modification time of the checkout
        assert "2026-01-05" <= taken.item.event_at.date().isoformat() <= "2026-02-13"


def _as_stored(row: dict) -> dict:
    """Return the row with its boxes as stored in a table: lists of 32-bit floats."""
    stored = dict(row)
    for column in ("segments", "anchors"):
        stored[column] = [
            {**place, "box": place["box"] and np.asarray(place["box"], dtype=np.float32).tolist()}
            for place in row[column]
        ]
    return stored


@pytest.mark.parametrize("path", FILES, ids=FILE_IDS)
def test_rows_fit_the_table(path: Path, read_sample: ReadSample) -> None:
    for taken in read_sample(path):
        assert taken.document is not None
        row = {"code_version": "1", "config_hash": "x", **taken.document}
        table = pa.Table.from_pylist([row], schema=DOCUMENT_TEXT)
        assert table.to_pylist()[0] == _as_stored(row)
        assert taken.document["received_at"] == RECEIVED


@pytest.mark.parametrize("path", FILES, ids=FILE_IDS)
def test_segments_are_sorted_spans_of_the_text(path: Path, read_sample: ReadSample) -> None:
    for taken in read_sample(path):
        position = 0
        for segment in taken.segments:
            assert position <= segment["start"] < segment["end"] <= len(taken.text)
            assert taken.text[segment["start"] : segment["end"]].strip()
            assert not taken.text[position : segment["start"]].strip()
            position = segment["end"]
        assert position == len(taken.text)


WRITTEN = [p for p in FILES if p.suffix in (".md", ".txt") and p.parent.name in ("note", "document")]


@pytest.mark.parametrize("path", WRITTEN, ids=lambda path: path.name)
def test_raw_spans_give_the_original_text(path: Path, read_sample: ReadSample) -> None:
    raw = path.read_text("utf-8")
    for taken in read_sample(path):
        for segment in taken.segments:
            written = raw[segment["raw_start"] : segment["raw_end"]]
            shown = taken.text[segment["start"] : segment["end"]]
            assert written == shown or shown.startswith("Tags: ")


@pytest.mark.parametrize("path", [p for p in FILES if p.parent.name not in HEARD], ids=lambda path: path.name)
def test_reading_is_deterministic(path: Path, read_sample: ReadSample) -> None:
    assert take(path.parent.name, path) == read_sample(path)


@pytest.mark.parametrize("path", FILES, ids=FILE_IDS)
def test_anchors_are_sorted_spans_of_a_segment(path: Path, read_sample: ReadSample) -> None:
    for taken in read_sample(path):
        assert taken.document is not None
        position, segments = 0, iter(taken.segments)
        segment = next(segments, None)
        for anchor in taken.document["anchors"]:
            while segment and segment["end"] < anchor["end"]:
                segment = next(segments, None)
            assert segment and max(position, segment["start"]) <= anchor["start"] < anchor["end"] <= segment["end"]
            assert any(anchor[name] is not None for name in PLACE_NAMES)
            assert anchor["box"] is None or (len(anchor["box"]) == 4 and all(0 <= edge <= 1 for edge in anchor["box"]))
            position = anchor["end"]


def test_samples_cover_isolation_tables_and_updates(read_sample: ReadSample) -> None:
    texts = {
        user: " ".join(t.text for p in FILES if p.parts[-3] == user for t in read_sample(p))
        for user in ("alice", "bob")
    }
    for shared in ("Alice Chen", "Bob Smith", "component library", "UI redesign", "Mei Tanaka"):
        assert shared in texts["alice"] and shared in texts["bob"]
    for user, other, secrets in (
        ("alice", "bob", ("4471", "142,000", "Bluebird")),
        ("bob", "alice", ("9026", "Sandpiper")),
    ):
        assert all(secret in texts[user] and secret not in texts[other] for secret in secrets)
    assert "Table component | Bob Smith | 210 | 18,900" in texts["alice"]
    assert "cookies" not in texts["alice"] and "Imprint" not in texts["alice"] + texts["bob"]
    assert all(date in texts["alice"] for date in ("2 March", "16 March", "30 March"))
