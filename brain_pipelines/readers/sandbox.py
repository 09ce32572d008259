"""Child process for readers of untrusted binary formats: a crash, a hang or a runaway allocation costs one item.

Each process has one child, started at the first file and reused, so that its imports are paid once; it is replaced
after a failure, after many files, or when its memory has grown. It gets only the environment that Python needs, sees
one file at a time in a directory of its own (`confinement`), and answers in JSON, so nothing it sends is executed here.
The child's side is `sandbox_worker.py`.
"""

import atexit
import contextlib
import json
import os
import select
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from brain_pipelines.readers.confinement.box import Box
from brain_pipelines.readers.confinement.byte_code import compile_modules
from brain_pipelines.readers.confinement.confine import CPU_SECONDS
from brain_pipelines.readers.extracted import Anchor, Block, Extracted
from brain_retrieval.errors import BadInputError
from brain_retrieval.extras import missing_extra
from brain_retrieval.home import project_root
from brain_retrieval.settings import Limits

WORKER = "brain_pipelines.readers.sandbox_worker"
START_SECONDS = 120.0
MAX_FILES, MAX_RSS_MB = 500, 500
LOOK_SECONDS = 0.25  # between two looks at how much a reader has written
_KEPT_VARIABLES = ("PATH", "LANG", "LC_ALL", "LD_LIBRARY_PATH", "PYTHONPATH", "SYSTEMROOT")


class ReaderUnavailableError(RuntimeError):
    """The child could not be started, so the file was not read; the item is tried again later."""


class _ChildLostError(Exception):
    """The child ended, or did not answer in time; the message says which."""


