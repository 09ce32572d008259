"""The real process: its first answer, clients that are too slow, and an upload during which it is killed."""

import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx

from brain_pipelines.server.keys import Keys
from brain_pipelines.server.uploads import FOLDER, sweep
from brain_retrieval.home import Home

LIMITS = {"LOAD_MODELS": "false", "WORKERS": "0", "HEADER_SECONDS": "3", "BODY_SECONDS": "3", "MIN_RATE": "100000"}


@contextmanager
def process(home: Path) -> Iterator[tuple[subprocess.Popen[str], int]]:
    """Yield a process of `brain serve` and its port."""
    environment = {**os.environ, **{f"BRAIN_SERVER__{name}": value for name, value in LIMITS.items()}}
    command = [sys.executable, "-W", "ignore", "-m", "brain_pipelines.commands.entry", "serve", "--port", "0"]
    running = subprocess.Popen(
        [*command, "--home", str(home)], stderr=subprocess.PIPE, text=True, env=environment | {"BRAIN_HOME": str(home)}
    )
    try:
        assert running.stderr is not None
        yield running, next(line["port"] for line in map(json.loads, running.stderr) if line["event"] == "listening")
    finally:
        running.kill()
        running.communicate()


def closed_after(connection: socket.socket) -> tuple[bytes, float]:
    """Return what comes until the server closes, and after how many seconds it does."""
    began, received = time.monotonic(), b""
    connection.settimeout(120)
    try:
        while piece := connection.recv(4096):
            received += piece
    except ConnectionResetError:
        pass
    return received, time.monotonic() - began


def test_slow_clients_and_a_killed_upload(tmp_path: Path) -> None:
    key, _ = Keys(Home(tmp_path)).create("alice", ("read", "write"))
    with process(tmp_path) as (running, port):
        assert httpx.get(f"http://127.0.0.1:{port}/health", timeout=120).json()["status"] in ("starting", "ok")
        silent, slow = (socket.create_connection(("127.0.0.1", port)) for _ in range(2))
        slow.sendall(b"GET /health HTTP/1.1\r\nHost: localhost\r\nX-")  # and never the rest
        assert closed_after(silent)[1] < 100 and closed_after(slow)[0] == b""
        idle = [socket.create_connection(("127.0.0.1", port)) for _ in range(100)]  # opened and left
        head = (
            f"POST /api/sources?name=a.txt&source=note HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {key}\r\n"
        )
        stuck = socket.create_connection(("127.0.0.1", port))
        stuck.sendall(f"{head}Content-Length: 1000\r\n\r\nabc".encode())
        assert b" 408 " in closed_after(stuck)[0]
        assert httpx.get(f"http://127.0.0.1:{port}/health", timeout=120).status_code == 200

        upload = socket.create_connection(("127.0.0.1", port))
        upload.sendall(f"{head}Content-Length: 50000000\r\n\r\n".encode() + b"x" * 3_000_000)
        drafts = tmp_path / "inbox" / "alice" / FOLDER
        deadline = time.monotonic() + 120
        while not any(path.stat().st_size for path in drafts.glob("*/a.txt")):
            assert time.monotonic() < deadline
            upload.sendall(b"x" * 100_000)
            time.sleep(0.02)
        running.kill()
        running.wait()
        for one in (*idle, upload):
            one.close()
    assert len(list(drafts.glob("*/a.txt"))) == 1 and not (tmp_path / "inbox" / "alice" / "note").exists()
    assert sweep(Home(tmp_path)) == 1 and list(drafts.iterdir()) == []
    assert not (tmp_path / "users" / "alice" / "raw").exists() or not list((tmp_path / "users").rglob("blobs/??/*"))
