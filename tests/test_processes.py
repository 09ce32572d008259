"""The processes that run the tests: what becomes of files, of a process that dies, of warnings and of threads."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.paths import ROOT

NOTES = "import os\nfrom pathlib import Path\n\nNOTES = Path(os.environ['NOTES'])\n"
NOTE = "    (NOTES / request.node.name).write_text(f'{os.getpid()} {tmp_path}')\n"
ARGUMENTS = "(request, tmp_path):\n"
DIES = f"""{NOTES}
def test_first{ARGUMENTS}{NOTE}
def test_dies():
    os.kill(os.getpid(), 9)

def test_after{ARGUMENTS}{NOTE}
def test_last{ARGUMENTS}{NOTE}"""
GOES_ON = f"""{NOTES}
import sys
import warnings
import pytest

SAID = sys.stderr

def test_warns{ARGUMENTS}{NOTE}
    warnings.warn("look here")

def test_fails{ARGUMENTS}{NOTE}
    print("said before")
    print("said to the stream of the import", file=SAID)
    assert 2 + 2 == 5

@pytest.mark.skip(reason="not today")
def test_skipped():
    pass

@pytest.mark.xfail
def test_expected():
    raise OSError
"""
STARTS_A_THREAD = """
import threading

threading.Thread(target=threading.Event().wait, name="a-pool", daemon=True).start()

def test_never_run():
    pass
"""


def run(folder: Path, *options: str, **files: str) -> subprocess.CompletedProcess[str]:
    """Run the tests of modules in two processes; what they note goes beside them."""
    for name, source in files.items():
        (folder / f"test_{name}.py").write_text(source)
    (folder / "pytest.ini").write_text("[pytest]\n")
    command = [sys.executable, "-m", "pytest", "-p", "tests.processes", "-p", "no:cacheprovider", "-q", "-rs"]
    command += ["--processes", "2", "-c", str(folder / "pytest.ini"), f"--basetemp={folder / 'temporary'}"]
    environment = {"PATH": "/usr/bin:/bin", "PYTHONPATH": str(ROOT), "NOTES": str(folder)}
    return subprocess.run([*command, *options, str(folder)], capture_output=True, text=True, env=environment)


@pytest.fixture(scope="module")
def ended(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """A run of two files, one of which ends its process: the folder, and what was printed."""
    folder = tmp_path_factory.mktemp("run")
    done = run(folder, dies=DIES, goes_on=GOES_ON)
    assert done.returncode == 1, done.stdout + done.stderr
    return folder, done.stdout


def test_every_test_is_reported_once(ended: tuple[Path, str]) -> None:
    _, said = ended
    assert "2 failed, 4 passed, 1 skipped, 1 xfailed, 1 warning" in said
    assert "the process that ran this test ended with code -9" in said
    assert re.search(r"assert \(?2 \+ 2\)? == 5", said)
    assert "said before" in said and "said to the stream of the import" in said
    assert said.count("UserWarning: look here") == 1 and "not today" in said


def test_another_process_goes_on_where_one_has_died(ended: tuple[Path, str]) -> None:
    folder, _ = ended
    names = ("test_first", "test_after", "test_last", "test_warns", "test_fails")
    process = {name: (folder / name).read_text().split()[0] for name in names}
    assert process["test_first"] != process["test_after"] == process["test_last"]
    assert process["test_warns"] == process["test_fails"]


def test_processes_have_temporary_folders_of_their_own(ended: tuple[Path, str]) -> None:
    folder, _ = ended
    notes = [(folder / name).read_text().split() for name in ("test_first", "test_after", "test_warns", "test_fails")]
    assert len({Path(place).parent for _, place in notes}) == len({process for process, _ in notes})


def test_a_run_may_end_with_the_first_failure(tmp_path: Path) -> None:
    done = run(tmp_path, "-x", alone=GOES_ON)
    assert done.returncode == 1 and "stopping after 1 failures" in done.stdout


def test_modules_that_start_threads_are_refused(tmp_path: Path) -> None:
    done = run(tmp_path, threads=STARTS_A_THREAD)
    assert done.returncode == pytest.ExitCode.USAGE_ERROR
    assert "must not start threads: a-pool" in done.stdout + done.stderr
