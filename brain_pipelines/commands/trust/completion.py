"""What a shell may complete a subject of trust with: the sites that wait, and the subjects of decisions."""

from pathlib import Path

import typer

from brain_retrieval.errors import BrainError
from brain_retrieval.home import Home, default_home


def subjects(ctx: typer.Context, incomplete: str) -> list[str]:
    """Return the sites that are held back and the subjects of decisions that begin so, of the user on the line."""
    from brain_pipelines.ingest.trust_overview import decisions_of, held_sites

    user, given = ctx.params.get("user"), ctx.params.get("home")
    if user is None:
        return []
    home = Home((Path(given) if given else default_home()).expanduser().resolve())
    try:
        found = {one.subject for one in held_sites(home, user)} | {one.subject for one in decisions_of(home, user)}
    except BrainError:  # an unknown user, or a damaged store: nothing is proposed
        return []
    return sorted(one for one in found if one.startswith(incomplete))
