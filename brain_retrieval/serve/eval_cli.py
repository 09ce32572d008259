"""The command `eval`: a user's golden questions, asked and measured."""

import json
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from brain_retrieval.errors import InvalidQueryError
from brain_retrieval.home import Home, default_home
from brain_retrieval.serve.cli import HomeOption, JsonOption, RecipeOption, UserOption, answers_errors

if TYPE_CHECKING:
    from brain_retrieval.serve.evaluation.evaluate import Answer, Evaluation

LABELS = {"recall_all": "recall, all", "recall_any": "recall, any", "mrr": "MRR", "as_of_accuracy": "as-of accuracy"}
TOO_LOW = 1  # exit code of an evaluation below the least recall


def register(app: typer.Typer) -> None:
    """Add the command to `app`."""
    app.command(name="eval")(answers_errors(evaluation))


def evaluation(
    user: UserOption,
    file: Annotated[
        Path | None, typer.Argument(help="YAML, TOML or JSON Lines (default: the user's golden.*).")
    ] = None,
    k: Annotated[int | None, typer.Option("--k", "-k", help="Hits of each question (default 10).")] = None,
    recipe: RecipeOption = None,
    min_recall: Annotated[
        float | None, typer.Option("--min-recall", min=0, max=1, help="Least recall of all that is expected.")
    ] = None,
    home: HomeOption = None,
    as_json: JsonOption = False,
) -> None:
    """Ask golden questions and measure recall, ranks and latency; exit code 1 below the least recall."""
    from rich.progress import track

    from brain_retrieval.brain import Brain
    from brain_retrieval.serve.evaluation.evaluate import evaluate
    from brain_retrieval.serve.evaluation.golden_file import NAMES, find_golden, read_golden

    where = (home or default_home()).expanduser().resolve()
    path = file or find_golden(Home(where).existing_space(user))
    if path is None:
        raise InvalidQueryError(
            f"{user!r} has no golden questions: give a FILE, or put {' or '.join(NAMES)} in users/{user}"
        )
    golden = read_golden(path)
    with Brain.open(where, user=user) as brain:
        errors = Console(stderr=True, quiet=as_json)
        shown = partial(track, description="asking", total=len(golden.questions), console=errors, transient=True)
        done = evaluate(brain, golden, k=k, recipe=recipe, each=shown)
    least = golden.min_recall if min_recall is None else min_recall
    passed = least is None or done.recall >= least
    if as_json:
        value = {"user": user, "file": path.name, "passed": passed, "min_recall": least, **done.to_json()}
        typer.echo(json.dumps(value, ensure_ascii=False, indent=2))
    else:
        for answer in done.answers:
            for warning in answer.warnings:
                errors.print(f"line {answer.line}: {warning}", style="yellow", markup=False, highlight=False)
        _print(done, least, Console(highlight=False))
    if not passed:
        raise typer.Exit(TOO_LOW)


def _print(done: "Evaluation", least: float | None, output: Console) -> None:
    table = Table(box=None, pad_edge=False, header_style="dim")
    for name in ("#", "question", "rank", "found"):
        table.add_column(name, justify="left" if name == "question" else "right", overflow="ellipsis", no_wrap=True)
    dated = any(answer.timely is not None for answer in done.answers)
    if dated:
        table.add_column("as of", justify="center")
    table.add_column("ms", justify="right")
    for answer in done.answers:
        table.add_row(*_row(answer, dated=dated))
    output.print(table)
    output.print()
    measures = done.measures
    for name, label in LABELS.items():
        if (value := measures[name]) is not None:
            output.print(f"{f'{label} @{done.k}':<18} {value:.3f}" if "recall" in name else f"{label:<18} {value:.3f}")
    output.print(f"{'latency':<18} p50 {measures['p50_ms']:.0f} ms, p95 {measures['p95_ms']:.0f} ms")
    if least is not None and done.recall < least:
        output.print(f"[red]below the least recall of {least:g}[/]")


def _row(answer: "Answer", *, dated: bool) -> list[str]:
    rank = f"[green]{answer.rank}[/]" if answer.rank else "[red]–[/]"
    whole = answer.found == len(answer.ranks)
    found = f"[{'green' if whole else 'yellow' if answer.found else 'red'}]{answer.found}/{len(answer.ranks)}[/]"
    timely = {None: "", True: "[green]yes[/]", False: "[red]no[/]"}[answer.timely]
    cells = [str(answer.number), escape(answer.question), rank, found, *([timely] if dated else [])]
    return [*cells, f"{answer.milliseconds:.0f}"]
