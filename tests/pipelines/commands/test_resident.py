"""The process that stays after a command in a terminal: it prints the same, and ends when it is to."""

import json
import os
import pty
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from brain_pipelines.commands.shell import resident, warm
from brain_pipelines.commands.shell.resident import Resident
from brain_pipelines.commands.shell.warm import answered_by_server
from brain_pipelines.knowledge.forgetting.remembered_results import drop_remembered
from brain_pipelines.server.sockets.owner import framed, received
from brain_retrieval.home import SERVE_SOCKET, Home
from tests.pipelines.conftest import Bench
from tests.pipelines.server.http.test_readers import until

WAIT = 120.0  # seconds, on a machine with much other work
SEARCH = ("search", "Where does Bob Lee live?", "--user", "alice", "--json")


@pytest.fixture(scope="module")
def home() -> Iterator[Path]:
    """A note in a home whose path a socket can have."""
    with tempfile.TemporaryDirectory(prefix="b-", dir=tempfile.gettempdir()) as folder:
        bench = Bench(Home(Path(folder).resolve() / "home"))
        bench.land(bench.drop("alice", "note", "move.md", "Bob Lee lives in Lisbon.", day="2026-01-05"))
        bench.run()
        yield bench.home.path


@contextmanager
def staying(home: Path, monkeypatch: pytest.MonkeyPatch, seconds: float = WAIT) -> Iterator[threading.Thread]:
    """Run the process's loop in a thread, for the time of a test at most."""
    monkeypatch.setattr(resident, "LOOK_SECONDS", 0.05)
    monkeypatch.setattr(Resident, "_keep_loaded", lambda self: None)  # this process ends otherwise than a command
    for module in (warm, resident):  # files of the packages may change while tests run
        monkeypatch.setattr(module, "same_answers", lambda: "what answers depend on")
    thread = threading.Thread(target=Resident(home, seconds).run, daemon=True)
    thread.start()
    until(lambda: listens(home) or not thread.is_alive())
    yield thread
    drop_remembered(Home(home))
    thread.join(WAIT)


def listens(home: Path) -> bool:
    with socket.socket(socket.AF_UNIX) as one:
        try:
            one.connect(str(home / SERVE_SOCKET))
        except OSError:
            return False
    return True


def asked(place: Path, **request: object) -> dict:
    with socket.socket(socket.AF_UNIX) as one:
        one.settimeout(WAIT)
        one.connect(str(place / SERVE_SOCKET))
        one.sendall(framed(json.dumps({"home": str(place)} | request).encode()))
        return json.loads(received(one))


def in_a_terminal(home: Path, *arguments: str) -> str:
    """Return what a command prints in a terminal."""
    mine, theirs = pty.openpty()
    environment = {**os.environ, "BRAIN_HOME": str(home), "BRAIN_SERVER__READY_MINUTES": "5"}
    environment.pop("COLUMNS", None)
    command = [sys.executable, "-m", "brain_pipelines.commands.entry", *arguments]
    with subprocess.Popen(command, stdin=theirs, stdout=theirs, stderr=theirs, env=environment) as process:
        os.close(theirs)
        pieces = bytearray()
        while True:
            try:
                piece = os.read(mine, 1 << 16)
            except OSError:  # the terminal is closed when all who have it open have ended
                break
            if not piece:
                break
            pieces += piece
        os.close(mine)
        assert process.wait(WAIT) == 0, pieces.decode()
    return pieces.decode().replace("\r\n", "\n")


def test_a_command_in_a_terminal_leaves_a_process_that_answers_the_next(home: Path) -> None:
    alone = subprocess.run(
        [sys.executable, "-m", "brain_pipelines.commands.entry", *SEARCH, "--home", str(home)],
        capture_output=True,
        text=True,
        check=True,
    )
    assert not (home / SERVE_SOCKET).exists()  # no terminal, no process
    hits = [hit["text"] for hit in json.loads(alone.stdout)["hits"]]
    first = json.loads(in_a_terminal(home, *SEARCH))
    try:
        assert (home / SERVE_SOCKET).stat().st_mode & 0o077 == 0
        second = json.loads(in_a_terminal(home, *SEARCH))
    finally:
        drop_remembered(Home(home))
    assert hits == ["Bob Lee lives in Lisbon."]
    assert [[hit["text"] for hit in found["hits"]] for found in (first, second)] == [hits, hits]
    until(lambda: not (home / SERVE_SOCKET).exists())


