"""`Neo4jServer`: calls to a Neo4j server with a hard time limit. The queries are in the callers.

The server gets the time limit for each transaction, and the caller waits only slightly longer: a server that accepts a
connection and never answers counts as unavailable.
"""

import threading
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, LiteralString, TypeVar, cast

from brain_retrieval.settings.knowledge import GraphSettings
from brain_retrieval.stores.graph.protocol import GraphUnavailableError

if TYPE_CHECKING:
    from neo4j import Driver, ManagedTransaction

Result = TypeVar("Result")
GRACE_SECONDS = 0.5  # for the server's own timeout error to arrive
CONSTRAINT_TRIES = 3


class Neo4jServer:
    """One server and database. The driver is made at the first call and after a failure."""

    def __init__(self, settings: GraphSettings) -> None:
        self._settings = settings
        self._driver: Driver | None = None
        self._lock = threading.Lock()

    def read(self, query: str, values: Mapping[str, Any], seconds: float | None = None) -> list[list[Any]]:
        """Return the rows of a query within `seconds`, or else `graph.query_seconds`.

        Raises:
            GraphUnavailableError: if the server is away, refuses, or does not answer in time.
        """
        seconds = seconds or self._settings.query_seconds

        def work(transaction: "ManagedTransaction") -> list[list[Any]]:
            return transaction.run(cast("LiteralString", query), dict(values)).values()

        return self._within(seconds, lambda driver: self._session(driver, work, seconds, write=False))

    def write(self, statements: Sequence[tuple[str, Mapping[str, Any]]], seconds: float) -> None:
        """Run statements in one transaction within `seconds`; retried as a whole when others interfere.

        Raises:
            GraphUnavailableError: as for `read`.
        """

        def work(transaction: "ManagedTransaction") -> None:
            for query, values in statements:
                transaction.run(cast("LiteralString", query), dict(values)).consume()

        def patiently(driver: "Driver") -> None:
            from neo4j.exceptions import ConstraintError

            for left in reversed(range(CONSTRAINT_TRIES)):
                try:
                    return self._session(driver, work, seconds, write=True)
                except ConstraintError:
                    # Two MERGEs of the same key at once: the driver does not repeat it, but the second try finds it.
                    if not left:
                        raise
            return None

        self._within(seconds, patiently)

    def define(self, schema: Mapping[str, str]) -> None:
        """Create the missing parts of a schema: name of a constraint or index -> statement."""
        there = self._defined()
        missing = {name: statement for name, statement in schema.items() if name not in there}
        for name, statement in missing.items():
            try:
                self.write([(statement, {})], self._settings.publish_seconds)
            except GraphUnavailableError:
                # IF NOT EXISTS does not hold against another client that creates the same at the same moment.
                if name not in self._defined():
                    raise
        if missing:
            self.write([("CALL db.awaitIndexes(60)", {})], self._settings.publish_seconds)

    def _defined(self) -> set[str]:
        return {name for (name,) in self.read("SHOW INDEXES YIELD name", {})}

    def close(self) -> None:
        """Close the connections; the next call opens new ones."""
        with self._lock:
            driver, self._driver = self._driver, None
        if driver is not None:
            # Closing may wait for the server as well.
            threading.Thread(target=driver.close, daemon=True).start()

    def _session(
        self,
        driver: "Driver",
        work: Callable[["ManagedTransaction"], Result],
        seconds: float,
        *,
        write: bool,
    ) -> Result:
        from neo4j import unit_of_work

        bounded = unit_of_work(timeout=seconds)(work)
        with driver.session(database=self._settings.database) as session:
            return session.execute_write(bounded) if write else session.execute_read(bounded)

    def _within(self, seconds: float, call: Callable[["Driver"], Result]) -> Result:
        done = threading.Event()
        outcome: list[Result | Exception] = []

        def run() -> None:
            try:
                outcome.append(call(self._open()))
            except Exception as error:  # handed to the waiting thread
                outcome.append(error)
            done.set()

        # Not a pool: Python joins pool threads at exit, and one may be blocked by a dead server.
        threading.Thread(target=run, daemon=True, name="neo4j-call").start()
        if not done.wait(seconds + GRACE_SECONDS):
            self.close()
            raise GraphUnavailableError(f"{self._named} did not answer within {seconds:g} s")
        result = outcome[0]
        if isinstance(result, Exception):
            raise self._translated(result) from result
        return result

    def _translated(self, error: Exception) -> Exception:
        from neo4j.exceptions import DriverError, Neo4jError

        if not isinstance(error, DriverError | Neo4jError | OSError):
            return error
        self.close()
        return GraphUnavailableError(f"{self._named} cannot be used ({type(error).__name__}: {str(error)[:300]})")

    @property
    def _named(self) -> str:
        return f"the Neo4j server at {self._settings.uri}"

    def _open(self) -> "Driver":
        from neo4j import GraphDatabase

        settings = self._settings
        with self._lock:
            if self._driver is None:
                password = settings.password
                self._driver = GraphDatabase.driver(
                    settings.uri,
                    auth=(settings.user, password.get_secret_value()) if password else None,
                    connection_timeout=min(settings.connect_seconds, settings.query_seconds),
                    connection_acquisition_timeout=settings.connect_seconds,
                    max_transaction_retry_time=settings.query_seconds,
                    notifications_min_severity="OFF",
                    telemetry_disabled=True,
                )
            return self._driver
