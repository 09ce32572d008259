"""The load of the kill storm: clients that send everything until it is acknowledged."""

import json
import os
import random
import threading
import time
import urllib.error
import urllib.request
from collections import Counter
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

from benchmarks.kill_storm_check import Journal
from benchmarks.kill_storm_processes import USERS, Processes

START = datetime(2026, 1, 5, 9, tzinfo=UTC)
DAYS = 12  # that the material is spread over
TEXT = "{who} leads project Phoenix {group}. The door code of house number {number} is {code}."
PEOPLE = ("Priya Raman", "Bob Lee", "Mei Tanaka")


class Load:
    """Clients in threads, until `stop`; what is not acknowledged is sent again."""

    def __init__(self, processes: Processes, journal: Journal, seed: int) -> None:
        self.processes, self.journal = processes, journal
        self.done: Counter[str] = Counter()
        self.again: Counter[str] = Counter()
        self._chance = random.Random(seed + len(journal))
        self._lock, self._ending = threading.Lock(), threading.Event()
        self._number = journal.begin_numbers()
        loops: Sequence[tuple[Callable[[str, int, str], None], float]] = (
            (self._post, 1.5), (self._drop, 4.0), (self._message, 2.0), (self._ingest, 4.0), (self._nightly, 6.0),
        )  # fmt: skip
        self._threads = [threading.Thread(target=self._loop, args=one, daemon=True) for one in loops]

    def start(self) -> None:
        """Start the clients."""
        for thread in self._threads:
            thread.start()

    def stop(self) -> None:
        """Let each client finish what it is sending."""
        self._ending.set()
        for thread in self._threads:
            while thread.is_alive():
                self.processes.revive()
                thread.join(1)

    def _loop(self, send: Callable[[str, int, str], None], pause: float) -> None:
        while not self._ending.wait(self._chance.uniform(0, pause)):
            with self._lock:
                self._number += 1
                number = self._number
            user, who = USERS[number % 2], PEOPLE[number % 3]
            text = TEXT.format(who=who, group=number % 5, number=number, code=7000 + number)
            send(user, number, text)
            self.done[send.__name__.strip("_")] += 1

    def _until(self, kind: str, attempt: Callable[[], int]) -> None:
        """Repeat an attempt until its code is 0; count the others by their code, -9 where it was killed."""
        while code := attempt():
            self.again[f"{kind} {code}"] += 1
            time.sleep(0.3)

    def _post(self, user: str, number: int, text: str) -> None:
        body = {"content": text, "at": _time(number).isoformat()}
        headers = {"Authorization": f"Bearer {self.processes.keys[user]}", "Content-Type": "application/json"}
        request = urllib.request.Request(
            f"http://127.0.0.1:{self.processes.port}/api/messages",
            json.dumps(body).encode(),
            headers | {"Idempotency-Key": f"storm-{number}"},
        )

        def post() -> int:
            try:
                with urllib.request.urlopen(request, timeout=120) as answer:
                    return 0 if answer.status == 200 else answer.status
            except urllib.error.HTTPError as error:
                return error.code
            except OSError:
                return -9  # it is down

        self._until("post", post)
        self.journal.acknowledge(user, str(number), text)

    def _drop(self, user: str, number: int, text: str) -> None:
        name = f"{number // 12}-{number % 2}.md"  # some files are written over by a later version
        text += " It was painted blue." * (number % 4)
        folder = self.processes.home.inbox / user / "note"
        folder.mkdir(parents=True, exist_ok=True)
        new = folder.parent / f".{name}.new"
        new.write_text(text)
        _date(new, number // 12)
        new.replace(folder / name)
        self.journal.acknowledge(user, f"note/{name}", text)

    def _message(self, user: str, number: int, text: str) -> None:
        self._command("message", ["message", text, "--user", user, "--at", _time(number).isoformat()])
        self.journal.acknowledge(user, str(number), text)

    def _ingest(self, user: str, number: int, text: str) -> None:
        file = self.processes.folder / "files" / f"storm-{number}.txt"
        file.parent.mkdir(exist_ok=True)
        file.write_text(text)
        _date(file, number)
        self._command("ingest", ["ingest", str(file), "--user", user, "--source", "note"])
        self.journal.acknowledge(user, str(number), text)

    def _nightly(self, user: str, number: int, text: str) -> None:
        del number, text
        self._command("nightly", ["nightly", "--user", user, "--day", datetime.now(UTC).date().isoformat()])

    def _command(self, kind: str, arguments: list[str]) -> None:
        self._until(kind, lambda: self.processes.command(arguments))


def _time(number: int) -> datetime:
    return START + timedelta(days=number % DAYS, seconds=number)


def _date(file: Path, number: int) -> None:
    at = _time(number).timestamp()
    os.utime(file, (at, at))
