"""Uploads that have landed and wait for their stages: run in the background, one after another.

Nothing is lost if the process ends: what has landed and is not done is run by the sensors of Dagster, or by
`brain rerun`.
"""

import asyncio
from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass

from brain_pipelines.server.log import log, log_failure
from brain_pipelines.server.work import Work
from brain_pipelines.server.writer import Place, Write, Writer
from brain_retrieval.settings import Settings


@dataclass(frozen=True)
class Job:
    """A landed file whose days are to run."""

    user: str
    source: str
    uri: str
    days: tuple[str, ...]
    again: bool = False  # read it again, changed or not


class Queue:
    """The background worker of uploads. `add` is called from the event loop."""

    def __init__(self, settings: Settings, work: Work, writer: Writer) -> None:
        self._settings, self._work, self._writer = settings, work, writer
        self._jobs: asyncio.Queue[Job] = asyncio.Queue()
        self._waiting: Counter[str] = Counter()
        self._task: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Begin to take jobs."""
        if self._settings.server.process_uploads:
            self._task = asyncio.create_task(self._run())

    async def stop(self) -> None:
        """Take no more jobs; the one that runs is finished."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)

    def add(self, user: str, source: str, uri: str, days: Collection[str], *, again: bool = False) -> bool:
        """Enter a file; return whether this process will run it."""
        if self._task is None:
            return False
        self._waiting[user] += 1
        self._jobs.put_nowait(Job(user, source, uri, tuple(sorted(days)), again))
        return True

    def waiting(self, user: str | None = None) -> int:
        """Return how many files of a user, or of all, wait or run."""
        return self._waiting.total() if user is None else self._waiting[user]

    async def drained(self) -> None:
        """Wait until every job has run."""
        await self._jobs.join()

    async def _run(self) -> None:
        while True:
            job = await self._jobs.get()
            try:
                await self._work.background(lambda: self._writer.run(Write(job.user, processed, (job,))))  # noqa: B023 - awaited before the next one
            except Exception as error:  # the ledger has the reason, and the day is tried again
                log_failure({}, error)
            finally:
                self._waiting[job.user] -= 1
                self._jobs.task_done()


def processed(place: Place, job: Job) -> None:
    """Run the days of a landed file."""
    from brain_pipelines.ingest.one_file import finish_landed, retry_file

    space = place.home.existing_space(job.user)
    if job.again:
        report = retry_file(space, place.settings, job.uri)
    else:
        report = finish_landed(space, place.settings, job.source, job.uri, job.days)
    counts = {"stored": len(report.stored), "quarantined": len(report.quarantined)}
    seconds = round(report.seconds, 2)
    log("upload", user=job.user, source=job.source, **counts, success=report.success, seconds=seconds)
