"""Requests a second and latency of `brain serve` by operation and number of clients, against `Brain.search` directly.

    python benchmarks/serve.py [--messages 300] [--seconds 5] [--workers 2]

A home is filled with messages of one user and consolidated. The server is a real process on loopback; the clients are
threads of this one with a connection each, so that on few cores clients and server share them. In the same run, with
the same questions, `Brain.search` is called in this process: the difference of one client to it is what HTTP costs.
Also: seconds from the start of the process to its first answer and to loaded models, and from POST to searchable.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from itertools import count
from pathlib import Path

import httpx

FIRST = datetime(2026, 1, 5, 10, tzinfo=UTC)
PEOPLE = ("Bob Smith", "Priya Nair", "Mei Tanaka", "Daniel Weber", "Carla Gomez", "Omar Haddad")
THINGS = ("table component", "navigation study", "booking page", "payment service", "harbour tour", "launch plan")
TEXT = "Note {n}: {person} maintains the {thing} since January, and the review of round {n} is on Friday."
CLIENTS = (1, 10, 50)
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
        "GET /api/graph/neighborhood": lambda c, n: c.get("/api/graph/neighborhood", params={"key": PEOPLE[n % 6]}),
        "GET /api/sources": lambda c, n: c.get("/api/sources", params={"limit": 20, "offset": n % 100}),
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
def server(home: Path, workers: int | None = None) -> Iterator[tuple[str, float, float]]:
    """Yield the address of a new process, and the seconds to its first answer and to loaded models.

    Args:
        home: what it serves.
        workers: processes that read; None: as by default. They are loaded when it yields.
    """
    limits = {"BRAIN_SERVER__REQUESTS_PER_SECOND": "100000", "BRAIN_SERVER__BURST": "100000"}
    limits |= {} if workers is None else {"BRAIN_SERVER__WORKERS": str(workers)}
    command = [sys.executable, "-W", "ignore", "-m", "brain_pipelines.commands.app", "serve", "--port", "0"]
    began = time.perf_counter()
    running = subprocess.Popen(
        [*command, "--home", str(home)], stderr=subprocess.PIPE, text=True, env={**os.environ, **limits}
    )
    assert running.stderr is not None
    log = running.stderr
    lines = (json.loads(line) for line in log if line.startswith("{"))
    url = f"http://127.0.0.1:{next(line['port'] for line in lines if line['event'] == 'listening')}"
    httpx.get(f"{url}/health", timeout=60)
    first = time.perf_counter() - began
    next(line for line in lines if line["event"] == "models")
    ready = time.perf_counter() - began
    if workers != 0:
        next(line for line in lines if line["event"] == "readers")
    threading.Thread(target=lambda: [None for _ in log], daemon=True).start()  # or its log would fill the pipe
    try:
        yield url, first, ready
    finally:
        running.terminate()
        running.wait()


def load(url: str, key: str, send: Send, clients: int, seconds: float) -> list[float]:
    """Return the seconds of every request that `clients` threads sent one after another for some time."""
    numbers, found, end = count(), list[float](), time.perf_counter() + seconds

    def ask() -> None:
        headers = {"Authorization": f"Bearer {key}"}
        with httpx.Client(base_url=url, headers=headers, timeout=120) as client:
            while (began := time.perf_counter()) < end:
                send(client, next(numbers)).raise_for_status()
                found.append(time.perf_counter() - began)

    threads = [threading.Thread(target=ask) for _ in range(clients)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    return found


def direct(home: Path, seconds: float) -> list[float]:
    """Return the seconds of each `Brain.search` in this process."""
    from brain_retrieval import Brain

    found = []
    with Brain.open(home, user="bench") as brain:
        for n in range(20):
            brain.search(question(n))
        end = time.perf_counter() + seconds
        for n in count():
            if (began := time.perf_counter()) >= end:
                return found
            brain.search(question(n), 10).to_json()
            found.append(time.perf_counter() - began)
    return found


def row(name: str, clients: int, found: list[float], seconds: float) -> str:
    """Return one line of the table."""
    cuts = statistics.quantiles(found, n=20) if len(found) > 1 else found * 20
    p50, p95 = statistics.median(found) * 1000, cuts[18] * 1000
    return f"| {name} | {clients} | {len(found) / seconds:.0f} | {p50:.1f} | {p95:.1f} |"


def main() -> None:
    """Run the benchmark and print its tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--messages", type=int, default=300)
    parser.add_argument("--seconds", type=float, default=5.0)
    parser.add_argument("--workers", type=int, help="processes that read (default: one a core)")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder) / "home"
        os.environ["DAGSTER_HOME"] = str(home / "dagster")
        fill(home, given.messages)
        run(home, given.seconds, given.workers)


def run(home: Path, seconds: float, workers: int | None) -> None:
    """Measure a filled home."""
    from brain_pipelines.server.keys import Keys
    from brain_retrieval.home import Home

    key, _ = Keys(Home(home)).create("bench", ("read", "write"))
    with server(home, workers) as (url, first, ready):
        print(f"first answer {first:.2f} s after the start of the process, models loaded after {ready:.2f} s")
        posts = [post(url, key, n) for n in range(11)]
        print(f"POST to searchable: first {posts[0]:.2f} s, then median {statistics.median(posts[1:]):.2f} s")
        print("| operation | clients | a second | p50 ms | p95 ms |\n|---|---|---|---|---|")
        print(row("`Brain.search` in process", 1, direct(home, seconds), seconds), flush=True)
        for name, send in operations().items():
            for clients in CLIENTS:
                load(url, key, send, clients, 0.5)
                print(row(name, clients, load(url, key, send, clients, seconds), seconds), flush=True)
        print(row("`Brain.search` in process, again", 1, direct(home, seconds), seconds))


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
