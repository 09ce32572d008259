"""Supervised processes: what ends is started again. Parts of Dagster survive kill -9, and do their work after it."""

import json
import os
import signal
import sys
import threading
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest
from rich.console import Console
from typer.testing import CliRunner

from brain_pipelines.commands.app import app
from brain_pipelines.commands.cells.parts import build_parts, free_port
from brain_pipelines.commands.supervisor import Part, Supervisor, read_state
from brain_pipelines.commands.up import _only_one, _signals_of
from brain_retrieval.brain import Brain
from brain_retrieval.errors import UnknownUserError
from brain_retrieval.home import Home, project_root

PATIENCE = 250.0  # seconds; a busy machine takes long to start a process of Dagster
SELDOM = 1.0  # seconds between searches, which keep a processor busy that the daemon needs
LOCATIONS = "{workspaceOrError{... on Workspace{locationEntries{locationOrLoadError{__typename}}}}}"


def wait_for(what: Callable[[], bool], seconds: float, *, every: float = 0.05, log: Path | None = None) -> None:
    until = time.monotonic() + seconds
    while not what():
        assert time.monotonic() < until, f"not in time; {log.read_text()[-3000:] if log else ''}"
        time.sleep(every)


def when_written(home: Home, user: str, look: Callable[[], bool]) -> Callable[[], bool]:
    """Return `look` that looks again only after the user's catalog was written: a search takes long beside a `stat`."""
    seen: list[object] = []

    def looks() -> bool:
        now = []
        for path in sorted(home.space(user).root.glob("catalog.sqlite*")):
            with suppress(FileNotFoundError):
                now.append((path.name, path.stat().st_mtime_ns, path.stat().st_size))
        if seen == [now]:
            return False
        seen[:] = [now]  # as it was before the look, so that nothing is missed that is written meanwhile
        return look()

    return looks


@contextmanager
def running(supervisor: Supervisor) -> Iterator[Supervisor]:
    thread = threading.Thread(target=supervisor.run)
    thread.start()
    try:
        yield supervisor
    finally:
        supervisor.stop()
        thread.join(120)
        assert not thread.is_alive()


def pid_of(supervisor: Supervisor, name: str) -> int | None:
    parts = read_state(supervisor.folder).get("parts", {})
    return parts.get(name, {}).get("pid")


def is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def test_a_part_that_ends_starts_again_with_growing_pauses_and_the_others_go_on(tmp_path: Path) -> None:
    said: list[str] = []
    steady = Part("steady", [sys.executable, "-c", "print('one line', flush=True); import time; time.sleep(60)"])
    failing = Part("failing", [sys.executable, "-c", "import sys; sys.exit(3)"])
    with running(Supervisor([steady, failing], tmp_path, os.environ, said.append)) as supervisor:
        wait_for(lambda: failing.restarts == 2, PATIENCE)
        first = pid_of(supervisor, "steady")
        assert first and (tmp_path / "steady.log").read_text() == "one line\n"
        supervisor.restart("steady")
        wait_for(lambda: pid_of(supervisor, "steady") not in (None, first), PATIENCE)
        last = pid_of(supervisor, "steady")
    assert last and not is_alive(last)
    assert said[:2] == [
        "failing ended with code 3; it starts again in 1 s",
        "failing ended with code 3; it starts again in 2 s",
    ]


def test_a_second_supervisor_of_the_same_instance_is_refused(bench) -> None:
    status = ["up", "--status", "--json", "--home", str(bench.home.path)]
    before = CliRunner().invoke(app, status)
    assert before.exit_code == 1 and not json.loads(before.output)["running"]
    folder = bench.home.path / "dagster" / "up"
    with _only_one(folder):
        (folder / "up.json").write_text(json.dumps({"pid": 1, "parts": {}}))
        assert json.loads(CliRunner().invoke(app, status).output) == {"running": True, "pid": 1, "parts": {}}
        refused = CliRunner().invoke(app, ["up", "--home", str(bench.home.path)])
    assert refused.exit_code == 1 and "already running" in refused.output


