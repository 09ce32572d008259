"""The options `--keep-forever`, `--ephemeral` and `--sensitivity` of the commands that write sources."""

from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from brain_pipelines.readers.source_policy import SourcePolicy

KeepForever = Annotated[
    bool | None,
    typer.Option("--keep-forever/--no-keep-forever", help="Never decays, whatever else is stated.", show_default=False),
]
Ephemeral = Annotated[
    bool | None,
    typer.Option("--ephemeral/--no-ephemeral", help="Expires 30 days after it was received.", show_default=False),
]
Sensitivity = Annotated[str | None, typer.Option("--sensitivity", help="low, normal or high; for access control only.")]


def policy_of(*, keep_forever: bool | None, ephemeral: bool | None, sensitivity: str | None) -> "SourcePolicy":
    """Return what the options state; an option that was negated takes back what was stated before.

    Raises:
        typer.BadParameter: for both policies at once, or another sensitivity.
    """
    from brain_pipelines.readers.source_policy import SourcePolicy

    if keep_forever and ephemeral:
        raise typer.BadParameter("a source is kept forever or ephemeral, not both", param_hint="--ephemeral")
    ttl = "keep_forever" if keep_forever else "ephemeral" if ephemeral else None
    if ttl is None and (keep_forever is False or ephemeral is False):
        ttl = "decay"
    try:
        return SourcePolicy(ttl, sensitivity)
    except ValueError as error:
        raise typer.BadParameter(str(error), param_hint="--sensitivity") from None
