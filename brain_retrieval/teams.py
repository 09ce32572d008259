"""Who may read a team's space, and how a team's source is called in the stores of one of its readers.

A team is a user of its own: its sources are parsed, cut and embedded once, there. What they say of people and facts is
extracted for each reader apart, into the reader's own stores, under the name `<team>--<source type>`.
"""

from brain_retrieval.errors import BrainError
from brain_retrieval.settings import Settings, TeamSettings

SEPARATOR = "--"


class NotAMemberError(BrainError, PermissionError):
    """Somebody asked for a team that does not exist or that lists others as members; which of both is not said."""

    exit_code = 3


def check_member(settings: Settings, team: str, user: str) -> TeamSettings:
    """Return the settings of a team that `user` is a member of.

    Raises:
        NotAMemberError: otherwise.
    """
    found = settings.teams.get(team)
    if found is None or user not in found.members:
        raise NotAMemberError(f"{user!r} is not a member of a team {team!r}; brain.toml lists members under [teams]")
    return found


def teams_of(settings: Settings, user: str) -> list[str]:
    """Return the teams that a user is a member of, sorted."""
    return sorted(team for team, found in settings.teams.items() if user in found.members)


def shared_name(team: str, source: str) -> str:
    """Return what a team's source type is called in a reader's stores."""
    return f"{team}{SEPARATOR}{source}"


def split_shared(name: str, settings: Settings) -> tuple[str, str] | None:
    """Return (team, source type) of a shared name, None for a source of the user's own."""
    for team in sorted(settings.teams, key=len, reverse=True):
        if name.startswith(team + SEPARATOR):
            return team, name.removeprefix(team + SEPARATOR)
    return None
