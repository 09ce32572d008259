"""`UserMemory`: what the tools of one user share. Nothing is opened or loaded before it is needed.

Reads may overlap. Writes of one user wait for each other; those of other processes wait at the user's writer lock.
"""

import logging
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cached_property
from typing import TYPE_CHECKING, Any

from brain_retrieval.errors import BrainError
from brain_retrieval.home import Home, Space

if TYPE_CHECKING:
    from brain_pipelines.ingest.agent_tools import AgentTools
    from brain_retrieval.brain import Brain
    from brain_retrieval.knowledge.memories.cards import MemoryCard
    from brain_retrieval.knowledge.reader import Knowledge
    from brain_retrieval.models.embedding.tokenizer import TokenCounter
    from brain_retrieval.stores.graph.protocol import GraphStore

LOGGER = logging.getLogger(__name__)
MOST_USERS = 32  # whose stores stay open
OpenBrain = Callable[[str], "Brain"]


class UserMemory:
    """The memory of one user of a home, opened on first use. Thread-safe."""

    def __init__(
        self, home: Home, user: str, *, session: str | None = None, open_brain: OpenBrain | None = None
    ) -> None:
        """Bind the user. `session` is the conversation that recalls are counted for.

        `open_brain` returns an open Brain of a user that belongs to the caller; by default one is opened here.

        Raises:
            InvalidUserError: if the user id is malformed.
        """
        self.home, self.session = home, session
        self.space: Space = home.space(user)
        self.writing = threading.RLock()
        self._opening = threading.Lock()
        self._brain: Brain | None = None
        self._open_brain = open_brain

    @property
    def user(self) -> str:
        return self.space.user

    @property
    def brain(self) -> "Brain":
        """The user's Brain.

        Raises:
            UnknownUserError: if nothing of the user is stored yet.
        """
        if self._open_brain is not None:
            return self._open_brain(self.user)
        with self._opening:
            if self._brain is None:
                from brain_retrieval.brain import Brain

                self._brain = Brain.open(self.home.path, user=self.user)
            return self._brain

    def knowledge(self, *, known_at: str | None = None) -> "Knowledge":
        """Return what is known of this user, as of the newest snapshot and memories."""
        return self.brain.knowledge(known_at=known_at, session=self.session)

    def facts(self, about: str, *, as_of: str | None, known_at: str | None, limit: int) -> "list[MemoryCard]":
        """Return what is known about words or a name, in the order of `Brain.facts`."""
        return self.brain.facts(about, as_of=as_of, known_at=known_at, limit=limit, session=self.session)

    @contextmanager
    def graph(self) -> "Iterator[GraphStore]":
        """Open the user's graph for a read."""
        from brain_retrieval.stores.graph.opening import open_graph

        graph = open_graph(self.brain.space, self.brain.settings)
        try:
            yield graph
        finally:
            graph.close()

    def tools(self, source_id: str | None = None) -> "AgentTools":
        """Return the writing tools; `source_id` is the source that a write is based on.

        Raises:
            InvalidQueryError: if this user has no such source.
        """
        from brain_pipelines.ingest.agent_tools import AgentTools

        known = self.brain.source(source_id).source_id if source_id else None
        return AgentTools(self.home, self.user, source_entity_key=known)

    @cached_property
    def counter(self) -> "TokenCounter":
        """The counter of the embedding model's tokens; an estimate if its tokenizer is not on this machine."""
        from brain_retrieval.models.embedding.tokenizer import ApproximateCounter, build_tokenizer
        from brain_retrieval.settings import load_settings

        settings = load_settings(self.home.path)
        try:
            return build_tokenizer(settings.embedding, models_dir=settings.models_dir)
        except BrainError:
            return ApproximateCounter()

    def warm_up(self, *, writes: bool) -> None:
        """Load the models and open the stores, so that the first call need not. What fails is said by that call."""
        try:
            self.brain.search("warm up", 1, log=False)
        except Exception as error:
            LOGGER.info("nothing was loaded ahead: %s", type(error).__name__)
        if writes:
            self.tools()

    def close(self) -> None:
        """Close the stores that were opened here; the next call opens them again."""
        with self._opening:
            if self._brain is not None:
                self._brain.close()
                self._brain = None


class Memories:
    """The memories of the users of one server; the least recently used ones are closed."""

    def __init__(self, home: Home, *, open_brain: OpenBrain | None = None, most: int = MOST_USERS) -> None:
        self._home, self._open_brain, self._most = home, open_brain, most
        self._lock = threading.Lock()
        self._open: OrderedDict[str, UserMemory] = OrderedDict()

    def of(self, user: str) -> UserMemory:
        """Return the memory of a user.

        Raises:
            InvalidUserError: if the user id is malformed.
        """
        closing: list[Any] = []
        with self._lock:
            if user not in self._open:
                self._open[user] = UserMemory(self._home, user, open_brain=self._open_brain)
            self._open.move_to_end(user)
            while len(self._open) > self._most:
                closing.append(self._open.popitem(last=False)[1])
            found = self._open[user]
        for memory in closing:
            memory.close()
        return found

    def close(self) -> None:
        """Close the stores of all users."""
        with self._lock:
            memories = list(self._open.values())
            self._open.clear()
        for memory in memories:
            memory.close()
