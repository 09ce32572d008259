"""Which cell each user lives in: one small database that all cells share, PostgreSQL or SQLite.

cells        a home on one machine: where its code server and its HTTP server are reached
user_cell    the cell of each user, and a version that changes with each move

A cell is asked for a user that it does not know, and before a new user is made; what a home holds already is read and
written without this database. Of two cells that make the same user at the same time, the second is refused.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from brain_retrieval.errors import (
    CellError,
    DirectoryUnreachableError,
    InvalidQueryError,
    InvalidSettingsError,
    OtherCellError,
)
from brain_retrieval.extras import naming_the_extra
from brain_retrieval.home import Home, check_user
from brain_retrieval.settings import CellSettings

with naming_the_extra():
    import sqlalchemy as sa
    from sqlalchemy.exc import ArgumentError, IntegrityError, OperationalError, ProgrammingError

_TABLES = sa.MetaData()
CELLS = sa.Table(
    "cells",
    _TABLES,
    sa.Column("name", sa.String(30), primary_key=True),
    sa.Column("home", sa.Text, nullable=False),
    sa.Column("code", sa.Text, nullable=False),
    sa.Column("url", sa.Text, nullable=False),
    sa.Column("open", sa.Boolean, nullable=False),
)
USER_CELL = sa.Table(
    "user_cell",
    _TABLES,
    sa.Column("user", sa.String(40), primary_key=True),
    sa.Column("cell", sa.String(30), sa.ForeignKey("cells.name"), nullable=False, index=True),
    sa.Column("version", sa.Integer, nullable=False),
    sa.Column("since", sa.String(32), nullable=False),
)


@dataclass(frozen=True)
class Cell:
    """A cell: `home` is a path on its machine, `code` "host:port" of its code server, `url` that of `brain serve`.

    A cell that is not `open` gets no new users.
    """

    name: str
    home: str = ""
    code: str = ""
    url: str = ""
    open: bool = True


@dataclass(frozen=True)
class Place:
    """Where a user lives; `version` counts moves."""

    user: str
    cell: str
    version: int
    since: str


class CellDirectory:
    """The database of cells. Tables are made at the first use."""

    def __init__(self, settings: CellSettings) -> None:
        if not settings.directory:
            raise InvalidSettingsError("cells.directory is not set: the address of the database that all cells share")
        try:
            url = sa.make_url(settings.directory)
        except ArgumentError:
            raise InvalidSettingsError("cells.directory is not an address of a database") from None
        if url.drivername in ("postgresql", "postgres"):
            url = url.set(drivername="postgresql+psycopg2")
        if settings.password is not None:
            url = url.set(password=settings.password.get_secret_value())
        self._engine = sa.create_engine(url, pool_pre_ping=True, hide_parameters=True)
        self._make_tables()

    def _make_tables(self) -> None:
        try:
            with self._connected() as connection:
                _TABLES.create_all(connection)
        except (ProgrammingError, IntegrityError):  # another process has made them at the same time
            with self._connected() as connection:
                _TABLES.create_all(connection)

    def close(self) -> None:
        """Close all connections."""
        self._engine.dispose()

    def cells(self) -> list[Cell]:
        """Return all cells by name."""
        with self._connected() as connection:
            return [Cell(**row) for row in connection.execute(sa.select(CELLS).order_by(CELLS.c.name)).mappings()]

    def cell(self, name: str) -> Cell:
        """Return one cell.

        Raises:
            CellError: if there is none of this name.
        """
        found = {one.name: one for one in self.cells()}
        if name not in found:
            raise CellError(f"there is no cell {name!r:.40}; cells: {', '.join(found) or 'none yet'}")
        return found[name]

    def add(self, cell: Cell) -> None:
        """Add a cell, or change what is known of it."""
        with self._connected() as connection:
            connection.execute(sa.update(CELLS).where(CELLS.c.name == cell.name).values(asdict(cell)))
            if not connection.scalar(sa.select(sa.func.count()).where(CELLS.c.name == cell.name)):
                connection.execute(sa.insert(CELLS).values(asdict(cell)))

    def remove(self, name: str) -> None:
        """Remove a cell in which no user lives.

        Raises:
            CellError: if there is none of this name, or users live in it.
        """
        self.cell(name)
        if living := len(self.users(name)):
            raise CellError(f"{living} users live in cell {name!r}; move them first")
        with self._connected() as connection:
            connection.execute(sa.delete(CELLS).where(CELLS.c.name == name))

    def users(self, cell: str) -> list[str]:
        """Return the users of a cell."""
        with self._connected() as connection:
            asked = sa.select(USER_CELL.c.user).where(USER_CELL.c.cell == cell).order_by(USER_CELL.c.user)
            return list(connection.scalars(asked))

    def counts(self) -> Mapping[str, int]:
        """Return the number of users of each cell, 0 included."""
        with self._connected() as connection:
            rows = connection.execute(sa.select(USER_CELL.c.cell, sa.func.count()).group_by(USER_CELL.c.cell))
            found = {row[0]: row[1] for row in rows}
        return {cell.name: found.get(cell.name, 0) for cell in self.cells()}

    def place(self, user: str) -> Place | None:
        """Return where a user lives, None for a user of no cell."""
        with self._connected() as connection:
            row = (
                connection.execute(sa.select(USER_CELL).where(USER_CELL.c.user == check_user(user))).mappings().first()
            )
        return Place(**row) if row else None

    def home_of(self, user: str) -> Cell | None:
        """Return the cell that a user lives in, None for a user of no cell."""
        place = self.place(user)
        return self.cell(place.cell) if place else None

    def claim(self, user: str, cell: str) -> Place:
        """Return the place of a user in a cell; a user of no cell lives there from now on.

        Raises:
            OtherCellError: if the user lives in another cell.
            CellError: if there is no such cell, or it takes no new users.
        """
        own = self.cell(cell)
        if (known := self.place(user)) is None:
            if not own.open:
                raise CellError(f"cell {cell!r} takes no new users")
            values = {"user": check_user(user), "cell": cell, "version": 1, "since": _now()}
            try:
                with self._connected() as connection:
                    connection.execute(sa.insert(USER_CELL).values(values))
            except IntegrityError:  # another cell was faster
                known = self.place(user)
            else:
                return Place(**values)
        if known is None or known.cell != cell:
            other = self.cell(known.cell) if known else own
            raise OtherCellError(user, other.name, other.url or other.home)
        return known

    def assign(self, user: str, cell: str, *, seen: int | None) -> Place:
        """Let a user live in a cell from now on; for a move, after the data is there.

        Args:
            seen: the version of the place that the caller has seen, None for a user of no cell.

        Raises:
            CellError: if there is no such cell, or the user has been moved meanwhile.
        """
        self.cell(cell)
        if seen is None:
            return self.claim(user, cell)
        values: dict[str, Any] = {"cell": cell, "version": seen + 1, "since": _now()}
        with self._connected() as connection:
            of_user = (USER_CELL.c.user == check_user(user)) & (USER_CELL.c.version == seen)
            if not connection.execute(sa.update(USER_CELL).where(of_user).values(values)).rowcount:
                raise CellError(f"user {user!r} has been moved meanwhile; look at `brain cells list` again")
        return Place(user, **values)

    def release(self, user: str) -> None:
        """Forget where a user lived."""
        with self._connected() as connection:
            connection.execute(sa.delete(USER_CELL).where(USER_CELL.c.user == check_user(user)))

    def emptiest(self) -> Cell:
        """Return the open cell with the fewest users, the first by name of several.

        Raises:
            CellError: if no cell is open.
        """
        counts = self.counts()
        found: Sequence[Cell] = [cell for cell in self.cells() if cell.open]
        if not found:
            raise CellError("no cell takes new users; `brain cells add NAME` adds one")
        return min(found, key=lambda cell: (counts.get(cell.name, 0), cell.name))

    @contextmanager
    def _connected(self) -> Iterator[sa.Connection]:
        """Give a connection and commit at the end; errors of the database become ours, without its address."""
        try:
            with self._engine.begin() as connection:
                yield connection
        except OperationalError as error:
            raise DirectoryUnreachableError(
                f"the database of the cells does not answer ({type(error.orig).__name__}); "
                "what this home holds is read and written without it, but no new user can be made"
            ) from None


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")


def check_cell_name(name: str) -> str:
    """Return a name that a cell may have.

    Raises:
        InvalidQueryError: for anything but 1–30 of a–z, 0–9 and "_", beginning with a letter.
    """
    try:
        CellSettings(name=name)
    except ValueError:
        name = ""
    if not name:
        raise InvalidQueryError("a cell has a name of 1–30 characters of a–z, 0–9 and '_' that begins with a letter")
    return name


def home_of(settings: CellSettings, user: str) -> Home | None:
    """Return the home of the cell that a user lives in; None for a user of no other cell than that of the settings.

    Raises:
        OtherCellError: if it is not on this machine.
        DirectoryUnreachableError: if the database does not answer.
    """
    directory = CellDirectory(settings)
    try:
        cell = directory.home_of(user)
    finally:
        directory.close()
    if cell is None or cell.name == settings.name:
        return None
    home = Home(Path(cell.home)) if cell.home else None
    if home is None or not home.space(user).root.is_dir():
        raise OtherCellError(user, cell.name, cell.url)
    return home
