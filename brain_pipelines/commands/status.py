"""The report of `brain status`: partitions, failures and quarantine with their reasons, index freshness, sizes."""

from collections import Counter
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from brain_pipelines.commands.backups.reporting import backup_status, print_backup_warning
from brain_pipelines.commands.planning.days_to_run import days_text, print_days_to_run
from brain_pipelines.engine.health import last_check_up
from brain_pipelines.engine.recovery import last_recovery
from brain_pipelines.engine.sizes import size_of
from brain_pipelines.engine.waiting import WAITING, is_held
from brain_pipelines.ingest.console import held_sentence, print_quarantine
from brain_pipelines.knowledge.forgetting.plan import Plan
from brain_pipelines.landing.backup import backups
from brain_pipelines.landing.first_day import count_before
from brain_pipelines.landing.landing import Landing, open_landing
from brain_pipelines.landing.waiting_deletions import waiting_deletions
from brain_pipelines.orchestration.behind import outdated, unfinished
from brain_pipelines.orchestration.days.budget import left_out, measure_budget
from brain_pipelines.readers.confinement.confine import missing
from brain_pipelines.sources.registry import SOURCES
from brain_pipelines.stages.registry import STAGES
from brain_retrieval.home import USER_PATTERN, Home, Space
from brain_retrieval.settings import Settings, load_settings
from brain_retrieval.settings.secrecy import OTHERS, exposed
from brain_retrieval.stores.catalog import Catalog, LedgerRow

SHOWN_DAMAGE = 20


def status(home: Home, *, user: str | None = None) -> dict[str, Any]:
    """Return the state of one user or of all, as plain JSON values.

    Raises:
        UnknownUserError: if `user` has never landed anything.
    """
    settings = load_settings(home.path)
    spaces = [home.existing_space(user)] if user is not None else [home.space(name) for name in home.users()]
    budget = measure_budget(home, settings)
    return {
        "home": str(home.path),
        "partition_users": budget.users,
        "partition_days": budget.spans,
        "partitions": budget.unit,
        "first_day": settings.first_day.isoformat(),
        "partitions_per_asset": budget.partitions,
        "partition_budget": budget.budget,
        "partition_warning": budget.warning or None,
        "users_beyond_budget": left_out(home, budget),
        "exposed": _exposed(home),
        "illegal_inboxes": _invalid_inboxes(home) if user is None else [],
        "readers_not_confined": missing(),
        "users": [_user_status(space, settings) for space in spaces],
    }


def _exposed(home: Home) -> list[str]:
    """Return what other users of the machine may read, and how to change it."""
    secrets = exposed(home.path)
    found = [f"{', '.join(secrets)} in {home.path / 'brain.toml'}: chmod 600"] if secrets else []
    for path in (home.path, home.inbox):
        if path.is_dir() and path.stat().st_mode & OTHERS:
            found.append(f"{path}: chmod 700")
    return found


def _invalid_inboxes(home: Home) -> list[str]:
    """Return inbox directories whose names are not valid user ids; files there would otherwise be ignored silently."""
    if not home.inbox.is_dir():
        return []
    return sorted(p.name for p in home.inbox.iterdir() if p.is_dir() and not USER_PATTERN.fullmatch(p.name))


def _user_status(space: Space, settings: Settings) -> dict[str, Any]:
    with open_landing(space, settings) as landing, Catalog(space) as catalog:
        ledger = catalog.ledger()
        behind = {(day.source, day.day) for day in unfinished(landing, catalog)}
        old = outdated(ledger, settings, space.user) - behind
        quarantine = [
            {"source": q.source, "stage": q.stage, "day": q.day, "uri": q.uri, "kind": q.kind, "reason": q.reason}
            for q in catalog.quarantine()
        ]
        return {
            "user": space.user,
            "sources": [_source_status(source.name, ledger, behind, old) for source in SOURCES],
            "failures": [
                {"source": r.source, "stage": r.stage, "day": r.day, "reason": r.error, "run_id": r.run_id}
                for r in ledger
                if r.state == "failed"
            ],
            "quarantine": quarantine + _refused(landing, settings),
            "models": {"waiting": _waiting(catalog, settings), "budget": _budget(space, settings)},
            "index": _index_status(catalog, ledger),
            "snapshots": _snapshot_status(space),
            "health": last_check_up(space),
            "unfinished_forgetting": Plan.unfinished(space) is not None,
            "recovered": last_recovery(space),
            "newest_backup": next((one.made_at for one in backups(space)), None),
            "offsite_backup": backup_status(space, settings),
            "waiting_deletions": [one.to_json() for one in waiting_deletions(landing)],
            "restorable": len(landing.removed()),
            "inbox": {**landing.size(), **landing.held_counts()},
            "items_before_first_day": count_before(landing),
            "bytes": {name: size_of(path) for name, path in _store_paths(space)},
        }


