"""A team's sources in the snapshot of one reader: what was extracted for the reader stays while the team lists the
reader, and titles, texts and summaries are read from the team's own stores.
"""

from collections.abc import Collection, Set
from dataclasses import dataclass

from brain_retrieval.home import Home, Space
from brain_retrieval.settings import Settings
from brain_retrieval.stores.catalog import Catalog, LakeFile
from brain_retrieval.stores.requests import Requests, Wanted
from brain_retrieval.teams import SEPARATOR, split_shared, teams_of

EXTRACTED = ("mentions", "entities", "facts")
# What lies in the team's stores alone.
LENT = ("text", "enrichments", "chunks")


@dataclass(frozen=True)
class PinnedTeam:
    """What one reader asked for of a team, and the team's lake files of these days."""

    wanted: tuple[Wanted, ...]
    files: tuple[LakeFile, ...]

    def content(self, tables: Collection[str]) -> list[object]:
        """Return what a hash of the reader's rows of these tables must depend on."""
        files = [(file.key, file.digest) for file in self.files if file.table in tables]
        return [[one.source_id for one in self.wanted], files]


def pin_teams(space: Space, settings: Settings, tables: Collection[str]) -> dict[str, PinnedTeam]:
    """Return what a reader asked for and may read, by team, with the team's files as they are now.

    Args:
        tables: the lake tables that are read; of these only LENT lie with the team.
    """
    teams = teams_of(settings, space.user)
    with Requests(space) as requests:
        asked = {team: requests.all(team) for team in teams}
    spaces = {team: Home(space.home).space(team) for team, found in asked.items() if found}
    return {
        team: PinnedTeam(tuple(asked[team]), _files(home, asked[team], set(tables) & set(LENT)))
        for team, home in spaces.items()
        if home.catalog.is_file()
    }


def _files(team: Space, wanted: Collection[Wanted], tables: Set[str]) -> tuple[LakeFile, ...]:
    days = {(one.source, one.day) for one in wanted}
    with Catalog(team) as catalog:
        files = catalog.lake_files(days=sorted({day for _, day in days}))
    return tuple(file for file in files if file.table in tables and (file.source, file.day) in days)


def is_foreign(source: str, member_of: Collection[str], settings: Settings) -> bool:
    """Tell whether rows of a source type are of a team that has let the reader go."""
    found = split_shared(source, settings)
    return SEPARATOR in source and (found is None or found[0] not in member_of)
