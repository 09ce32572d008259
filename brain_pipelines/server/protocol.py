"""The HTTP protocol of uvicorn with two more time-outs: for headers that do not arrive, and answers that are not read.

uvicorn stops its timer of an idle connection at the first byte, so that a client which sends a header line now and
then would hold its connection without limit; and it waits without limit for a client that reads nothing.
"""

import asyncio
from typing import Any

from uvicorn.protocols.http.h11_impl import H11Protocol

from brain_retrieval.settings.server import ServerSettings


class GuardedProtocol(H11Protocol):
    """A connection that is closed if it has no request within `header_seconds`, or reads nothing for `send_seconds`."""

    limits = ServerSettings()

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._headers_due: asyncio.TimerHandle | None = None
        self._reading_due: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._headers_due = self._abort_after(self.limits.header_seconds)

    def connection_lost(self, exc: Exception | None) -> None:
        for timer in (self._headers_due, self._reading_due):
            if timer is not None:
                timer.cancel()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        busy = self.cycle is not None and not self.cycle.response_complete
        if busy and self._headers_due is not None:
            self._headers_due.cancel()
            self._headers_due = None
        elif not busy and self._headers_due is None:
            self._headers_due = self._abort_after(self.limits.header_seconds)

    def pause_writing(self) -> None:
        super().pause_writing()
        self._reading_due = self._abort_after(self.limits.send_seconds)

    def resume_writing(self) -> None:
        super().resume_writing()
        if self._reading_due is not None:
            self._reading_due.cancel()
            self._reading_due = None

    def _abort_after(self, seconds: float) -> asyncio.TimerHandle:
        return self.loop.call_later(seconds, self.transport.abort)


def protocol_with(settings: ServerSettings) -> type[GuardedProtocol]:
    """Return the protocol with the time-outs of the settings."""
    return type("ConfiguredProtocol", (GuardedProtocol,), {"limits": settings})
