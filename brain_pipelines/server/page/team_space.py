"""Sources of the teams that the user is a member of: their stores, opened for one request in the user's name."""

from collections.abc import Iterator
from contextlib import contextmanager

from brain_pipelines.server.page.lake import rows
from brain_pipelines.server.pool import Opened
from brain_pipelines.server.problems import ProblemError
from brain_retrieval.errors import UnknownUserError
from brain_retrieval.teams import NotAMemberError, teams_of

NO_TEAM = "There is no such team among yours, or nothing of it is here."
_HELD = "SELECT 1 FROM text WHERE source_id = $1 OR uri = $1 LIMIT 1"


def teams_here(opened: Opened) -> list[str]:
    """Return the teams of the user of which something is stored, sorted."""
    mine = teams_of(opened.settings, opened.user)
    return [team for team in mine if opened.home.space(team).root.is_dir()]


@contextmanager
def space_of(opened: Opened, team: str) -> Iterator[Opened]:
    """Yield the stores of a team as the user may read them; the user's own for "".

    Raises:
        ProblemError: 404 if the user is no member of it, or nothing of it is stored.
    """
    if not team:
        yield opened
        return
    try:
        brain = opened.brain.team(team)
    except (NotAMemberError, UnknownUserError):
        raise ProblemError(404, NO_TEAM) from None
    shared = Opened(team, opened.home, opened.settings, opened.directory, _brain=brain)
    try:
        yield shared
    finally:
        shared.close()


@contextmanager
def holding(opened: Opened, source_id: str) -> Iterator[Opened]:
    """Yield the stores that hold a source: the user's own, else those of the first team that has it, else the own."""
    found = ""
    if not rows(opened, _HELD, [source_id]):
        for team in teams_here(opened):
            with space_of(opened, team) as shared:
                if rows(shared, _HELD, [source_id]):
                    found = team
                    break
    with space_of(opened, found) as stores:
        yield stores
