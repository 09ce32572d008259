"""The lock of a user and the number of the newest manifest, in PostgreSQL: what keeps floating workers apart.

A `Fence` is one connection. It holds advisory locks of its session, which PostgreSQL releases when the connection ends
however that happens, and it commits on this same connection. A worker that lost its connection lost the lock, and
cannot commit. The version is compared too, for the case of a pooler that gives one session to several clients.
"""

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import sqlalchemy as sa
from dagster import DagsterInstance
from sqlalchemy.exc import DBAPIError
from sqlalchemy.pool import NullPool

from brain_pipelines.orchestration.workers.tables import COMMITS, COPIES, TABLES, UNUSED
from brain_retrieval.errors import BrainError, InvalidSettingsError, WriterBusyError

# The server finds within a minute and a half that a machine is gone; by default that takes two hours.
_KEEPALIVE = "-c tcp_keepalives_idle=30 -c tcp_keepalives_interval=15 -c tcp_keepalives_count=4"
_HELD = """SELECT (classid::bigint << 32) | objid::bigint FROM pg_locks WHERE locktype = 'advisory' AND granted
AND database = (SELECT oid FROM pg_database WHERE datname = current_database())"""
_SETUP = "brain floating workers"


class LostLockError(BrainError):
    """The connection that held the lock of a user has ended, or another worker committed: nothing was committed."""


@dataclass(frozen=True)
class Copy:
    """The newest manifest of a user: its number and the sha256 of the stored manifest."""

    version: int
    manifest: str


def address_of(instance: DagsterInstance) -> str:
    """Return the address of the PostgreSQL database of a Dagster instance.

    Raises:
        InvalidSettingsError: its records are not in PostgreSQL.
    """
    found = getattr(instance.run_storage, "postgres_url", None) or getattr(
        getattr(instance, "_storage", None), "postgres_url", None
    )
    if not found:
        raise InvalidSettingsError("floating workers need Dagster's records in PostgreSQL: dagster.workers.yaml")
    return str(found)


