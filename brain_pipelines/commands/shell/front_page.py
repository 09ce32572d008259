"""`brain` without arguments: what is here, what waits, what failed, and what to do next.

It reads only the catalog and the landing record, so that it appears at once; `brain status` looks closer.
"""

import json
import os
import shlex
from dataclasses import asdict, dataclass, field
from pathlib import Path

import typer
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from brain_pipelines.landing.glance import Glance, glance
from brain_pipelines.landing.inbox import inbox_users
from brain_retrieval.errors import StoreError
from brain_retrieval.home import Home, Space, default_home
from brain_retrieval.stores.catalog import Catalog, LedgerRow

WIDTH = 80
SHOWN_USERS, SHOWN_KINDS = 10, 3
EXAMPLE_USER = "alice"


@dataclass(frozen=True)
class UserGlance:
    """One user at a glance.

    `kinds` are items by source type, the most first; `half_done` counts the days on which some stage has yet to run.
    """

    user: str
    kinds: dict[str, int] = field(default_factory=dict)
    first: str | None = None
    last: str | None = None
    snapshot: str | None = None
    half_done: int = 0
    failed_days: int = 0
    quarantined: int = 0
    inbox: Glance = field(default_factory=Glance)
    error: str = ""

    @property
    def items(self) -> int:
        return sum(self.kinds.values())

    @property
    def waits(self) -> list[str]:
        """What waits, in words."""
        inbox, days = self.inbox, max(self.half_done, self.inbox.dirty_days)
        counts = ((inbox.new, "new file"), (inbox.changed, "changed file"), (days, "day"))
        found = [f"{_many(count, what)} to process" for count, what in counts if count]
        return found + ([f"{_many(inbox.missing, 'deletion')} to confirm"] if inbox.missing else [])

    @property
    def failures(self) -> list[str]:
        """What failed, in words."""
        unread = self.quarantined + self.inbox.refused
        failed = [f"{_many(self.failed_days, 'day')} failed"] if self.failed_days else []
        failed += [f"{_many(unread, 'item')} could not be read"] if unread else []
        return [*failed, self.error] if self.error else failed


def look(home: Home) -> list[UserGlance]:
    """Return every user with an inbox or stored data. A damaged store of one user is that user's `error`."""
    return [_look_at(home.space(name)) for name in inbox_users(home)]


def _look_at(space: Space) -> UserGlance:
    try:
        inbox = glance(space)
        if not space.catalog.is_file():
            return UserGlance(space.user, inbox=inbox)
        with Catalog(space) as catalog:
            ledger, quarantine = catalog.ledger(), catalog.quarantine()
            half_done = _half_done(catalog, ledger)
    except StoreError as error:
        return UserGlance(space.user, error=f"{error}; brain doctor --user {space.user}")
    kinds: dict[str, int] = {}
    for row in ledger:
        if row.stage == "raw" and row.rows:
            kinds[row.source] = kinds.get(row.source, 0) + row.rows
    days = sorted({row.day for row in ledger if row.rows})
    failed = {(row.source, row.day) for row in ledger if row.state == "failed"}
    snapshots = sorted(path.stem for path in space.knowledge.glob("????-??-??.json"))
    return UserGlance(
        space.user,
        dict(sorted(kinds.items(), key=lambda kind: (-kind[1], kind[0]))),
        days[0] if days else None,
        days[-1] if days else None,
        snapshots[-1] if snapshots else None,
        len(half_done - failed),
        len(failed),
        sum(row.kind != "repaired" for row in quarantine),
        inbox,
    )


def _half_done(catalog: Catalog, ledger: list[LedgerRow]) -> set[tuple[str, str]]:
    """Return the (source, day) that lack a stage which has something to read there."""
    stages: dict[tuple[str, str], set[str]] = {}
    for row in ledger:
        stages.setdefault((row.source, row.day), set()).add(row.stage)
    every = set().union(*stages.values())
    lacking = {key for key, done in stages.items() if done != every}
    if not lacking:
        return lacking
    # Their modules take longer to load than all the rest of this page.
    from brain_pipelines.stages.registry import STAGES

    upstreams = {stage.name: stage.upstream for stage in STAGES if stage.upstream}
    return lacking.intersection(catalog.unread(upstreams, {source for source, _ in lacking}))