def test_only_a_code_server_is_restarted_to_reload(bench, tmp_path: Path) -> None:
    class Noting(Supervisor):
        def restart(self, name: str) -> None:
            restarted.append(name)

    restarted: list[str] = []
    for names in (["webserver", "daemon"], ["code-server", "webserver"]):
        parts = [Part(name, [sys.executable, "-c", ""]) for name in names]
        supervisor = Noting(parts, tmp_path, os.environ, lambda _: None)
        with _signals_of(supervisor, Console(quiet=True)):
            os.kill(os.getpid(), signal.SIGHUP)
    assert restarted == ["code-server"]
    refused = CliRunner().invoke(app, ["up", "--cells", "--reload", "--home", str(bench.home.path)])
    assert refused.exit_code == 2 and "each cell restarts its own" in " ".join(refused.output.split())


@pytest.mark.timeout(900)
def test_killed_parts_come_back_and_file_changes_reach_search(bench, tmp_path: Path) -> None:
    """Each part is killed as soon as it runs; the second ones process what changed, came and went."""
    instance, folder = tmp_path / "dagster", tmp_path / "up"
    instance.mkdir()
    folder.mkdir()
    (instance / "dagster.yaml").write_text((project_root() / "dagster_home" / "dagster.yaml").read_text())
    environment = {**os.environ, "DAGSTER_HOME": str(instance), "BRAIN_HOME": str(bench.home.path)}
    given = bench.drop("carol", "note", "a.md", "The greenhouse key hangs behind the blue door.", day="2026-01-05")
    spare = bench.drop("carol", "note", "b.md", "The spare key lies in the letter box.", day="2026-01-06")
    for path in (given, spare):
        bench.land(path, "carol")
    bench.run("carol")
    port = free_port()
    parts = build_parts(folder, host="127.0.0.1", port=port)

    def shows_definitions() -> bool:
        request = urllib.request.Request(
            f"http://127.0.0.1:{port}/graphql",
            json.dumps({"query": LOCATIONS}).encode(),
            {"Content-Type": "application/json"},
        )
        try:
            with urllib.request.urlopen(request, timeout=60) as answer:
                entries = json.load(answer)["data"]["workspaceOrError"]["locationEntries"]
        except OSError:
            return False
        return [one["locationOrLoadError"]["__typename"] for one in entries if one["locationOrLoadError"]] == [
            "RepositoryLocation"
        ]

    def finds(*expected: str) -> bool:
        """Return whether a search finds a passage with each of these, and no other passage."""
        try:
            with Brain.open(bench.home.path, user="carol") as brain:
                found = [hit.text for hit in brain.search("greenhouse key", k=3)]
        except UnknownUserError:
            return False
        return len(found) == len(expected) and all(any(one in text for text in found) for one in expected)

    assert finds("blue door", "letter box")
    with running(Supervisor(parts, folder, environment, lambda _: None)) as supervisor:
        names = [part.name for part in parts]
        wait_for(lambda: all(pid_of(supervisor, name) for name in names), PATIENCE)
        killed = {name: pid_of(supervisor, name) for name in names}
        for pid in killed.values():
            os.kill(pid or 0, signal.SIGKILL)
        wait_for(lambda: all(pid_of(supervisor, name) not in (None, killed[name]) for name in names), PATIENCE)
        wait_for(shows_definitions, PATIENCE, every=SELDOM)
        assert all(part.restarts == 1 for part in parts)
        # One run does for all: each is a process that loads all definitions.
        bench.drop("carol", "note", "a.md", "The greenhouse key hangs under the red stone.", day="2026-01-05")
        bench.drop("carol", "note", "c.md", "The greenhouse lamp has a key of its own.", day="2026-01-06")
        spare.unlink()
        found = when_written(bench.home, "carol", lambda: finds("red stone", "lamp"))
        wait_for(found, PATIENCE, every=SELDOM, log=folder / "daemon.log")
