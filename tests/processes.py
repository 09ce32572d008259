"""Runs the collected tests in several processes: `python -m pytest --processes 3`.

The processes are forked after the tests are collected, so that what was imported is imported once. Each takes the tests
of one file after the other. Where a process dies, the test that it ran fails and another process goes on behind it.
"""

import itertools
import mmap
import os
import struct
import sys
import tempfile
import threading
import time
import warnings
from collections import deque
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing import get_context
from multiprocessing.connection import wait
from multiprocessing.context import ForkProcess
from pathlib import Path
from typing import Any

import pytest
from _pytest.capture import FDCaptureBase
from _pytest.runner import runtestprotocol

from tests import warm

NUMBER = "BRAIN_TEST_PROCESS"  # the environment variable with the number of a process
FORK = get_context("fork")
WARM_FROM = 50  # files; the processes of fewer load what they need
# Of libraries that are only imported. A pool that computes does not survive the fork: what waits for it waits for ever.
HARMLESS = frozenset(("jemalloc_bg_thd", "polars-ooc-clea"))
THREADS = Path("/proc/self/task")
_RECORD = struct.Struct("i")
_NO_TEST = -1
_SECONDS_TO_END, _SECONDS_TO_LOOK = 30, 5
_TOOK, _WARNING, _RAN, _ENDED = range(4)


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option that asks for processes."""
    parser.addoption("--processes", type=int, default=0, metavar="N", help="run the tests of N files at a time")


@pytest.hookimpl(trylast=True)
def pytest_configure(config: pytest.Config) -> None:
    """Let processes run the tests where they are asked for."""
    if config.option.processes > 0 and not config.option.collectonly:
        config.pluginmanager.register(Processes(config), "processes")


def started_threads() -> list[str]:
    """Return the names of threads of this process that a fork would break, such as the pool of Polars.

    Those that NumPy and ONNX Runtime start when they are imported have the name of the process, and do no harm either.
    """
    names = {one.name for one in threading.enumerate()} - {threading.main_thread().name}
    if THREADS.exists():
        own = (THREADS / str(os.getpid()) / "comm").read_text().strip()
        names |= {(one / "comm").read_text().strip() for one in THREADS.iterdir()} - HARMLESS - {own}
    return sorted(names)


class Queue:
    """The files whose tests no process has taken yet, in a file whose position all processes share."""

    def __init__(self, count: int) -> None:
        self._file = tempfile.TemporaryFile(buffering=0)  # noqa: SIM115
        self._file.write(b"".join(_RECORD.pack(number) for number in range(count)))
        self._file.seek(0)

    def take(self) -> int | None:
        """Return the number of the next file, None if all are taken."""
        record = self._file.read(_RECORD.size)
        return _RECORD.unpack(record)[0] if record else None


class Running:
    """The position of the test that a process runs; in memory that its parent reads also when the process has died."""

    def __init__(self) -> None:
        self._memory = mmap.mmap(-1, _RECORD.size)
        self.set(None)

    def set(self, position: int | None) -> None:
        """Note a test, None between two tests."""
        _RECORD.pack_into(self._memory, 0, _NO_TEST if position is None else position)

    def get(self) -> int | None:
        """Return the position noted last."""
        (position,) = _RECORD.unpack_from(self._memory)
        return None if position == _NO_TEST else position


@dataclass
class Worker:
    """A forked process, the test that it runs, and the positions of those whose results it has not sent."""

    process: ForkProcess
    messages: Any  # a connection, which has another class on Windows
    running: Running
    waiting: list[int]


class Processes:
    """The plugin of the process that collects the tests: it forks the others and reports what they say."""

    def __init__(self, config: pytest.Config) -> None:
        self.config = config
        self.workers: list[Worker] = []
        self.numbers = itertools.count()
        self.stopped = mmap.mmap(-1, 1)  # shared with the processes: 1 if no further test shall begin

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Run all tests."""
        if session.testsfailed and not session.config.option.continue_on_collection_errors:
            raise session.Interrupted(f"{session.testsfailed} errors during collection")
        self.session = session
        files: dict[Any, list[int]] = {}
        for position, item in enumerate(session.items):
            files.setdefault(item.path, []).append(position)
        self.files, self.queue = list(files.values()), Queue(len(files))
        if len(files) > WARM_FROM:
            warm.load()
        if threads := started_threads():
            raise pytest.UsageError(f"a test module that is imported must not start threads: {', '.join(threads)}")
        self.config._tmp_path_factory.getbasetemp()  # type: ignore[attr-defined]
        try:
            for _ in range(min(self.config.option.processes, len(files))):
                self._fork([])
            while self.workers:
                self._receive_from_any()
                if session.shouldfail or session.shouldstop:
                    self.stopped[0] = 1
        finally:
            self._end_all()
        for reason, error in ((session.shouldfail, session.Failed), (session.shouldstop, session.Interrupted)):
            if reason:
                raise error(reason)
        return True

    def _fork(self, first: list[int]) -> None:
        """Start a process; `first` are tests that another has left."""
        reader, writer = FORK.Pipe(duplex=False)
        running = Running()
        process = FORK.Process(target=Tests(self, next(self.numbers), writer, running).run, args=(first,))
        process.start()
        writer.close()
        self.workers.append(Worker(process, reader, running, first))

    def _receive_from_any(self) -> None:  # or note that one has ended
        readers = {worker.messages: worker for worker in self.workers}
        for reader in wait(list(readers), _SECONDS_TO_LOOK):
            self._receive(readers[reader])
        for worker in list(self.workers):
            # A process that it has started may hold its end of the pipe open.
            if worker.process.exitcode is not None and not worker.messages.poll():
                self._note_end(worker)

    def _receive(self, worker: Worker) -> None:
        """Report the next thing that a process says, or its end."""
        said: tuple[int, Any] = (_ENDED, None)
        with suppress(EOFError, OSError):  # it may have died while it wrote
            said = worker.messages.recv()
        kind, what = said
        if kind == _ENDED:
            self._note_end(worker)
        elif kind == _TOOK:
            worker.waiting += self.files[what]
        elif kind == _WARNING:
            self.config.hook.pytest_warning_recorded.call_historic(kwargs=what)
        else:
            position, reports = what
            worker.waiting.remove(position)
            self._report(position, [self._read(one) for one in reports])

    def _read(self, report: Any) -> pytest.TestReport:
        """Return a report as it was sent, or from its serialised form."""
        if isinstance(report, dict):
            return self.config.hook.pytest_report_from_serializable(config=self.config, data=report)
        return report

    def _report(self, position: int, reports: list[pytest.TestReport]) -> None:
        hook, item = self.config.hook, self.session.items[position]
        hook.pytest_runtest_logstart(nodeid=item.nodeid, location=item.location)
        for report in reports:
            hook.pytest_runtest_logreport(report=report)
        hook.pytest_runtest_logfinish(nodeid=item.nodeid, location=item.location)

    def _note_end(self, worker: Worker) -> None:
        """Fail the test during which a process died, and let another run those that it has left."""
        worker.process.join()
        worker.messages.close()
        self.workers.remove(worker)
        if (position := worker.running.get()) is not None and position in worker.waiting:
            item = self.session.items[position]
            said = f"the process that ran this test ended with code {worker.process.exitcode}"
            self._report(position, [pytest.TestReport(item.nodeid, item.location, {}, "failed", said, "call")])
            worker.waiting.remove(position)
        elif worker.process.exitcode and worker.waiting:
            raise RuntimeError(f"a process ended with code {worker.process.exitcode} between two tests")
        if worker.waiting and not self.stopped[0]:
            self._fork(worker.waiting)

    def _end_all(self) -> None:
        """End what still runs when the run is broken off; Ctrl-C reaches the processes too."""
        self.stopped[0] = 1
        until = time.monotonic() + _SECONDS_TO_END
        for worker in self.workers:
            worker.process.join(max(0.0, until - time.monotonic()))
            worker.process.kill()


