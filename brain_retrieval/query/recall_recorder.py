"""Recording of shown items in the access log. An unwritable log gives a warning and never fails the query."""

from collections.abc import Iterable, Iterator
from datetime import UTC, datetime

from brain_retrieval.errors import ReadOnlyHomeError, StoreError
from brain_retrieval.home import Space
from brain_retrieval.query.hits import Hit
from brain_retrieval.stores.access_log import AccessLog

WAIT = 0.05  # seconds a search waits for another writer of the log


class Recorder:
    """Records what one user's queries returned; does nothing unless `enabled`."""

    def __init__(self, space: Space, *, enabled: bool) -> None:
        self._log = AccessLog(space, wait=WAIT)
        self._enabled = enabled
        self._failed = False

    def record(self, hits: Iterable[Hit], session: str | None, warnings: list[str]) -> None:
        """Record hits, best first; warns once if the log cannot be written."""
        self.note(shown_in(hits), session, warnings)

    def note(self, items: Iterable[tuple[str, str]], session: str | None, warnings: list[str]) -> None:
        """Record items (kind, id), best first."""
        if not self._enabled:
            return
        try:
            self._log.record(items, session=session, at=datetime.now(UTC))
        except ReadOnlyHomeError:
            self._enabled = False  # who mounts a home read-only expects nothing to be recorded
        except (StoreError, OSError) as error:
            if not self._failed:
                warnings.append(f"the recall was not recorded: {error}")
            self._failed = True

    def close(self) -> None:
        self._log.close()


def shown_in(hits: Iterable[Hit]) -> Iterator[tuple[str, str]]:
    """Yield the items shown by hits, best first: the source and chunk of each, and the chunks of its neighbours."""
    for hit in hits:
        yield "source", hit.source_ref.source_id
        yield "chunk", hit.source_ref.chunk_id
        for beside in hit.neighbours:
            yield "chunk", beside.source_ref.chunk_id
