"""The open stores of the users that asked last; when it is full, those of a user without a request are closed."""

import threading
from collections import OrderedDict
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from brain_retrieval.home import Home
from brain_retrieval.settings import Settings

if TYPE_CHECKING:
    from brain_retrieval.brain import Brain
    from brain_retrieval.stores.graph.protocol import GraphStore


@dataclass
class Opened:
    """The stores of one user, opened at their first use."""

    user: str
    home: Home
    settings: Settings
    directory: tuple[int, int]  # device and inode: a user who was deleted and came back has another
    users: int = 0  # requests that use it now
    _brain: "Brain | None" = None
    _graph: "GraphStore | None" = None
    _lock: threading.Lock = field(default_factory=threading.Lock)

    @property
    def brain(self) -> "Brain":
        """Search and knowledge."""
        with self._lock:
            if self._brain is None:
                from brain_retrieval.brain import Brain

                self._brain = Brain.open(self.home.path, user=self.user, settings=self.settings)
            return self._brain

    @property
    def graph(self) -> "GraphStore":
        """The graph of the newest snapshot."""
        with self._lock:
            if self._graph is None:
                from brain_retrieval.stores.graph.opening import open_graph

                self._graph = open_graph(self.home.space(self.user), self.settings)
            return self._graph

    def close(self) -> None:
        """Close what is open."""
        for store in (self._brain, self._graph):
            if store is not None:
                store.close()


class Pool:
    """At most `most` users are open, or as many as have running requests. Thread-safe."""

    def __init__(self, home: Home, settings: Settings, most: int) -> None:
        self._home, self._settings, self._most = home, settings, most
        self._opened: OrderedDict[str, Opened] = OrderedDict()
        self._epochs: dict[str, int] = {}  # how often the stores of a user were dropped
        self._lock = threading.Lock()

    @contextmanager
    def use(self, user: str) -> Iterator[Opened]:
        """Yield the stores of a user; they stay open for the next request.

        Raises:
            UnknownUserError: if nothing of the user is stored.
            LinkedUserError: if the user's directory is a link.
        """
        stat = self._home.existing_space(user).root.stat()
        directory = (stat.st_dev, stat.st_ino)
        with self._lock:
            one = self._opened.pop(user, None)
            outdated = one if one is not None and one.directory != directory else None
            if one is None or outdated is not None:
                one = Opened(user, self._home, self._settings, directory)
            self._opened[user] = one
            one.users += 1
            closing = [outdated] if outdated is not None and not outdated.users else []
            closing += self._unused()
        for each in closing:
            each.close()
        try:
            yield one
        finally:
            with self._lock:
                one.users -= 1
                last = one.users == 0 and self._opened.get(user) is not one
            if last:
                one.close()

    def brain(self, user: str) -> "Brain":
        """Return the open Brain of a user. If it is closed to make room for others, its next call opens it again.

        Raises:
            UnknownUserError: if nothing of the user is stored.
            LinkedUserError: if the user's directory is a link.
        """
        with self.use(user) as opened:
            return opened.brain

    def drop(self, user: str) -> None:
        """Have the stores of a user opened again by the next request; they are closed when no request uses them."""
        with self._lock:
            self._epochs[user] = self._epochs.get(user, 0) + 1
            one = self._opened.pop(user, None)
            unused = one is not None and not one.users
        if one is not None and unused:
            one.close()

    def epoch(self, user: str) -> int:
        """Return a number that changes when the stores of a user are dropped."""
        return self._epochs.get(user, 0)

    def follow(self, user: str, epoch: int) -> None:
        """Drop the stores of a user if another pool has; `epoch` is that pool's."""
        if self.epoch(user) != epoch:
            self.drop(user)
            self._epochs[user] = epoch

    def close(self) -> None:
        """Close the stores of every user."""
        with self._lock:
            everything = list(self._opened.values())
            self._opened.clear()
        for one in everything:
            one.close()

    def __len__(self) -> int:
        return len(self._opened)

    def _unused(self) -> list[Opened]:
        """Take the users that asked longest ago, and have no running request, out of a pool that is too full."""
        idle = [name for name, one in self._opened.items() if not one.users]
        return [self._opened.pop(name) for name in idle[: max(0, len(self._opened) - self._most)]]
