"""The directory of a user, made only in the home where the user lives."""

from typing import TYPE_CHECKING

from brain_retrieval.home import Space

if TYPE_CHECKING:
    from brain_retrieval.settings import Settings


def create_space(space: Space, settings: "Settings") -> Space:
    """Create a user's directories and return the Space; in one of several cells a new user is recorded there first.

    Raises:
        OtherCellError: if the user lives in another cell.
        CellError: if this cell takes no new users, or is not listed.
        DirectoryUnreachableError: if the database of the cells does not answer.
    """
    cells = settings.cells
    if cells.name and cells.directory and not space.landing.is_file():
        from brain_retrieval.stores.cells import CellDirectory

        directory = CellDirectory(cells)
        try:
            directory.claim(space.user, cells.name)
        finally:
            directory.close()
    return space.create()