def front_page(*, as_json: bool = False) -> None:
    """Print the page of the home that `BRAIN_HOME` or the default names."""
    home = Home(default_home().expanduser().resolve())
    users = look(home)
    steps = next_steps(home, users)
    if as_json:
        shown = [asdict(user) | {"waits": user.waits, "failures": user.failures} for user in users]
        value = {"home": str(home.path), "exists": home.path.is_dir(), "users": shown}
        typer.echo(json.dumps(value | {"next": [command for command, _ in steps]}, ensure_ascii=False, indent=2))
        return
    wide = Console().width
    console = Console(highlight=False, width=min(wide, WIDTH) if wide else WIDTH)
    missing = "" if home.path.is_dir() else "  [dim](not there yet)[/]"
    console.print(f"[bold]Brain[/]  {escape(_short(home.path))}{missing}\n", soft_wrap=True)
    if users:
        console.print(_users_table(users))
        for title, colour, lines in (("Failed", "red", _failures(users)), ("Waiting", "yellow", _waits(users))):
            if lines:
                console.print(f"\n[{colour}]{title}[/]")
                console.print(_pairs(lines, ""))
    else:
        text = (
            "Nothing is stored here yet. Give Brain notes, chats, mail, recordings, pictures, PDFs or web pages; it "
            "answers questions about them with the passage that each answer comes from."
        )
        console.print(text)
    console.print("\n[bold]Next[/]")
    console.print(_pairs(steps, "cyan"))


def _users_table(users: list[UserGlance]) -> Table:
    table = Table.grid(padding=(0, 2))
    for user in users[:SHOWN_USERS]:
        kinds = [f"{kind} {count:,}" for kind, count in user.kinds.items()]
        more = f", {len(kinds) - SHOWN_KINDS} more" if len(kinds) > SHOWN_KINDS else ""
        about = ", ".join(kinds[:SHOWN_KINDS]) + more
        days = f"{user.first} to {user.last}" if user.first else ""
        table.add_row(f"  [bold]{user.user}[/]", _many(user.items, "item") if user.items else "nothing yet", days)
        if about:
            table.add_row("", "", f"[dim]{escape(about)}[/]")
    if len(users) > SHOWN_USERS:
        table.add_row("  …", f"{len(users) - SHOWN_USERS:,} more", "brain users lists all")
    return table


def _waits(users: list[UserGlance]) -> list[tuple[str, str]]:
    return [(user.user, ", ".join(user.waits)) for user in users if user.waits]


def _failures(users: list[UserGlance]) -> list[tuple[str, str]]:
    return [(user.user, ", ".join(user.failures)) for user in users if user.failures]


def _pairs(rows: list[tuple[str, str]], style: str) -> Table:
    table = Table.grid(padding=(0, 2))
    table.add_column(style=style or None, no_wrap=True)
    table.add_column(overflow="fold")
    for left, right in rows:
        table.add_row(f"  {escape(left)}", escape(right))
    return table


def next_steps(home: Home, users: list[UserGlance]) -> list[tuple[str, str]]:
    """Return the commands to try next, the most urgent first, each with what it is for."""
    stored = [user for user in users if user.items]
    first = stored[0].user if stored else users[0].user if users else EXAMPLE_USER
    steps: list[tuple[str, str]] = []
    if not home.path.is_dir():
        steps.append((f"brain init {shlex.quote(str(home.path))}", "settings for a new home (optional)"))
    if any(user.failures for user in users):
        steps.append(("brain status", "reasons of what failed, and what to do about it"))
    if waiting := next((user for user in users if user.inbox.new or user.inbox.changed or user.half_done), None):
        steps.append((f"brain rerun --user {waiting.user}", "process what waits now"))
    if confirm := next((user for user in users if user.inbox.missing), None):
        steps.append((f"brain confirm-deletions --user {confirm.user}", "files that are gone from the inbox"))
    if held := next((user for user in users if user.inbox.pending), None):
        steps.append(
            (f"brain trust list --user {held.user}", f"{_many(held.inbox.pending, 'page')} to approve or reject")
        )
    if stored:
        steps.append((f'brain ask "…" --user {first}', "what holds, and the passages that say so"))
        if unread := next((user for user in stored if user.snapshot is None), None):
            steps.append((f"brain nightly --user {unread.user}", "people, relations and storylines"))
        steps.append((f"brain ingest FILE… --user {first}", "add files, folders or web addresses"))
    else:
        steps.append((f"brain ingest FILE… --user {first}", "files, folders or web addresses"))
        steps.append((f'brain message "…" --user {first}', "something to remember, found at once"))
        steps.append((f'brain ask "…" --user {first}', "then ask"))
    steps.append(("brain --help", "all commands"))
    return steps


def _many(count: int, what: str) -> str:
    return f"{count:,} {what}" if count == 1 else f"{count:,} {what}s"


def _short(path: Path) -> str:
    """Return a path with ~ for the home directory of the person."""
    try:
        person = f"{Path.home()}{os.sep}"
    except RuntimeError:  # this account has no home directory
        return str(path)
    return f"~/{str(path).removeprefix(person)}" if str(path).startswith(person) else str(path)