def _refused(landing: Landing, settings: Settings) -> list[dict[str, Any]]:
    """Return the files that were not taken in, with their reasons and their names as they are shown."""
    if not (refused := landing.refused()):  # without any, many patterns are not loaded
        return []
    from brain_pipelines.landing.redaction.file_names import FileNames

    names, row = FileNames(settings), {"source": "", "stage": "landing", "day": ""}
    return [{**row, "uri": names.uri(uri), "kind": "rejected", "reason": reason} for uri, reason in refused]


def _source_status(
    source: str, ledger: list[LedgerRow], behind: set[tuple[str, str]], old: set[tuple[str, str]]
) -> dict[str, Any]:
    rows = [row for row in ledger if row.source == source]
    days = sorted({row.day for row in rows if row.rows})
    stored: Counter[str] = Counter()
    for row in rows:
        stored[row.stage] += row.rows
    return {
        "source": source,
        "days": len(days),
        "from": days[0] if days else None,
        "to": days[-1] if days else None,
        "rows": {stage.name: stored[stage.name] for stage in STAGES},
        "failed_days": len({row.day for row in rows if row.state == "failed"}),
        "behind_days": sum(name == source for name, _ in behind),
        "outdated_days": sum(name == source for name, _ in old),
    }


def _waiting(catalog: Catalog, settings: Settings) -> list[dict[str, Any]]:
    """Return the days that wait for a remote model, by stage; `held`: until the next month or another budget."""
    found: dict[tuple[str, bool], list[LedgerRow]] = {}
    now = datetime.now(UTC)
    for row in catalog.reasons(WAITING):
        found.setdefault((row.stage, is_held(row, settings.costs, now)), []).append(row)
    return [
        {"stage": stage, "held": held, "days": len(rows), "reason": rows[-1].error.removeprefix(WAITING)}
        for (stage, held), rows in sorted(found.items())
    ]


def _budget(space: Space, settings: Settings) -> dict[str, Any]:
    """Return what is left of the month's budget, by its unit; empty without one."""
    limited = settings.costs.monthly_budget is not None or settings.costs.monthly_tokens is not None
    if not limited:
        return {}
    from brain_pipelines.commands.estimate import costs

    budget = costs(Home(space.home), user=space.user)["budget"]
    return {name: one for name, one in budget.items() if one["limit"] is not None}


def _snapshot_status(space: Space) -> dict[str, Any]:
    from brain_pipelines.knowledge.snapshot_gate import newest_blocked
    from brain_retrieval.stores.snapshots import SnapshotStore

    store = SnapshotStore(space)
    ahead = store.ahead()
    count = len([day for day in store.days() if day not in ahead])
    return {"count": count, "newest": store.newest(), "ahead": ahead, "blocked": newest_blocked(store)}


def _index_status(catalog: Catalog, ledger: list[LedgerRow]) -> dict[str, Any]:
    """Return the index's model and how many chunk days it lags behind the lake."""
    chunks = {(r.source, r.day): r.output_hash for r in ledger if r.stage == "chunks"}
    embedded = {(r.source, r.day): r.input_hash for r in ledger if r.stage == "embeddings" and r.state == "ok"}
    stale = sorted(key for key, digest in chunks.items() if embedded.get(key, "") != digest)
    written = [r.started_at for r in ledger if r.stage == "embeddings" and r.state == "ok"]
    return {
        "active": catalog.get_meta("active_index"),
        "chunks": sum(r.rows for r in ledger if r.stage == "embeddings"),
        "stale_days": len(stale),
        "fresh": not stale,
        "last_written": max(written).isoformat() if written else None,
    }


def _store_paths(space: Space) -> list[tuple[str, Path]]:
    stores = [("raw", space.root / "raw"), ("catalog", space.catalog), ("lake", space.lake), ("index", space.index)]
    return [*stores, ("snapshots", space.knowledge), ("graph", space.root / "graph.sqlite")]


def print_status(report: dict[str, Any], console: Console) -> None:
    """Print the report: one table per user, then failures and quarantined items."""
    spans = f"{report['partition_days']:,} {report['partitions']}s since {report['first_day']}"
    console.print(
        f"[bold]{escape(report['home'])}[/]  {report['partition_users']:,} users × {spans} = "
        f"{report['partitions_per_asset']:,} of {report['partition_budget']:,} partitions an asset"
    )
    if warning := report["partition_warning"]:
        console.print(f"[yellow]{escape(warning)}[/]", soft_wrap=True)
    if report["users_beyond_budget"]:
        console.print(f"beyond the budget: {', '.join(report['users_beyond_budget'])}", soft_wrap=True)
    for text in report["exposed"]:
        console.print(f"[yellow]other users of this machine can read[/] {escape(text)}", soft_wrap=True)
    for sentence in report["readers_not_confined"]:
        console.print(f"[yellow]{escape(sentence)}[/]", soft_wrap=True)
    for name in report["illegal_inboxes"]:
        console.print(f"[red]inbox/{escape(repr(name))} is no legal user id and is not read[/]")
    if not report["users"]:
        console.print("no users yet; try: brain ingest FILE --user NAME --source note")
    for user in report["users"]:
        _print_user(user, console)


