"""A user's newest files fetched to this machine, and what changed here published: contents by hash, as in a backup."""

import os
import shutil
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory

from brain_pipelines.landing.archive.manifest import Entry, Manifest, place_of
from brain_pipelines.landing.blobs import sha256_of
from brain_pipelines.landing.offsite.heads import THREADS, Head, blob_key, manifest_of, stored_manifest
from brain_pipelines.landing.offsite.objects import Objects
from brain_pipelines.landing.offsite.restoring import Fetched
from brain_pipelines.orchestration.workers.fence import Copy
from brain_pipelines.orchestration.workers.local_files import (
    State,
    boot,
    entry_of,
    files_of,
    has_log,
    is_of_home,
    put,
    read_state,
    stamp_of,
    store_state,
)
from brain_retrieval.errors import BadInputError
from brain_retrieval.home import Space
from brain_retrieval.settings import Settings

Stamps = dict[str, tuple[int, int, int, str]]
LINGER_SECONDS = 3600.0  # readers of the home may have a file open that the newest manifest no longer has


@dataclass
class Traffic:
    """What was brought or sent, and how long it took."""

    files: int = 0
    bytes: int = 0
    seconds: float = 0.0


@dataclass
class Published:
    """The manifest that follows, and what only the earlier one needs. `manifest` is None if the user is gone."""

    manifest: str | None
    entries: dict[str, Entry] = field(default_factory=dict)
    unused: list[str] = field(default_factory=list)
    stamps: Stamps = field(default_factory=dict)
    traffic: Traffic = field(default_factory=Traffic)


