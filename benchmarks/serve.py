"""Requests a second and latency of `brain serve` by operation and number of clients, against `Brain.search` directly.

    python benchmarks/serve.py [--messages 300] [--seconds 5] [--workers 2] [--minutes 0] [--only NAME] [--home FOLDER]

A home is filled with messages of one user and consolidated. The server is a real process on loopback; the clients are
threads of this one with a connection each, so that on few cores clients and server share them. In the same run, with
the same questions, `Brain.search` is called in this process: the difference of one client to it is what HTTP costs.
Also: seconds from the start of the process to its first answer and to loaded models, from POST to searchable, sent as
soon as the process listens (cold) and when all is loaded (warm), and the memory of the processes. `--minutes` then lets
one client ask each operation in turn for so long, and prints the memory of each minute; a home that is given is kept.
"""

import argparse
import json
import os
import ssl
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from itertools import count
from pathlib import Path
from typing import Any
from uuid import uuid4

import httpx
from serve_processes import memory, server_below

FIRST = datetime(2026, 1, 5, 10, tzinfo=UTC)
PEOPLE = ("Bob Smith", "Priya Nair", "Mei Tanaka", "Daniel Weber", "Carla Gomez", "Omar Haddad")
THINGS = ("table component", "navigation study", "booking page", "payment service", "harbour tour", "launch plan")
TEXT = "Note {n}: {person} maintains the {thing} since January, and the review of round {n} is on Friday."
CLIENTS = (1, 10, 50)
_TLS = ssl.create_default_context()  # made once: each client would read all certificates, before its first request
Send = Callable[[httpx.Client, int], httpx.Response]


def question(n: int) -> str:
    """Return a question; consecutive numbers give different ones."""
    return f"who maintains the {THINGS[n % 6]} in round {n % 97}?"


def operations() -> dict[str, Send]:
    """Return what is measured by its name."""
    return {
        "POST /api/search": lambda c, n: c.post("/api/search", json={"query": question(n), "k": 10}),
        "POST /api/memory/query": lambda c, n: c.post("/api/memory/query", json={"query": question(n)}),
        "POST /api/memory/context-pack": lambda c, n: c.post(
            "/api/memory/context-pack", json={"query": question(n), "max_tokens": 2000}
        ),
        "POST /api/knowledge/pipeline/retrieve": lambda c, n: c.post(
            "/api/knowledge/pipeline/retrieve", json={"query": question(n)}
        ),
        "POST /api/memory/facts/query-at-time": lambda c, n: c.post(
            "/api/memory/facts/query-at-time", json={"about": THINGS[n % 6], "at": "2026-01-08"}
        ),
        "POST /api/memory/audit": lambda c, n: c.post("/api/memory/audit", json={"about": THINGS[n % 6]}),
        "POST /api/evidence": lambda c, n: c.post(
            "/api/evidence", json={"claim": f"{PEOPLE[n % 6]} maintains the {THINGS[n // 6 % 6]}."}
        ),
        "GET /api/graph/entity": lambda c, n: c.get(f"/api/graph/entity/{PEOPLE[n % 6]}"),
        "GET /api/graph/neighborhood": lambda c, n: c.get("/api/graph/neighborhood", params={"key": PEOPLE[n % 6]}),
        "GET /api/graph/stats": lambda c, n: c.get("/api/graph/stats"),
        "GET /api/why": lambda c, n: c.get(f"/api/why/{PEOPLE[n % 6]}"),
        "GET /api/storylines": lambda c, n: c.get("/api/storylines"),
        "GET /api/knowledge/pipeline/retrieval-stats": lambda c, n: c.get("/api/knowledge/pipeline/retrieval-stats"),
        "GET /api/sources": lambda c, n: c.get("/api/sources", params={"limit": 20, "offset": n % 100}),
        "GET /api/ingestion": lambda c, n: c.get("/api/ingestion"),
        "POST /api/messages": lambda c, n: c.post("/api/messages", json={"content": f"Crate {uuid4()} is violet."}),
        "GET /health": lambda c, n: c.get("/health"),
    }


