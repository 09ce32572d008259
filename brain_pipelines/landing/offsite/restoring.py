"""Restore of a user from a backup: read into a draft, each content checked by hash, and moved into place as a whole.

What was forgotten here since the backup is left out. If there is such, nothing derived is taken either, because it may
hold it; the next run computes it.
"""

import hashlib
import os
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory

from brain_pipelines.landing.archive.importing import Import, import_contents
from brain_pipelines.landing.archive.manifest import Entry, Manifest, is_derived
from brain_pipelines.landing.backup import tombstones_of
from brain_pipelines.landing.offsite.frozen import LANDED
from brain_pipelines.landing.offsite.heads import THREADS, Head, blob_key, choose, heads_of, manifest_of
from brain_pipelines.landing.offsite.objects import PART_BYTES, NoObjectError, Objects
from brain_pipelines.landing.offsite.state import State, store_state
from brain_retrieval.errors import BadInputError
from brain_retrieval.home import Home, Space
from brain_retrieval.settings import Settings

Report = Callable[[int, int], None]  # contents done, of how many
AHEAD = 4 * THREADS  # small contents that are fetched before they are needed


@dataclass(frozen=True)
class Fetched:
    """The contents of a backup, fetched several at a time and checked by hash."""

    objects: Objects
    manifest: Manifest
    report: Report

    def contents(self) -> Iterator[tuple[str, Iterator[bytes]]]:
        """Yield each content once; large ones in blocks.

        Raises:
            BadInputError: a content is missing or damaged; the message names a file that has it.
        """
        first = {sha256: entries[0] for sha256, entries in sorted(self.manifest.contents.items())}
        wanted = iter(first.values())
        with ThreadPoolExecutor(THREADS) as threads:
            waiting = [(one, self._start(threads, one)) for one in islice(wanted, AHEAD)]
            done = 0
            try:
                while waiting:
                    entry, future = waiting.pop(0)
                    waiting += [(one, self._start(threads, one)) for one in islice(wanted, 1)]
                    yield entry.sha256, iter([future.result()]) if future else self.large(entry)
                    self.report(done := done + 1, len(first))
            finally:
                for _, future in waiting:
                    if future is not None:
                        future.cancel()

    def _start(self, threads: ThreadPoolExecutor, entry: Entry) -> Future[bytes] | None:
        return threads.submit(self.small, entry) if entry.bytes <= PART_BYTES else None

    def small(self, entry: Entry) -> bytes:
        """Return a content as a whole."""
        try:
            content = self.objects.get(blob_key(self.manifest.user, entry.sha256))
        except NoObjectError:
            raise _damaged(entry, "is missing") from None
        if hashlib.sha256(content).hexdigest() != entry.sha256:
            raise _damaged(entry, "is damaged")
        return content

    def large(self, entry: Entry) -> Iterator[bytes]:
        """Yield a content in blocks; the last step says whether it was damaged."""
        digest = hashlib.sha256()
        try:
            for block in self.objects.blocks(blob_key(self.manifest.user, entry.sha256)):
                digest.update(block)
                yield block
        except NoObjectError:
            raise _damaged(entry, "is missing") from None
        if digest.hexdigest() != entry.sha256:
            raise _damaged(entry, "is damaged")


@dataclass(frozen=True)
class Restored:
    """A restored user. Unless `whole`, what is derived was not taken and has to be computed."""

    head: Head
    done: Import
    whole: bool


def restore_user(
    home: Home,
    settings: Settings,
    objects: Objects,
    user: str,
    *,
    at: str | None = None,
    replacing: bool = False,
    derived: bool = True,
    forgotten: Callable[[str], str | None] = lambda _: None,
    report: Report = lambda _done, _total: None,
) -> Restored:
    """Create a user from a backup; the next backup from here follows the one restored from.

    Args:
        at: number or time of the backup, as `choose` takes it; the newest by default.
        replacing: a user that exists goes once everything is fetched and checked.
        derived: with lake, index and snapshots, if the backup has them.
        forgotten: returns when a user was forgotten here as a whole (ISO 8601, UTC), None if never.

    Raises:
        NoBackupError: there is none.
        UserHasDataError: the user exists, and is not to be replaced.
        UserForgottenError: the user was forgotten here after the backup was made.
        BadInputError: a content is missing or damaged; nothing was changed.
        DestinationError: the destination fails; nothing was changed.
    """
    heads = heads_of(objects, user)
    head = choose(heads, user, at)
    space = home.space(user)
    fetched = Fetched(objects, manifest_of(objects, head), report)
    gone = _forgotten_since(space, fetched)
    if gone or not derived:
        kept = tuple(one for one in fetched.manifest.files if not is_derived(one.path))
        fetched = replace(fetched, manifest=replace(fetched.manifest, files=kept))

    def finish(draft: Space) -> None:
        # Earlier backups hold what was forgotten here, so they go when the next one has been made.
        at = "" if gone else head.made_at
        store_state(draft, State(destination=objects.name, number=heads[-1].number, at=at, replace=bool(gone)))

    hint = "--replace restores in its place"
    done = import_contents(home, settings, fetched, forgotten=forgotten, replace=replacing, finish=finish, hint=hint)
    space.moved.unlink(missing_ok=True)
    if gone:
        done.notes.append("something was forgotten here since this backup, so nothing derived was taken from it")
    whole = derived and head.derived and not gone
    if not whole:
        done.notes.append(f"`brain rerun --user {user}` computes what is derived")
    return Restored(head, done, whole)


def _forgotten_since(space: Space, fetched: Fetched) -> set[str]:
    """Return the tombstones of this home that the landing record of a backup does not have."""
    here = tombstones_of(space.landing) if space.landing.is_file() else {}
    entry = next((one for one in fetched.manifest.files if one.path == LANDED), None)
    if not here or entry is None:
        return set(here)
    with TemporaryDirectory() as folder:
        path = Path(folder, f"{os.urandom(4).hex()}.sqlite")
        with path.open("wb") as file:
            for block in [fetched.small(entry)] if entry.bytes <= PART_BYTES else fetched.large(entry):
                file.write(block)
        return set(here) - set(tombstones_of(path))


def _damaged(entry: Entry, what: str) -> BadInputError:
    return BadInputError(f"the backup cannot be restored: {entry.path!r:.200} {what} (content {entry.sha256[:12]}…)")
