"""Import of an archive as a new user: written beside the users, checked, and moved into place as a whole."""

import os
import shutil
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from brain_pipelines.landing.archive.manifest import INBOX, Entry, Manifest, is_derived, place_of, precedes
from brain_pipelines.landing.archive.reading import open_archive
from brain_pipelines.landing.archive.renaming import rename_user
from brain_pipelines.landing.archive.user_settings import add_settings, differences
from brain_pipelines.landing.backup import tombstones_of
from brain_pipelines.landing.inbox import FileState, list_files, to_uri
from brain_pipelines.landing.landing import open_landing
from brain_pipelines.landing.tombstones import of_file
from brain_retrieval.errors import BadInputError, BrainError, disk_full
from brain_retrieval.home import Home, Space, check_not_linked
from brain_retrieval.settings import Settings
from brain_retrieval.stores.durable import make_folder, sync_changes, sync_folder
from brain_retrieval.stores.locking import writer_lock

DRAFTS = ".import-"
OLD_SECONDS = 86_400


class UserHasDataError(BrainError):
    """The user of an import has data in this home already; nothing is overwritten."""

    exit_code = 2


class UserForgottenError(BrainError):
    """The user of an archive was forgotten in this home after the archive was made."""

    exit_code = 2


@dataclass
class Import:
    """What was imported: counts, and what its owner should know."""

    user: str
    files: int = 0
    bytes: int = 0
    items: int = 0
    forgotten: int = 0  # files and items that were left out
    settings: list[str] = field(default_factory=list)  # sections that were added to brain.toml
    notes: list[str] = field(default_factory=list)

    def to_json(self) -> dict[str, Any]:
        return vars(self).copy()


class Contents(Protocol):
    """What a user is made of: an archive, or a backup at a destination."""

    @property
    def manifest(self) -> Manifest: ...

    def contents(self) -> Iterator[tuple[str, Iterator[bytes]]]:
        """Yield the sha256 and the checked bytes of each content, in any order."""
        ...


def import_user(
    home: Home,
    settings: Settings,
    archive: Path,
    *,
    user: str | None = None,
    forgotten: Callable[[str], str | None] = lambda _: None,
) -> Import:
    """Create a user from an archive; what is derived is computed by the next run unless the archive has it.

    Args:
        user: the id to give; by default that of the archive. Under another id nothing derived is taken.
        forgotten: returns when a user was forgotten here as a whole (ISO 8601, UTC), None if never.

    Raises:
        UserHasDataError: the user exists.
        UserForgottenError: the user of the archive was forgotten here after it was made.
        BadInputError: the file is no archive, is damaged, or holds what an export does not write.
        DiskFullError: there is less space than the archive needs.
    """
    with open_archive(archive) as opened:
        return import_contents(home, settings, opened, user=user, forgotten=forgotten)


def import_contents(
    home: Home,
    settings: Settings,
    opened: Contents,
    *,
    user: str | None = None,
    forgotten: Callable[[str], str | None] = lambda _: None,
    replace: bool = False,
    finish: Callable[[Space], None] = lambda _: None,
    hint: str = "--user gives another name",
) -> Import:
    """Create a user from its files, as `import_user` does.

    Args:
        replace: a user that exists goes once everything is read and checked. Files in the inbox stay as they are.
        finish: called with the user's paths before they are moved to their place.
        hint: what the message says that can be done if the user exists.
    """
    name = user or opened.manifest.user
    space = home.space(name)
    if not replace and (finished := _finish_interrupted(space)) is not None:
        return finished
    if (at := forgotten(opened.manifest.user)) is not None and precedes(opened.manifest.made_at, at):
        said = f"{opened.manifest.user!r} was forgotten here on {at[:10]}, after this archive was made"
        raise UserForgottenError(f"{said}; --even-forgotten imports it")
    _check_free(home, space, opened.manifest, replace=replace, hint=hint)
    _sweep(home)
    draft = home.path / "users" / f"{DRAFTS}{os.urandom(8).hex()}"
    try:
        done = _fill(draft, home, settings, opened, name)
        beginning = Space(draft, opened.manifest.user)
        make_folder(beginning.inbox)
        beginning.inbox.rename(beginning.arriving)
        finish(beginning)
        sync_folder(beginning.root)
        if replace:
            _move_away(space, draft)
        try:
            beginning.root.rename(space.root)
        except OSError as error:
            raise UserHasDataError(f"{name!r} was created meanwhile; nothing was changed") from error
        sync_folder(space.root.parent)
    finally:
        shutil.rmtree(draft, ignore_errors=True)
    _move_inbox(space, keep=replace)
    done.settings = add_settings(home, name, opened.manifest.settings)
    done.notes += differences(settings, opened.manifest)
    return done


def _finish_interrupted(space: Space) -> Import | None:
    """Move the inbox of an import that was interrupted at its end; None if there was none."""
    if not space.arriving.is_dir():
        return None
    if not space.landing.is_file():
        raise UserHasDataError(f"users/{space.user} is not one of an import that was interrupted")
    _move_inbox(space)
    return Import(space.user, notes=["an interrupted import of this user was finished"])


