"""A team's sources in the snapshot of one reader: what was extracted for the reader stays while the team lists the
reader,
and titles, texts and summaries are read from the team's own stores.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import polars as pl

from brain_retrieval.home import Home, Space
from brain_retrieval.ids import stable_hash
from brain_retrieval.settings import Settings
from brain_retrieval.stores.catalog import Catalog
from brain_retrieval.stores.lake import Lake
from brain_retrieval.stores.requests import Requests, Wanted
from brain_retrieval.teams import shared_name, split_shared, teams_of

EXTRACTED = ("mentions", "entities", "facts")
# What lies in the team's stores alone.
LENT = ("text", "enrichments", "chunks")


@dataclass
class SharedSources:
    """The team sources that one reader asked for and may read."""

    space: Space
    settings: Settings

    @cached_property
    def wanted(self) -> dict[str, list[Wanted]]:
        """What was asked for, by team."""
        teams = teams_of(self.settings, self.space.user)
        with Requests(self.space) as requests:
            asked = {team: requests.all(team) for team in teams}
        known = {team for team in teams if Home(self.space.home).space(team).catalog.is_file()}
        return {team: found for team, found in asked.items() if found and team in known}

    @property
    def teams(self) -> dict[str, str]:
        """The team by the name that its source types have in this reader's stores."""
        return {shared_name(team, one.source): team for team, asked in self.wanted.items() for one in asked}

    def content_hash(self, tables: Sequence[tuple[str, str | None]]) -> str:
        """Return a hash of what is read from the teams' stores for these lake tables."""
        lent = [table for table, source in tables if source is None and table in LENT]
        parts: list[object] = [sorted(self.wanted), sorted(teams_of(self.settings, self.space.user))]
        for team, asked in sorted(self.wanted.items()) if lent else ():
            with Catalog(Home(self.space.home).space(team)) as catalog:
                files = [[(f.key, f.digest) for f in catalog.lake_files(table)] for table in lent]
            parts += [team, [one.source_id for one in asked], files]
        return stable_hash(parts)

    def add_to(self, rows: pl.DataFrame, table: str) -> pl.DataFrame:
        """Return rows of a lake table as the reader may see them: without those of teams that have let the reader go,
        and with those that only the team's stores hold.
        """
        if not self.settings.teams:
            return rows
        if table in EXTRACTED:
            return rows.filter(~pl.col("source").is_in(self._foreign(rows)))
        lent = [self._lent(team, asked, table, rows.columns) for team, asked in sorted(self.wanted.items())]
        return pl.concat([rows, *lent]) if table in LENT and lent else rows

    def _foreign(self, rows: pl.DataFrame) -> list[str]:
        mine = set(teams_of(self.settings, self.space.user))
        split = {name: split_shared(name, self.settings) for name in rows["source"].unique().to_list()}
        return [name for name, found in split.items() if "--" in name and (found is None or found[0] not in mine)]

    def _lent(self, team: str, asked: Sequence[Wanted], table: str, columns: Sequence[str]) -> pl.DataFrame:
        space = Home(self.space.home).space(team)
        days = sorted({one.day for one in asked})
        with Catalog(space) as catalog:
            rows = pl.DataFrame(Lake(space, catalog).read(table, days=days, columns=columns))
        mine = rows.filter(pl.col("source_id").is_in([one.source_id for one in asked]))
        return mine.with_columns(pl.format(f"{team}--{{}}", "source").alias("source"))
