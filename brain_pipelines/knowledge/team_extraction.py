"""Extraction of team sources for one reader: which requested days are pending, and running the stage for them.

Parsing, chunking and embedding run once, in the team's space. Only the extraction stage runs for each reader: it reads
the requested texts from the team's stores and writes to the reader's stores.
"""

from collections.abc import Iterable
from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import cached_property

from brain_pipelines.engine.run_stage import MAX_ATTEMPTS, StageReport, materialize
from brain_pipelines.engine.stage import Progress, Row, ignore_progress
from brain_pipelines.sources.registry import SOURCES_BY_NAME
from brain_pipelines.stages.registry import STAGES_BY_NAME
from brain_retrieval.home import Home, Space
from brain_retrieval.ids import stable_hash
from brain_retrieval.settings import Settings
from brain_retrieval.stores.catalog import Catalog
from brain_retrieval.stores.lake import Lake
from brain_retrieval.stores.requests import Requests, Wanted
from brain_retrieval.teams import check_member, shared_name, teams_of

EXTRACTIONS = STAGES_BY_NAME["extractions"]


@dataclass(frozen=True, order=True)
class SharedDay:
    """The requested sources of one team, source type and day."""

    team: str
    source: str
    day: str
    source_ids: frozenset[str]

    @property
    def name(self) -> str:
        return shared_name(self.team, self.source)


@dataclass
class TeamTexts:
    """The upstream of a reader's extraction: the requested texts in the stores of the team."""

    home: Home
    team: str
    source: str
    wanted: dict[str, frozenset[str]]  # ISO day -> source ids

    @cached_property
    def catalog(self) -> Catalog:
        return Catalog(self.home.space(self.team))

    def input_hash(self, day: str) -> str:
        """Return a hash of the requested ids and of the team's texts of the day; "" if there are none."""
        texts = self.catalog.get_ledger(self.source, "text", day)
        ids = sorted(self.wanted.get(day, ()))
        return stable_hash([ids, texts.output_hash]) if ids and texts and texts.output_hash else ""

    def read(self, day: str) -> list[Row]:
        """Return the requested texts of a day."""
        rows = Lake(self.home.space(self.team), self.catalog).read("text", source=self.source, days=[day]).to_pylist()
        wanted = self.wanted.get(day, frozenset())
        return [{**row, "source": shared_name(self.team, self.source)} for row in rows if row["source_id"] in wanted]


def wanted_days(space: Space, settings: Settings) -> list[SharedDay]:
    """Return the sources that a reader requested from teams the reader is currently a member of, by day."""
    with Requests(space) as requests:
        asked = [one for team in teams_of(settings, space.user) for one in requests.all(team)]
    groups: dict[tuple[str, str, str], set[str]] = {}
    for one in asked:
        if one.source in SOURCES_BY_NAME:
            groups.setdefault((one.team, one.source, one.day), set()).add(one.source_id)
    return [SharedDay(*key, frozenset(ids)) for key, ids in sorted(groups.items())]


def pending(home: Home, user: str, settings: Settings) -> list[SharedDay]:
    """Return the days whose extraction for this reader is missing or outdated, except those that failed too often.

    A source that the team changed or removed is pending again.
    """
    space = home.space(user)
    days = wanted_days(space, settings)
    if not days:
        return []
    with Catalog(space) as catalog, ExitStack() as stack:
        texts = {}
        for key in {(d.team, d.source) for d in days}:
            mine = {d.day: d.source_ids for d in days if (d.team, d.source) == key}
            texts[key] = TeamTexts(home, *key, mine)
            stack.callback(texts[key].catalog.close)
        return [d for d in days if _is_due(catalog, d, texts[d.team, d.source].input_hash(d.day))]


def _is_due(catalog: Catalog, day: SharedDay, input_hash: str) -> bool:
    done = catalog.get_ledger(day.name, EXTRACTIONS.name, day.day)
    if done is None:
        return bool(input_hash)
    if done.input_hash != input_hash or done.code_version != EXTRACTIONS.code_version:
        return True
    failures = catalog.failures(day.name, EXTRACTIONS.name, day.day, input_hash)
    return done.state == "failed" and failures < MAX_ATTEMPTS


def extract_for_reader(
    home: Home,
    user: str,
    days: Iterable[str],
    settings: Settings,
    *,
    run_id: str,
    force: bool = False,
    progress: Progress = ignore_progress,
) -> dict[str, StageReport]:
    """Bring a reader's extractions of team sources up to date for some days; return a report by shared name.

    Raises:
        StageFailedError: if the stage failed as a whole for a team's source type.
    """
    space, chosen = home.space(user), set(days)
    wanted = [day for day in wanted_days(space, settings) if day.day in chosen]
    reports: dict[str, StageReport] = {}
    for team, source in sorted({(day.team, day.source) for day in wanted}):
        mine = {d.day: d.source_ids for d in wanted if (d.team, d.source) == (team, source)}
        texts = TeamTexts(home, team, source, mine)
        named = replace(SOURCES_BY_NAME[source], name=shared_name(team, source))
        try:
            reports[named.name] = materialize(
                EXTRACTIONS,
                named,
                space,
                sorted(mine),
                settings=settings,
                run_id=run_id,
                force=force,
                progress=progress,
                upstream=texts,
            )
        finally:
            texts.catalog.close()
    return reports


def request_batch(
    home: Home,
    user: str,
    team: str,
    settings: Settings,
    *,
    source: str | None = None,
    start: str | None = None,
    end: str | None = None,
) -> int:
    """Request all sources of a team, or those of a source type or date range; return how many requests are new.

    Raises:
        NotAMemberError: if the user may not read the team.
    """
    check_member(settings, team, user)
    with Catalog(home.space(team)) as catalog:
        rows = Lake(home.space(team), catalog).read("text", source=source, columns=["source", "day", "source_id"])
    found = [Wanted(team, r["source"], r["day"], r["source_id"]) for r in rows.to_pylist()]
    with Requests(home.space(user).create()) as requests:
        return requests.add(one for one in found if (start or "") <= one.day <= (end or "9999-12-31"))
