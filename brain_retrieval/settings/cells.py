"""Settings of a home that is one of several cells: its name, and the database that says in which cell a user lives."""

from pydantic import Field, SecretStr

from brain_retrieval.settings.section import Section

CELL_PATTERN = r"([a-z][a-z0-9_]{0,29})?"


class CellSettings(Section, frozen=True):
    """The cell that a home is, `name`, and the database `directory` that all cells share.

    Without a name the home stands alone. `directory` is an address of SQLAlchemy, best without the password, which
    `password` (`BRAIN_CELLS__PASSWORD`) or the usual PGPASSWORD adds.
    """

    name: str = Field(default="", pattern=rf"^{CELL_PATTERN}$")
    directory: str = Field(default="", repr=False)
    password: SecretStr | None = None
