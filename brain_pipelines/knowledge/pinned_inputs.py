"""What a snapshot reads, pinned by its first stage: lake files, the shared texts of teams, recalls up to an instant.

Every later stage of the snapshot reads exactly these, so what arrives while a snapshot runs belongs to the next one. A
lake file is immutable, so its name and digest pin its rows; how pinned files are read is in `pinned_reader.py`.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import astuple, dataclass
from datetime import UTC, date, datetime, timedelta
from datetime import time as clock
from functools import cached_property
from typing import Any

from brain_pipelines.knowledge.stage import SnapshotStage
from brain_pipelines.knowledge.team_sources import LENT, PinnedTeam, pin_teams
from brain_retrieval.home import Space
from brain_retrieval.ids import stable_hash
from brain_retrieval.settings import Settings
from brain_retrieval.stores.access_log import AccessLog
from brain_retrieval.stores.catalog import Catalog, LakeFile
from brain_retrieval.stores.requests import Wanted
from brain_retrieval.teams import teams_of

Inputs = Sequence[tuple[str, str | None]]  # lake table, and source type if only one matters


def end_of(day: str, settings: Settings) -> datetime:
    """Return the first instant after a knowledge day of the time zone of the settings, in UTC as all times of rows."""
    following = date.fromisoformat(day) + timedelta(days=1)
    return datetime.combine(following, clock(), tzinfo=settings.zone).astimezone(UTC)


def lake_inputs(stages: Iterable[SnapshotStage]) -> list[tuple[str, str | None]]:
    """Return every lake input that a stage declares, each once, in order."""
    return sorted({one for stage in stages for one in stage.lake}, key=lambda one: (one[0], one[1] or ""))


@dataclass(frozen=True)
class PinnedInputs:
    """The inputs of one snapshot.

    Args:
        files: the user's own lake files, ordered by table, source and day.
        teams: what the user asked for of each team, with the team's files that hold it.
        member_of: the teams that list the user.
        log_until: recalls before this instant count.
        log_digest: a hash of these recalls, "" if no stage reads them.
    """

    files: tuple[LakeFile, ...]
    teams: Mapping[str, PinnedTeam]
    member_of: tuple[str, ...]
    log_until: datetime
    log_digest: str

    @property
    def is_empty(self) -> bool:
        """Tell whether there is nothing to read."""
        return not self.files and not self.teams

    @cached_property
    def by_table(self) -> dict[str, list[LakeFile]]:
        """The user's own files by table."""
        found: dict[str, list[LakeFile]] = {}
        for file in self.files:
            found.setdefault(file.table, []).append(file)
        return found

    def content_hash(self, inputs: Inputs, *, reads_log: bool) -> str:
        """Return a hash of the content of some lake tables, and of the recalls if they are read."""
        own = [
            [table, source, [(f.key, f.digest) for f in self.by_table.get(table, ()) if source in (None, f.source)]]
            for table, source in inputs
        ]
        lent = {table for table, source in inputs if source is None and table in LENT}
        shared = [[name, team.content(lent)] for name, team in sorted(self.teams.items()) if lent]
        return stable_hash([own, sorted(self.teams), self.member_of, shared, self.log_digest if reads_log else ""])

    def as_json(self) -> dict[str, Any]:
        """Return what `from_json` reads."""
        teams = {name: [[astuple(w)[1:] for w in t.wanted], _rows(t.files)] for name, t in self.teams.items()}
        return {
            "files": _rows(self.files),
            "teams": teams,
            "member_of": list(self.member_of),
            "log_until": self.log_until.isoformat(),
            "log_digest": self.log_digest,
        }

    @classmethod
    def from_json(cls, stored: Mapping[str, Any]) -> "PinnedInputs":
        """Return what was pinned.

        Raises:
            KeyError, TypeError, ValueError: if it is damaged.
        """
        teams = {
            name: PinnedTeam(tuple(Wanted(name, *one) for one in wanted), _files(files))
            for name, (wanted, files) in stored["teams"].items()
        }
        until = datetime.fromisoformat(stored["log_until"])
        return cls(_files(stored["files"]), teams, tuple(stored["member_of"]), until, stored["log_digest"])


def pin_inputs(
    space: Space, settings: Settings, catalog: Catalog, day: str, stages: Sequence[SnapshotStage]
) -> PinnedInputs:
    """Return what the stores hold now of all that the stages of the snapshot of `day` declare to read."""
    tables = {table for table, _ in lake_inputs(stages)}
    until = min(end_of(day, settings), datetime.now(UTC))
    return PinnedInputs(
        files=tuple(file for file in catalog.lake_files() if file.table in tables),
        teams=pin_teams(space, settings, tables),
        member_of=tuple(teams_of(settings, space.user)),
        log_until=until,
        log_digest=_log_digest(space, until) if any(stage.reads_log for stage in stages) else "",
    )


def _log_digest(space: Space, until: datetime) -> str:
    with AccessLog(space) as log:
        rows = log.recalls(until).rows()
    return stable_hash(rows) if rows else ""


def _rows(files: Iterable[LakeFile]) -> list[list[Any]]:
    return [list(astuple(file)) for file in files]


def _files(rows: Iterable[Sequence[Any]]) -> tuple[LakeFile, ...]:
    return tuple(LakeFile(*row) for row in rows)
