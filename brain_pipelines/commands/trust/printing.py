"""Printing of what is held back, of decisions and of what follows from one."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.markup import escape

if TYPE_CHECKING:
    from brain_pipelines.ingest.trust import TrustReport
    from brain_pipelines.ingest.trust_overview import HeldSite
    from brain_retrieval.stores.trust_book import Decision

SHOWN = 5  # addresses of a site, or sources of a decision
REACHED = {
    "own": "put in by you",
    "named": "named by you",
    "followed": "reached by links",
    "online": "found online to check a claim",
    "agent": "fetched by an agent",
}
WHY = {"decision": "by your decision", "setting": "by crawl.trusted_domains", "origin": "by default"}
COLOURS = {"trusted": "green", "pending": "yellow", "untrusted": "red"}


def print_held(found: Sequence["HeldSite"], user: str, console: Console) -> None:
    """Print each site with its first addresses, and how to approve one."""
    for one in found:
        count = _counted(one.count, "source")
        head = f"[{COLOURS[one.state]}]{one.state}[/] [bold]{escape(one.subject)}[/] {count}, {REACHED[one.origin]}"
        console.print(f"{head}, since {one.first_received[:10]}", soft_wrap=True)
        for name in one.names[:SHOWN] if one.names != (one.subject,) else ():
            console.print(f"  {escape(name)}", soft_wrap=True)
        if one.count > SHOWN:
            console.print(f"  … and {one.count - SHOWN:,} more (--json lists them)")
    waiting = sum(one.count for one in found if one.state == "pending")
    verb = "waits" if waiting == 1 else "wait"
    name = next((one.subject for one in found if one.state == "pending"), "")
    rest = f"; brain trust approve {escape(name)} --user {escape(user)}" if name else ""
    console.print(f"{_counted(waiting, 'source')} of [bold]{escape(user)}[/] {verb} for approval{rest}", soft_wrap=True)


def print_decision(one: "Decision", console: Console) -> None:
    """Print a decision in a line."""
    reason = f": {escape(one.reason)}" if one.reason else ""
    console.print(
        f"{one.at[:19].replace('T', ' ')}  [{COLOURS[one.state]}]{one.state}[/] {escape(one.subject)} by "
        f"{escape(one.by)}{reason}",
        soft_wrap=True,
    )


def print_standing(found: dict[str, Any], console: Console) -> None:
    """Print how a subject stands, why, and how many sources it covers."""
    state = found["state"]
    why = WHY[found["why"]]
    console.print(f"[bold]{escape(found['subject'])}[/] is [{COLOURS[state]}]{state}[/] {why}", soft_wrap=True)
    if found["decision"]:
        one = found["decision"]
        about = f" about {escape(one['subject'])}" if one["subject"] != found["subject"] else ""
        reason = f": {escape(one['reason'])}" if one["reason"] else ""
        console.print(f"  decided{about} on {one['at'][:10]} by {escape(one['by'])}{reason}", soft_wrap=True)
    counts = ", ".join(f"{count:,} {state}" for state, count in sorted(found["sources"].items()))
    console.print(f"  sources: {counts or 'none'}")


def print_report(report: "TrustReport", console: Console) -> None:
    """Print what a decision lets in and holds back, and what went from each store."""
    one, done = report.decision, report.done
    verb = "is" if done else "would be"
    console.print(f"[bold]{escape(one.subject)}[/] {verb} [{COLOURS[one.state]}]{one.state}[/] for {report.user}")
    still = f"not taken in before either, now {one.state}"
    shown = ((report.let_in, "taken in"), (report.held_back, "held back"), (report.still_held, still))
    for names, what in shown:
        if names:
            console.print(f"  {_counted(len(names), 'source')} {what}:")
            for name in names[:SHOWN]:
                console.print(f"    {escape(name)}", soft_wrap=True)
            if len(names) > SHOWN:
                console.print(f"    … and {len(names) - SHOWN:,} more (--json lists all)")
    if above := report.overruled_by:
        console.print(
            f"  [yellow]without effect[/]: {escape(above)} is rejected, and so is all below it", soft_wrap=True
        )
    elif not any(names for names, _ in shown):
        console.print("  no stored source changes by it")
    stores = {name: count for name, count in report.gone.items() if count}
    if done:
        said = ", ".join(f"{name} {count:,} → {report.left.get(name, 0):,}" for name, count in stores.items())
    else:
        said = ", ".join(f"{count:,} {name}" for name, count in stores.items())
    if said:
        console.print(f"  {'stored of it' if done else 'goes'}: {said}", soft_wrap=True)
    if report.failed:
        console.print(f"  [yellow]to run again[/]: {escape(', '.join(report.failed))}", soft_wrap=True)


def _counted(number: int, name: str) -> str:
    return f"{number:,} {name}" if number == 1 else f"{number:,} {name}s"
