"""Backups of several users one after the other: an error of one does not hold up the others."""

import sqlite3
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from brain_pipelines.landing.archive.manifest import precedes
from brain_pipelines.landing.landing import open_landing
from brain_pipelines.landing.offsite.backing_up import Made, back_up_user
from brain_pipelines.landing.offsite.cleaning import Removed, prune, remove_user
from brain_pipelines.landing.offsite.heads import heads_of
from brain_pipelines.landing.offsite.leases import LeaseError
from brain_pipelines.landing.offsite.objects import Objects
from brain_retrieval.errors import BrainError
from brain_retrieval.home import USER_PATTERN, Home
from brain_retrieval.ids import content_id
from brain_retrieval.settings import Settings

Report = Callable[[str, int, int], None]  # user, files done, of how many


@dataclass
class Result:
    """What a run of the backups did. `failed` maps users to a sentence; `late` are not cleaned up, but backed up."""

    made: dict[str, Made] = field(default_factory=dict)
    removed: dict[str, Removed] = field(default_factory=dict)
    failed: dict[str, str] = field(default_factory=dict)
    late: dict[str, str] = field(default_factory=dict)
    skipped: list[str] = field(default_factory=list)  # nothing of them has landed
    forgotten: int = 0  # users whose backups were removed because they had been forgotten

    def counts(self) -> dict[str, float]:
        """Return totals: users, files, bytes, seconds."""
        made, removed = self.made.values(), self.removed.values()
        return {
            "users": len(self.made) + len(self.failed),
            "failed": len(self.failed),
            "changed_users": sum(one.changed for one in made),
            "files": sum(one.head.files for one in made),
            "bytes": sum(one.head.bytes for one in made),
            "stored_files": sum(one.files for one in made),
            "stored_bytes": sum(one.bytes for one in made),
            "seconds": round(sum(one.seconds for one in made), 3),
            "removed_backups": sum(one.backups for one in removed),
            "removed_bytes": sum(one.bytes for one in removed),
            "removed_users": self.forgotten,
        }

    def to_json(self) -> dict[str, Any]:
        users = {name: {**one.to_json(), **self._removed(name)} for name, one in self.made.items()}
        rest = {"failed": self.failed, "not_cleaned": self.late, "nothing_landed": self.skipped}
        return {"users": users, **rest, "totals": self.counts()}

    def _removed(self, user: str) -> dict[str, Any]:
        return self.removed[user].to_json() if user in self.removed else {}


def back_up_users(
    home: Home,
    settings: Settings,
    objects: Objects,
    users: Sequence[str],
    *,
    forgotten: Mapping[str, str],
    full: bool = False,
    take_over: bool = False,
    report: Report = lambda _user, _done, _total: None,
) -> Result:
    """Back up users and remove what is no longer kept of each; then backups of users that were forgotten here.

    Args:
        forgotten: hash of a user who was forgotten as a whole -> when (ISO 8601, UTC).

    Raises:
        DestinationError: the destination cannot be used at all.
    """
    result = Result()
    stored = objects.folders()
    for user in users:
        space = home.space(user)
        try:
            with open_landing(space, settings) as landing:
                if landing.is_blank():
                    result.skipped.append(user)
                    continue
            result.made[user] = back_up_user(
                space,
                settings,
                objects,
                full=full,
                take_over=take_over,
                report=lambda done, total, name=user: report(name, done, total),
            )
        except (BrainError, OSError, sqlite3.DatabaseError) as error:
            result.failed[user] = str(error) if isinstance(error, BrainError) else f"{type(error).__name__}: {error}"
            continue
        try:
            result.removed[user] = prune(objects, space, settings.backup)
        except BrainError as error:
            result.late[user] = str(error)
    result.forgotten = remove_forgotten(objects, stored, forgotten)
    return result


def remove_forgotten(objects: Objects, users: Sequence[str], forgotten: Mapping[str, str]) -> int:
    """Remove the backups of users who were forgotten after their newest one was made; return of how many."""
    removed = 0
    for user in users:
        at = forgotten.get(content_id("user", user)) if USER_PATTERN.fullmatch(user) else None
        if at is None:
            continue
        heads = heads_of(objects, user)
        if heads and not precedes(heads[-1].made_at, at):  # came back since
            continue
        try:
            done = remove_user(objects, user)
        except LeaseError:
            continue  # the next run does it
        removed += bool(done.backups or done.contents)
    return removed
