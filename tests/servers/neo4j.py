"""A Neo4j Community server for tests and developers: install, start, stop, status. Needs only Java 17 and Maven.

    python -m tests.servers.neo4j install|start|stop|status

Maven downloads the files into `.cache/neo4j`, where they are checked against `neo4j.sha256`. A started server listens
on a free loopback port and has a random password and its own data directory, which `stop` deletes;
`.cache/neo4j/server.json` records it. `neo4j_launch.py` has the configuration.
"""

import fcntl
import hashlib
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path

from tests.servers.neo4j_launch import SECONDS_TO_START, ServerError, answers, launch

HERE = Path(__file__).parent
CACHE = HERE.parent.parent / ".cache" / "neo4j"
LIBRARY = CACHE / "lib"
STATE = CACHE / "server.json"
POM = HERE / "pom.xml"
HASHES = HERE / "neo4j.sha256"
INSTALL_SECONDS = 300


@dataclass(frozen=True)
class Server:
    """A running server. Its password is only valid for this run on the loopback interface."""

    uri: str
    user: str
    password: str
    port: int
    pid: int
    home: str


def install() -> Path:
    """Download the server's files unless they are present, and return their directory.

    Raises:
        ServerError: if Java or Maven is missing, Maven fails, or a file does not match `neo4j.sha256`.
    """
    with _lock():
        if _missing(LIBRARY):
            _copy_files()
        if missing := _missing(LIBRARY):
            raise ServerError(f"{len(missing)} files are absent or not those of {HASHES.name}: {missing[:3]}")
    return LIBRARY


def start() -> Server:
    """Return the running server; start one if there is none."""
    install()
    with _lock():
        if server := running():
            return server
        started = launch(LIBRARY)
        server = Server(f"bolt://127.0.0.1:{started.port}", "neo4j", started.password, started.port, *started.process)
        STATE.touch(mode=0o600)
        STATE.write_text(json.dumps(asdict(server)), "utf-8")
    _wait(server)
    return server


def running() -> Server | None:
    """Return the server started from this project, or None."""
    try:
        server = Server(**json.loads(STATE.read_text("utf-8")))
    except (OSError, ValueError, TypeError):
        return None
    return server if _alive(server.pid) else None


def stop() -> bool:
    """Stop the server and delete its data; return False if none was running."""
    with _lock():
        server = running()
        if server is not None:
            _end(server.pid)
            shutil.rmtree(server.home, ignore_errors=True)
        STATE.unlink(missing_ok=True)
    return server is not None


def _copy_files() -> None:
    if not (shutil.which("java") and shutil.which("mvn")):
        raise ServerError("Java 17 and Maven are needed to run Neo4j; one of them is not on PATH")
    shutil.rmtree(LIBRARY, ignore_errors=True)
    command = ["mvn", "-q", "-B", "-f", str(POM), "dependency:copy-dependencies", f"-DoutputDirectory={LIBRARY}"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=INSTALL_SECONDS, check=False)
    if done.returncode:
        raise ServerError(f"Maven could not bring Neo4j:\n{(done.stdout + done.stderr)[-2000:]}")


def _missing(library: Path) -> list[str]:
    """Return the names of files in `library` that are missing, have a wrong hash, or are unexpected."""
    wanted = {name: digest for digest, name in (line.split() for line in HASHES.read_text("utf-8").splitlines())}
    found = {path.name: path for path in library.glob("*")} if library.is_dir() else {}
    wrong = [n for n, digest in wanted.items() if n not in found or _sha256(found[n]) != digest]
    return sorted(wrong + [name for name in found if name not in wanted])


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _wait(server: Server) -> None:
    deadline = time.monotonic() + SECONDS_TO_START
    while not answers(server.port):
        if running() is None or time.monotonic() > deadline:
            log = Path(server.home, "out.log").read_text("utf-8", "replace")[-2000:]
            stop()
            raise ServerError(f"Neo4j did not come up within {SECONDS_TO_START} s:\n{log}")
        time.sleep(0.2)


def _end(pid: int) -> None:
    # The server leads its own process group, and its data is disposable, so it is killed.
    os.killpg(pid, signal.SIGKILL)
    for _ in range(100):
        if not _alive(pid):
            return
        time.sleep(0.05)


def _alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
        # A zombie process still has its pid.
        return Path(f"/proc/{pid}/stat").read_text("utf-8").rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return not Path("/proc/self").exists()
    except OSError:
        return False


@contextmanager
def _lock() -> Iterator[None]:
    CACHE.mkdir(parents=True, exist_ok=True)
    with (CACHE / "lock").open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def main(command: str) -> int:
    """Run one command; return the exit code. `status` is 1 when no server runs."""
    try:
        code, text = _run(command)
    except ServerError as error:
        code, text = 1, str(error)
    sys.stdout.write(f"{text}\n")
    return code


def _run(command: str) -> tuple[int, str]:
    match command:
        case "install":
            return 0, str(install())
        case "start":
            return 0, start().uri
        case "stop":
            return 0, "stopped" if stop() else "none was running"
        case "status":
            server = running()
            return (0, server.uri) if server else (1, "no server is running")
        case _:
            return 2, __doc__ or ""


if __name__ == "__main__":
    raise SystemExit(main(*sys.argv[1:2] or [""]))
