"""Paths on disk: one home with an inbox and a directory per user. No store is opened here.

<home>/brain.toml                     settings (optional)
<home>/inbox/<user>/<source>/...      files from people and connectors; no stage writes here
<home>/users/<user>/raw/              blobs by sha256 and landing.sqlite; all other data is derived
<home>/users/<user>/catalog.sqlite    current lake files, stage ledger, quarantine
<home>/users/<user>/lake/             immutable Parquet files
<home>/users/<user>/index/            LanceDB: vectors, full text, filters
<home>/users/<user>/knowledge/        snapshots: a manifest per day, and the tables they share
<home>/users/<user>/graph.sqlite      the newest snapshot as a graph
<home>/users/<user>/access.sqlite     the access log: recalled items with times
<home>/users/<user>/claims.sqlite     claims checked online, by hash: their pages and until when they are fresh
<home>/users/<user>/backups/          daily copies of the databases that cannot be computed again
<home>/moved/<user>.json              where a user went who was moved to another home
<home>/serve.sock                     a process that has loaded all answers commands of the same owner there
"""

import json
import os
import re
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from brain_retrieval.errors import InvalidUserError, LinkedUserError, MovedUserError, UnknownUserError

SERVE_SOCKET = "serve.sock"
READY_MINUTES = 10.0  # that a process which answers commands stays after the last one
USER_PATTERN = re.compile(r"[a-z0-9-]{1,40}")


def check_user(user: str) -> str:
    """Return `user` if it is a valid id. A `|` would break Dagster's partition keys, a `/` the isolation of users.

    Raises:
        InvalidUserError: for anything that is not 1–40 of a–z, 0–9 and "-".
    """
    if not isinstance(user, str) or not USER_PATTERN.fullmatch(user):
        raise InvalidUserError(f"user must be 1–40 characters of a–z, 0–9 and '-', not {user!r:.80}")
    return user


@dataclass(frozen=True)
class Space:
    """The paths of one user. Every store is opened through a Space, so no store can be opened without a user.

    Paths are made once: a search and a night ask for the same ones thousands of times.
    """

    home: Path
    user: str

    def __post_init__(self) -> None:
        check_user(self.user)

    @cached_property
    def inbox(self) -> Path:
        return self.home / "inbox" / self.user

    @cached_property
    def root(self) -> Path:
        return self.home / "users" / self.user

    @cached_property
    def blobs(self) -> Path:
        return self.root / "raw" / "blobs"

    @cached_property
    def landing(self) -> Path:
        return self.root / "raw" / "landing.sqlite"

    @cached_property
    def catalog(self) -> Path:
        return self.root / "catalog.sqlite"

    @cached_property
    def lake(self) -> Path:
        return self.root / "lake"

    @cached_property
    def index(self) -> Path:
        return self.root / "index"

    @cached_property
    def knowledge(self) -> Path:
        return self.root / "knowledge"

    @cached_property
    def scratch(self) -> Path:
        """Directory for temporary files of a single item while it is read."""
        return self.root / "scratch"

    @cached_property
    def damaged(self) -> Path:
        """Directory for stores that could not be read and have been computed again since."""
        return self.root / "damaged"

    @cached_property
    def backups(self) -> Path:
        """Directory for daily copies of the databases that cannot be computed again."""
        return self.root / "backups"

    @cached_property
    def arriving(self) -> Path:
        """The inbox of a user that is being imported, until it is moved to its place; no scan runs meanwhile."""
        return self.root / "inbox.arriving"

    @cached_property
    def moved(self) -> Path:
        """The file that exists once the user is moved to another home: nothing is written here any more."""
        return self.home / "moved" / f"{self.user}.json"

    @cached_property
    def lock(self) -> Path:
        return self.root / "writer.lock"

    def blob(self, sha256: str) -> Path:
        """Return the path of a blob by its hex digest."""
        if not re.fullmatch(r"[0-9a-f]{64}", sha256):
            raise ValueError("not a sha256 hex digest")
        return self.blobs / sha256[:2] / sha256

    def create(self) -> "Space":
        """Create the user's directories with mode 0700 and return this Space.

        Raises:
            LinkedUserError: if the user's directory is a link.
            MovedUserError: if the user was moved to another home.
        """
        check_not_linked(self)
        check_not_moved(self)
        for path in (self.root, self.blobs, self.lake, self.index):
            make_folder(path)
        return self


@dataclass(frozen=True)
class Home:
    """A Brain home directory."""

    path: Path

    @property
    def inbox(self) -> Path:
        return self.path / "inbox"

    def users(self) -> list[str]:
        """Return the ids of the users that have landed data, sorted."""
        root = self.path / "users"
        if not root.is_dir():
            return []
        # A link would make one user's data that of another.
        return sorted(p.name for p in root.iterdir() if USER_PATTERN.fullmatch(p.name) and _is_own_folder(p))

    def space(self, user: str) -> Space:
        """Return the paths of `user`; nothing needs to exist yet."""
        return Space(self.path, check_user(user))

    def existing_space(self, user: str) -> Space:
        """Return the paths of a known user.

        Raises:
            UnknownUserError: if nothing of this user has ever landed here.
            LinkedUserError: if the user's directory is a link.
            MovedUserError: if the user was moved to another home and nothing is left here.
        """
        space = self.space(user)
        check_not_linked(space)
        if not space.root.is_dir():
            check_not_moved(space)
            raise UnknownUserError(f"user {user!r} is not known here; `brain users` lists who is")
        return space


def check_not_linked(space: Space) -> None:
    """Refuse a user whose directory is a link, which would make it that of another user.

    Raises:
        LinkedUserError: if it is one.
    """
    if space.root.is_symlink():
        raise LinkedUserError(f"users/{space.user} is a link and is not followed; move the directory itself there")


def check_not_moved(space: Space) -> None:
    """Refuse to write the data of a user that was moved to another home.

    Raises:
        MovedUserError: if the user was.
    """
    if space.moved.is_file():
        try:
            named = json.loads(space.moved.read_bytes())["to"]
        except (ValueError, KeyError, TypeError):
            named = "another home"
        raise MovedUserError(f"{space.user!r} was moved to {named}; nothing is written here any more")


def make_folder(folder: Path) -> None:
    """Create a directory with mode 0700, with its parents, and wait until they are on disk."""
    if not folder.is_dir():
        make_folder(folder.parent)
        folder.mkdir(exist_ok=True, mode=0o700)
        sync_folder(folder.parent)


def sync_folder(folder: Path) -> None:
    """Wait until the names in a directory are on disk."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _is_own_folder(path: Path) -> bool:
    return path.is_dir() and not path.is_symlink()


def project_root() -> Path:
    """Return the directory that holds the packages: the checkout, or site-packages when installed."""
    return Path(__file__).resolve().parent.parent


def checkout() -> Path | None:
    """Return the root of the source checkout that the packages run from; None when they are installed."""
    root = project_root()
    return root if (root / "pyproject.toml").is_file() and (root / "brain_pipelines").is_dir() else None


def default_home() -> Path:
    """Return the home of this process: `BRAIN_HOME`, else the checkout's `data/home`, else `~/.local/share/brain`."""
    if named := os.environ.get("BRAIN_HOME"):
        return Path(named).expanduser().resolve()
    root = checkout()
    return root / "data" / "home" if root else Path.home() / ".local" / "share" / "brain"
