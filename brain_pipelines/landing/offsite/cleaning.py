"""What a destination keeps: removal of old backups and of contents that none needs, and the check of the others."""

import hashlib
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from brain_pipelines.landing.archive.manifest import Entry
from brain_pipelines.landing.offsite.heads import THREADS, Head, blob_key, contents_of, heads_of, manifest_of
from brain_pipelines.landing.offsite.leases import WAIT_SECONDS, cleaning_lease
from brain_pipelines.landing.offsite.objects import NoObjectError, Objects
from brain_pipelines.landing.offsite.state import read_state, store_state
from brain_retrieval.errors import BadInputError
from brain_retrieval.home import Space
from brain_retrieval.settings import BackupSettings

Report = Callable[[int, int], None]
BATCH = 500


@dataclass(frozen=True)
class Removed:
    """What was removed from a destination."""

    backups: int = 0
    contents: int = 0
    bytes: int = 0

    def to_json(self) -> dict[str, Any]:
        return {"removed_backups": self.backups, "removed_contents": self.contents, "removed_bytes": self.bytes}


@dataclass(frozen=True)
class Fault:
    """Something of a backup that is missing or damaged."""

    number: int
    path: str
    what: str

    def to_json(self) -> dict[str, Any]:
        return {"backup": self.number, "path": self.path, "what": self.what}


def to_keep(heads: Sequence[Head], settings: BackupSettings) -> set[int]:
    """Return the numbers of the backups that stay: all of the newest day, and the last of each recent day and week."""
    days, weeks = dict[str, int](), dict[str, int]()
    for head in heads:  # oldest first, so the last of each stays
        made = datetime.fromisoformat(head.made_at)
        year, week, _ = made.isocalendar()
        days[made.date().isoformat()] = weeks[f"{year}-{week:02}"] = head.number
    kept = {days[day] for day in sorted(days)[-settings.keep_daily :]}
    if settings.keep_weekly:
        kept |= {weeks[week] for week in sorted(weeks)[-settings.keep_weekly :]}
    today = max(days, default="")
    return kept | {head.number for head in heads if datetime.fromisoformat(head.made_at).date().isoformat() == today}


def clean(
    objects: Objects, user: str, keep: Callable[[list[Head]], set[int]], *, wait_seconds: float = WAIT_SECONDS
) -> Removed:
    """Remove the backups of a user that are not kept, then every content that no backup needs.

    Raises:
        LeaseError: a backup is being written.
        BadInputError: the manifest of a backup that stays is damaged, so that its contents are not known.
    """
    with cleaning_lease(objects, user, wait_seconds=wait_seconds) as lease:
        heads = heads_of(objects, user)
        numbers = keep(heads)
        kept = [head for head in heads if head.number in numbers]
        live = contents_of(objects, kept)
        gone = [head.key for head in heads if head.number not in numbers]
        objects.delete(gone)  # first: a backup without its contents must not be seen
        stored = objects.under(f"{user}/blobs")
        unused = [one for one in stored if one.key.rpartition("/")[2] not in live]
        for start in range(0, len(unused), BATCH):
            lease.renew()
            objects.delete(one.key for one in unused[start : start + BATCH])
    return Removed(len(gone), len(unused), sum(one.bytes for one in unused))


def prune(objects: Objects, space: Space, settings: BackupSettings, *, wait_seconds: float = WAIT_SECONDS) -> Removed:
    """Remove the backups of a user that `to_keep` does not name; all but the newest after a forgetting."""
    state = read_state(space, objects.name)

    def keep(heads: list[Head]) -> set[int]:
        return {head.number for head in heads[-1:]} if state.replace else to_keep(heads, settings)

    done = clean(objects, space.user, keep, wait_seconds=wait_seconds)
    if state.replace:
        store_state(space, replace(state, replace=False))
    return done


def remove_user(objects: Objects, user: str) -> Removed:
    """Remove every backup of a user.

    Raises:
        LeaseError: a backup is being written.
    """
    with cleaning_lease(objects, user):
        heads = objects.under(f"{user}/backups")
        objects.delete(one.key for one in heads)
        contents = objects.under(f"{user}/blobs")
        objects.delete(one.key for one in contents)
    return Removed(len(heads), len(contents), sum(one.bytes for one in contents))


def check(
    objects: Objects, user: str, heads: Sequence[Head], *, quick: bool = False, report: Report = lambda *_: None
) -> list[Fault]:
    """Return what is missing or damaged in backups; each content is read and hashed once.

    Args:
        quick: only compare sizes with a listing, and read the manifests.
    """
    sizes = {one.key.rpartition("/")[2]: one.bytes for one in objects.under(f"{user}/blobs")}
    faults: list[Fault] = []
    wanted: dict[str, list[tuple[int, Entry]]] = {}
    for head in heads:
        try:
            files = manifest_of(objects, head).files
        except BadInputError as error:
            faults.append(Fault(head.number, "manifest", str(error)))
            continue
        for entry in files:
            wanted.setdefault(entry.sha256, []).append((head.number, entry))

    def state(sha256: str) -> str:
        size = wanted[sha256][0][1].bytes
        if sha256 not in sizes:
            return "missing"
        if sizes[sha256] != size:
            return f"damaged: {sizes[sha256]:,} bytes instead of {size:,}"
        return "" if quick or _is_sound(objects, user, sha256) else "damaged: its hash is another"

    with ThreadPoolExecutor(THREADS) as threads:
        for number, (sha256, what) in enumerate(zip(wanted, threads.map(state, wanted), strict=True), start=1):
            faults += [Fault(backup, entry.path, what) for backup, entry in wanted[sha256] if what]
            report(number, len(wanted))
    return sorted(faults, key=lambda one: (one.number, one.path))


def _is_sound(objects: Objects, user: str, sha256: str) -> bool:
    digest = hashlib.sha256()
    try:
        for block in objects.blocks(blob_key(user, sha256)):
            digest.update(block)
    except NoObjectError:
        return False
    return digest.hexdigest() == sha256
