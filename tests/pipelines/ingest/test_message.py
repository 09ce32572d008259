"""Immediate ingestion of messages: searchable when the call returns, idempotent, isolated per user."""

import json
from datetime import UTC, datetime
from pathlib import Path

import dagster as dg
import pytest
from typer.testing import CliRunner

from brain_pipelines.commands.app import app
from brain_pipelines.ingest.local_runs import open_instance
from brain_pipelines.ingest.message import message_file, take_message
from brain_pipelines.ingest.one_file import NewFile, take_files
from brain_pipelines.landing.landing import open_landing
from brain_pipelines.stages import extractions_local
from brain_pipelines.stages.registry import STAGES
from brain_pipelines.stages.remembered import REMEMBERED
from brain_retrieval.brain import Brain
from brain_retrieval.errors import BadInputError, InvalidUserError
from brain_retrieval.settings import Limits
from brain_retrieval.stores.lake import Lake

AT = datetime(2026, 1, 5, 10, tzinfo=UTC)


def test_message_is_searchable_when_call_returns(bench, tmp_path: Path) -> None:
    (tmp_path / "plan.md").write_text("# Plan\n\nThe harbour tour begins at nine.\n")
    report = take_message(
        bench.home, "alice", "The door code is 7731.", session_id="s", timestamp=AT, attachments=[tmp_path / "plan.md"]
    )
    assert report.success and [run["source"] for run in report.runs] == ["message"]
    assert len(report.stored) == 2 and {row["day"] for row in report.stored} == {"2026-01-05"}
    with Brain.open(bench.home.path, user="alice") as brain:
        assert brain.search("door code", k=1)[0].text.startswith("The door code is 7731.")
        assert "harbour tour" in brain.search("when does the harbour tour begin", k=1)[0].text

    again = take_message(
        bench.home, "alice", "The door code is 7731.", session_id="s", timestamp=AT, attachments=[tmp_path / "plan.md"]
    )
    assert (again.runs, again.stored, len(again.skipped)) == ([], [], 1) and again.success


@pytest.mark.parametrize(
    ("part", "text"),
    [
        ("駐車場", "昨日は図書館の駐車場に自転車を置いたまま帰った。"),
        ("押金", "房东说押金下个月退给我们。"),
        ("보험료", "자동차보험료는 삼월에 냈다."),
    ],
)
def test_a_part_of_a_clause_without_blanks_finds_it(bench, part: str, text: str) -> None:
    others = ("今日は雨が降ったので家で本を読んだ。", "我昨天买了新的书桌和一把椅子。", "어제는 친구와 영화를 보았다.")
    for minute, said in enumerate((*others, text)):
        take_message(bench.home, "alice", said, timestamp=AT.replace(minute=minute), report=False)
    with Brain.open(bench.home.path, user="alice") as brain:
        [hit] = brain.search(part, k=1)
    assert hit.text == text and hit.why_ranked.arms["lexical"].rank == 1


def test_second_message_of_a_day_reads_only_its_own_text_and_gives_the_rows_of_a_clean_run(bench, monkeypatch) -> None:
    read: list[str] = []
    extract = extractions_local.extract_documents

    def noted(rows, *options):
        read.extend(row["text"] for row in rows)
        return extract(rows, *options)

    monkeypatch.setattr(extractions_local, "extract_documents", noted)
    REMEMBERED.forget_all()
    first, second = "Ann moved to Lisbon on 2 January 2026.", "The tour of the harbour is on Friday."
    for hour, text in enumerate((first, second)):
        take_message(bench.home, "alice", text, timestamp=AT.replace(hour=10 + hour), report=False)
    assert read == [first, second]
    stored = bench.digests()
    REMEMBERED.forget_all()
    bench.drop_derived()
    bench.run("alice", "message")
    assert sorted(read[2:]) == sorted([first, second])
    assert bench.digests() == stored


