"""Leases at a destination: several backups of a user may be written at once, but none while what is old is removed.

Without them a removal could take a content that a backup in progress counts on. A writer stores its lease and then
looks for a cleaner's; a cleaner stores its own, which only one can hold, and then looks for writers'. Whoever comes
second sees the other and gives way. A lease that was not renewed for an hour belongs to a process that was killed.
"""

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta

from brain_pipelines.landing.offsite.objects import Objects, Stored
from brain_retrieval.errors import BrainError

LIFETIME = timedelta(hours=1)
RENEW_SECONDS = 60.0
WAIT_SECONDS = 300.0
POLL_SECONDS = 0.5


class LeaseError(BrainError):
    """Another process uses the backups of this user, or this one was away for too long."""


class Lease:
    """A lease to write; `renew` is called all the time while writing, and stores it once a minute."""

    def __init__(self, objects: Objects, key: str) -> None:
        self._objects, self._key = objects, key
        self._renewed = time.time()

    def renew(self) -> None:
        """Store the lease again, if that was a minute ago.

        Raises:
            LeaseError: it has ended meanwhile: the machine slept, or the destination did not answer for an hour.
        """
        now = time.time()  # also runs while a machine sleeps
        if now - self._renewed > LIFETIME.total_seconds() / 2:
            raise LeaseError("the backup was interrupted for too long; run the same command again")
        if now - self._renewed > RENEW_SECONDS:
            self._objects.put(self._key, b"{}")
            self._renewed = now


@contextmanager
def writing_lease(objects: Objects, user: str, writer: str, *, wait_seconds: float = WAIT_SECONDS) -> Iterator[Lease]:
    """Hold a lease to write backups of a user.

    Raises:
        LeaseError: old backups were being removed for all of the time.
    """
    key = f"{user}/leases/write-{writer}-{os.urandom(8).hex()}.json"
    deadline = time.monotonic() + wait_seconds
    objects.put(key, b"{}")
    try:
        while _live(objects, user, "clean"):
            if time.monotonic() > deadline:
                raise LeaseError(f"old backups of {user!r} are being removed; run the same command again later")
            time.sleep(POLL_SECONDS)
            objects.put(key, b"{}")
        yield Lease(objects, key)
    finally:
        objects.delete([key])


@contextmanager
def cleaning_lease(objects: Objects, user: str, *, wait_seconds: float = WAIT_SECONDS) -> Iterator[Lease]:
    """Hold the only lease to remove contents and backups of a user.

    Raises:
        LeaseError: a backup was being written, or another process removed, for all of the time.
    """
    key = f"{user}/leases/clean.json"
    deadline = time.monotonic() + wait_seconds
    while True:
        if objects.create(key, b"{}"):
            if not _live(objects, user, "write"):
                break
            objects.delete([key])  # a writer that waits for it goes on
        else:
            _live(objects, user, "clean")  # removes that of a killed process
        if time.monotonic() > deadline:
            raise LeaseError(f"a backup of {user!r} is being written; what is old is removed another time")
        time.sleep(POLL_SECONDS)
    try:
        yield Lease(objects, key)
    finally:
        objects.delete([key])


def release_own(objects: Objects, user: str, writer: str) -> None:
    """Remove the leases that killed backups of this home left; the caller holds the lock of its backups."""
    objects.delete([one.key for one in objects.under(f"{user}/leases") if f"/write-{writer}-" in one.key])


def _live(objects: Objects, user: str, kind: str) -> list[str]:
    """Return the leases of a kind that count; those of killed processes are removed."""
    found = [one for one in objects.under(f"{user}/leases") if one.key.rpartition("/")[2].startswith(kind)]
    if not found:
        return []
    now = _clock(objects, user)
    old = [one.key for one in found if now - one.changed > LIFETIME]
    objects.delete(old)
    return [one.key for one in found if one.key not in old]


def _clock(objects: Objects, user: str) -> datetime:
    """Return the time by the destination's clock, which may differ from this machine's."""
    key = f"{user}/leases/clock-{os.urandom(8).hex()}.json"
    objects.put(key, b"{}")
    try:
        listed: list[Stored] = objects.under(f"{user}/leases")
        return max(one.changed for one in listed)
    finally:
        objects.delete([key])
