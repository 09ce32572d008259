"""The sandbox: for any behaviour of a reader the parent gets a result or a reason, and can read the next file."""

import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from brain_pipelines.readers.extracted import Block, Extracted
from brain_pipelines.readers.sandbox import ReaderUnavailableError, Sandbox
from brain_retrieval.errors import BadInputError
from brain_retrieval.settings import Limits
from tests.samples.misbehaving_reader import MISBEHAVE

LIMITS = Limits(parse_seconds=120.0, parse_memory_mb=256, max_text_chars=1000)


@pytest.fixture(scope="module")
def sandbox() -> Iterator[Sandbox]:
    sandbox = Sandbox()
    yield sandbox
    sandbox.close()


def read(sandbox: Sandbox, tmp_path: Path, order: str) -> Extracted:
    path = tmp_path / "order"
    path.write_text(order)
    limits = LIMITS.model_copy(update={"parse_seconds": 1.0}) if order == "hang" else LIMITS
    return sandbox.read(MISBEHAVE, path, limits)


def test_content_is_returned_unchanged(sandbox: Sandbox, tmp_path: Path) -> None:
    found = read(sandbox, tmp_path, "hällo\ud83d\ude42".encode("utf-16", "surrogatepass").decode("utf-16"))
    assert found.blocks == [Block("hällo🙂", section="a", page=3)]
    assert (found.authors, found.language, found.repairs) == (["Ann"], "en", ["mended"])


@pytest.mark.parametrize(
    ("order", "reason"),
    [
        ("hang", "reading it took longer than 1 seconds"),
        ("crash", r"its reader crashed on it \(SIGABRT\)"),
        ("exit", "its reader crashed on it"),
        ("eat", "takes more than 256 MB of memory"),
        ("fail", r"its reader failed on it \(RuntimeError: index out of range\)"),
        ("long", "too long: 2000 characters, the limit is 1000"),
    ],
)
def test_misbehaving_reader_fails_only_its_file(sandbox: Sandbox, tmp_path: Path, order: str, reason: str) -> None:
    with pytest.raises(BadInputError, match=reason):
        read(sandbox, tmp_path, order)
    assert read(sandbox, tmp_path, "fine").blocks[0].text == "fine"


def test_child_that_cannot_start_is_not_a_bad_input(tmp_path: Path) -> None:
    with pytest.raises(ReaderUnavailableError):
        read(Sandbox("tests.samples.no_such_module"), tmp_path, "fine")


def test_a_child_that_was_killed_while_idle_is_replaced(sandbox: Sandbox, tmp_path: Path) -> None:
    child = psutil.Process(int(read(sandbox, tmp_path, "first").title))
    child.kill()
    while child.is_running() and child.status() != psutil.STATUS_ZOMBIE:
        time.sleep(0.01)
    assert read(sandbox, tmp_path, "second").blocks[0].text == "second"


def test_one_child_reads_many_files(sandbox: Sandbox, tmp_path: Path) -> None:
    child = psutil.Process(int(read(sandbox, tmp_path, "warm up").title))
    began = sum(child.cpu_times()[:2])
    children = {read(sandbox, tmp_path, f"file {n}").title for n in range(50)}
    assert children == {str(child.pid)}
    assert (sum(child.cpu_times()[:2]) - began) < 10  # seconds of the processor; a child for each would take a hundred


def test_several_threads_can_read(sandbox: Sandbox, tmp_path: Path) -> None:
    found: list[str] = []

    def work(n: int) -> None:
        path = tmp_path / str(n)
        path.write_text(f"file {n}")
        found.append(sandbox.read(MISBEHAVE, path, LIMITS).blocks[0].text)

    threads = [threading.Thread(target=work, args=(n,)) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(found) == [f"file {n}" for n in range(8)]


def test_output_printed_by_a_reader_is_ignored(sandbox: Sandbox, tmp_path: Path) -> None:
    assert read(sandbox, tmp_path, "print").blocks[0].text == "print"


def test_child_gets_no_secrets_from_the_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BRAIN_EMBEDDING__API_KEY", "sk-123")
    sandbox = Sandbox()
    names = read(sandbox, tmp_path, "environment").blocks[0].text
    sandbox.close()
    assert "API_KEY" not in names and "PATH" in names


def test_the_child_ends_with_its_parent(tmp_path: Path) -> None:
    """A killed parent cannot clean up; the child ends when the pipe is closed."""
    (tmp_path / "order").write_text("x")
    code = (
        "import sys, os; from pathlib import Path; from brain_pipelines.readers.sandbox import Sandbox;"
        "from brain_retrieval.settings import Limits; s = Sandbox();"
        "from tests.samples.misbehaving_reader import MISBEHAVE;"
        "print(s.read(MISBEHAVE, Path(sys.argv[1]), Limits()).title, flush=True); os.kill(os.getpid(), 9)"
    )
    result = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path / "order")], capture_output=True, text=True, cwd=Path.cwd()
    )
    child = int(result.stdout)
    deadline = time.monotonic() + 60
    while psutil.pid_exists(child) and psutil.Process(child).status() != psutil.STATUS_ZOMBIE:
        assert time.monotonic() < deadline, "the child outlived its parent"
        time.sleep(0.05)


def test_forked_process_starts_its_own_child(sandbox: Sandbox, tmp_path: Path) -> None:
    first = read(sandbox, tmp_path, "before").title
    reader, writer = os.pipe()
    pid = os.fork()
    if pid == 0:
        answer = ""
        try:
            answer = read(sandbox, tmp_path, "forked").title
            sandbox.close()
        finally:
            os.write(writer, json.dumps(answer).encode())
            os._exit(0)
    os.waitpid(pid, 0)
    assert json.loads(os.read(reader, 100)) not in ("", first)
    assert read(sandbox, tmp_path, "after").title == first
