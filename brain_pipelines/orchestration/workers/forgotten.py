"""What was forgotten leaves the object storage of the workers, with the commit that follows, and the receipt says so.

The receipt is written before the commit, so it names the storage as waiting. After the commit everything that the
newest manifest does not need is removed at once, also what runs that were never committed have left. A process that is
killed in between leaves a receipt that waits, and the next session of the home goes on from there.
"""

import json
from collections.abc import Iterator
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from brain_pipelines.knowledge.forgetting.receipts import FOLDER, WAITING, user_hash
from brain_pipelines.landing.offsite.heads import blob_key
from brain_pipelines.landing.offsite.objects import Objects
from brain_pipelines.orchestration.workers.copying import needed_by
from brain_pipelines.orchestration.workers.fence import Copy, Fence
from brain_retrieval.home import Home, Space
from brain_retrieval.stores.durable import write_bytes

STORE = "object storage of the workers"


def waits(space: Space) -> bool:
    """Return whether something of a user was forgotten that the object storage may still have."""
    return any(_waiting(space.root / FOLDER))


def purge(home: Home, fence: Fence, objects: Objects, users: tuple[str, ...]) -> None:
    """Remove what was forgotten of the users of a session, and of users who are gone, and complete their receipts.

    Args:
        fence: holds the locks of the users.

    Raises:
        DestinationError: the object storage fails; the receipts go on waiting.
        LostLockError: the lock was lost.
    """
    for user in users:
        for path, receipt in list(_waiting(home.space(user).root / FOLDER)):
            copy = fence.copy(user)
            _complete(path, receipt, sweep(fence, objects, user, copy))
    gone = list(_waiting(home.path / FOLDER))
    if not gone:
        return
    hashes = {user_hash(user): user for user in objects.folders()}
    for path, receipt in gone:
        user = hashes.get(receipt["user"])
        if user is None:
            _complete(path, receipt, 0)  # the session that removed the user emptied the storage too
        elif fence.copy(user) is None:
            fence.lock([user], seconds=60)
            _complete(path, receipt, sweep(fence, objects, user, None))


def sweep(fence: Fence, objects: Objects, user: str, copy: Copy | None, *, older_than: timedelta = timedelta()) -> int:
    """Remove the contents of a user that the newest manifest does not need; return how many went.

    Args:
        fence: holds the user's lock, so no live run is publishing.
        older_than: only what was stored so long ago: a run that lost its lock may not have noticed yet.
    """
    needed = {blob_key(user, one) for one in needed_by(objects, user, copy)} if copy else set[str]()
    before = datetime.now(UTC) - older_than
    unused = [one.key for one in objects.under(user) if one.key not in needed and one.changed <= before]
    fence.check()
    objects.delete(unused)
    fence.removed(user, [key.rpartition("/")[2] for key in unused])
    return len(unused)


def _waiting(folder: Path) -> Iterator[tuple[Path, dict[str, Any]]]:
    for path in sorted(folder.glob("receipt_*.json")):
        receipt: dict[str, Any] = {}
        with suppress(ValueError):  # a damaged receipt is no reason to fail a run
            receipt = json.loads(path.read_bytes())
        if STORE in receipt.get(WAITING, {}):
            yield path, receipt


def _complete(path: Path, receipt: dict[str, Any], removed: int) -> None:
    del receipt[WAITING][STORE]
    receipt["removed_at_workers"] = receipt.get("removed_at_workers", 0) + removed
    write_bytes(path, json.dumps(receipt, indent=2, sort_keys=True).encode())
