"""The process that writes, beside those that read: messages, texts, notes, stages of uploads, trust and forgetting.

It has a lower priority than the readers, so that questions are answered at once while files come in; with nothing to
read it has the cores to itself. Without readers, everything is written by threads of the server's own process.
"""

import itertools
import os
import pickle
import signal
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing.connection import Connection
from typing import TYPE_CHECKING, Any

from starlette.exceptions import HTTPException

from brain_pipelines.server.line import RETRY_SECONDS
from brain_pipelines.server.log import flush, log, log_failure
from brain_pipelines.server.problems import ProblemError, of_brain
from brain_pipelines.server.readers import SPAWN, readers_of
from brain_retrieval.errors import BrainError
from brain_retrieval.home import Home, Space
from brain_retrieval.settings import Settings

if TYPE_CHECKING:
    from brain_pipelines.landing.run_planning import SpanRequest

NICE = 5  # of 19: a third of what a reader gets that is never idle
END_SECONDS = 20.0  # for what still runs when the server stops


@dataclass(frozen=True)
class Place:
    """Where a function writes, its first argument: a home, as the user that the key names."""

    home: Home
    settings: Settings
    user: str
    reports: "Reports"

    @property
    def space(self) -> Space:
        """The paths of the user."""
        return self.home.space(self.user)


@dataclass(frozen=True)
class Write:
    """A function of a module that writes, the user, and its arguments; they and what it returns can be pickled."""

    user: str
    call: Callable[..., Any]
    arguments: tuple[Any, ...] = ()
    request_id: str = ""
    at_once: bool = False  # it takes no time, and does not wait for a thread
    aside: bool = False  # it waits for other machines, in a thread of its own

    def __post_init__(self) -> None:
        if "<" in getattr(self.call, "__qualname__", "<"):  # also where no process needs it, or only some would fail
            raise TypeError(f"{self.call!r} is no function of a module, so another process cannot call it")


@dataclass(frozen=True)
class Outcome:
    """What a function has returned or raised."""

    value: Any = None
    error: Exception | None = None

    def get(self) -> Any:
        """Return what it has returned, or raise what it has raised."""
        if self.error is not None:
            raise self.error
        return self.value


class Reports:
    """Shows finished days in Dagster, one after another: its store takes longer than a message itself."""

    def __init__(self, home: Home) -> None:
        self._home = home
        self._thread = ThreadPoolExecutor(1, "reports")

    def add(self, user: str, done: "Sequence[SpanRequest]") -> None:
        """Enter the days of a user that were computed."""
        if done:
            self._thread.submit(self._show, user, list(done))

    def stop(self) -> None:
        """Wait until all are shown."""
        self._thread.shutdown()

    def _show(self, user: str, done: "list[SpanRequest]") -> None:
        from brain_pipelines.ingest.dagster_events import report_requests

        try:
            report_requests(self._home.existing_space(user), done)
        except Exception as error:  # for display only: the ledger is what counts
            log_failure({}, error)


class Writer:
    """Runs functions that write, in one process of its own if there are readers. Thread-safe."""

    def __init__(self, home: Home, settings: Settings) -> None:
        self._home, self._settings = home, settings
        self.apart = readers_of(settings) > 0
        self._reports = Reports(home)
        self._process: _Process | None = None
        self._lock = threading.Lock()
        self._stopped = False

    def run(self, job: Write) -> Any:
        """Return what a function returns; blocking. The process is started by the first one.

        Raises:
            ProblemError: 503 if the process ends meanwhile: it may be done or not. What the function raises, too.
        """
        if not self.apart:
            return job.call(Place(self._home, self._settings, job.user, self._reports), *job.arguments)
        return self._running().ask(job).result().get()

    def running(self) -> bool:
        """Return whether there is a process that writes."""
        return self._process is not None and not self._process.ended

    def stop(self) -> None:
        """Let what runs end, and end the process."""
        with self._lock:
            self._stopped, process = True, self._process
        if process is not None:
            process.end()
        self._reports.stop()

    def _running(self) -> "_Process":
        with self._lock:
            if self._stopped:
                raise _lost()
            if self._process is None or self._process.ended:
                self._process = _Process(self._home, self._settings)
            return self._process


