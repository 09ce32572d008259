"""What a check did online as text of at most 80 columns: the rounds with their addresses, and why it stopped."""

from collections.abc import Iterator
from textwrap import wrap

from rich.console import Console
from rich.text import Text

from brain_pipelines.ingest.evidence.report import FAILED, KEPT, Address, Online, Round

WIDTH = 80


def print_online(online: Online, output: Console) -> None:
    """Show what was done online."""
    for line in online_lines(online):
        output.print(line, soft_wrap=True)


def online_lines(online: Online) -> Iterator[Text]:
    """Yield the lines, none longer than 80 characters but for an address."""
    yield Text()
    yield from _wrapped(_head(online), "bold")
    for one in online.rounds:
        yield from _round(one)
    if online.stop not in online.warnings:
        yield from _wrapped(f"  stopped: {online.stop}", "default", indent=11)
    if online.rounds:
        yield from _wrapped(f"  {_spent(online)}", "dim", indent=2)
    for url in online.remembered:
        yield Text(f"    {url}", "dim")
    for warning in dict.fromkeys(online.warnings):
        yield from _wrapped(f"  {warning}", "yellow", indent=2)


def _head(online: Online) -> str:
    if online.source == "web":
        return "online"
    if online.stop in online.warnings:
        return "nothing was asked online"
    checked = f", checked online {online.checked_at[:16].replace('T', ' ')}" if online.checked_at else ""
    return f"from memory{checked}: nothing was fetched"


def _round(one: Round) -> Iterator[Text]:
    yield from _wrapped(f"  {one.number}. {one.query}", "default", indent=5)
    for name, answer in one.providers.items():
        found = f"{answer} addresses" if isinstance(answer, int) else answer
        yield from _wrapped(f"     {name}: {found}", "dim", indent=7)
    others: dict[str, int] = {}
    for address in one.addresses:
        if address.outcome in KEPT or address.outcome == FAILED:
            colour = "red" if address.outcome == FAILED else "green"
            yield from _wrapped(f"     {_outcome(address)}", colour, indent=7)
            yield Text(f"       {address.final_url or address.url}", "dim")
        else:
            others[address.reason] = others.get(address.reason, 0) + 1
    for reason, count in others.items():
        yield from _wrapped(f"     {count} not used: {reason}", "dim", indent=7)
    yield Text(f"     {one.verdict}, gain {one.gain:+.2f}" if one.verdict else "     nothing new", "dim")


def _outcome(address: Address) -> str:
    if address.outcome == FAILED:
        return f"failed: {address.reason}"
    facts = f"{len(address.facts)} statement{'' if len(address.facts) == 1 else 's'}"
    state = ", not yet approved" if address.state == "pending" else ""
    return f"{address.outcome}: {facts}{state}"


def _spent(online: Online) -> str:
    counts = online.counts()
    tokens = f", {online.tokens} tokens" if online.tokens else ""
    pages = f"{counts['attempted']} pages ({counts['succeeded']} read, {counts['failed']} failed)"
    rules = f", {online.robots} robots.txt" if online.robots else ""
    return f"{online.queries} queries, {pages}{rules}, {online.seconds:.1f} s, {online.bytes / 1000:.0f} kB{tokens}"


def _wrapped(text: str, style: str, indent: int = 0) -> Iterator[Text]:
    lines = wrap(text, WIDTH, subsequent_indent=" " * indent, break_long_words=False, break_on_hyphens=False)
    yield from (Text(line, style) for line in lines or [""])
