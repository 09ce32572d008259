"""`Why` as text of at most 80 columns, but for ids and paths: a thing, what it is made of, what depends on it."""

from collections.abc import Iterator
from textwrap import wrap

from rich.console import Console
from rich.text import Text

from brain_retrieval.query.why.node import Dependents, LineageNode, MadeBy, Why

WIDTH, STEP, LEAST = 80, 2, 30
HEADINGS = {"original": "original bytes", "arrival": "arrived as"}


def print_why(found: Why, output: Console) -> None:
    """Show where something comes from and what depends on it."""
    for line in why_lines(found):
        output.print(line, soft_wrap=True)


def why_lines(found: Why) -> Iterator[Text]:
    """Yield the lines."""
    yield from _node(found.root, 0, first=True)
    for group in found.above:
        yield Text()
        yield from _group(group)
    notes = [f"could also mean: {one}" for one in found.others] + [f"warning: {one}" for one in found.warnings]
    if notes:
        yield Text()
    for note in notes:
        yield from _wrapped(note, "yellow" if note.startswith("warning") else "dim", 0)


def _node(node: LineageNode, depth: int, *, first: bool = False) -> Iterator[Text]:
    indent = depth * STEP
    head = Text(" " * indent + ("" if first else "└ "))
    head.append(HEADINGS.get(node.kind, node.kind), "bold cyan")
    yield head.append(f"  {node.id}" if node.id else "", "dim")
    inner = indent + (0 if first else STEP)
    if node.text:
        yield from _wrapped(f"“{node.text}”" if node.kind == "sentence" else node.text, "bold" if first else "", inner)
    yield from _facts(node, inner)
    if node.made is not None:
        yield from _wrapped(made_line(node.made), "dim", inner)
    for one in node.below:
        yield from _node(one, depth + 1)
    if node.more:
        yield Text(" " * (indent + STEP) + f"… and {node.more} more", "dim")


def _facts(node: LineageNode, indent: int) -> Iterator[Text]:
    """Yield short facts joined on lines, long ones on a line of their own."""
    short = [f"{name}: {value}" for name, value in node.facts.items() if len(value) <= LEAST]
    if short:
        yield from _wrapped(" · ".join(short), "", indent)
    for name, value in node.facts.items():
        if len(value) > LEAST:
            yield from _wrapped(f"{name}: {value}", "", indent)


def made_line(made: MadeBy) -> str:
    """Return which stage made something, in which version, with which models, and when."""
    models = ", ".join(f"{name} {value}" for name, value in made.models.items())
    at = f", {made.at.date().isoformat()} {made.at:%H:%M}" if made.at else ""
    return f"made by {made.stage}, version {made.code_version}{f' ({models})' if models else ''}{at}"


def _group(group: Dependents) -> Iterator[Text]:
    yield Text(group.name, "bold cyan").append(f"  {group.total}", "dim")
    for one in group.items:
        yield from _wrapped(f"{one.text}{_said(one)}", "", STEP, hanging=STEP)
        yield Text(" " * STEP * 2 + one.id, "dim")
    if group.total > len(group.items):
        yield Text(" " * STEP + f"… and {group.total - len(group.items)} more", "dim")


def _said(node: LineageNode) -> str:
    facts = ", ".join(f"{name}: {value}" for name, value in node.facts.items())
    return f"  ({facts})" if facts else ""


def _wrapped(text: str, style: str, indent: int, hanging: int = 0) -> Iterator[Text]:
    room = max(LEAST, WIDTH - indent)
    lines = wrap(text, room, subsequent_indent=" " * hanging, break_long_words=False, break_on_hyphens=False)
    yield from (Text(" " * indent + line, style) for line in lines or [""])