def _print_health(user: dict[str, Any], console: Console) -> None:
    """Print what the last check-up could not heal, and snapshots that are ignored for their date."""
    health, name = user["health"], user["user"]
    for one in (health or {}).get("remaining", [])[:SHOWN_DAMAGE]:
        text = f"{one['place']}: {one['what']} (found {health['checked_at']}; `brain doctor --user {name}`)"
        console.print(f"[red]damaged[/] {escape(text)}", soft_wrap=True, highlight=False)
    if ahead := user["snapshots"]["ahead"]:
        text = f"{', '.join(ahead)} are dated in the future and ignored: the clock was ahead when they were made"
        console.print(f"[yellow]snapshots[/] {text}", soft_wrap=True, highlight=False)


def _print_models(user: dict[str, Any], console: Console) -> None:
    """Print what is left of the budget, and which days wait for a remote model."""
    for name, one in user["models"]["budget"].items():
        left, limit = (f"{value:,.2f}" if name == "money" else f"{value:,}" for value in (one["left"], one["limit"]))
        console.print(f"budget of this month: {left} of {limit} {name} left")
    for one in user["models"]["waiting"]:
        again = "the next month or a larger budget" if one["held"] else f"`brain apply --user {user['user']}`"
        text = f"for the model of {one['stage']}, until {again}: {one['reason']}"
        console.print(f"[yellow]{days_text(one['days'])} waiting[/] {escape(text)}", soft_wrap=True, highlight=False)


def _print_user(user: dict[str, Any], console: Console) -> None:
    heads = ("source", "days", "first", "last", "items", "chunks", "failed", "behind")
    table = Table(*heads, title=f"[bold]{user['user']}[/]", box=SIMPLE_HEAD, show_edge=False, padding=(0, 1, 0, 0))
    for row in user["sources"]:
        if row["days"] or row["behind_days"] or any(row["rows"].values()):
            counts = (f"{row['rows'][stage]:,}" for stage in ("raw", "chunks"))
            ends = (str(row["failed_days"]), str(row["behind_days"]))
            table.add_row(row["source"], str(row["days"]), row["from"] or "–", row["to"] or "–", *counts, *ends)
    console.print(table)
    _print_health(user, console)
    if recovered := user["recovered"]:
        console.print(f"[yellow]{escape(recovered['sentence'])}[/]", soft_wrap=True, highlight=False)
    print_backup_warning(user["offsite_backup"], user["user"], console)
    if waiting := user["waiting_deletions"]:
        first = min(one["until"] for one in waiting)[:10]
        text = (
            f"{len(waiting)} files are missing from the inbox and not deleted before {first}: "
            f"`brain confirm-deletions --user {user['user']}` lists them, "
            f"`brain restore --all --user {user['user']}` writes them back"
        )
        console.print(f"[yellow]deletions wait[/] {text}", soft_wrap=True, highlight=False)
    print_days_to_run(user, console)
    if user["inbox"]["pending"] or user["inbox"]["untrusted"]:
        console.print(f"[yellow]not taken in:[/] {held_sentence(user['inbox'])}", soft_wrap=True)
    index = user["index"]
    freshness = "[green]fresh[/]" if index["fresh"] else f"[yellow]{index['stale_days']} days behind[/]"
    sizes = " · ".join(f"{name} {size / 1e6:.1f} MB" for name, size in user["bytes"].items())
    console.print(f"index {index['active'] or 'none'}: {index['chunks']:,} chunks, {freshness}")
    console.print(f"snapshots: {user['snapshots']['count']}, the newest {user['snapshots']['newest'] or '–'}")
    if blocked := user["snapshots"]["blocked"]:
        console.print(f"[red]blocked[/] {escape(blocked)}", soft_wrap=True)
    console.print(f"{user['inbox']['files']:,} files, {user['inbox']['dirty_days']} days waiting for a run · {sizes}")
    if older := user["items_before_first_day"]:
        text = f"{older:,} items are older than the first day and lie on it; `brain init HOME --since DAY` moves it"
        console.print(text, soft_wrap=True, highlight=False)
    if user["unfinished_forgetting"]:
        command = f"`brain forget resume --user {user['user']}`"
        console.print(f"[red]a forgetting was interrupted[/]: {command} finishes it", soft_wrap=True)
    _print_models(user, console)
    for failure in user["failures"]:
        text = f"{failure['source']}/{failure['stage']} {failure['day']}: {failure['reason']}"
        console.print(f"[red]failed[/] {escape(text)}")
    print_quarantine([row for row in user["quarantine"] if row["kind"] != "waiting"], console)