def _capture_into_own_files(manager: Any) -> None:
    """Let what tests print go into files of this process; those of before the fork belong to all.

    The objects stay: modules that were imported before may hold `sys.stderr`.
    """
    streams = manager._global_capturing
    for stream in (streams.out, streams.err) if streams else ():
        if isinstance(stream, FDCaptureBase):
            with tempfile.TemporaryFile(buffering=0) as own:
                os.dup2(own.fileno(), stream.tmpfile.fileno(), inheritable=False)
                if stream._state == "started":
                    os.dup2(own.fileno(), stream.targetfd)


class Tests:
    """The plugin of a forked process: it runs tests and sends their reports."""

    def __init__(self, processes: Processes, number: int, messages: Any, running: Running) -> None:
        self.processes, self.number, self.messages, self.running = processes, number, messages, running
        self.reports: list[Any] = []
        self.registered = False

    def run(self, first: Sequence[int]) -> None:
        """Run tests until every file is taken."""
        config = self.processes.config
        for worker in self.processes.workers:
            worker.messages.close()
        os.environ[NUMBER] = str(self.number)
        factory = config._tmp_path_factory  # type: ignore[attr-defined]
        factory._basetemp = factory.getbasetemp() / f"process-{self.number}"
        factory._basetemp.mkdir()
        _capture_into_own_files(config.pluginmanager.getplugin("capturemanager"))
        config.pluginmanager.register(self, "tests-of-a-process")
        self.registered = True  # warnings that were recorded before, also by other processes, come while it registers
        try:
            self._run_all(deque(first))
            code = 0
        except KeyboardInterrupt:
            code = 1
            self.processes.session._setupstate.teardown_exact(None)
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)  # without waiting for threads and processes that tests have left

    def _run_all(self, waiting: deque[int]) -> None:
        items = self.processes.session.items
        while not self.processes.stopped[0]:
            # A test is run once the next is known, which decides what of its fixtures stays.
            while len(waiting) < 2 and (number := self.processes.queue.take()) is not None:
                self.messages.send((_TOOK, number))
                waiting += self.processes.files[number]
            if not waiting:
                break
            item = items[position := waiting.popleft()]
            self.running.set(position)
            item.ihook.pytest_runtest_protocol(item=item, nextitem=items[waiting[0]] if waiting else None)
            self.messages.send((_RAN, (position, self.reports)))
            self.running.set(None)
        self.processes.session._setupstate.teardown_exact(None)

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item, nextitem: pytest.Item | None) -> bool:
        """Run a test and keep its reports."""
        self.reports = [self._written(item, one) for one in runtestprotocol(item, nextitem=nextitem, log=False)]
        return True

    def _written(self, item: pytest.Item, report: pytest.TestReport) -> Any:
        """Return a report that can be sent: what a failed test says holds objects of it."""
        if report.longrepr is None and not report.user_properties:
            return report
        return item.config.hook.pytest_report_to_serializable(config=item.config, report=report)

    def pytest_warning_recorded(self, warning_message: Any, when: str, nodeid: str, location: Any) -> None:
        """Send a warning; one that cannot be sent as it is loses its class."""
        if not self.registered:
            return
        said = {"when": when, "nodeid": nodeid, "location": location}
        with suppress(Exception):
            self.messages.send((_WARNING, {**said, "warning_message": warning_message}))
            return
        plain, place = UserWarning(str(warning_message.message)), (warning_message.filename, warning_message.lineno)
        self.messages.send((_WARNING, {**said, "warning_message": warnings.WarningMessage(plain, UserWarning, *place)}))
