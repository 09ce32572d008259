"""The home in which a user's stores lie: the one that is asked, or the cell in which the user lives."""

from brain_retrieval.home import Home, Space
from brain_retrieval.settings import Settings


def find_user(home: Home, user: str, settings: Settings) -> tuple[Space, Settings]:
    """Return the paths of a known user, and the settings of the home that has them.

    Raises:
        UnknownUserError: if nothing of this user has ever landed there.
        OtherCellError: if `home` is one of several cells, and the user lives in one on another machine.
    """
    if settings.cells.directory and not home.space(user).root.is_dir():
        from brain_retrieval.settings import load_settings
        from brain_retrieval.stores.cells import home_of

        if (other := home_of(settings.cells, user)) is not None:
            return other.existing_space(user), load_settings(other.path)
    return home.existing_space(user), settings
