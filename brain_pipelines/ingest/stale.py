"""`stale`: which partitions of a user are not up to date, and why; derived from the ledger, nothing is run or changed.

never done    there is input, and the stage has not run on it
failed        the last run of it failed
waiting       a remote model was not asked, or did not answer; the rest is stored
input         what the stage reads has changed
code, model, prompt, settings    it was made by another version
follows       the stage that it reads is stale; whether it has to run depends on what that one gives
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property

from brain_pipelines.engine import stage_version
from brain_pipelines.engine.stage import Stage
from brain_pipelines.engine.waiting import WAITING, is_held, waits
from brain_pipelines.landing.landing import Landing, open_landing
from brain_pipelines.sources.registry import SOURCES
from brain_pipelines.sources.source import Source
from brain_pipelines.stages.registry import STAGES
from brain_retrieval.errors import ModelMissingError
from brain_retrieval.home import Space
from brain_retrieval.settings import Settings
from brain_retrieval.stores.catalog import Catalog, LedgerRow

NEVER, FAILED, MODEL_WAITS, INPUT, CODE, FOLLOWS = "never done", "failed", "waiting", "input", "code", "follows"
HELD = "budget spent"
SHOWN_REASON = 160  # characters


@dataclass(frozen=True)
class Stale:
    """A stage of a source that is not up to date on a day. `row` is its last outcome, None if it never ran.

    `reason` is a word of the list above; `detail` says how ("1 → 2"), or quotes the error.
    """

    source: str
    stage: str
    day: str
    reason: str
    detail: str = ""
    row: LedgerRow | None = None

    @property
    def runs(self) -> bool:
        """Whether a run is known to compute it: it does not just follow another one, nor wait for a spent budget."""
        return self.reason not in (FOLLOWS, HELD)


def stale_of(space: Space, settings: Settings) -> list[Stale]:
    """Return the stale partitions of a user as of now."""
    with open_landing(space, settings) as landing, Catalog(space) as catalog:
        return stale(landing, catalog, settings)


def stale(landing: Landing, catalog: Catalog, settings: Settings, *, now: datetime | None = None) -> list[Stale]:
    """Return the stale partitions of a user, ordered by source, day and stage.

    Args:
        landing: of the user, as well as `catalog`.
        settings: of now.
        now: decides which month's budget counts.
    """
    ledger: dict[str, dict[tuple[str, str], LedgerRow]] = {}
    for row in catalog.ledger():
        ledger.setdefault(row.source, {})[row.stage, row.day] = row
    changed = {(day.source, day.day) for day in landing.dirty()}
    found: list[Stale] = []
    for source in SOURCES:
        rows, landed = ledger.get(source.name, {}), set(landing.days(source.name))
        days = sorted(landed | {day for _, day in rows} | {day for name, day in changed if name == source.name})
        if days:
            makes = {stage.name: _Make(stage, source, landing.user, settings, catalog) for stage in STAGES}
            look = _Look(source.name, rows, makes, settings, now or datetime.now(UTC))
            for day in days:
                found += look.day(day, landed=day in landed, changed=(source.name, day) in changed)
    return found


@dataclass
class _Make:
    """What a stage of a source is made by as of now."""

    stage: Stage
    source: Source
    user: str
    settings: Settings
    catalog: Catalog

    @cached_property
    def config(self) -> str | None:
        """The hash of the settings, None if a model that it depends on is missing."""
        try:
            return stage_version.config_hash(self.stage, self.source, self.settings, self.user)
        except ModelMissingError:
            return None

    def difference(self, row: LedgerRow) -> tuple[str, str] | None:
        """Return why a row was made by another version, None if it was not."""
        if row.code_version != self.stage.code_version:
            return CODE, f"{row.code_version} → {self.stage.code_version}"
        if self.config is None or row.config_hash == self.config:
            return None
        return self._named(row.config_hash)

    def _named(self, config: str) -> tuple[str, str]:
        known = self.__dict__.setdefault("_known", {})
        if config not in known:
            before = self.catalog.get_meta(stage_version.config_key(config))
            after = stage_version.describe(self.stage, self.source, self.settings)
            parts = stage_version.changes(before, after) if before else []
            words = " and ".join(what for what, _ in parts)
            alone = len(parts) == 1
            said = (how if alone else f"{what} {how}" for what, how in parts if how)
            known[config] = (words or "settings", ", ".join(said))
        return known[config]


@dataclass
class _Look:
    """Looks at the days of one source."""

    source: str
    rows: Mapping[tuple[str, str], LedgerRow]
    makes: Mapping[str, _Make]
    settings: Settings
    now: datetime

    def day(self, day: str, *, landed: bool, changed: bool) -> Iterator[Stale]:
        open_stages: set[str] = set()
        for stage in STAGES:
            row = self.rows.get((stage.name, day))
            above = self.rows.get((stage.upstream, day)) if stage.upstream else None
            if stage.upstream is None:
                reason = self._first(row, landed=landed, changed=changed)
            else:
                reason = self._later(row, above, follows=stage.upstream in open_stages)
            if row is not None and row.input_hash and (reason is None or reason[0] in (HELD, MODEL_WAITS)):
                reason = self.makes[stage.name].difference(row) or reason
            if reason is None and stage.upstream in open_stages:
                reason = (NEVER, "") if row is None else (FOLLOWS, stage.upstream or "")
            if reason is not None:
                if reason[0] != HELD:
                    open_stages.add(stage.name)
                yield Stale(self.source, stage.name, day, *reason, row)

    def _first(self, row: LedgerRow | None, *, landed: bool, changed: bool) -> tuple[str, str] | None:
        if row is None:
            return (NEVER, "") if landed else None
        return self._ended(row) or ((INPUT, "") if changed else None)

    def _later(self, row: LedgerRow | None, above: LedgerRow | None, *, follows: bool) -> tuple[str, str] | None:
        given = above.output_hash if above else ""
        if row is None:
            # Without rows above there is nothing to do, unless the stage above has yet to run.
            return (NEVER, "") if given else None
        ended = self._ended(row)
        if ended is not None or follows:
            return ended
        return (INPUT, "") if row.input_hash != given else None

    def _ended(self, row: LedgerRow) -> tuple[str, str] | None:
        """Return how the last run of it fell short."""
        if waits(row):
            reason = HELD if is_held(row, self.settings.costs, self.now) else MODEL_WAITS
            return reason, row.error.removeprefix(WAITING)[:SHOWN_REASON]
        return (FAILED, row.error[:SHOWN_REASON]) if row.state == FAILED else None


def chosen(found: Iterable[Stale], stage: str | None) -> list[Stale]:
    """Return the partitions that a run would compute: those of one stage, or all that do not just follow."""
    return [one for one in found if one.runs and stage in (None, one.stage)]
