"""Which days of a user a run would compute, heal or conclude: without them there is nothing to run.

The rule is that of the run itself (`Job.plan`): the ledger row of each stage has the input, the code and the settings
of now, and its rows are in the lake or the index. Nothing is written here.
"""

from collections.abc import Iterable, Mapping, Sequence

from brain_pipelines.engine.healing import is_whole
from brain_pipelines.engine.job import Job
from brain_pipelines.engine.stage import ignore_progress
from brain_pipelines.engine.writers import UserStores
from brain_pipelines.landing.landing_store import LandingStore
from brain_pipelines.landing.run_planning import SpanRequest
from brain_pipelines.sources.registry import SOURCES_BY_NAME
from brain_pipelines.sources.source import Source
from brain_pipelines.stages.registry import STAGES
from brain_retrieval.errors import BrainError
from brain_retrieval.home import Space
from brain_retrieval.settings import Settings

SPAN = 500  # days that are looked up together


def days_to_run(space: Space, settings: Settings, wanted: Mapping[str, Iterable[str]]) -> dict[str, list[str]]:
    """Return those of the wanted days that are not up to date, sorted, by source.

    What cannot be looked at (a damaged store, a missing model) counts as not up to date: the run of it says what is
    wrong, or repairs it.

    Args:
        wanted: source name -> ISO days.
    """
    given = {source: sorted(set(days)) for source, days in wanted.items()}
    with UserStores.open(space, settings) as stores:
        try:
            if not all(is_whole(stores, stage) for stage in STAGES if "index" in stage.tables):
                return given
            queued = {(day.source, day.day) for day in stores.landing.dirty()}
            return {
                name: [day for day in days if (name, day) in queued or day in open_days]
                for name, days in given.items()
                for open_days in (_open_days(stores, SOURCES_BY_NAME[name], days),)
            }
        except BrainError:
            return given


def _open_days(stores: UserStores, source: Source, days: list[str]) -> set[str]:
    found: set[str] = set()
    for stage in STAGES:
        job = Job(stage, source, stores, "", ignore_progress)
        if job.left_behind(days):
            found.add(stores.landing.first_day)
        for start in range(0, len(days), SPAN):
            found.update(job.plan(job.look(days[start : start + SPAN]), force=False).todo)
        if stage.releases_raw:
            found |= _with_plain_bytes(stores, source, days)
    return found


def _with_plain_bytes(stores: UserStores, source: Source, days: Iterable[str]) -> set[str]:
    """Return the days with bytes that the setting `privacy.raw` wants encrypted or deleted."""
    raw = stores.landing.raw
    if raw.policy == "keep":
        return set()
    return {day for day in days if any(raw.is_plain(item.sha256) for item in stores.landing.items(source.name, day))}


def smallest_first(landing: LandingStore, requests: Sequence[SpanRequest]) -> list[SpanRequest]:
    """Return runs by the bytes they read: beside one huge table the notes can be searched after seconds."""
    sized = [(landing.bytes_of(one.source, one.start, one.end), one.source, one.start, one) for one in requests]
    return [one for *_, one in sorted(sized, key=lambda entry: entry[:3])]