def test_it_prints_what_the_command_prints(
    home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("CONNECT_SECONDS", "ANSWER_SECONDS"):
        monkeypatch.setattr(warm, name, WAIT)
    with staying(home, monkeypatch):
        assert answered_by_server(["facts", "--all", "--user", "alice", "--home", str(home)]) == 0
        assert "Bob Lee lives in Lisbon." in capsys.readouterr().out
        assert answered_by_server(["facts", "--user", "nobody", "--home", str(home)]) == 3
        assert "nobody" in capsys.readouterr().err
        assert answered_by_server(["sql", "select 7 * 6", "--user", "alice", "--json", "--home", str(home)]) == 0
        assert "42" in capsys.readouterr().out
        assert answered_by_server(["sql", "select 1", "--user", "alice", "--csv", "--home", str(home)]) is None


def test_it_ends_when_something_is_forgotten_or_a_server_starts(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for request in ({"drop_remembered": True}, {"end": True}):
        with staying(home, monkeypatch) as thread:
            assert asked(home, **request) == {"ended": True}
            thread.join(WAIT)
            assert not thread.is_alive() and not (home / SERVE_SOCKET).exists()


def test_it_ends_when_it_would_answer_differently(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with staying(home, monkeypatch) as thread:
        other = {"home": str(home / "users"), "same": "what answers depend on"}
        assert asked(home, **other) == {"declined": True} and thread.is_alive()  # meant for another home
        assert asked(home, same="another environment") == {"declined": True}
        thread.join(WAIT)
        assert not thread.is_alive()


def test_it_ends_after_its_time_and_with_its_home(tmp_path: Path, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with staying(home, monkeypatch, seconds=0.2) as thread:
        thread.join(WAIT)
        assert not thread.is_alive()
    folder = Path(tempfile.mkdtemp(prefix="b-", dir=tempfile.gettempdir())).resolve()
    with staying(folder, monkeypatch) as thread:
        shutil.rmtree(folder)
        thread.join(WAIT)
        assert not thread.is_alive()


def test_a_second_process_does_not_take_the_place_of_the_first(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with staying(home, monkeypatch) as first:
        inode = (home / SERVE_SOCKET).stat().st_ino
        second = threading.Thread(target=Resident(home, WAIT).run, daemon=True)
        second.start()
        second.join(WAIT)
        assert not second.is_alive() and first.is_alive() and (home / SERVE_SOCKET).stat().st_ino == inode


def test_what_a_killed_process_left_is_replaced(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.socket(socket.AF_UNIX) as left:
        left.bind(str(home / SERVE_SOCKET))  # and nobody listens
    with staying(home, monkeypatch) as thread:
        assert asked(home, end=True) == {"ended": True}
        thread.join(WAIT)
    assert not (home / SERVE_SOCKET).exists()


@pytest.mark.parametrize(
    ("text", "environment", "minutes"),
    [
        ("", {}, 10.0),
        ("[server]\nready_minutes = 3\n", {}, 3.0),
        ("[server]\nready_minutes = 0\n", {}, 0.0),
        ("[server]\nready_minutes = 3\n", {"BRAIN_SERVER__READY_MINUTES": "0"}, 0.0),
        ("[server]\nanswer_commands = false\n", {}, 0.0),
        ("", {"BRAIN_SERVER__ANSWER_COMMANDS": "false"}, 0.0),
    ],
)
def test_the_settings_say_whether_and_how_long_it_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, environment: dict[str, str], minutes: float
) -> None:
    assert warm._ready_minutes(tmp_path) == 0.0  # no home
    (tmp_path / "users").mkdir()
    (tmp_path / "brain.toml").write_text(text)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    assert warm._ready_minutes(tmp_path) == minutes


def test_a_server_that_starts_takes_its_place(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from functools import partial

    from starlette.testclient import TestClient

    from brain_pipelines.commands.app import main
    from brain_pipelines.commands.shell.running import run_command
    from brain_pipelines.server.app import create_app
    from brain_pipelines.server.sockets.commands import Commands
    from tests.pipelines.server.http.conftest import LOCAL, settings_of

    with staying(home, monkeypatch) as thread:
        commands = Commands(partial(run_command, main), "another")
        with TestClient(create_app(Home(home), settings_of(Home(home), workers=1), commands), LOCAL):
            thread.join(WAIT)
            assert not thread.is_alive() and listens(home)
            assert asked(home, end=True) == {"declined": True} and listens(home)
    assert not (home / SERVE_SOCKET).exists()
