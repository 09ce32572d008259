"""A real S3 server for tests and developers: versitygw, built by Go from the module proxy. Needs only Go 1.25 or later.

    python -m tests.servers.s3 install|start

`install` builds it into `.cache/versitygw`: about two minutes of one core at the first time on a machine, some seconds
afterwards. A server started by `serving` listens on a free loopback port, has random keys and a directory of its own as
its storage, and ends with the block. `start` runs one until Ctrl-C and prints the settings of a home that uses it.
"""

import fcntl
import os
import secrets
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.servers.neo4j_launch import ServerError, free_port

MODULE = "github.com/versity/versitygw"
VERSION = "v1.8.0"  # Go compares it with its checksum database
CACHE = Path(__file__).parents[2] / ".cache" / "versitygw"
PROGRAM = CACHE / f"versitygw-{VERSION}"
BUCKET = "brain"
BUILD_SECONDS = 600
START_SECONDS = 120


@dataclass(frozen=True)
class Server:
    """A running server with one bucket. `folder` holds its objects as files below `bucket`."""

    endpoint: str
    access_key_id: str
    secret_access_key: str
    folder: Path

    @property
    def bucket(self) -> Path:
        return self.folder / BUCKET

    def settings(self, prefix: str) -> dict[str, str]:
        """Return the `[backup]` settings of a home that stores its backups below a prefix of the bucket."""
        keys = {"access_key_id": self.access_key_id, "secret_access_key": self.secret_access_key}
        return {"destination": f"s3://{BUCKET}/{prefix}", "endpoint": self.endpoint, **keys}


def installed() -> Path | None:
    """Return the path of the server, None if it was not built."""
    return PROGRAM if PROGRAM.is_file() else None


def install() -> Path:
    """Build the server unless that was done, and return its path.

    Raises:
        ServerError: Go is missing or fails.
    """
    CACHE.mkdir(parents=True, exist_ok=True)
    with (CACHE / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if installed() is None:
            _build(PROGRAM)
    return PROGRAM


def _build(program: Path) -> None:
    go = shutil.which("go")
    if go is None:
        raise ServerError("Go is needed to build the S3 server versitygw; it is not on PATH")
    with tempfile.TemporaryDirectory(dir=CACHE) as folder:
        command = [go, "install", "-ldflags=-s -w", f"{MODULE}/cmd/versitygw@{VERSION}"]
        environment = {**os.environ, "GOBIN": folder, "GOFLAGS": "-buildvcs=false"}
        done = subprocess.run(
            command, env=environment, capture_output=True, text=True, timeout=BUILD_SECONDS, check=False
        )
        if done.returncode:
            raise ServerError(f"Go could not build versitygw:\n{(done.stdout + done.stderr)[-2000:]}")
        Path(folder, "versitygw").replace(program)


@contextmanager
def serving() -> Iterator[Server]:
    """Run a server with an empty bucket for the time of the block.

    Raises:
        ServerError: it cannot be built or does not start.
    """
    program = installed() or install()
    with tempfile.TemporaryDirectory(prefix="brain-s3-") as folder:
        storage = Path(folder, "data")
        (storage / BUCKET).mkdir(parents=True)
        keys = (f"test{secrets.token_hex(6)}", secrets.token_hex(16))
        port = free_port()
        with Path(folder, "log").open("wb") as log:
            process = subprocess.Popen(
                [program, "--port", f"127.0.0.1:{port}", "posix", storage],
                env={"PATH": os.environ["PATH"], "ROOT_ACCESS_KEY": keys[0], "ROOT_SECRET_KEY": keys[1]},
                stdout=log,
                stderr=log,
                cwd=folder,
            )
        try:
            deadline = time.monotonic() + START_SECONDS
            while not _answers(port):
                if process.poll() is not None or time.monotonic() > deadline:
                    raise ServerError(f"versitygw did not start:\n{Path(folder, 'log').read_text('utf-8')[-2000:]}")
                time.sleep(0.02)
            yield Server(f"http://127.0.0.1:{port}", *keys, storage)
        finally:
            process.kill()
            process.wait()


def _answers(port: int) -> bool:
    try:
        with socket.create_connection(("127.0.0.1", port), timeout=2):
            return True
    except OSError:
        return False


def main(command: str) -> int:
    """Run one command; return the exit code."""
    try:
        if command == "install":
            sys.stdout.write(f"{install()}\n")
        elif command == "start":
            with serving() as server:
                for name, value in server.settings("backups").items():
                    sys.stdout.write(f"export BRAIN_BACKUP__{name.upper()}={value}\n")
                sys.stdout.flush()
                time.sleep(1 << 30)
        else:
            sys.stdout.write(f"{__doc__}\n")
            return 2
    except ServerError as error:
        sys.stdout.write(f"{error}\n")
        return 1
    except KeyboardInterrupt:
        return 0
    return 0


if __name__ == "__main__":
    raise SystemExit(main(*sys.argv[1:2] or [""]))
