"""From what a search or the knowledge reader shows to the access log. What is wrong with the log fails neither."""

from collections.abc import Iterable, Iterator
from datetime import UTC, datetime

from brain_retrieval.errors import StoreError
from brain_retrieval.home import Space
from brain_retrieval.query.hits import Hit
from brain_retrieval.stores.access_log import AccessLog

WAIT = 0.05  # seconds a search waits for another writer of the log


class Recorder:
    """Notes what one user's searches returned; not at all unless `enabled`."""

    def __init__(self, space: Space, *, enabled: bool) -> None:
        self._log = AccessLog(space, wait=WAIT)
        self._enabled = enabled
        self._failed = False

    def record(self, hits: Iterable[Hit], session: str | None, warnings: list[str]) -> None:
        """Note hits, best first; that the log cannot be written is said once."""
        self.note(shown_in(hits), session, warnings)

    def note(self, items: Iterable[tuple[str, str]], session: str | None, warnings: list[str]) -> None:
        """Note items (kind, id), best first."""
        if not self._enabled:
            return
        try:
            self._log.record(items, session=session, at=datetime.now(UTC))
        except (StoreError, OSError) as error:
            if not self._failed:
                warnings.append(f"what was recalled is not noted: {error}")
            self._failed = True

    def close(self) -> None:
        self._log.close()


def shown_in(hits: Iterable[Hit]) -> Iterator[tuple[str, str]]:
    """Yield the items that hits show, best first: each source and chunk, and the chunks of the turns beside it."""
    for hit in hits:
        yield "source", hit.source_ref.source_id
        yield "chunk", hit.source_ref.chunk_id
        for beside in hit.neighbours:
            yield "chunk", beside.source_ref.chunk_id
