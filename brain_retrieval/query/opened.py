"""`Opened`: a home opened as one user, whose stores are opened by the first call that needs them.

Most questions about what is known need none of the libraries behind `search`.
"""

from __future__ import annotations

import threading
from pathlib import Path
from typing import TYPE_CHECKING, Self

from brain_retrieval.home import Home, Space

if TYPE_CHECKING:
    from types import TracebackType

    from brain_retrieval.query.searcher import Searcher
    from brain_retrieval.settings import Settings


class Opened:
    """A home opened as one user, or as a team that the user is a member of. Thread-safe."""

    def __init__(self, space: Space, settings: Settings, *, reader: Space | None = None) -> None:
        """Prepare to read `space`; `reader` is the team member who reads it, if it belongs to a team."""
        from brain_retrieval.query.recall_recorder import Recorder

        self.space = space
        self.settings = settings
        self._reader = reader
        self._opened: Searcher | None = None
        self._opening = threading.Lock()
        self._recorder = Recorder(reader or space, enabled=settings.memory.log_access)

    @classmethod
    def open(cls, home: str | Path, *, user: str, team: str | None = None, settings: Settings | None = None) -> Self:
        """Return the Brain of `user` in `home`, or that of a team which the user is a member of.

        A member who has no file of their own can open the team.

        Raises:
            InvalidUserError: if `user` is not 1–40 of a–z, 0–9 and "-".
            UnknownUserError: if nothing of this user, or of the team, has ever landed in `home`.
            OtherCellError: if `home` is one of several cells, and the user lives in one on another machine.
            NotAMemberError: if the settings do not list this user as a member of `team`.
        """
        from brain_retrieval.settings import load_settings
        from brain_retrieval.stores.user_home import find_user
        from brain_retrieval.teams import check_member

        path = Path(home).expanduser()
        if team is None:
            return cls(*find_user(Home(path), user, settings or load_settings(path)))
        reader, settings = Home(path).space(user), settings or load_settings(path)
        check_member(settings, team, user)
        return cls(Home(path).existing_space(team), settings, reader=reader)

    @property
    def _searcher(self) -> Searcher:
        """The stores that a search reads; their libraries are loaded when one of them is first needed."""
        with self._opening:
            if self._opened is None:
                from brain_retrieval.query.searcher import Searcher

                self._opened = Searcher(self.space, self.settings, reader=self._reader)
            return self._opened

    @property
    def user(self) -> str:
        return self.space.user

    def team(self, team: str) -> Self:
        """Return the Brain of a team that this user is a member of.

        Sources found there are recorded in `Requests`; the next snapshot extracts their entities and facts into this
        user's knowledge.

        Raises:
            NotAMemberError: if the settings do not list this user as a member of `team`.
            UnknownUserError: if nothing of the team has ever landed.
        """
        return self.open(self.space.home, user=self.user, team=team, settings=self.settings)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the stores; the next call opens them again."""
        if self._opened is not None:
            self._opened.close()
        self._recorder.close()
