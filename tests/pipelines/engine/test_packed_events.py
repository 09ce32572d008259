"""Packed events: nothing is lost, other texts stay as they are, and a search of files finds what was packed."""

import json
import sqlite3
import zlib
from base64 import b64decode
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


def test_an_event_that_names_many_inputs_has_a_dictionary_of_its_own() -> None:
    sources = ["note", "document", "conversation", "email", "message", "calendar", "video", "image"]
    inputs = [f"{source}/{stage}" for source in sources for stage in ("chunks", "enrichments", "extractions")]
    tags = {f"dagster/input_data_version/{one}": f"{zlib.crc32(one.encode()):08x}" for one in inputs}
    tags |= {f"dagster/input_event_pointer/{one}": str(1000 + 37 * n) for n, one in enumerate(inputs)}
    event = json.dumps({"__class__": "EventLogEntry", "tags": tags, "fields": [EVENT] * 15})
    packed = pack(event)
    assert unpack(packed) == event and list(unpacked_in(f"-{packed}-".encode())) == [event.encode()]
    assert len(event) > 4000 and len(packed) < 700
    # A stream begins with the checksum of its dictionary, which must stay what it is.
    assert b64decode(f"{packed[8:]}===")[2:6].hex() == "e64029b5"


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
