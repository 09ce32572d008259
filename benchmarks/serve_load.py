"""What `brain serve` does under load: many readers at once, while files come in, and beside a client that floods it.

    python benchmarks/serve_load.py [--messages 300] [--seconds 20] [--workers 2] [--minutes 0] [--home FOLDER]

Closed: N clients that each send the next question when the last is answered; this finds the capacity. Open: questions
at random times (a Poisson process with a fixed seed) at a part of that capacity, over 50 connections, timed from the
moment each was due, so that a server which falls behind is not spared. "Messages": the same while another client
stores messages of the same user, a second after each answer or without pause. "Flood": one user asks one question
after another, while another user's 50 clients ask as fast as they can. Every question is a search with 10 hits; the
CPU time is that of all processes of the server.
`--minutes` then asks at half of the capacity for so long, and prints the memory of the processes.
"""

import argparse
import http.client
import json
import os
import queue
import random
import socket
import statistics
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from urllib.parse import urlsplit

from serve import fill, question, server
from serve_processes import cpu_seconds, memory, server_below

READERS = 50
IDLE_SECONDS = 3.0  # after which a connection is opened again: the server closes idle ones after 5
_numbers = count()


@dataclass
class Found:
    """Milliseconds of each answer, and what went wrong."""

    times: list[float] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)

    def row(self, name: str, seconds: float, cpu: float, alone: float) -> str:
        """Return one line of the table; `alone` is the p95 of one client."""
        cuts = statistics.quantiles(self.times, n=20) if len(self.times) > 1 else [0.0] * 19
        p50, p95, done = statistics.median(self.times or [0.0]), cuts[18], max(1, len(self.times))
        ratio = f"{p95 / alone:.1f}" if alone else "1.0"
        rate = f"{len(self.times) / seconds:.0f} | {p50:.0f} | {p95:.0f} | {ratio}"
        return f"| {name} | {rate} | {len(self.errors)} | {cpu / done * 1000:.0f} |"


class Client:
    """One connection with a key."""

    def __init__(self, url: str, key: str) -> None:
        parts = urlsplit(url)
        self._connection = http.client.HTTPConnection(parts.hostname or "", parts.port, timeout=120)
        self._used = time.monotonic()
        self._headers = {"Authorization": f"Bearer {key}", "Content-Type": "application/json"}

    def send(self, path: str, value: object, found: Found, since: float) -> None:
        """Send a body and note the time since `since`."""
        if time.monotonic() - self._used > IDLE_SECONDS:
            self._connection.close()
        try:
            self._connection.request("POST", path, json.dumps(value), self._headers)
            answer = self._connection.getresponse()
            answer.read()
            self._used = time.monotonic()
        except OSError as error:
            found.errors.append(type(error).__name__)
            self._connection.close()
            return
        if answer.status >= 400:
            found.errors.append(str(answer.status))
        else:
            found.times.append((time.perf_counter() - since) * 1000)

    def ask(self, found: Found, since: float | None = None) -> None:
        """Search for the next question."""
        began = time.perf_counter() if since is None else since
        self.send("/api/search", {"query": question(next(_numbers)), "k": 10}, found, began)


