"""The processes of runs: forked from one that has loaded the product, and alive as long as they are."""

import inspect
import os
import signal
import subprocess
import sys
import time
from multiprocessing import forkserver
from pathlib import Path

import pytest
from dagster._core.execution import asset_backfill
from dagster._grpc import server

from brain_pipelines.commands.cells.parts import PATIENT_BACKFILLS, SERVER
from brain_pipelines.orchestration.runs import code_server
from brain_pipelines.orchestration.runs.code_server import RunContext
from tests.paths import ROOT


def wait_for_the_end(event) -> None:
    """What the process of a run does here."""
    event.wait(300)


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc")
def test_run_goes_on_when_the_process_it_was_forked_from_is_killed() -> None:
    runs = RunContext()
    end = runs.Event()
    process = runs.Process(target=wait_for_the_end, args=(end,))
    process.start()
    try:
        assert process.is_alive()
        parent = int(Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()[1])
        assert parent != os.getpid()
        os.kill(parent, signal.SIGKILL)
        until = time.monotonic() + 120
        while process.exitcode is None and time.monotonic() < until:
            time.sleep(0.05)
        assert process.exitcode == 255  # as far as Python knows it has ended
        assert process.is_alive()
        end.set()
        while process.is_alive() and time.monotonic() < until:
            time.sleep(0.05)
        assert not process.is_alive()
    finally:
        end.set()
        forkserver._forkserver._stop()  # pyright: ignore  # it has no public name


def test_server_of_brain_up_is_dagsters_with_these_processes(monkeypatch: pytest.MonkeyPatch) -> None:
    built, preloaded = [], []
    monkeypatch.setattr(server, "DagsterApiServer", server.DagsterApiServer)
    monkeypatch.setattr(code_server, "dagster_command", lambda: built.append(server.DagsterApiServer))
    monkeypatch.setattr(forkserver, "ensure_running", lambda: None)
    monkeypatch.setattr(forkserver, "set_forkserver_preload", preloaded.extend)
    code_server.main()
    assert built == [code_server.CodeServer] and code_server.__name__ == SERVER
    assert "_mp_ctx" in code_server.CodeServer.__base__.__init__.__code__.co_names
    loads = "import sys; import {}; print('lancedb' in sys.modules, 'brain_pipelines.definitions' in sys.modules)"
    found = subprocess.run([sys.executable, "-c", loads.format(*preloaded)], capture_output=True, text=True, check=True)
    assert found.stdout.split() == ["False", "False"]


def test_backfills_outlive_a_restart_of_the_code_server() -> None:
    """Dagster reads the variable that `brain up` and compose.yaml set."""
    [name] = PATIENT_BACKFILLS
    assert f'os.environ.get("{name}")' in inspect.getsource(asset_backfill)
    assert name in (ROOT / "compose.yaml").read_text("utf-8")
