"""The group of all commands: with `--json` mistakes in the arguments are JSON too, and Ctrl-C is one line."""

import errno
import json
import os
import sys
from collections.abc import Callable, Sequence
from copy import copy
from typing import Any

import typer
from typer.core import TyperGroup

from brain_pipelines.commands.shell.warm import without_home

VARIABLE = "_BRAIN_COMPLETE"  # set by the script of `brain completion`
# Typer brings click with it or imports it, depending on its version; this is click's exception in both.
ClickError: type[Exception] = next(kind for kind in typer.BadParameter.__mro__ if kind.__name__ == "ClickException")


def only(app: typer.Typer, arguments: Sequence[str]) -> typer.Typer:
    """Return an application with the command alone that the arguments begin with: making all of them takes 30 ms.

    If they begin with no command, or a shell asks for completions, it is the whole one.
    """
    given, _ = without_home(arguments)
    if not given or VARIABLE in os.environ:
        return app
    commands = [one for one in app.registered_commands if one.callback and _name_of(one.name, one.callback) == given[0]]
    groups = [one for one in app.registered_groups if one.name == given[0]]
    if not commands and not groups:
        return app
    small = copy(app)
    small.registered_commands, small.registered_groups = commands, groups
    return small


def _name_of(name: str | None, callback: Callable[..., Any]) -> str:
    return name or callback.__name__.replace("_", "-")


class BrainGroup(TyperGroup):
    """`brain`, as a command that contains the others."""

    def main(  # pyright: ignore[reportIncompatibleMethodOverride] - the other parameters pass through unchanged
        self, args: Sequence[str] | None = None, **options: Any
    ) -> Any:
        """Run the command line; ends the process unless `standalone_mode` is False."""
        given = list(sys.argv[1:] if args is None else args)
        options = {**options, "prog_name": "brain", "complete_var": VARIABLE}
        if VARIABLE in os.environ:  # a shell asks for completions
            from typer._completion_classes import completion_init

            completion_init()
        if not options.get("standalone_mode", True) or "--json" not in given:
            return super().main(args, **options)
        try:
            code = super().main(args, **{**options, "standalone_mode": False})
        except ClickError as error:
            message = error.format_message()  # pyright: ignore[reportAttributeAccessIssue] - of ClickException
            typer.echo(json.dumps({"error": "UsageError", "message": message}, ensure_ascii=False, indent=2))
            typer.echo(f"error: {message}", err=True)
            code = getattr(error, "exit_code", 2)
        except OSError as error:
            if error.errno != errno.EPIPE:
                raise
            sys.stdout = open(os.devnull, "w")  # noqa: PTH123, SIM115 - nothing more can be written, also at the exit
            code = 1
        sys.exit(code if isinstance(code, int) else 0)