def fill(home: Path, messages: int) -> None:
    """Ingest the messages of the user "bench" and consolidate."""
    from brain_pipelines.ingest.files import ingest
    from brain_pipelines.knowledge.registry import SNAPSHOT_STAGES
    from brain_pipelines.knowledge.run_snapshot import run_stage
    from brain_retrieval.home import Home
    from brain_retrieval.settings import load_settings

    folder = home / "given"
    folder.mkdir(parents=True)
    for n in range(messages):
        value = {
            "type": "user_input",
            "content": TEXT.format(n=n, person=PEOPLE[n % 6], thing=THINGS[n // 6 % 6]),
            "timestamp": (FIRST + timedelta(minutes=17 * n)).isoformat(),
        }
        (folder / f"{n:06}.json").write_text(json.dumps(value))
    ingest(Home(home), user="bench", source="message", paths=[folder])
    space, settings = Home(home).space("bench"), load_settings(home)
    for stage in SNAPSHOT_STAGES:
        run_stage(stage, SNAPSHOT_STAGES, space, datetime.now(UTC).date().isoformat(), settings=settings)


@contextmanager
def listening(home: Path, workers: int | None = None) -> Iterator[tuple[str, float, Iterator[dict[str, Any]]]]:
    """Yield the address of a new process as soon as it listens, when it was started, and the lines of its log.

    Args:
        home: what it serves.
        workers: processes that read; None: as by default.
    """
    limits = {"BRAIN_SERVER__REQUESTS_PER_SECOND": "100000", "BRAIN_SERVER__BURST": "100000"}
    limits |= {} if workers is None else {"BRAIN_SERVER__WORKERS": str(workers)}
    command = [sys.executable, "-W", "ignore", "-m", "brain_pipelines.commands.entry", "serve", "--port", "0"]
    began = time.perf_counter()
    running = subprocess.Popen(
        [*command, "--home", str(home)], stderr=subprocess.PIPE, text=True, env={**os.environ, **limits}
    )
    assert running.stderr is not None
    lines = (json.loads(line) for line in running.stderr if line.startswith("{"))
    try:
        yield f"http://127.0.0.1:{next(one['port'] for one in lines if one['event'] == 'listening')}", began, lines
    finally:
        running.terminate()
        running.wait()


@contextmanager
def server(home: Path, workers: int | None = None) -> Iterator[tuple[str, float, float]]:
    """Yield the address of a process that has loaded all, and the seconds to its first answer and to its models."""
    with listening(home, workers) as (url, began, lines):
        httpx.get(f"{url}/health", timeout=60)
        first = time.perf_counter() - began
        awaited = {"models"} if workers == 0 else {"models", "readers"}  # in either order
        while awaited:
            awaited.discard(next(lines)["event"])
        ready = time.perf_counter() - began
        threading.Thread(target=lambda: [None for _ in lines], daemon=True).start()  # or its log would fill the pipe
        yield url, first, ready


@dataclass
class Load:
    """The seconds of every request that was answered, how many failed, and how long it all took."""

    times: list[float] = field(default_factory=list)
    errors: int = 0
    seconds: float = 0.0

    def row(self, name: str, clients: int) -> str:
        """Return one line of the table."""
        cuts = statistics.quantiles(self.times, n=20) if len(self.times) > 1 else (self.times or [0.0]) * 19
        p50, p95 = statistics.median(self.times or [0.0]) * 1000, cuts[18] * 1000
        return f"| {name} | {clients} | {len(self.times) / self.seconds:.1f} | {p50:.1f} | {p95:.1f} | {self.errors} |"


def load(url: str, key: str, send: Send, clients: int, seconds: float) -> Load:
    """Return what `clients` threads found that sent one request after another for some time.

    The time runs from when all clients are made until the last request that was begun within `seconds` is answered.
    """
    numbers, found, ready = count(), Load(), threading.Barrier(clients + 1)

    def ask() -> None:
        headers = {"Authorization": f"Bearer {key}"}
        with httpx.Client(base_url=url, headers=headers, timeout=600, verify=_TLS) as client:
            ready.wait()
            end = time.perf_counter() + seconds
            while (began := time.perf_counter()) < end:
                try:
                    send(client, next(numbers)).raise_for_status()
                    found.times.append(time.perf_counter() - began)
                except httpx.HTTPError:
                    found.errors += 1

    threads = [threading.Thread(target=ask) for _ in range(clients)]
    for one in threads:
        one.start()
    ready.wait()
    began = time.perf_counter()
    for one in threads:
        one.join()
    found.seconds = time.perf_counter() - began
    return found


def direct(home: Path, seconds: float) -> Load:
    """Return what `Brain.search` takes in this process."""
    from brain_retrieval import Brain

    found = Load()
    with Brain.open(home, user="bench") as brain:
        for n in range(20):
            brain.search(question(n))
        start = time.perf_counter()
        for n in count():
            if (began := time.perf_counter()) >= start + seconds:
                break
            brain.search(question(n), 10).to_json()
            found.times.append(time.perf_counter() - began)
        found.seconds = time.perf_counter() - start
    return found


def main() -> None:
    """Run the benchmark and print its tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--messages", type=int, default=300)
    parser.add_argument("--seconds", type=float, default=5.0)
    parser.add_argument("--workers", type=int, help="processes that read (default: one a core)")
    parser.add_argument("--minutes", type=float, default=0.0)
    parser.add_argument("--only", default="", help="only operations whose name has this in it")
    parser.add_argument("--home", type=Path, help="one that this has filled before; without it, one is made")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        home = given.home or Path(folder) / "home"
        os.environ["DAGSTER_HOME"] = str(home / "dagster")
        if not (home / "users").is_dir():
            fill(home, given.messages)
        run(home, given)


def run(home: Path, given: argparse.Namespace) -> None:
    """Measure a filled home."""
    from brain_pipelines.server.keys import Keys
    from brain_retrieval.home import Home

    seconds, workers = given.seconds, given.workers
    key, _ = Keys(Home(home)).create("bench", ("read", "write"))
    chosen = {name: send for name, send in operations().items() if given.only in name}
    with listening(home, workers) as (url, began, _):
        took = post(url, key, 0)
        since = time.perf_counter() - began
        print(f"POST to searchable, cold: {took:.2f} s, {since:.2f} s after the start of the process")
    with server(home, workers) as (url, first, ready):
        root = server_below(os.getpid())
        print(f"first answer {first:.2f} s after the start of the process, models loaded after {ready:.2f} s")
        posts = [post(url, key, n) for n in range(1, 12)]
        print(f"POST to searchable, warm: first {posts[0]:.2f} s, then median {statistics.median(posts[1:]):.2f} s")
        print(f"memory before: {memory(root)}\n")
        print("| operation | clients | a second | p50 ms | p95 ms | errors |\n|---|---|---|---|---|---|")
        print(direct(home, seconds).row("`Brain.search` in process", 1), flush=True)
        for name, send in chosen.items():
            for clients in CLIENTS:
                load(url, key, send, clients, min(0.5, seconds))  # so that every reader has opened the user's stores
                print(load(url, key, send, clients, seconds).row(name, clients), flush=True)
        print(direct(home, seconds).row("`Brain.search` in process, again", 1))
        print(f"\nmemory afterwards: {memory(root)}", flush=True)
        for minute in range(round(given.minutes)):
            found = load(url, key, in_turn, 1, 60)
            print(f"minute {minute + 1}: {len(found.times)} answers, {found.errors} errors; {memory(root)}", flush=True)


def in_turn(client: httpx.Client, n: int) -> httpx.Response:
    """Send the next of all operations."""
    each = list(operations().values())
    return each[n % len(each)](client, n)


def post(url: str, key: str, n: int) -> float:
    """Return the seconds from sending a message until a search finds it."""
    with httpx.Client(base_url=url, headers={"Authorization": f"Bearer {key}"}, timeout=120) as client:
        began = time.perf_counter()
        sent = client.post("/api/messages", json={"content": f"Crate number {n} of the archive is violet."}).json()
        hits = client.post("/api/search", json={"query": f"crate number {n}", "source_ids": [sent["source_id"]]}).json()
        assert hits["hits"]
        return time.perf_counter() - began


if __name__ == "__main__":
    main()
