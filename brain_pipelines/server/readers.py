"""Processes that read, beside the one that takes requests: Python runs one thread at a time in each.

Only this process has the port, the keys, the rates, the sessions and the writer, so that a key revoked, a limit or a
session holds for all of them at once. A reader answers one job at a time.
"""

import multiprocessing
import os
import threading
from collections import deque
from multiprocessing.process import BaseProcess
from typing import Any

import anyio.to_thread
from anyio import CapacityLimiter

from brain_pipelines.server.line import RETRY_SECONDS, Asker, Line
from brain_pipelines.server.log import log
from brain_pipelines.server.problems import problem
from brain_pipelines.server.reading import READY, Answered, Job, Task, as_json, read_jobs
from brain_retrieval.home import Home
from brain_retrieval.settings import Settings

MOST_READERS = 8  # by default: each holds the model and the libraries of the stores
END_SECONDS = 5.0
_LOST = as_json(problem(503, "the process that read this has ended"))
SPAWN = multiprocessing.get_context("spawn")  # a fork would copy locks that threads of this process hold


class ReaderLostError(Exception):
    """The process of a reader has ended, or does not begin."""


class Reader:
    """One process. `users` are those whose stores it may have open."""

    def __init__(self, home: Home, settings: Settings, number: int) -> None:
        self.users: set[str] = set()
        self._mine, theirs = SPAWN.Pipe()
        self._process: BaseProcess = SPAWN.Process(
            target=read_jobs, args=(theirs, home, settings), name=f"reader-{number}", daemon=True
        )
        self._process.start()
        theirs.close()  # or the end of the process would not close the pipe

    @property
    def pid(self) -> int | None:
        """Its process id."""
        return self._process.pid

    @property
    def ended(self) -> bool:
        """Whether its process has ended."""
        return not self._process.is_alive()

    def wait(self) -> None:
        """Wait until it has loaded.

        Raises:
            ReaderLostError: if it has ended.
        """
        if self._receive() != READY:
            raise ReaderLostError

    def ask(self, job: Job | Task) -> Answered:
        """Return its answer to a job. Blocking; one call at a time.

        Raises:
            ReaderLostError: if it has ended.
        """
        self.users.add(job.user)
        try:
            self._mine.send(job)
        except OSError:
            raise ReaderLostError from None
        return self._receive()

    def end(self) -> None:
        """Close its pipe and wait for its end."""
        self._mine.close()
        self._process.join(END_SECONDS)
        if self._process.is_alive():
            self._process.terminate()

    def _receive(self) -> Any:
        try:
            return self._mine.recv()
        except (EOFError, OSError):
            raise ReaderLostError from None


class Readers:
    """The readers of a server: none until they have loaded; until then, requests are read in threads."""

    def __init__(self, home: Home, settings: Settings) -> None:
        self._home, self._settings, limits = home, settings, settings.server
        self.wanted = readers_of(settings)
        self._idle: deque[Reader] = deque()
        self._all: set[Reader] = set()
        self._lock = threading.Lock()
        self._stopped = False
        self._limiter = CapacityLimiter(max(1, self.wanted))
        self._line = Line(slots=max(1, self.wanted), most=limits.waiting, most_each=limits.waiting_of_key)

    @property
    def ready(self) -> int:
        """How many have loaded."""
        return len(self._all)

    def __len__(self) -> int:
        """Return how many requests they read or have waiting."""
        return len(self._line)

    def start(self) -> None:
        """Begin to start them, one after another, in a thread."""
        if self.wanted:
            threading.Thread(target=self._start_all, name="readers", daemon=True).start()

    def stop(self) -> None:
        """End them."""
        with self._lock:
            self._stopped = True
            everyone, self._all = list(self._all), set()
            self._idle.clear()
        for one in everyone:
            one.end()

    async def read(self, asker: Asker, job: Job | Task) -> Answered | None:
        """Return the answer to a job when it is its turn; None if no reader is left to ask.

        A job whose reader ends is asked once more of another: a read changes nothing but the record of what was shown.

        Raises:
            ProblemError: 503 if too many wait.
        """
        async with self._line.turn(asker):
            for _ in range(2):
                reader = self._take(job.user)
                if reader is None:
                    return None
                try:
                    found = await anyio.to_thread.run_sync(reader.ask, job, limiter=self._limiter)
                except ReaderLostError:
                    self._replace(reader)
                    continue
                except BaseException:  # cancelled: the reader may still send an answer, which the next job would get
                    self._replace(reader)
                    raise
                self._give_back(reader)
                return found
        return Answered(503, _LOST, {"Retry-After": RETRY_SECONDS})  # not here: it would end this process too

    def _take(self, user: str) -> Reader | None:
        """Return an idle reader, if possible one that has the user's stores open."""
        with self._lock:
            ended = [one for one in self._idle if one.ended]
            for one in ended:
                self._idle.remove(one)
            chosen = next((one for one in self._idle if user in one.users), self._idle[0] if self._idle else None)
            if chosen is not None:
                self._idle.remove(chosen)
        for one in ended:
            self._replace(one)
        return chosen

    def _give_back(self, reader: Reader) -> None:
        with self._lock:
            if not self._stopped:
                self._idle.append(reader)

    def _start_all(self) -> None:
        for number in range(self.wanted):
            self._start(number)
        log("readers", count=self.ready)

    def _start(self, number: int) -> None:
        if self._stopped:
            return
        reader = Reader(self._home, self._settings, number)
        try:
            reader.wait()
        except ReaderLostError:
            log("reader lost", pid=reader.pid, starting=True)
            reader.end()
            return
        with self._lock:
            late = self._stopped
            if not late:
                self._all.add(reader)
                self._idle.append(reader)
        if late:
            reader.end()

    def _replace(self, reader: Reader) -> None:
        """Take out a reader that has ended, and start another in a thread."""
        log("reader lost", pid=reader.pid, starting=False)
        with self._lock:
            self._all.discard(reader)
        threading.Thread(target=reader.end, daemon=True).start()
        threading.Thread(target=self._start, args=(0,), name="readers", daemon=True).start()


def readers_of(settings: Settings) -> int:
    """Return how many processes read: as the settings say, or one for each core if there are several.

    None by default with a remote embedding model: threads wait for it beside each other, at no cost.
    """
    if settings.server.workers is not None:
        return settings.server.workers
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return min(cores, MOST_READERS) if cores > 1 and settings.embedding.provider == "onnx" else 0
