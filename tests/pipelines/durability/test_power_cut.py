"""What is acknowledged is on disk: a power cut right after the call, or at any sync within it, loses nothing."""

import sqlite3

import pytest

from brain_pipelines.ingest import one_file
from brain_pipelines.ingest.message import take_message
from tests.pipelines.durability.power_cut import power_cut
from tests.pipelines.durability.storm import START, Storm


@pytest.fixture
def quiet(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave Dagster out: it learns of a message for display only."""
    monkeypatch.setattr(one_file, "report_requests", lambda space, requests: None)


def test_an_acknowledged_message_survives_a_power_cut(bench, quiet) -> None:
    with power_cut(bench.home.path) as disk:
        assert take_message(bench.home, "alice", "The door code is 7731.", timestamp=START).success
    assert disk.calls > 5
    [file] = (bench.home.inbox / "alice" / "message").iterdir()
    assert b"7731" in file.read_bytes()
    storm = Storm(bench.home)
    storm.recover()  # an index that the power cut had torn would be moved aside here
    assert not bench.space().damaged.exists()
    assert storm.texts() == ["The door code is 7731."] and len(storm.indexed()) == 1


@pytest.mark.parametrize("after", [0, 4, 9, 16, 30])
def test_a_power_cut_within_a_message_loses_nothing_sent_before(bench, quiet, after: int) -> None:
    storm = Storm(bench.home)
    storm.send(0, after=None)
    storm.send(1, after=after)
    assert storm.faults() == []


def test_landing_syncs_every_commit(bench) -> None:
    bench.land(bench.drop("alice", "note", "a.md", "hello"))
    from brain_pipelines.landing.landing import open_landing

    with open_landing(bench.space(), bench.settings) as landing:
        full = sqlite3.connect(":memory:").execute("PRAGMA synchronous").fetchone()
        assert landing.rows("PRAGMA synchronous") == [full] == [(2,)]