def together(run: Callable[[], None], many: int) -> None:
    """Run a function in so many threads at once."""
    threads = [threading.Thread(target=run) for _ in range(many)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()


def closed(url: str, key: str, clients: int, seconds: float) -> Found:
    """Return what clients found that ask one question after another."""
    found, end = Found(), time.perf_counter() + seconds

    def run() -> None:
        client = Client(url, key)
        while time.perf_counter() < end:
            client.ask(found)

    together(run, clients)
    return found


def at_rate(url: str, key: str, rate: float, seconds: float) -> Found:
    """Return what is found when so many questions a second are due at random times."""
    due, found, drawn = queue.SimpleQueue[float | None](), Found(), random.Random(1)

    def run() -> None:
        client = Client(url, key)
        while (moment := due.get()) is not None:
            client.ask(found, moment)

    def arrive() -> None:
        moment = time.perf_counter()
        end = moment + seconds
        while (moment := moment + drawn.expovariate(rate)) < end:
            time.sleep(max(0.0, moment - time.perf_counter()))
            due.put(moment)
        for _ in range(READERS):
            due.put(None)

    threading.Thread(target=arrive).start()
    together(run, READERS)
    return found


@contextmanager
def beside(run: Callable[[threading.Event], None], many: int = 1) -> Iterator[None]:
    """Run a function in threads until the block ends."""
    stop = threading.Event()
    threads = [threading.Thread(target=run, args=(stop,)) for _ in range(many)]
    for one in threads:
        one.start()
    try:
        yield
    finally:
        stop.set()
        for one in threads:
            one.join()


def measure(url: str, keys: dict[str, str], root: int, seconds: float) -> tuple[float, float]:
    """Print the table; return the capacity, requests a second, and the p95 of one client."""
    alone = 0.0

    def line(name: str, run: Callable[[], Found]) -> Found:
        before, began = cpu_seconds(root), time.perf_counter()
        found = run()
        took = time.perf_counter() - began
        print(found.row(name, took, cpu_seconds(root) - before, alone), flush=True)
        return found

    @contextmanager
    def writing(pause: float) -> Iterator[None]:
        own, began = Found(), cpu_seconds(root)

        def write(stop: threading.Event) -> None:
            client = Client(url, keys["bench"])
            while not stop.is_set():
                text = f"Crate {next(_numbers)} of the archive is violet."
                client.send("/api/messages", {"content": text}, own, time.perf_counter())
                stop.wait(pause)

        with beside(write):
            yield
        took = f"{statistics.median(own.times or [0.0]):.0f} ms each" if own.times else "none answered"
        cpu = (cpu_seconds(root) - began) / max(1, len(own.times))
        print(f"  (meanwhile {len(own.times)} messages were stored, {took}, {len(own.errors)} errors, {cpu:.2f} CPU s)")

    def flood(stop: threading.Event) -> None:
        client, own = Client(url, keys["bench"]), Found()
        while not stop.is_set():
            client.ask(own)

    print("| load | a second | p50 ms | p95 ms | p95 / one client's | errors | CPU ms |\n|---|---|---|---|---|---|---|")
    key, other = keys["bench"], keys["other"]
    one = line("1 client", lambda: closed(url, key, 1, seconds))
    alone = statistics.quantiles(one.times, n=20)[18]
    line("10 clients", lambda: closed(url, key, 10, seconds))
    most = line(f"{READERS} clients", lambda: closed(url, key, READERS, seconds))
    capacity = len(most.times) / seconds
    for part in (0.5, 0.8):
        line(f"open, {part:.0%} of capacity", lambda: at_rate(url, key, part * capacity, seconds))  # noqa: B023
    for pause, name in ((1.0, "a message a second"), (0.0, "messages without pause")):
        with writing(pause):
            line(f"1 client, {name}", lambda: closed(url, key, 1, seconds))
        for part in (0.25, 0.5):
            with writing(pause):
                line(f"open, {part:.0%}, {name}", lambda: at_rate(url, key, part * capacity, seconds))  # noqa: B023
        with writing(pause):
            line(f"{READERS} clients, {name}", lambda: closed(url, key, READERS, seconds))
    one = line("1 client of another user", lambda: closed(url, other, 1, seconds))
    alone = statistics.quantiles(one.times, n=20)[18]
    with beside(flood, READERS):
        line("the same beside a flood", lambda: closed(url, other, 1, seconds))
    return capacity, alone


def main() -> None:
    """Run the benchmark and print its tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--messages", type=int, default=300)
    parser.add_argument("--seconds", type=float, default=20.0)
    parser.add_argument("--workers", type=int, help="processes that read (default: one a core)")
    parser.add_argument("--minutes", type=float, default=0.0)
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
    from brain_pipelines.ingest.files import ingest
    from brain_pipelines.server.keys import Keys
    from brain_retrieval.home import Home

    ingest(Home(home), user="other", source="message", paths=sorted((home / "given").iterdir())[:100])
    keys = {user: Keys(Home(home)).create(user, ("read", "write"))[0] for user in ("bench", "other")}
    with server(home, given.workers) as (url, _, _):
        root = server_below(os.getpid())
        print(f"loaded: {memory(root)}")
        capacity, _ = measure(url, keys, root, given.seconds)
        print(f"afterwards: {memory(root)}")
        address = (urlsplit(url).hostname or "", urlsplit(url).port or 0)
        left = [socket.create_connection(address) for _ in range(500)]
        print(f"500 connections opened and left: {len(closed(url, keys['bench'], 1, 5).errors)} errors")
        for one in left:
            one.close()
        for minute in range(round(given.minutes)):
            found = at_rate(url, keys["bench"], 0.5 * capacity, 60)
            p95 = statistics.quantiles(found.times, n=20)[18]
            texts = f"{len(found.times)} answers, {len(found.errors)} errors, p95 {p95:.0f} ms"
            print(f"minute {minute + 1}: {texts}; {memory(root)}", flush=True)


if __name__ == "__main__":
    main()