def _move_away(space: Space, draft: Path) -> None:
    """Move a user who is replaced into the draft, which is removed; writers that wait find the new one."""
    if space.root.is_dir():
        with writer_lock(space):
            space.root.rename(draft / "former")
            sync_folder(space.root.parent)


def _check_free(home: Home, space: Space, manifest: Manifest, *, replace: bool, hint: str) -> None:
    """Refuse a user that exists unless it is replaced, and an archive that does not fit on the disk."""
    check_not_linked(space)
    if not replace and space.root.exists():
        raise UserHasDataError(f"{space.user!r} has data here; nothing is overwritten. {hint}")
    if space.inbox.is_symlink() or not replace and any(True for _ in list_files(space.inbox)):
        raise UserHasDataError(f"the inbox of {space.user!r} is not empty; nothing is overwritten. {hint}")
    make_folder(home.path / "users")
    make_folder(home.inbox)
    if sum(one.bytes for one in manifest.files) > shutil.disk_usage(home.path).free:
        raise disk_full(f": {home.path}")


def _sweep(home: Home) -> None:
    """Remove what a killed import has left."""
    for path in (home.path / "users").glob(f"{DRAFTS}*"):
        with suppress(FileNotFoundError):
            if time.time() - path.stat().st_mtime > OLD_SECONDS:
                shutil.rmtree(path)


def _fill(draft: Path, home: Home, settings: Settings, opened: Contents, name: str) -> Import:
    """Write the files of an archive below a draft of a home, and make the landing record fit them."""
    manifest, began = opened.manifest, time.time_ns()
    space, done = Space(draft, manifest.user), Import(name)
    stones = {**tombstones_of(home.space(manifest.user).landing), **tombstones_of(home.space(name).landing)}
    contents = manifest.contents
    for sha256, blocks in opened.contents():
        entries = _wanted(contents[sha256], renamed=name != manifest.user)
        if of_file(sha256) in stones:
            done.forgotten += len(entries)
            entries = []
        _place(blocks, entries, space)
        done.files += len(entries)
        done.bytes += sum(one.bytes for one in entries)
    with open_landing(space, settings) as landing:
        if not landing.is_sound():
            raise BadInputError("the landing record of the archive is damaged")
        done.forgotten += landing.forget_buried(stones)
        own = {one.path: one.sha256 for one in manifest.files if one.path.startswith(f"{INBOX}/")}
        states = [FileState.of(path, space.inbox) for path in _below(space.inbox)]
        hashes = {to_uri(Path(path.partition("/")[2])): sha256 for path, sha256 in own.items()}
        landing.fit_to_inbox([(state, hashes[state.uri]) for state in states])
        done.items = landing.size()["items"]
    if name != manifest.user:
        done.notes += rename_user(space, name)
    sync_changes(draft, began)
    return done


def _wanted(entries: Iterable[Entry], *, renamed: bool) -> list[Entry]:
    return [one for one in entries if not (renamed and is_derived(one.path))]


def _below(folder: Path) -> Iterator[Path]:
    return (path for path in folder.rglob("*") if path.is_file())


def _place(blocks: Iterable[bytes], entries: list[Entry], space: Space) -> None:
    """Write a content to every place that it has; nothing is written through a link, because the draft is new."""
    places = [place_of(one.path, space.root, space.inbox) for one in entries]
    for place in places:
        _make_folder(place.parent)
    if not places:
        for _ in blocks:  # to be checked all the same
            pass
        return
    with places[0].open("xb") as file:
        os.fchmod(file.fileno(), 0o600)
        for block in blocks:
            file.write(block)
    for place in places[1:]:
        shutil.copy(places[0], place)
    for one, place in zip(entries, places, strict=True):
        os.utime(place, ns=(one.mtime_ns, one.mtime_ns))


def _make_folder(folder: Path) -> None:
    """Create a directory of the draft, which is synced as a whole at the end."""
    if not folder.is_dir():
        _make_folder(folder.parent)
        folder.mkdir(mode=0o700, exist_ok=True)


def _move_inbox(space: Space, *, keep: bool = False) -> None:
    """Move the inbox of an imported user to its place; repeatable. No scan looks at it before it is complete.

    Args:
        keep: files that are there stay: they may be newer, and the next scan compares them.
    """
    make_folder(space.inbox.parent)
    with suppress(OSError):  # not empty, or on another disk: moved file by file
        space.arriving.rename(space.inbox)
    if space.arriving.is_dir():
        for path in sorted(_below(space.arriving)):
            target = space.inbox / path.relative_to(space.arriving)
            if keep and target.is_file():
                continue
            make_folder(target.parent)
            shutil.move(path, target)
        sync_changes(space.inbox, 0)
        shutil.rmtree(space.arriving)
    sync_folder(space.inbox.parent)
    sync_folder(space.root)
