"""Team sources in the snapshot of one reader.

Extractions are in the reader's stores and are read while the reader is a member of the team; texts, enrichments and
chunks are read from the team's stores.
"""

from collections.abc import Collection, Set
from dataclasses import dataclass

from brain_retrieval.home import Home, Space
from brain_retrieval.settings import Settings
from brain_retrieval.stores.catalog import Catalog, LakeFile
from brain_retrieval.stores.requests import Requests, Wanted
from brain_retrieval.teams import SEPARATOR, split_shared, teams_of

EXTRACTED = ("mentions", "entities", "facts", "memories")
# Tables that exist in the team's stores only.
LENT = ("text", "enrichments", "chunks")


@dataclass(frozen=True)
class PinnedTeam:
    """The sources that one reader requested from a team, and the team's lake files of these days."""

    wanted: tuple[Wanted, ...]
    files: tuple[LakeFile, ...]

    def content(self, tables: Collection[str]) -> list[object]:
        """Return the requested ids and the files of some tables, as input of a hash."""
        files = [(file.key, file.digest) for file in self.files if file.table in tables]
        return [[one.source_id for one in self.wanted], files]


def pin_teams(space: Space, settings: Settings, tables: Collection[str]) -> dict[str, PinnedTeam]:
    """Return by team the sources that a reader requested and may read, with the team's current files.

    Args:
        space: the stores of the reader.
        settings: for the teams of the reader.
        tables: the lake tables that are read; only those in LENT are in the team's stores.
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
    """Return whether a source type belongs to a team that the reader is no longer a member of."""
    found = split_shared(source, settings)
    return SEPARATOR in source and (found is None or found[0] not in member_of)
