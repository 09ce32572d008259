"""The process of a reader: it opens the stores of the user that a job names, calls a function, and sends JSON back.

It has no port, no key and no writer; it ends when the server's end of its pipe is closed, also if the server was
killed.
"""

import gc
import json
import signal
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from multiprocessing.connection import Connection
from typing import Any

from starlette.exceptions import HTTPException

from brain_pipelines.server.log import flush, log_failure
from brain_pipelines.server.pool import Opened, Pool
from brain_pipelines.server.problems import of_brain, problem
from brain_retrieval.errors import BrainError
from brain_retrieval.home import Home
from brain_retrieval.settings import Settings

READY = b"ready"
COLLECT_AFTER = 50_000  # allocations between two collections of garbage, instead of 700


@dataclass(frozen=True)
class Job:
    """A request to read: the user that the key names, and a function of a module with its arguments."""

    user: str
    epoch: int  # of the pool; the stores of the user are opened again when it has changed
    request_id: str
    call: Callable[..., Any]
    arguments: tuple[Any, ...]

    def __post_init__(self) -> None:
        if "<" in getattr(self.call, "__qualname__", "<"):  # also where no process needs it, or only some would fail
            raise TypeError(f"{self.call!r} is no function of a module, so another process cannot call it")


@dataclass(frozen=True)
class Task:
    """A function of a module that opens what it needs itself, and its arguments."""

    call: Callable[..., Any]
    arguments: tuple[Any, ...]
    user: str = ""
    request_id: str = ""


@dataclass(frozen=True)
class Answered:
    """JSON, or a problem document with a status and headers."""

    status: int
    body: bytes
    headers: Mapping[str, str]

    @property
    def failed(self) -> bool:
        """Whether it is a problem."""
        return self.status != 200


def as_json(value: Any) -> bytes:
    """Return compact JSON; times in ISO 8601, text that is no UTF-8 replaced."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=_plain)
    return text.encode("utf-8", "replace")


def read_jobs(jobs: Connection, home: Home, settings: Settings) -> None:
    """Answer jobs until the pipe is closed. The function that a reader's process runs."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C ends the server, which then closes the pipe
    pool = Pool(home, settings, settings.server.users_open)
    _load(settings)
    keep_loaded()
    try:
        jobs.send(READY)
        while True:
            jobs.send(answer(pool, jobs.recv()))
    except (EOFError, OSError):  # the server has ended
        pass
    pool.close()
    flush()


def keep_loaded() -> None:
    """Let the collection of garbage pass over all that is loaded by now, libraries and models.

    Looking through hundreds of thousands of objects that stay takes up to half a second, in the middle of an answer.
    """
    gc.set_threshold(COLLECT_AFTER, *gc.get_threshold()[1:])
    gc.collect()
    gc.freeze()


def answer(pool: Pool, job: Job | Task) -> Answered:
    """Return what a job's function returns as JSON, or its error as a problem."""
    try:
        if isinstance(job, Task):
            return Answered(200, as_json(job.call(*job.arguments)), {})
        pool.follow(job.user, job.epoch)
        with pool.use(job.user) as opened:
            return Answered(200, as_json(job.call(opened, *job.arguments)), {})
    except HTTPException as error:
        document, headers = problem(error.status_code, str(error.detail)), dict(error.headers or {})
    except BrainError as error:
        document = of_brain(error)
        headers = {"Retry-After": "5"} if document["status"] == 503 else {}
    except Exception as error:
        log_failure({"state": {"request_id": job.request_id}}, error)
        document, headers = problem(500, "an unexpected error; the log of the server names its place"), {}
    return Answered(document["status"], as_json(document), headers)


def in_this_process(opened: Opened, job: Job) -> bytes:
    """Return what a job's function returns as JSON; its errors are raised."""
    return as_json(job.call(opened, *job.arguments))


def _load(settings: Settings) -> None:
    """Import what searches, and load the local model, before the first question; a failure shows with that one."""
    if not settings.server.load_models:
        return
    try:
        import brain_retrieval.brain
        import brain_retrieval.query.searcher  # noqa: F401 - imports the libraries of the stores

        if settings.embedding.provider == "onnx":
            from brain_retrieval.models.embedding.build import build_embedder

            build_embedder(settings.embedding, models_dir=settings.models_dir).embed(["who leads the project?"])
    except BrainError:
        return


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return dict(value)
    return value.isoformat() if hasattr(value, "isoformat") else str(value)