def test_messages_taken_together_give_the_rows_of_a_clean_run(bench) -> None:
    texts = ("Ann moved to Lisbon on 2 January 2026.", "The tour is on Friday.", "Tea is at four.", "Tea is at four.")
    at = [AT, AT.replace(hour=11), AT.replace(day=7), AT.replace(day=7)]
    files = [message_file(bench.home, "alice", text, timestamp=one) for text, one in zip(texts, at, strict=True)]
    files.insert(1, NewFile("broken.json", bytes(range(256)) * 8, AT))
    reports = take_files(bench.space(), bench.settings, "message", files, report=False)
    assert [len(one.stored) for one in reports] == [1, 0, 1, 1, 1] and [one.success for one in reports][1] is False
    assert [sorted({row["day"] for row in one.stored}) for one in reports[3:]] == [["2026-01-07"]] * 2
    assert [len(one.runs) for one in reports] == [1] * 5
    assert len({run["run_id"] for one in reports for run in one.runs if run["from"] == "2026-01-05"}) == 1
    together = bench.digests()
    REMEMBERED.forget_all()
    bench.drop_derived()
    bench.run("alice", "message")
    assert bench.digests() == together


def test_message_reads_no_other_day(bench, monkeypatch) -> None:
    for day in (3, 4, 5):
        take_message(bench.home, "alice", f"Crate {day} is violet.", timestamp=AT.replace(day=day), report=False)
    read: set[str] = set()
    real = Lake.read

    def noted(self, table, *, days=None, **more):
        read.update(days if days is not None else ["every"])
        return real(self, table, days=days, **more)

    monkeypatch.setattr(Lake, "read", noted)
    report = take_message(bench.home, "alice", "Crate six is violet.", timestamp=AT.replace(day=6), report=False)
    assert len(report.stored) == 1 and read == {"2026-01-06"}


def test_only_message_day_runs_and_other_users_do_not_see_it(bench) -> None:
    waiting = bench.drop("alice", "message", "old.txt", "Waiting.", day="2026-01-01")
    bench.land(waiting)
    report = take_message(bench.home, "alice", "Mine alone.", timestamp=AT)
    assert [(run["from"], run["to"]) for run in report.runs] == [("2026-01-05", "2026-01-05")]
    with open_landing(bench.space(), bench.settings) as landing:
        assert [day.day for day in landing.dirty()] == ["2026-01-01"]
    take_message(bench.home, "bob", "He is alone, too.", timestamp=AT)
    with Brain.open(bench.home.path, user="bob") as brain:
        assert [hit.text for hit in brain.search("mine alone", k=10)] == ["He is alone, too."]


def test_day_is_reported_to_dagster(bench) -> None:
    take_message(bench.home, "alice", "Hello.", timestamp=AT)
    with open_instance(bench.home.path) as instance:
        for stage in STAGES:
            key = dg.AssetKey(["message", stage.name])
            assert instance.get_materialized_partitions(key) == {"2026-01-05|alice"}
        assert instance.get_dynamic_partitions("users") == ["alice"]


def test_message_is_kept_when_indexing_fails(bench, monkeypatch) -> None:
    with monkeypatch.context() as broken:
        broken.setenv("BRAIN_EMBEDDING__MODEL", "/no/such/model")
        report = take_message(bench.home, "alice", "Hello.", timestamp=AT)
    assert not report.success and report.runs[0]["failed_steps"] == ["message__chunks"]
    bench.run("alice", "message")
    assert list(bench.texts("alice", "message").values()) == ["Hello."]


@pytest.mark.parametrize("content", ["", "  \n", []])
def test_empty_message_is_refused_before_any_write(bench, content) -> None:
    with pytest.raises(BadInputError, match="empty"):
        take_message(bench.home, "alice", content)
    with pytest.raises(InvalidUserError):
        take_message(bench.home, "../bob", "x")
    assert not bench.home.inbox.exists()


def test_too_large_attachments_are_refused(bench, tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setenv("BRAIN_LIMITS__MAX_FILE_BYTES", "1000")
    assert bench.settings.limits == Limits(max_file_bytes=1000)
    (tmp_path / "big.bin").write_bytes(bytes(900))
    with pytest.raises(BadInputError, match="too large"):
        take_message(bench.home, "alice", "x", attachments=[tmp_path / "big.bin"])


def test_command_reads_standard_input_and_reports(bench) -> None:
    options = ["--user", "alice", "--session", "s", "--at", "2026-01-05T10:00:00", "--json"]
    result = CliRunner().invoke(app, ["message", "-", *options], input="From a pipe.\n")
    assert result.exit_code == 0, result.output
    (stored,) = json.loads(result.stdout)["stored"]
    assert stored["uri"].startswith("inbox:message/2026-01-05T100000.000000Z-")
    assert bench.texts("alice", "message") == {stored["uri"]: "From a pipe."}
    assert CliRunner().invoke(app, ["message", "x", "--user", "alice", "--at", "soon"]).exit_code == 2