class Fence:
    """One connection with the locks that it holds. Not for use by several threads.

    Raises:
        LostLockError: by every method, if the connection has ended.
    """

    def __init__(self, address: str) -> None:
        url = sa.make_url(address)
        if url.drivername in ("postgresql", "postgres"):
            url = url.set(drivername="postgresql+psycopg2")
        options = {"options": _KEEPALIVE, "keepalives_idle": 30, "keepalives_interval": 15, "keepalives_count": 4}
        self._engine = sa.create_engine(url, poolclass=NullPool, connect_args=options, hide_parameters=True)
        try:
            self._connection = self._engine.connect()
            self._make_tables()
            self._session = self._backend()
        except DBAPIError as error:
            raise _explained(error) from None
        self._users: set[str] = set()

    def __enter__(self) -> "Fence":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End the connection, which releases its locks."""
        self._connection.invalidate()  # closed, whatever state it is in
        self._connection.close()
        self._engine.dispose()

    def lock(self, users: Iterable[str], *, seconds: float) -> None:
        """Wait for the locks of users, always in the same order: two holders of several cannot block each other.

        Raises:
            WriterBusyError: another worker still holds one after `seconds`.
        """
        for user in sorted(set(users)):
            try:
                with self._connection.begin():
                    self._connection.execute(sa.text(f"SET LOCAL lock_timeout = {max(1, int(seconds * 1000))}"))
                    self._connection.execute(sa.text("SELECT pg_advisory_lock(:key)"), {"key": _key("user", user)})
            except DBAPIError as error:
                if getattr(error.orig, "pgcode", "") == "55P03":
                    raise WriterBusyError(f"another worker works on {user!r}; waited {seconds:.0f} s") from None
                raise _explained(error) from None
            self._users.add(user)

    def unlock(self, users: Iterable[str]) -> None:
        """Release the locks of users; a connection that has ended holds none."""
        with suppress(BrainError):
            for user in users:
                if user in self._users:
                    self._scalar("SELECT pg_advisory_unlock(:key)", key=_key("user", user))
                    self._users.discard(user)

    def mark(self, run_id: str) -> bool:
        """Take the mark of a run, by which others know that it goes on; return False if a process has it already."""
        return bool(self._scalar("SELECT pg_try_advisory_lock(:key)", key=_key("run", run_id)))

    def is_marked(self, run_id: str) -> bool:
        """Return whether another connection holds the mark of a run."""
        return not self._scalar("SELECT pg_try_advisory_xact_lock(:key)", key=_key("run", run_id))

    def copy(self, user: str) -> Copy | None:
        """Return the newest manifest of a user, None if nothing was ever committed."""
        with _plainly(), self._connection.begin():
            row = self._connection.execute(
                sa.select(COPIES.c.version, COPIES.c.manifest).where(COPIES.c.user == user)
            ).first()
        return Copy(*row) if row else None

    def copies(self) -> dict[str, Copy]:
        """Return the newest manifest of every user."""
        with _plainly(), self._connection.begin():
            rows = self._connection.execute(sa.select(COPIES.c.user, COPIES.c.version, COPIES.c.manifest))
            return {user: Copy(version, manifest) for user, version, manifest in rows}

    def busy(self) -> set[str]:
        """Return the users that some connection has locked."""
        with _plainly(), self._connection.begin():
            held = {int(one) & _MASK for one in self._connection.scalars(sa.text(_HELD))}
        return {user for user in self.copies() if _key("user", user) & _MASK in held}

    def committed(self, run_id: str) -> bool:
        """Return whether a run has committed what it did."""
        return bool(self._scalar("SELECT count(*) FROM brain_run_commit WHERE run_id = :run", run=run_id))

    def commit(
        self,
        new: Mapping[str, tuple[Copy | None, str | None]],
        *,
        run_id: str | None,
        unused: Mapping[str, Sequence[str]],
    ) -> dict[str, Copy | None]:
        """Make manifests the newest ones, all or none, if this connection has held the locks all the time.

        Args:
            new: user -> the copy that was worked on, and the sha256 of the stored manifest that follows it: the same
                one if nothing has changed, None if the user is gone.
            run_id: recorded with the version; None outside a run.
            unused: user -> contents that only the earlier manifest needs.

        Returns:
            User -> the newest copy, None for a user who is gone.

        Raises:
            LostLockError: the lock was lost, or another worker has committed. Nothing was changed.
        """
        now = datetime.now(UTC)
        done: dict[str, Copy | None] = {}
        with _plainly(), self._connection.begin():
            if self._backend(begin=False) != self._session or not self._holds(new):
                raise LostLockError("the lock of the user was lost; what this run did was not taken over")
            for user, (base, manifest) in new.items():
                done[user] = self._advance(user, base, manifest, now)
                gone = [{"user": user, "sha256": one, "at": now} for one in unused.get(user, ())]
                self._connection.execute(sa.delete(UNUSED).where(UNUSED.c.user == user)) if manifest is None else None
                if gone and manifest is not None:
                    old = UNUSED.c.sha256.in_([one["sha256"] for one in gone])
                    self._connection.execute(sa.delete(UNUSED).where(UNUSED.c.user == user, old))
                    self._connection.execute(sa.insert(UNUSED), gone)
                version = done[user].version if done[user] else 0  # pyright: ignore[reportOptionalMemberAccess]
                if run_id is not None:
                    mine = (COMMITS.c.run_id == run_id) & (COMMITS.c.user == user)
                    self._connection.execute(sa.delete(COMMITS).where(mine))
                    self._connection.execute(
                        sa.insert(COMMITS).values(run_id=run_id, user=user, version=version, at=now)
                    )
        return done

    def unused(self, user: str, *, before: timedelta) -> list[str]:
        """Return the contents of a user that have not been needed for a time."""
        since = datetime.now(UTC) - before
        with _plainly(), self._connection.begin():
            wanted = sa.select(UNUSED.c.sha256).where(UNUSED.c.user == user, UNUSED.c.at < since).limit(1000)
            return list(self._connection.scalars(wanted))

    def removed(self, user: str, contents: Sequence[str]) -> None:
        """Take contents off the list of unused ones."""
        with _plainly(), self._connection.begin():
            listed = (UNUSED.c.user == user) & UNUSED.c.sha256.in_(contents)
            self._connection.execute(sa.delete(UNUSED).where(listed))

    def check(self) -> None:
        """Raise LostLockError unless the locks are still held."""
        with _plainly(), self._connection.begin():
            if self._backend(begin=False) != self._session or not self._holds(self._users):
                raise LostLockError("the lock of the user was lost")

    def _advance(self, user: str, base: Copy | None, manifest: str | None, now: datetime) -> Copy | None:
        here = COPIES.c.user == user
        if base is None:
            if manifest is None:
                return None
            found = self._connection.execute(sa.select(COPIES.c.version).where(here)).first()
            if found is not None:
                raise LostLockError(f"another worker has committed version {found[0]} of {user!r}")
            values = {"user": user, "version": 1, "manifest": manifest, "at": now}
            self._connection.execute(sa.insert(COPIES).values(values))
            return Copy(1, manifest)
        where = here & (COPIES.c.version == base.version)
        if manifest is None:
            done = self._connection.execute(sa.delete(COPIES).where(where))
        elif manifest == base.manifest:
            done = self._connection.execute(sa.update(COPIES).where(where).values(version=base.version))
        else:
            values = {"version": base.version + 1, "manifest": manifest, "at": now}
            done = self._connection.execute(sa.update(COPIES).where(where).values(values))
        if done.rowcount != 1:
            raise LostLockError(f"another worker has committed after version {base.version} of {user!r}")
        if manifest is None or manifest == base.manifest:
            return None if manifest is None else base
        return Copy(base.version + 1, manifest)

    def _holds(self, users: Iterable[str]) -> bool:
        mine = sa.text(f"{_HELD} AND pid = pg_backend_pid()")
        held = {int(one) & _MASK for one in self._connection.scalars(mine)}
        return all(_key("user", user) & _MASK in held for user in users)

    def _backend(self, *, begin: bool = True) -> tuple[int, str]:
        sql = sa.text("SELECT pg_backend_pid(), pg_postmaster_start_time()::text")
        if not begin:
            return tuple(self._connection.execute(sql).one())
        with self._connection.begin():
            return tuple(self._connection.execute(sql).one())

    def _scalar(self, sql: str, **values: object) -> object:
        with _plainly(), self._connection.begin():
            return self._connection.scalar(sa.text(sql), values)

    def _make_tables(self) -> None:
        with self._connection.begin():
            if self._connection.scalar(sa.text("SELECT to_regclass('brain_unused')")) is None:
                self._connection.execute(sa.text("SELECT pg_advisory_xact_lock(:key)"), {"key": _key("setup", _SETUP)})
                TABLES.create_all(self._connection)


@contextmanager
def _plainly() -> Iterator[None]:
    """Turn errors of the database into a plain one: a statement that fails has lost the lock, or found it lost."""
    try:
        yield
    except DBAPIError as error:
        raise _explained(error) from None


_MASK = (1 << 64) - 1


def _key(kind: str, name: str) -> int:
    """Return the number of an advisory lock, a signed integer of 64 bits."""
    digest = hashlib.sha256(f"brain/{kind}/{name}".encode()).digest()
    return int.from_bytes(digest[:8], "big", signed=True)


def _explained(error: DBAPIError) -> BrainError:
    first = str(error.orig or error).strip().partition("\n")[0][:200]
    return LostLockError(f"PostgreSQL did not answer on the connection that holds the lock: {first}")
