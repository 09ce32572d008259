"""The command `brain completion`: a script that lets a shell complete commands, options, users and kinds."""

import json
from enum import StrEnum
from typing import Annotated

import typer

from brain_pipelines.commands.shell.group import VARIABLE
from brain_retrieval.serve.cli import JsonOption, answers_errors

WHERE = {
    "bash": "~/.local/share/bash-completion/completions/brain",
    "zsh": "a folder of $fpath, as _brain",
    "fish": "~/.config/fish/completions/brain.fish",
}


class Shell(StrEnum):
    """Shells for which there is a script."""

    BASH = "bash"
    ZSH = "zsh"
    FISH = "fish"


def register(app: typer.Typer) -> None:
    """Add the command to `app`."""
    app.command()(answers_errors(completion))


def completion(
    shell: Annotated[Shell, typer.Argument(help="The shell.")],
    as_json: JsonOption = False,
) -> None:
    """Print the completion script of a shell: bash, zsh or fish."""
    from typer._completion_shared import get_completion_script

    script = get_completion_script(prog_name="brain", complete_var=VARIABLE, shell=shell.value)
    if as_json:
        typer.echo(json.dumps({"shell": shell.value, "where": WHERE[shell.value], "script": script}, indent=2))
        return
    typer.echo(script)