class _Process:
    """One process and the jobs that it has."""

    def __init__(self, home: Home, settings: Settings) -> None:
        self._mine, theirs = SPAWN.Pipe()
        self._process = SPAWN.Process(target=write_jobs, args=(theirs, home, settings), name="writer", daemon=True)
        self._process.start()
        theirs.close()  # or the end of the process would not close the pipe
        self._numbers = itertools.count()
        self._waiting: dict[int, Future[Outcome]] = {}
        self._lock = threading.Lock()
        self.ended = False
        threading.Thread(target=self._receive, name="writer", daemon=True).start()

    def ask(self, job: Write) -> "Future[Outcome]":
        """Send a job."""
        answer = Future[Outcome]()
        with self._lock:
            if self.ended:
                answer.set_result(Outcome(error=_lost()))
                return answer
            number = next(self._numbers)
            self._waiting[number] = answer
            with suppress(OSError):  # it has ended: the thread that receives finds out, and says so
                self._mine.send((number, job))
        return answer

    def end(self) -> None:
        """Have it end when it has done its jobs."""
        with self._lock, suppress(OSError):
            self._mine.send(None)
        self._process.join(END_SECONDS)
        if self._process.is_alive():
            self._process.terminate()

    def _receive(self) -> None:
        try:
            while True:
                number, done = self._mine.recv()
                with self._lock:
                    answer = self._waiting.pop(number)
                answer.set_result(done)
        except (EOFError, OSError):
            pass
        except Exception as error:  # an answer that cannot be read: nothing after it could be
            log_failure({}, error)
            self._process.terminate()
        with self._lock:
            self.ended, lost = True, list(self._waiting.values())
            self._waiting.clear()
        if lost:
            log("writer lost", pid=self._process.pid, jobs=len(lost))
        for answer in lost:
            answer.set_result(Outcome(error=_lost()))
        self._mine.close()


def write_jobs(jobs: Connection, home: Home, settings: Settings) -> None:
    """Run jobs until the server says so; if it was killed, end at once. The function that the process runs."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C ends the server, which then says so
    os.nice(NICE)
    reports, sending = Reports(home), threading.Lock()
    threads = ThreadPoolExecutor(settings.server.write_threads + 2, "writes")  # and an upload, and loading

    def run(number: int, job: Write) -> None:
        done = carried_out(job, Place(home, settings, job.user, reports))
        with sending, suppress(OSError):  # the server has ended
            try:
                jobs.send((number, done))
            except OSError:
                raise
            except Exception as error:  # what it returned cannot be pickled: without an answer its request would wait
                jobs.send((number, _unexpected(job, error)))

    try:
        while (given := jobs.recv()) is not None:
            number, job = given
            if job.at_once:
                run(number, job)
            elif job.aside:
                threading.Thread(target=run, args=(number, job), name="aside", daemon=True).start()
            else:
                threads.submit(run, number, job)
    except (EOFError, OSError):  # the server was killed: it would be wrong to compute an upload for minutes after it
        flush()
        os._exit(1)
    threads.shutdown()
    reports.stop()
    flush()


def carried_out(job: Write, place: Place) -> Outcome:
    """Return what a job's function returns or raises; an error that is not expected is logged here."""
    try:
        return attempted(job.call, place, *job.arguments)
    except Exception as error:
        return _unexpected(job, error)


def attempted(call: Callable[..., Any], *arguments: Any) -> Outcome:
    """Return what a function returns, or an error that it raises for who asked; other errors are raised."""
    try:
        return Outcome(call(*arguments))
    except (HTTPException, BrainError) as error:
        return Outcome(error=_sendable(error))


def _unexpected(job: Write, error: Exception) -> Outcome:
    log_failure({"state": {"request_id": job.request_id}}, error)
    return Outcome(error=ProblemError(500, "an unexpected error; the log of the server names its place"))


def _sendable(error: Exception) -> Exception:
    """Return an error that another process can read."""
    with suppress(Exception):  # a class may take other arguments than its text
        if str(pickle.loads(pickle.dumps(error))) == str(error):  # noqa: S301 - of this process
            return error
    found = of_brain(error) if isinstance(error, BrainError) else {"status": 500, "detail": str(error)}
    return ProblemError(found["status"], found["detail"])


def _lost() -> ProblemError:
    return ProblemError(503, "the process that writes has ended; send it again", headers={"Retry-After": RETRY_SECONDS})
