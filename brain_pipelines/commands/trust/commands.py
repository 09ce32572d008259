"""The commands `brain trust`: what waits, decisions about domains, addresses and sources, and their record."""

import getpass
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console
from rich.markup import escape

from brain_pipelines.commands.trust import completion
from brain_pipelines.commands.trust.printing import print_decision, print_held, print_report, print_standing
from brain_pipelines.ingest.interrupts import handles_sigterm, on_interrupt
from brain_retrieval.home import Home, default_home
from brain_retrieval.serve.cli import HomeOption, JsonOption, UserOption, answers_errors

if TYPE_CHECKING:
    from brain_pipelines.ingest.trust import TrustReport
    from brain_retrieval.stores.trust_book import State

app = typer.Typer(no_args_is_help=True)
SubjectArgument = Annotated[
    str,
    typer.Argument(
        help="A domain (with those below it), an address (http…), or a source by uri (inbox:…) or id.",
        autocompletion=completion.subjects,
    ),
]
ReasonOption = Annotated[str, typer.Option("--reason", help="Why; kept in the record.")]
YesOption = Annotated[bool, typer.Option("--yes", help="Do not ask before something is taken away.")]
STOPPED = "interrupted: the decision is recorded; run the same command again to finish what follows from it"


@app.command("list")
@answers_errors
def list_held(user: UserOption, home: HomeOption = None, as_json: JsonOption = False) -> None:
    """List what is held back, by site: what waits for your approval, then what you rejected."""
    from brain_pipelines.ingest.trust_overview import held_sites

    found = held_sites(_home(home), user)
    if as_json:
        _print_json({"user": user, "held": [one.to_json() for one in found]})
    else:
        print_held(found, user, Console(highlight=False))


@app.command()
@answers_errors
@handles_sigterm
def approve(
    subject: SubjectArgument,
    user: UserOption,
    reason: ReasonOption = "",
    home: HomeOption = None,
    as_json: JsonOption = False,
) -> None:
    """Trust a domain, an address or a source, and take in what was held back of it."""
    _decide(home, user, subject, "trusted", reason=reason, yes=True, as_json=as_json)


@app.command()
@answers_errors
@handles_sigterm
def reject(
    subject: SubjectArgument,
    user: UserOption,
    reason: ReasonOption = "",
    yes: YesOption = False,
    home: HomeOption = None,
    as_json: JsonOption = False,
) -> None:
    """Reject a domain, an address or a source, and take away what it supported; its files are kept."""
    _decide(home, user, subject, "untrusted", reason=reason, yes=yes, as_json=as_json)


@app.command()
@answers_errors
@handles_sigterm
def withdraw(
    subject: SubjectArgument,
    user: UserOption,
    reason: ReasonOption = "",
    yes: YesOption = False,
    home: HomeOption = None,
    as_json: JsonOption = False,
) -> None:
    """Let a domain, an address or a source wait for an approval again, whatever was decided before."""
    _decide(home, user, subject, "pending", reason=reason, yes=yes, as_json=as_json)


@app.command()
@answers_errors
def status(
    user: UserOption,
    subject: Annotated[
        str | None, typer.Argument(help="A domain, address or source.", autocompletion=completion.subjects)
    ] = None,
    home: HomeOption = None,
    as_json: JsonOption = False,
) -> None:
    """Show how a subject stands and why; without one, all decisions that hold."""
    from brain_pipelines.ingest.trust_overview import decisions_of, standing_of

    if subject is not None:
        found = standing_of(_home(home), user, subject)
        if as_json:
            _print_json({"user": user, **found})
        else:
            print_standing(found, Console(highlight=False))
        return
    _print_decisions(decisions_of(_home(home), user, current=True), user, as_json=as_json)


@app.command()
@answers_errors
def history(user: UserOption, home: HomeOption = None, as_json: JsonOption = False) -> None:
    """List every decision: when, by which person or key, about what, and why."""
    from brain_pipelines.ingest.trust_overview import decisions_of

    _print_decisions(decisions_of(_home(home), user), user, as_json=as_json)


def _decide(
    home: Path | None, user: str, subject: str, state: "State", *, reason: str, yes: bool, as_json: bool
) -> None:
    from brain_pipelines.ingest.console import progress_bars
    from brain_pipelines.ingest.trust import decide

    where, who, console = _home(home), getpass.getuser(), Console(highlight=False)
    if not yes:
        seen = decide(where, user, subject, state, by=who, reason=reason, preview=True)
        if seen.held_back and not (not as_json and _is_confirmed(seen, console)):
            if as_json:
                _print_json(seen.to_json())
            return
    with on_interrupt(lambda: STOPPED), progress_bars(Console(stderr=True, quiet=as_json)) as bars:
        report = decide(where, user, subject, state, by=who, reason=reason, bars=bars)
    if as_json:
        _print_json(report.to_json())
    else:
        print_report(report, console)
    if not report.success:
        raise typer.Exit(1)


def _is_confirmed(seen: "TrustReport", console: Console) -> bool:
    """Show what a decision takes away and ask on a terminal; without one nothing is decided."""
    print_report(seen, console)
    if not sys.stdin.isatty():
        typer.echo("nothing was changed; --yes does it")
        return False
    if typer.confirm("Take it away"):
        return True
    typer.echo("nothing was changed")
    raise typer.Exit(1)


def _print_decisions(found: list[Any], user: str, *, as_json: bool) -> None:
    if as_json:
        _print_json({"user": user, "decisions": [one.to_json() for one in found]})
        return
    console = Console(highlight=False)
    for one in found:
        print_decision(one, console)
    if not found:
        console.print(f"[bold]{escape(user)}[/] has decided nothing yet")


def _print_json(value: Any) -> None:
    typer.echo(json.dumps(value, ensure_ascii=False, indent=2))


def _home(path: Path | None) -> Home:
    return Home((path or default_home()).expanduser().resolve())
