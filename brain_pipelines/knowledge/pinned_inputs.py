"""The inputs of a snapshot, pinned by its first stage: lake files, requested team files, recalls before an instant.

All later stages read exactly these inputs, so data that arrives during a run belongs to the next snapshot. Lake files
are immutable, so name and digest identify their rows. Pinned files are read by `pinned_reader.py`.
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
    """Return the end of a knowledge day (exclusive): midnight in the time zone of the settings, converted to UTC."""
    following = date.fromisoformat(day) + timedelta(days=1)
    return datetime.combine(following, clock(), tzinfo=settings.zone).astimezone(UTC)


def lake_inputs(stages: Iterable[SnapshotStage]) -> list[tuple[str, str | None]]:
    """Return the distinct lake inputs that the stages declare, sorted."""
    return sorted({one for stage in stages for one in stage.lake}, key=lambda one: (one[0], one[1] or ""))


@dataclass(frozen=True)
class PinnedInputs:
    """The inputs of one snapshot.

    Args:
        files: the user's own lake files, ordered by table, source and day.
        teams: by team, the sources that the user requested and the team's lake files that hold them.
        member_of: the teams that list the user.
        log_until: recalls in the access log before this instant are read.
        log_digest: a hash of these recalls, "" if no stage reads them.
    """

    files: tuple[LakeFile, ...]
    teams: Mapping[str, PinnedTeam]
    member_of: tuple[str, ...]
    log_until: datetime
    log_digest: str

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to read."""
        return not self.files and not self.teams

    @cached_property
    def by_table(self) -> dict[str, list[LakeFile]]:
        """The user's own files by table."""
        found: dict[str, list[LakeFile]] = {}
        for file in self.files:
            found.setdefault(file.table, []).append(file)
        return found

    def content_hash(self, inputs: Inputs, *, reads_log: bool) -> str:
        """Return a hash of the pinned content of some lake tables, and of the recalls if `reads_log`."""
        asked = (tuple(inputs), reads_log)
        if asked not in self._hashes:  # every stage asks for those of all stages before it
            self._hashes[asked] = self._hash(inputs, reads_log=reads_log)
        return self._hashes[asked]

    @cached_property
    def _hashes(self) -> dict[tuple[tuple[tuple[str, str | None], ...], bool], str]:
        return {}

    def _hash(self, inputs: Inputs, *, reads_log: bool) -> str:
        own = [
            [table, source, [(f.key, f.digest) for f in self.by_table.get(table, ()) if source in (None, f.source)]]
            for table, source in inputs
        ]
        lent = {table for table, source in inputs if source is None and table in LENT}
        shared = [[name, team.content(lent)] for name, team in sorted(self.teams.items()) if lent]
        return stable_hash([own, sorted(self.teams), self.member_of, shared, self.log_digest if reads_log else ""])

    def as_json(self) -> dict[str, Any]:
        """Return a JSON-compatible form, the inverse of `from_json`."""
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
        """Return the inputs that `as_json` stored.

        Raises:
            KeyError, TypeError, ValueError: if the stored form is damaged.
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
    """Return the current state of all inputs that the stages declare, for the snapshot of `day`."""
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
