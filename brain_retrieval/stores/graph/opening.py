"""Opening of a user's graph: the embedded one, preceded by a Neo4j server if the settings name one.

The embedded graph is always filled. If the server fails or has different rows (after a failed publication), reads fall
back to the embedded one, with a warning.
"""

import logging
import time
from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeVar

from brain_retrieval.extras import require
from brain_retrieval.home import Space
from brain_retrieval.settings import Settings
from brain_retrieval.stores.graph.embedded import EmbeddedGraph
from brain_retrieval.stores.graph.neo4j_store import Neo4jGraph
from brain_retrieval.stores.graph.protocol import (
    GraphSnapshot,
    GraphStore,
    GraphUnavailableError,
    Neighbourhood,
    Node,
    Path,
    PublishReport,
    RankedNode,
    Subgraph,
)

Answer = TypeVar("Answer")
REST_SECONDS = 30.0  # pause before a failed server is tried again, or digests are compared again
OUTDATED = "the graph server does not hold the newest publication; the embedded graph answered instead"
_LOG = logging.getLogger(__name__)


def open_graph(space: Space, settings: Settings) -> GraphStore:
    """Return the graph of a user as `settings.graph` says. Nothing is opened or connected yet."""
    embedded = EmbeddedGraph(space, settings.graph)
    if settings.graph.provider == "embedded":
        return embedded
    require("neo4j")  # fail now: unlike an unavailable server, a missing driver is permanent
    return DegradingGraph(Neo4jGraph(space, settings.graph), embedded)


class DegradingGraph:
    """A `GraphStore` over two others: reads use the first one while it is available, changes go to both.

    `warnings` explains why the last read used the second one. If a change fails in the first, it has been made in the
    second when GraphUnavailableError is raised; it can be repeated.
    """

    def __init__(self, first: GraphStore, second: GraphStore) -> None:
        self.user = second.user
        self.warnings: tuple[str, ...] = ()
        self._first = first
        self._second = second
        self._rested_at = 0.0
        self._compared: tuple[float, str | None, bool] = (0.0, None, True)  # until when, for which digest, alike

    def publish(self, snapshot: GraphSnapshot) -> PublishReport:
        """Publish to both; the report is the first's."""
        return self._changed(lambda graph: graph.publish(snapshot))

    def delete_source(self, source_id: str) -> PublishReport:
        """Delete in both; the report is the first's."""
        return self._changed(lambda graph: graph.delete_source(source_id))

    def delete_user(self) -> PublishReport:
        """Delete in both; the report is the first's."""
        return self._changed(lambda graph: graph.delete_user())

    def node(self, key: str) -> Node | None:
        return self._read(lambda graph: graph.node(key))

    def find(
        self, text: str, *, prefix: bool = False, kinds: Iterable[str] | None = None, limit: int = 20
    ) -> list[Node]:
        wanted = None if kinds is None else tuple(kinds)
        return self._read(lambda graph: graph.find(text, prefix=prefix, kinds=wanted, limit=limit))

    def neighbours(self, key: str, **options: Any) -> Neighbourhood | None:
        kept = _kept(options)
        return self._read(lambda graph: graph.neighbours(key, **kept))

    def shortest_path(self, start: str, end: str, **options: Any) -> Path | None:
        kept = _kept(options)
        return self._read(lambda graph: graph.shortest_path(start, end, **kept))

    def pagerank(self, seeds: Mapping[str, float], **options: Any) -> list[RankedNode]:
        kept = _kept(options)
        return self._read(lambda graph: graph.pagerank(seeds, **kept))

    def subgraph(self, keys: Iterable[str]) -> Subgraph:
        wanted = tuple(keys)
        return self._read(lambda graph: graph.subgraph(wanted))

    def digest(self) -> str | None:
        return self._second.digest()

    def stats(self) -> dict[str, int]:
        return self._read(lambda graph: graph.stats())

    def close(self) -> None:
        self._first.close()
        self._second.close()

    def _read(self, ask: Callable[[GraphStore], Answer]) -> Answer:
        if time.monotonic() < self._rested_at:
            return ask(self._second)
        try:
            if self._alike():
                answer = ask(self._first)
                self.warnings = ()
                return answer
            self._warn(OUTDATED)
        except GraphUnavailableError as error:
            self._rested_at = time.monotonic() + REST_SECONDS
            self._warn(f"{error}; the embedded graph answered instead")
        return ask(self._second)

    def _alike(self) -> bool:
        """Return whether both have the same digest; compared once per publication and every `REST_SECONDS`."""
        until, compared, alike = self._compared
        here = self._second.digest()
        if here != compared or time.monotonic() > until:
            alike = self._first.digest() == here
            self._compared = (time.monotonic() + REST_SECONDS, here, alike)
        return alike

    def _changed(self, change: Callable[[GraphStore], PublishReport]) -> PublishReport:
        change(self._second)
        self._compared = (0.0, None, True)
        return change(self._first)

    def _warn(self, text: str) -> None:
        if self.warnings != (text,):
            _LOG.warning("%s", text)
        self.warnings = (text,)


def _kept(options: dict[str, Any]) -> dict[str, Any]:
    # Both stores may read the options, so iterators are materialised.
    return {k: tuple(v) if k in ("relations", "kinds") and v is not None else v for k, v in options.items()}
