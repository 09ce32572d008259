"""A PostgreSQL server for tests, from the programs of this machine, on a free port of the loopback interface.

It refuses to run as root, so as root it runs as the user `postgres`, or else `nobody`.
"""

import os
import pwd
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.servers.neo4j_launch import ServerError, free_port

PASSWORD = "only-for-tests"


def programs() -> Path | None:
    """Return the directory of `initdb` and `pg_ctl`, None if PostgreSQL is not installed."""
    found = shutil.which("initdb")
    if found and shutil.which("pg_ctl"):
        return Path(found).parent
    installed = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
    return installed[-1].parent if installed else None


@contextmanager
def server(folder: Path) -> Iterator[str]:
    """Start a server with its data in `folder`, which may be there, give its address (user `brain`), and stop it.

    Raises:
        ServerError: if PostgreSQL is not installed or does not start.
    """
    where = programs()
    if where is None:
        raise ServerError("PostgreSQL is not installed (Debian: apt-get install postgresql)")
    port, data = free_port(), folder / "data"
    secret = folder / "password"
    folder.mkdir(parents=True, exist_ok=True)
    secret.write_text(PASSWORD)
    owner = _owner()
    for path in (folder, secret):
        shutil.chown(path, owner) if owner else None
    if not data.exists():
        made = [str(where / "initdb"), "-D", str(data), "-U", "brain", "-A", "scram-sha-256"]
        _run([*made, f"--pwfile={secret}"], owner)
    start(folder, port)
    try:
        yield f"postgresql://brain:{PASSWORD}@127.0.0.1:{port}/postgres"
    finally:
        _run([*_control(where, folder), "-m", "immediate", "stop"], owner)


def start(folder: Path, port: int) -> None:
    """Start the server whose data is in `folder` already, also after it was killed.

    Raises:
        ServerError: if it does not start.
    """
    where = programs()
    if where is None:
        raise ServerError("PostgreSQL is not installed")
    options = f"-h 127.0.0.1 -p {port} -k '' -c fsync=off -c shared_buffers=16MB -c max_connections=60"
    _run([*_control(where, folder), "-l", str(folder / "log"), "-o", options, "start"], _owner())


def _control(where: Path, folder: Path) -> list[str]:
    return [str(where / "pg_ctl"), "-D", str(folder / "data"), "-w", "-t", "60"]


def _owner() -> str | None:
    if os.getuid() != 0:
        return None
    for name in ("postgres", "nobody"):
        try:
            return pwd.getpwnam(name).pw_name
        except KeyError:
            continue
    raise ServerError("PostgreSQL does not run as root, and there is no other user")


def _run(command: list[str], owner: str | None) -> None:
    done = subprocess.run(command, user=owner, cwd="/", capture_output=True, text=True, stdin=subprocess.DEVNULL)
    if done.returncode:
        raise ServerError(f"{Path(command[0]).name}: {(done.stderr or done.stdout)[-500:]}")
