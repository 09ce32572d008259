"""Packed events: nothing is lost, other texts stay as they are, and a search of files finds what was packed."""

import json
import sqlite3
import zlib
from contextlib import closing
from pathlib import Path

from brain_pipelines.engine.packed_events import pack, unpack, unpacked_in
from brain_pipelines.knowledge.forgetting.check import Findings, check_elsewhere
from brain_pipelines.knowledge.forgetting.plan import Needles

ITEM = "source_0123456789abcdef01234567"
EVENT = json.dumps({"__class__": "EventLogEntry", "run_id": "r-7", "user_message": ITEM})
# As an earlier version stored it: with another dictionary the events of existing homes could not be read.
STORED = "packed1:WKQfnSL/I9QMQTikSNdcCYv50DRqYGhkbGJqZm5hmZiUnJKaBuMr1QIAHlMeRw"


def test_an_event_stored_by_an_earlier_version_is_read() -> None:
    assert unpack(STORED) == EVENT and unpack(pack(EVENT)) == EVENT and len(STORED) < len(EVENT)


def many_inputs(count: int) -> str:
    """An event with two tags for each of so many inputs, as the first stage of a snapshot has."""
    sources = "note document conversation email message calendar video image meeting screenshot web-page".split()
    inputs = [f"{source}/{stage}" for source in sources for stage in ("chunks", "enrichments", "extractions")][:count]
    tags = {f"dagster/input_data_version/{one}": f"{zlib.crc32(one.encode()):08x}" for one in inputs}
    tags |= {f"dagster/input_event_pointer/{one}": str(1000 + 37 * n) for n, one in enumerate(inputs)}
    return json.dumps({"__class__": "EventLogEntry", "tags": tags, "fields": [EVENT] * 15})


def test_tags_of_many_inputs_are_short_and_come_back() -> None:
    for count in (1, 24, 33):
        event = many_inputs(count)
        packed = pack(event)
        assert unpack(packed) == event and list(unpacked_in(f"-{packed}-".encode())) == [event.encode()]
        assert packed.startswith("packed3:") or count == 1
        assert len(packed) < 250 + 11 * count


def test_tags_of_other_names_and_values_come_back() -> None:
    tags = {
        "dagster/input_data_version/note/chunks": "a b",  # no value of Dagster's
        "dagster/input_data_version/note/other": "INITIAL",
        "dagster/input_event_pointer/own-source/chunks": "7",
        "dagster/input_event_pointer/web-page/extractions": "NULL",
        "text": '\x01!5 \\u0001!5 "dagster/input_event_pointer/note/chunks": "5", ',
    }
    event = json.dumps({"__class__": "EventLogEntry", "tags": tags, "fields": [EVENT] * 60})
    assert pack(event).startswith("packed3:") and unpack(pack(event)) == event


# An event with 24 inputs, as an earlier version stored it.
MANY_STORED = (
    "packed2:eLvmQCm17VpJjtswEPzL3AOwNy5/cQ5cgQA55RrM38OMEiSiKXfPXb5ZQrlLYqncYrXWhjz5gT5rQjQCE2eLGSz7Y15S"
    "65WKCXreHgs+hIDYFegmQ0vCIcuIVuTCuUJsXBub4WfeDX1oWEGBX8SWkHrKXbSrfpVc5kbF+fq5nzhfQ+kNUmzasq2BoPgyavBa"
    "5W0mKNLZBZds2DNd9q6nBFXBPudYUB3GiTQCF8pIUnBqzYo+kyZXoBRBbZme0/gITK5WM3KhTdRilSFm+Jk3OkIp3SnwNXUBClhY"
    "yARbXQSyrxmGDbvYCHIVdpp5ralxZIqcxZtgC91YB5Ij7Q5ts+M0IOaOm8V5mXOCc5tyes4Jjjby1XNOcGHjj+p0A8yPGbZSBd44"
    "um26ASCqd/TKkBE3D5p9jgRQNp5mnyMBTBsRvh7MAKLNc2YYzJgPqSqjrQPD9G4NuLFfZlVFF947xaAq6cJ4QUAV0sZ1QUTX0IXl"
    "giRdRBd+Cx5VAT2ZrfeqaLZOC8GpytnaLARWlbN6LMwGz4ZZWc5/QCNwYRkFPvr68a1/bx/bTW8/H/865sc88jj3zEe2cbTvx+kf"
    "X8Jx8P/O/Dj15/3OARKLDzHlUlsff78/3t5/074r3hXvinfFu+Jd8VMVv77/AmTpAaM"
)


def test_an_event_with_many_inputs_stored_by_an_earlier_version_is_read() -> None:
    assert unpack(MANY_STORED) == many_inputs(24)
    assert len(pack(many_inputs(24))) < 0.75 * len(MANY_STORED)


def test_other_texts_stay_as_they_are() -> None:
    for text in ("", "note", '{"__class__": "AssetKey"}', "packed1:", "packed1:AAAA", f"{STORED}!", "packed1:é"):
        assert pack(text) == text == unpack(text)
    large = json.dumps({"__class__": "EventLogEntry", "text": "".join(chr(0x4E00 + n) for n in range(4000))})
    assert pack(large) == large  # SQLite would spread it over pages, where no search of the file finds it


def test_the_check_of_a_receipt_finds_ids_in_packed_events(tmp_path: Path) -> None:
    padding = f"{EVENT[:-1]}, {json.dumps({'n': list(range(300))})[1:]}"
    with closing(sqlite3.connect(tmp_path / "index.db", isolation_level=None)) as database:
        database.execute("CREATE TABLE event_logs(id INTEGER PRIMARY KEY, event TEXT)")
        database.executemany("INSERT INTO event_logs(event) VALUES (?)", [(pack(one),) for one in (EVENT, padding)])
        assert remaining(tmp_path) == {tmp_path.name: 1}
        database.execute("DELETE FROM event_logs")
        database.execute("VACUUM")
        assert remaining(tmp_path) == {}


def remaining(folder: Path) -> dict[str, int]:
    findings = Findings()
    check_elsewhere([folder], Needles(ids=(ITEM,)), findings)
    return findings.remaining