class _Child:
    """A running child and the two pipes to it. Frames are a length of 8 bytes, big endian, and that much JSON."""

    def __init__(self, worker: str, folder: Path, memory_mb: int) -> None:
        self.folder, self.memory_mb = folder, memory_mb
        self.box = Box.make(folder)
        environment = {key: os.environ[key] for key in _KEPT_VARIABLES if key in os.environ}
        environment |= {"TMPDIR": str(self.box.outside), "HOME": str(self.box.outside)}
        self.process = subprocess.Popen(
            [sys.executable, "-m", worker, str(self.box.root)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd=project_root(),
            env={**environment, "PYTHONHASHSEED": "0"},
        )
        if self.process.stdin is None or self.process.stdout is None:
            raise OSError("no pipe to the reader")
        self._requests, self._answers = self.process.stdin, self.process.stdout
        self.owner = os.getpid()
        self.files = 0

    def ask(self, request: dict[str, Any], limits: Limits, seconds: float) -> dict[str, Any]:
        """Send one request and return its answer; the clock runs once the reader's library is loaded."""
        self.files += 1
        scratch = request["scratch"]
        inside = self.box.put(Path(request["path"]), Path(scratch) if scratch else None)
        outside = str(self.box.outside) if scratch else None
        data = json.dumps({**request, "path": str(inside), "scratch": outside}).encode()
        try:
            self._requests.write(len(data).to_bytes(8, "big") + data)
            self._requests.flush()
            first = self._receive(START_SECONDS, 1 << 16)
        except (OSError, _ChildLostError) as error:
            raise ReaderUnavailableError("the process that reads documents did not start") from error
        if "missing" in first:
            return first
        # 12 bytes is the longest JSON escape of a character; the blocks' other fields are small beside the text.
        return self._receive(seconds, 12 * limits.max_text_chars + (64 << 20))

    def _receive(self, seconds: float, most: int) -> dict[str, Any]:
        deadline = time.monotonic() + seconds
        size = int.from_bytes(self._read(8, deadline, seconds), "big")
        if size > most:
            raise _ChildLostError("the reader's answer is too large")
        return json.loads(self._read(size, deadline, seconds))

    def _read(self, count: int, deadline: float, seconds: float) -> bytes:
        pipe = self._answers.fileno()
        parts: list[bytes] = []
        while count:
            poll = select.poll()
            poll.register(pipe, select.POLLIN | select.POLLHUP)
            left = deadline - time.monotonic()
            if not poll.poll(max(0.0, min(left, LOOK_SECONDS)) * 1000):
                if excess := self.box.excess():
                    raise _ChildLostError(excess)
                if left <= LOOK_SECONDS:
                    raise _ChildLostError(f"reading it took longer than {seconds:g} seconds")
                continue
            part = os.read(pipe, min(count, 1 << 20))
            if not part:
                raise _ChildLostError(self._crash_reason())
            parts.append(part)
            count -= len(part)
        return b"".join(parts)

    def _crash_reason(self) -> str:
        code = self.process.wait()
        if code < 0:
            name = signal.Signals(-code).name if -code in {s.value for s in signal.Signals} else str(-code)
            return f"its reader crashed on it ({name})"
        return "its reader crashed on it"

    def end(self) -> None:
        """Kill the child if it is ours, and close the pipes."""
        if self.owner == os.getpid():
            self.process.kill()
            self.process.wait()
        for pipe in (self._requests, self._answers):
            with contextlib.suppress(OSError):  # flushing to a child that has ended fails
                pipe.close()
        if self.owner == os.getpid():
            self.box.remove()


ReadFile = Callable[[Path, Limits, Path | None], Extracted]


@dataclass(frozen=True)
class Isolated:
    """A reader that runs in the child: a function of a module, called as the function is.

    `libraries` are loaded before the limits on time and memory apply.
    """

    read_file: ReadFile
    libraries: tuple[str, ...] = ()
    seconds: Callable[[Limits], float] = lambda limits: limits.parse_seconds

    def __call__(
        self, path: Path, limits: Limits, scratch: Path | None = None, *, within: float | None = None
    ) -> Extracted:
        """Return the content of the file at `path`; `within` limits the seconds, by default to those of this reader.

        Raises:
            BadInputError, ReaderUnavailableError: as `Sandbox.read`.
        """
        return SANDBOX.read(self, path, limits, scratch, seconds=within)


class Sandbox:
    """At most one child, started on demand. Thread-safe: several threads read one after the other."""

    def __init__(self, worker: str = WORKER) -> None:
        self._worker = worker
        self._lock = threading.Lock()
        self._child: _Child | None = None

    def read(
        self,
        reader: Isolated,
        path: Path,
        limits: Limits,
        scratch: Path | None = None,
        *,
        seconds: float | None = None,
    ) -> Extracted:
        """Read the file at `path` in the child.

        Args:
            reader: the function and the libraries it needs.
            path: the file.
            limits: on size, time and memory.
            scratch: where the reader may leave pictures and sound; None if it makes none.
            seconds: time limit; None takes the reader's own.

        Raises:
            MissingExtraError: if the reader's library is not installed.
            BadInputError: the file is damaged or refused, or its reader crashed, took too long or too much memory.
            ReaderUnavailableError: if the child could not be started.
        """
        seconds = reader.seconds(limits) if seconds is None else seconds
        request = {
            "module": reader.read_file.__module__,
            "function": reader.read_file.__name__,
            "libraries": reader.libraries,
            "path": str(path),
            "limits": limits.model_dump(mode="json"),
            "scratch": str(scratch) if scratch else None,
            "seconds": seconds,
        }
        with self._lock:
            try:
                child = self._running(path, scratch, limits)
                answer = child.ask(request, limits, seconds)
                child.box.take(scratch)
                child.box.clear()
            except _ChildLostError as error:
                self._end()
                raise BadInputError(str(error)) from None
            except BaseException:
                self._end()  # an interrupted exchange leaves half a frame in the pipe
                raise
            self._recycle(answer)
        if "missing" in answer:
            error = ModuleNotFoundError(f"No module named {answer['missing']!r}", name=answer["missing"])
            raise missing_extra(error) or error
        if "bad_input" in answer:
            raise BadInputError(answer["bad_input"])
        if "error" in answer:
            raise BadInputError(f"its reader failed on it ({answer['error']})")
        found = answer["extracted"]
        return Extracted(**{**found, "blocks": [_block(block) for block in found["blocks"]]})

    def close(self) -> None:
        """End the child; the next read starts another."""
        with self._lock:
            self._end()

    def _running(self, path: Path, scratch: Path | None, limits: Limits) -> _Child:
        child, folder = self._child, Box.place(path, scratch)
        if child is not None and child.owner == os.getpid() and child.process.poll() is None:
            # Files are copied to a box on another file system; without a scratch directory there is no better place.
            placed = child.folder == folder or scratch is None
            if placed and child.memory_mb >= limits.parse_memory_mb and child.box.outside.is_dir():
                return child
        self._end()
        child = self._child = _Child(self._worker, folder, limits.parse_memory_mb)
        return child

    def _recycle(self, answer: dict[str, Any]) -> None:
        compile_modules(answer.get("uncached", ()))
        spent = self._child is not None and self._child.files >= MAX_FILES
        spent = spent or answer.get("cpu_seconds", 0.0) > CPU_SECONDS / 2
        if spent or answer.get("rss_mb", 0) > MAX_RSS_MB or answer.get("poisoned"):
            self._end()

    def _end(self) -> None:
        if self._child is not None:
            self._child.end()
            self._child = None


def _block(fields: dict[str, Any]) -> Block:
    time = datetime.fromisoformat(fields["time"]) if fields["time"] else None
    return Block(**{**fields, "time": time, "anchors": tuple(Anchor(**anchor) for anchor in fields["anchors"])})


SANDBOX = Sandbox()
atexit.register(SANDBOX.close)
