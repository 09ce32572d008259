"""Ctrl-C and SIGTERM during `brain ingest`: missing days are reported, and repeating the command completes them."""

import json
import os
import re
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing, suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import psutil
import pytest
from dagster._utils.interrupts import capture_interrupts
from typer.testing import CliRunner

from brain_pipelines.commands.app import app
from brain_pipelines.commands.status import status
from brain_pipelines.ingest import local_runs
from brain_pipelines.ingest.files import ingest
from brain_pipelines.ingest.interrupts import InterruptedCommandError, handles_sigterm, on_interrupt, watch_signals
from brain_pipelines.ingest.local_runs import RunOutcome, launch, open_instance
from brain_retrieval.home import project_root

DAYS = 9
RUN_STARTS = (0, 40, 80)  # days too far apart for one run
RUN_DAYS = DAYS // len(RUN_STARTS)
PATIENCE = 200.0
STOP_CPU = 10.0  # seconds of the processor to stop in; the clock would measure how busy the machine is
APP = ("-W", "ignore", "-m", "brain_pipelines.commands.entry")


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    """One note per day on three consecutive days, three times: three runs."""
    folder = tmp_path / "given"
    folder.mkdir()
    for n in range(DAYS):
        path = folder / f"n{n:02}.md"
        path.write_text(f"Alice Chen met Bob Smith about part {n} of the redesign.\n")
        at = (
            datetime(2026, 1, 1, 12, tzinfo=UTC) + timedelta(days=RUN_STARTS[n // RUN_DAYS] + n % RUN_DAYS)
        ).timestamp()
        os.utime(path, (at, at))
    return folder


def default_signals() -> None:
    """Undo what children inherit: a shell that runs the tests in the background has signals ignored."""
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_DFL)


def start(bench, notes: Path, *options: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, *APP, "ingest", str(notes), "-u", "alice", *options],
        cwd=project_root(),
        env={**os.environ, "BRAIN_HOME": str(bench.home.path)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=default_signals,
    )


def stop_in_second_run(bench, process: subprocess.Popen[str]) -> None:
    """Halt the process when one run is done and the next is between its first and last stage."""
    until = time.monotonic() + PATIENCE
    while time.monotonic() < until:
        assert process.poll() is None, process.communicate()
        if is_in_second_run(bench):
            process.send_signal(signal.SIGSTOP)
            if is_in_second_run(bench):  # a busy machine may have taken long to stop it
                return
            process.send_signal(signal.SIGCONT)
        time.sleep(0.05)
    pytest.fail("no second run")


def is_in_second_run(bench) -> bool:
    path = bench.space().catalog
    if not path.is_file():
        return False
    with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True, timeout=1)) as catalog, suppress(sqlite3.Error):
        days = "SELECT count(DISTINCT day) FROM ledger WHERE source = 'note' AND stage = ?"
        begun, ended = (catalog.execute(days, [stage]).fetchone()[0] for stage in ("raw", "enrichments"))
        return begun > ended >= RUN_DAYS  # the days of a run are recorded one by one
    return False


def source_status(bench) -> dict[str, Any]:
    (user,) = status(bench.home)["users"]
    return next(row for row in user["sources"] if row["source"] == "note")


def finish(bench, notes: Path) -> None:
    """Ingest the same files again in this process; assert that missing items are added and existing ones skipped."""
    report = ingest(bench.home, user="alice", paths=[notes])
    assert (source_status(bench)["behind_days"], source_status(bench)["rows"]["embeddings"]) == (0, DAYS)
    assert report.stored and len(report.stored) + len(report.skipped) == DAYS


@pytest.mark.timeout(900)
def test_ctrl_c_stops_at_once_and_repeated_command_finishes(bench, notes: Path) -> None:
    process = start(bench, notes)
    stop_in_second_run(bench, process)
    used = sum(psutil.Process(process.pid).cpu_times()[:2])
    before = sum(os.times()[2:4])
    process.send_signal(signal.SIGINT)
    process.send_signal(signal.SIGCONT)
    out, err = process.communicate(timeout=PATIENCE)
    assert sum(os.times()[2:4]) - before - used < STOP_CPU
    assert (process.returncode, out) == (130, "")
    line = r"interrupted: (\d+) of 9 days are complete; run the same command again to finish the rest\n"
    said = re.fullmatch(line, err.lstrip())  # without a terminal, the progress bars print an empty line
    assert said, err
    complete = int(said[1])
    assert 0 < complete < DAYS
    with open_instance(bench.home.path) as instance:
        assert sorted(run.status.value for run in instance.get_runs()) == ["FAILURE", "SUCCESS"]
    assert source_status(bench)["behind_days"] == DAYS - complete
    finish(bench, notes)
    finished = bench.digests()
    bench.drop_derived()
    bench.run()
    assert bench.digests() == finished


def test_sigterm_before_the_first_run_prints_one_json_document(
    bench, notes: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def terminated(*arguments: Any, **options: Any) -> Iterator[RunOutcome]:
        os.kill(os.getpid(), signal.SIGTERM)
        yield from launch(*arguments, **options)

    monkeypatch.setattr(local_runs, "launch", terminated)
    before = signal.signal(signal.SIGTERM, signal.SIG_DFL)  # an earlier run in this process may have left a handler
    try:
        ended = CliRunner().invoke(app, ["ingest", str(notes), "-u", "alice", "--json"])
    finally:
        signal.signal(signal.SIGTERM, before)
    assert ended.exit_code == 130, ended.output
    assert json.loads(ended.stdout)["message"] == ended.stderr.strip()
    assert "run the same command again" in ended.stderr
    assert "0 of 9 days" in ended.stderr


def test_watch_signals_sees_signals_handled_by_others() -> None:
    before = signal.signal(signal.SIGINT, lambda *_: None)
    try:
        with watch_signals() as is_interrupted:
            assert not is_interrupted()
            os.kill(os.getpid(), signal.SIGINT)
            assert is_interrupted()
    finally:
        signal.signal(signal.SIGINT, before)


def test_run_leaves_sigterm_as_it_was() -> None:
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # as in a background job of a shell
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        with watch_signals(), capture_interrupts():  # what Dagster does in a run
            pass
        assert signal.getsignal(signal.SIGTERM) is signal.SIG_DFL
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def test_sigterm_interrupts_command_with_innermost_message() -> None:
    @handles_sigterm
    def command() -> None:
        with on_interrupt(lambda: "outer"), on_interrupt(lambda: "inner"):
            os.kill(os.getpid(), signal.SIGTERM)
            time.sleep(5)

    before = signal.signal(signal.SIGTERM, signal.SIG_DFL)  # an earlier run in this process may have left a handler
    try:
        with pytest.raises(InterruptedCommandError, match="inner"):
            command()
        assert signal.getsignal(signal.SIGTERM) is signal.SIG_DFL
    finally:
        signal.signal(signal.SIGTERM, before)
