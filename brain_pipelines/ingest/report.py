"""The result of an ingestion: items stored, skipped and quarantined, and the runs that processed them."""

from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.markup import escape

from brain_pipelines.ingest.console import WAITING, held_sentence, print_quarantine
from brain_pipelines.landing.landing import Landing, open_landing
from brain_pipelines.landing.redaction.file_names import FileNames
from brain_retrieval.home import Space
from brain_retrieval.settings import Settings
from brain_retrieval.stores.catalog import Catalog
from brain_retrieval.stores.lake import Lake

if TYPE_CHECKING:
    from brain_pipelines.ingest.local_runs import RunOutcome
    from brain_pipelines.landing.run_planning import SpanRequest


@dataclass
class IngestReport:
    """Result for each item and each run. `stored`, `skipped` and `quarantined` are lists of plain records."""

    user: str
    source: str
    stored: list[dict[str, Any]] = field(default_factory=list)
    replaced: list[str] = field(default_factory=list)  # uris that replaced an earlier version
    skipped: list[dict[str, Any]] = field(default_factory=list)
    quarantined: list[dict[str, Any]] = field(default_factory=list)
    held: list[dict[str, Any]] = field(default_factory=list)  # kept and not taken in: pending or untrusted
    runs: list[dict[str, Any]] = field(default_factory=list)
    current: int | None = None  # days of `brain rerun` that were up to date, so that no run looked at them
    waiting_deletions: int = 0  # files missing from the inbox that are not deleted yet
    seconds: float = 0.0
    done: "list[SpanRequest]" = field(default_factory=list)  # of the runs that succeeded

    @property
    def success(self) -> bool:
        """Whether every run succeeded and at least one item was stored or skipped if any was refused."""
        refused = [row for row in self.quarantined if row["kind"] != "repaired"]
        return all(run["success"] for run in self.runs) and not (
            refused and not (self.stored or self.skipped or self.held)
        )

    def to_json(self) -> dict[str, Any]:
        return {
            "user": self.user,
            "source": self.source,
            "stored": self.stored,
            "replaced": self.replaced,
            "skipped": self.skipped,
            "quarantined": self.quarantined,
            "held": self.held,
            "runs": self.runs,
            **({} if self.current is None else {"current_days": self.current}),
            "waiting_deletions": self.waiting_deletions,
            "seconds": round(self.seconds, 2),
        }

    def refuse(self, uri: str, reason: str) -> None:
        """Add a file that was rejected before any stage ran."""
        self.quarantined.append({"uri": uri, "day": "", "stage": "landing", "kind": "rejected", "reason": reason})

    def add_run(self, outcome: "RunOutcome") -> None:
        request = outcome.request
        if outcome.success:
            self.done.append(request)
        self.runs.append(
            {
                "run_id": outcome.run_id,
                "source": request.source,
                "from": request.start,
                "to": request.end,
                "success": outcome.success,
                "failed_steps": outcome.failed_steps,
                "error": outcome.error,
            }
        )

    def print(self, console: Console) -> None:
        """Print counts, then each failed run and each quarantined item with its reason."""
        replaced = f" ({len(self.replaced)} replaced)" if self.replaced else ""
        # What waits for a model is stored and can be found; only its better version is still to come.
        # So is what has been repaired, such as front matter with a retention that does not exist.
        kinds = Counter(row["kind"] for row in self.quarantined)
        waiting, repaired = kinds[WAITING], kinds["repaired"]
        waits = f"[yellow]{repaired} repaired[/], " if repaired else ""
        waits += f"[yellow]{waiting} waiting for a model[/], " if waiting else ""
        console.print(
            f"[bold]{self.user}[/] {self.source}: [green]{len(self.stored)} stored[/]{replaced}, "
            f"{len(self.skipped)} skipped, [yellow]{kinds.total() - waiting - repaired} in quarantine[/], {waits}"
            f"{len(self.runs)} {'run' if len(self.runs) == 1 else 'runs'}, {self.seconds:.1f} s"
        )
        if self.current:
            rest = "" if self.runs else ", nothing to do (--force computes them again)"
            console.print(f"{self.current} {'day is' if self.current == 1 else 'days are'} current{rest}")
        for run in self.runs:
            if not run["success"]:
                text = escape(f"{run['source']} {run['from']}…{run['to']}: {run['error']}")
                console.print(f"[red]run failed[/] {text}")
        if self.waiting_deletions:
            text = f"{self.waiting_deletions} files are missing from the inbox; see `brain confirm-deletions`"
            console.print(f"[yellow]deletions wait:[/] {text}", soft_wrap=True)
        if self.held:
            console.print(
                f"[yellow]not taken in:[/] {held_sentence(Counter(row['trust'] for row in self.held))}", soft_wrap=True
            )
        print_quarantine(self.quarantined, console)


def report_items(
    space: Space,
    settings: Settings,
    source: str,
    uris: set[str],
    report: IngestReport,
    *,
    current: Collection[str] = (),
) -> None:
    """Add the items of the files just landed to the stored or quarantined list, as the stores now have them.

    Args:
        current: days that are known to be up to date: if such a day has as many texts as items, all are stored.
    """
    with open_landing(space, settings) as landing, Catalog(space) as catalog:
        skipped = {row["uri"] for row in report.skipped}
        names = FileNames(settings)
        shown = {names.uri(uri) for uri in uris}
        refused = catalog.quarantine(source=source)
        for row in refused:
            if row.uri.split("#", 1)[0] in shown:
                report.quarantined.append(
                    {"uri": row.uri, "day": row.day, "stage": row.stage, "kind": row.kind, "reason": row.reason}
                )
        items = {day: landing.items(source, day) for day in _days_of(landing, source, uris)}
        texts = {row.day: row.rows for row in catalog.ledger(source=source, stage="text", state="ok")}
        whole = {day for day in items.keys() & set(current) if texts.get(day) == len(items[day])}
        stored = {item.source_id for day in whole for item in items[day]}
        if others := sorted(items.keys() - whole):
            found = Lake(space, catalog).read("text", source=source, days=others, columns=["source_id"])
            stored.update(found["source_id"].to_pylist())
        for day, members in items.items():
            for item in members:
                if item.file in uris and item.file not in skipped:
                    row = {"source_id": item.source_id, "uri": names.uri(item.uri), "day": day}
                    if item.state:
                        report.held.append({**row, "trust": item.state})
                    elif item.source_id in stored:
                        report.stored.append(row)


def _days_of(landing: Landing, source: str, uris: set[str]) -> list[str]:
    """Return the days to look at for items of files: a message must not read the days of ten years."""
    days = landing.days(source)
    if len(uris) >= len(days):
        return days
    own = {day for uri in uris for name, day in landing.days_of(uri) if name == source}
    return [day for day in days if day in own]