@dataclass
class UserCopy:
    """One user's files on this machine, while the lock of the user is held.

    Args:
        is_home: this machine answers searches and takes files in; otherwise it is a worker.
    """

    space: Space
    settings: Settings
    objects: Objects
    is_home: bool
    entries: dict[str, Entry] = field(default_factory=dict)  # of the manifest that the files are of
    base: Copy | None = None
    state: State = field(default_factory=State)
    began_ns: int = 0

    def fetch(self, base: Copy | None) -> Traffic:
        """Bring the files of the newest manifest here and note that they are being worked on.

        Raises:
            BadInputError: a content is missing or damaged, or the settings of the two machines differ.
            DestinationError: the object storage fails.
        """
        began, done = time.perf_counter(), Traffic()
        self.base, self.state = base, read_state(self.space)
        if base is None:
            if not self.is_home:  # what is left here of an earlier user of this name
                shutil.rmtree(self.space.root, ignore_errors=True)
            self.entries, self.state = {}, State()
        else:
            manifest = self._manifest(base)
            self.entries = {one.path: one for one in manifest.files}
            if not self._is_current(base):
                done = self._bring(manifest)
                self._note(base, self._stamps(set(self.entries)))
        self.space.create()
        self.began_ns = time.time_ns()
        self.state.clean = False
        store_state(self.space, self.state)
        done.seconds = time.perf_counter() - began
        return done

    def publish(self) -> Published:
        """Store the contents that the newest manifest does not have; nothing counts before it is committed."""
        began = time.perf_counter()
        if not self.space.landing.is_file():
            if self.base is not None and self.space.root.is_dir():
                raise BadInputError(f"the landing record of {self.space.user!r} is gone; nothing was published")
            return Published(None)  # nothing has landed yet, or the user was forgotten
        known = {one.sha256 for one in self.entries.values()}
        found: dict[str, Entry] = {}
        stamps: Stamps = {}
        traffic = Traffic()
        with TemporaryDirectory(prefix="publish-", dir=_scratch(self.space)) as scratch:
            send: dict[str, tuple[Entry, Path]] = {}
            for path, place in self._own():
                sha256 = self.state.sha256(path, place, before_ns=self.began_ns)
                if sha256 is not None and path in self.entries and sha256 == self.entries[path].sha256:
                    found[path] = self.entries[path]
                    stamps[path] = (*stamp_of(place), sha256)
                    continue
                entry, content = entry_of(path, place, Path(scratch))
                before = self.entries.get(path)
                if before is not None and self.state.filled.get(path) == entry.sha256:
                    entry = before  # the same rows, in another order of pages
                stamps[path] = (*stamp_of(place), entry.sha256)
                found[path] = before if before is not None and before.sha256 == entry.sha256 else entry
                if entry.sha256 not in known:
                    send.setdefault(entry.sha256, (entry, content))
            with ThreadPoolExecutor(THREADS) as threads:
                list(threads.map(self._send, send.values()))
        traffic.files, traffic.bytes = len(send), sum(entry.bytes for entry, _ in send.values())
        done = self._concluded(found)
        traffic.seconds = time.perf_counter() - began
        done.traffic, done.stamps = traffic, stamps
        return done

    def committed(self, done: Published, copy: Copy | None) -> None:
        """Note that the files here are those of the newest manifest."""
        if copy is not None:
            self.entries, self.base = done.entries, copy
            self._note(copy, done.stamps)
            store_state(self.space, self.state)

    # -- fetching -----------------------------------------------------------------------------------------------

    def _is_current(self, base: Copy) -> bool:
        if (self.state.version, self.state.manifest) != (base.version, base.manifest):
            return False
        # A home that was killed in the middle keeps what it landed, which is on its disk: no other has committed.
        return self.is_home or (self.state.clean and self.state.boot == boot())

    def _manifest(self, base: Copy) -> Manifest:
        found = _read(self.objects, self.space.user, base)
        here = (self.settings.time_zone, self.settings.first_day.isoformat())
        if not self.is_home and (found.time_zone, found.first_day) != here:
            said = f'time_zone = "{found.time_zone}", first_day = {found.first_day}'
            raise BadInputError(f"the brain.toml of this worker differs from that of the home, which has {said}")
        return found

    def _bring(self, manifest: Manifest) -> Traffic:
        wanted = {path: one for path, one in self.entries.items() if not (self.is_home and is_of_home(path))}
        missing = [one for path, one in wanted.items() if not self._has(path, one)]
        fetched = Fetched(self.objects, Manifest(manifest.user, "", "", "", tuple(missing)), lambda _a, _b: None)
        with TemporaryDirectory(prefix="fetch-", dir=_scratch(self.space)) as scratch:
            drafts: dict[str, Path] = {}
            for sha256, blocks in fetched.contents():
                draft = Path(scratch, sha256)
                with draft.open("wb") as file:
                    file.writelines(blocks)
                draft.chmod(0o600)
                drafts[sha256] = draft
            copies = Counter(one.sha256 for one in missing)
            # Databases last: what they name is there by then.
            for one in sorted(missing, key=lambda one: (one.path.endswith(".sqlite"), one.path)):
                own = drafts[one.sha256]
                if copies[one.sha256] > 1:  # another file with the same content comes after it
                    copies[one.sha256] -= 1
                    own = Path(shutil.copyfile(own, Path(scratch, "one")))
                    own.chmod(0o600)
                os.utime(own, ns=(one.mtime_ns, one.mtime_ns))
                place = self._place(one.path)
                self.state.filled.pop(one.path, None)
                if put(place, own, readers=self.is_home):
                    self.state.filled[one.path] = sha256_of(place)
        self._leave(wanted)
        return Traffic(len(missing), sum(one.bytes for one in missing))

    def _has(self, path: str, entry: Entry) -> bool:
        place = self._place(path)
        if self.state.clean and self.state.sha256(path, place) == entry.sha256:
            return True
        if not place.is_file() or place.stat().st_size != entry.bytes:
            return False
        return not has_log(place) and sha256_of(place) == entry.sha256

    def _leave(self, wanted: Mapping[str, Entry]) -> None:
        """Remove files that the newest manifest does not have; in the home an hour later, and not those of its own."""
        now = time.time()
        leaving = {}
        for path, place in list(files_of(self.space)):
            if path in wanted or (self.is_home and is_of_home(path)):
                continue
            since = self.state.leaving.get(path, now)
            if self.is_home and now - since < LINGER_SECONDS:
                leaving[path] = since
                continue
            for name in (place, *(place.with_name(place.name + end) for end in ("-wal", "-shm"))):
                with suppress(FileNotFoundError):
                    name.unlink()
        self.state.leaving = leaving

    # -- publishing ---------------------------------------------------------------------------------------------

    def _own(self) -> Iterator[tuple[str, Path]]:
        """Yield the files that this machine publishes."""
        for path, place in files_of(self.space):
            if path in self.state.leaving:
                if path in self.entries:
                    del self.state.leaving[path]  # it came back
                else:
                    continue
            if self.is_home or not is_of_home(path):
                yield path, place

    def _send(self, one: tuple[Entry, Path]) -> None:
        entry, content = one
        self.objects.put(blob_key(self.space.user, entry.sha256), content)

    def _concluded(self, found: dict[str, Entry]) -> Published:
        if not self.is_home:
            found |= {path: one for path, one in self.entries.items() if is_of_home(path)}
        if self.base is not None and _hashes(found) == _hashes(self.entries):
            return Published(self.base.manifest, self.entries)
        manifest = Manifest(
            user=self.space.user,
            made_at=datetime.now(UTC).isoformat(),
            time_zone=self.settings.time_zone,
            first_day=self.settings.first_day.isoformat(),
            files=tuple(found[path] for path in sorted(found)),
        )
        sha256, content = stored_manifest(manifest)
        self.objects.put(blob_key(self.space.user, sha256), content)
        needed = {one.sha256 for one in found.values()}
        unused = sorted({one.sha256 for one in self.entries.values()} - needed)
        return Published(sha256, found, [*unused, *([self.base.manifest] if self.base else [])])

    # -- the record of this machine -----------------------------------------------------------------------------

    def _note(self, copy: Copy, stamps: Stamps) -> None:
        filled = {path: one for path, one in self.state.filled.items() if path in stamps}
        self.state = State(copy.version, copy.manifest, True, boot(), stamps, filled, self.state.leaving)

    def _stamps(self, paths: set[str]) -> Stamps:
        """Return the stamps of files that have just been compared with the manifest or brought."""
        mine = (path for path in paths if not (self.is_home and is_of_home(path)))
        return {path: (*stamp_of(self._place(path)), self.entries[path].sha256) for path in mine}

    def _place(self, path: str) -> Path:
        return place_of(path, self.space.root, self.space.inbox)


def needed_by(objects: Objects, user: str, copy: Copy) -> set[str]:
    """Return the contents that a user's manifest needs, itself included, by sha256."""
    return {one.sha256 for one in _read(objects, user, copy).files} | {copy.manifest}


def _read(objects: Objects, user: str, copy: Copy) -> Manifest:
    head = Head(copy.version, user, "", "", copy.manifest, derived=True, files=0, bytes=0,
                added_files=0, added_bytes=0)  # fmt: skip
    return manifest_of(objects, head)


def _hashes(entries: Mapping[str, Entry]) -> dict[str, str]:
    return {path: one.sha256 for path, one in entries.items()}


def _scratch(space: Space) -> Path:
    space.scratch.mkdir(parents=True, exist_ok=True, mode=0o700)
    return space.scratch
