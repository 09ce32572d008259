"""Deletions that wait for a confirmation, and deleted sources that come back; both run the days that change."""

import time
from collections.abc import Collection, Sequence

from brain_pipelines.engine.healing import ensure_catalog
from brain_pipelines.engine.landing_recovery import ensure_landing
from brain_pipelines.engine.run_stage import LOCK_SECONDS
from brain_pipelines.ingest.console import Bars
from brain_pipelines.ingest.files import run_spans, spans_of
from brain_pipelines.ingest.report import IngestReport, report_items
from brain_pipelines.landing.blobs import FileChangedError
from brain_pipelines.landing.inbox import source_of, to_path
from brain_pipelines.landing.landing import open_landing
from brain_pipelines.landing.raw_files import BytesDroppedError, LostBytesError
from brain_pipelines.landing.removals import Removed
from brain_pipelines.landing.waiting_deletions import WaitingDeletion, waiting_deletions
from brain_pipelines.sources.registry import SOURCES_BY_NAME
from brain_retrieval.errors import BrainError, home_error
from brain_retrieval.home import Home, Space
from brain_retrieval.settings import Settings, load_settings
from brain_retrieval.stores.locking import writer_lock


class NotDeletedError(BrainError, LookupError):
    """Nothing of this name was deleted, or what was deleted is not kept any more."""

    exit_code = 3


def list_waiting(home: Home, user: str) -> list[WaitingDeletion]:
    """Return the deletions of a user that wait for a confirmation.

    Raises:
        UnknownUserError: if nothing of this user has ever landed here.
    """
    with open_landing(home.existing_space(user), load_settings(home.path)) as landing:
        return waiting_deletions(landing)


def restorable(home: Home, user: str) -> list[Removed]:
    """Return the deleted files of a user whose bytes are kept.

    Raises:
        UnknownUserError: if nothing of this user has ever landed here.
    """
    with open_landing(home.existing_space(user), load_settings(home.path)) as landing:
        return landing.removed()


def confirm(
    home: Home, user: str, uris: Collection[str], *, bars: Bars | None = None
) -> tuple[list[str], IngestReport]:
    """Delete the files of `uris` that wait and are still missing from the inbox, and run their days.

    Returns:
        The uris of the deleted files, and the report of the runs.
    """
    space, settings = home.existing_space(user), load_settings(home.path)
    report, days, deleted = IngestReport(user, "deletions"), set[str](), list[str]()
    began = time.perf_counter()
    ensure_catalog(space, settings)
    ensure_landing(space, settings)
    with writer_lock(space, timeout=LOCK_SECONDS), open_landing(space, settings) as landing:
        for uri in sorted(set(landing.waiting()).intersection(uris)):
            if to_path(space.inbox, uri).exists():
                report.skipped.append({"uri": uri, "reason": "in the inbox again"})
            else:
                days |= landing.remove(uri)
                deleted.append(uri)
    _run_changed(home, space, settings, days, bars, report)
    report.seconds = time.perf_counter() - began
    return deleted, report


def restore(home: Home, user: str, names: Sequence[str], *, bars: Bars | None = None) -> IngestReport:
    """Write deleted files back into the inbox, land them with the receipt times they had, and run their days.

    Args:
        names: uris, paths below the inbox or source ids; none means every deletion that waits for a confirmation.

    Raises:
        NotDeletedError: if a name is of no deleted file.
    """
    space, settings = home.existing_space(user), load_settings(home.path)
    report, days, uris = IngestReport(user, "restored"), set[str](), set[str]()
    began = time.perf_counter()
    ensure_catalog(space, settings)
    ensure_landing(space, settings)
    with writer_lock(space, timeout=LOCK_SECONDS), open_landing(space, settings) as landing:
        for name in names or list(landing.waiting()):
            found = landing.find_deleted(name)
            if not found:
                raise NotDeletedError(f"{name!r:.200} was not deleted, or its bytes are not kept any more")
            for one in found:
                try:
                    days |= landing.restore(one)
                    uris.add(one.uri)
                except (BytesDroppedError, LostBytesError, FileExistsError, FileChangedError) as error:
                    report.refuse(one.uri, f"not restored: {error}")
                except OSError as error:
                    raise home_error(error) or error from error
    _run_changed(home, space, settings, days, bars, report)
    for source in sorted({SOURCES_BY_NAME[source_of(uri)].name for uri in uris}):
        report_items(space, settings, source, uris, report)
    report.seconds = time.perf_counter() - began
    return report


def _run_changed(
    home: Home, space: Space, settings: Settings, days: Collection[str], bars: Bars | None, report: IngestReport
) -> None:
    with open_landing(space, settings) as landing:
        due = [one for one in landing.dirty() if one.day in days]
    run_spans(home, spans_of(due), bars, report)
