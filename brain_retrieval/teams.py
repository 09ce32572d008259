"""Team membership, and the names of a team's sources in the stores of its members.

A team has a user id and a space of its own, in which its sources are parsed, chunked and embedded once. Entities and
facts are extracted for each member separately, into the member's own stores, under `<team>--<source type>`.
"""

from typing import TYPE_CHECKING

from brain_retrieval.errors import BrainError

if TYPE_CHECKING:
    from brain_retrieval.settings import Settings, TeamSettings

SEPARATOR = "--"


class NotAMemberError(BrainError, PermissionError):
    """The team does not exist or the user is not a member; the message does not reveal which."""

    exit_code = 3


def check_member(settings: "Settings", team: str, user: str) -> "TeamSettings":
    """Return the settings of a team that `user` is a member of.

    Raises:
        NotAMemberError: otherwise.
    """
    found = settings.teams.get(team)
    if found is None or user not in found.members:
        raise NotAMemberError(f"{user!r} is not a member of a team {team!r}; brain.toml lists members under [teams]")
    return found


def teams_of(settings: "Settings", user: str) -> list[str]:
    """Return the teams that a user is a member of, sorted."""
    return sorted(team for team, found in settings.teams.items() if user in found.members)


def shared_name(team: str, source: str) -> str:
    """Return the name of a team's source type in a member's stores: `<team>--<source type>`."""
    return f"{team}{SEPARATOR}{source}"


def split_shared(name: str, settings: "Settings") -> tuple[str, str] | None:
    """Return (team, source type) of a shared name, None for a source of the user's own."""
    for team in sorted(settings.teams, key=len, reverse=True):
        if name.startswith(team + SEPARATOR):
            return team, name.removeprefix(team + SEPARATOR)
    return None
