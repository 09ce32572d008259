"""Packed events: nothing is lost, other texts stay as they are, and a search of files finds what was packed."""

import json
import sqlite3
from contextlib import closing
from pathlib import Path

from brain_pipelines.engine.packed_events import pack, unpack
from brain_pipelines.knowledge.forgetting.check import Findings, check_elsewhere
from brain_pipelines.knowledge.forgetting.plan import Needles

ITEM = "source_0123456789abcdef01234567"
EVENT = json.dumps({"__class__": "EventLogEntry", "run_id": "r-7", "user_message": ITEM})
# As an earlier version stored it: with another dictionary the events of existing homes could not be read.
STORED = "packed1:WKQfnSL/I9QMQTikSNdcCYv50DRqYGhkbGJqZm5hmZiUnJKaBuMr1QIAHlMeRw"


def test_an_event_stored_by_an_earlier_version_is_read() -> None:
    assert unpack(STORED) == EVENT and unpack(pack(EVENT)) == EVENT and len(STORED) < len(EVENT)


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
