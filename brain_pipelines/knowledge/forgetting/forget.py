"""Forgetting: a preview that lists what goes, then its removal from every store, a check, and a receipt.

`preview` changes nothing. `forget` holds the user's writer lock throughout. It can be killed at any point: the plan is
stored first, and the next call of `forget` or `resume` finishes it.
"""

import shutil
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from brain_pipelines.engine import progress
from brain_pipelines.engine.run_stage import LOCK_SECONDS
from brain_pipelines.knowledge.forgetting import counting, derived, known, teams
from brain_pipelines.knowledge.forgetting.backups import remove_backups, replace_backups
from brain_pipelines.knowledge.forgetting.check import Findings, check_elsewhere, check_ids, check_user
from brain_pipelines.knowledge.forgetting.landed import remove_crawl_records, remove_landed, shared_blobs
from brain_pipelines.knowledge.forgetting.needles import choose
from brain_pipelines.knowledge.forgetting.plan import NAME as PLAN
from brain_pipelines.knowledge.forgetting.plan import Before, Kind, NothingToForgetError, Plan, Scope
from brain_pipelines.knowledge.forgetting.receipts import make_receipt, receipt_id, store_receipt
from brain_pipelines.knowledge.forgetting.remembered_results import drop_remembered
from brain_pipelines.knowledge.forgetting.scrub import scrub
from brain_pipelines.knowledge.forgetting.targets import copies_of, find_targets
from brain_pipelines.landing.claim_checks import forget_checks
from brain_pipelines.landing.landing import open_landing
from brain_retrieval.home import Home, Space
from brain_retrieval.settings import Settings, load_settings
from brain_retrieval.stores.catalog import Catalog
from brain_retrieval.stores.graph.opening import open_graph
from brain_retrieval.stores.locking import writer_lock
from brain_retrieval.stores.snapshots import SnapshotStore

FORGET = "forget"
PHASES = ("inbox and raw", "lake and index", "knowledge", "files", "check")
OwnStep = Callable[[int, int], None]


def preview(home: Home, user: str, scope: Scope, *, command: str) -> Plan:
    """Return what would be forgotten: the items, and counts by store. Nothing is changed.

    Raises:
        UnknownUserError: if nothing of the user is stored.
        NothingToForgetError: if nothing matches.
        InvalidQueryError: if the scope is not valid.
    """
    settings = load_settings(home.path)
    space = _space(home, user, scope.kind)
    with open_landing(space, settings) as landing, Catalog(space) as catalog:
        targets = tuple(find_targets(space, settings, landing, catalog, scope))
        needles = choose(space, catalog, targets)
        if scope.kind == "mentions":
            needles = replace(needles, phrases=(*needles.phrases, scope.value))
        asked_at = datetime.now(UTC).isoformat(timespec="seconds")
        readers = teams.readers(home, user, {target.source_id for target in targets})
        copies = copies_of(landing, targets)
        plan = Plan(user, scope.kind, command, asked_at, targets, needles, readers, copies=copies)
        plan.counts.update(_counts(home, settings, plan))
    return plan


def forget(home: Home, plan: Plan, *, elsewhere: Sequence[Path] = ()) -> dict[str, Any]:
    """Remove what a plan names from every store, check that it is gone, store the receipt and return it.

    Args:
        elsewhere: directories outside the user's that the check searches too, such as Dagster's.

    Raises:
        WriterBusyError: if another process has been writing for an hour.
        GraphUnavailableError: the graph server failed; `resume` goes on from there.
    """
    settings, space = load_settings(home.path), home.space(plan.user)
    with writer_lock(space, timeout=LOCK_SECONDS):
        if plan.before is None:
            plan = replace(plan, before=_note(home, settings, plan))
            plan.store(space)
        drop_remembered(home)
        if plan.kind == "user":
            return _forget_user(home, settings, plan, elsewhere)
        failed = _forget_items(home, settings, plan)
    findings = Findings()
    removed = sum(replace_backups(home.space(user), settings, findings) for user in {plan.user: 0, **plan.readers})
    with writer_lock(space, timeout=LOCK_SECONDS):
        drop_remembered(home)  # a message may have begun to read the texts before they went
        _step(plan, 5)
        receipt = _receipt(home, settings, plan, failed, elsewhere, findings, removed)
        Plan.discard(space)
    return receipt


def resume(home: Home, user: str, *, elsewhere: Sequence[Path] = ()) -> dict[str, Any] | None:
    """Finish a forgetting of a user that was interrupted; return its receipt, None if there is none."""
    plan = Plan.unfinished(home.space(user))
    return None if plan is None else forget(home, plan, elsewhere=elsewhere)


def _space(home: Home, user: str, kind: Kind) -> Space:
    if kind == "user" and home.space(user).inbox.is_dir():
        return home.space(user)
    return home.existing_space(user)


def _note(home: Home, settings: Settings, plan: Plan) -> Before:
    """Return what a resumed forgetting needs and can no longer find."""
    with open_landing(home.space(plan.user), settings) as landing:
        shared = shared_blobs(landing, settings, plan.targets)
    first, complete, recalled = dict[str, str](), dict[str, list[str]](), {}
    for user in (plan.user, *plan.readers):
        store = SnapshotStore(home.space(user))
        if day := known.first_knowing(store, plan.ids):
            first[user] = day
        complete[user] = [one for one in store.days() if day and one >= day]
        recalled[user] = known.recalled_items(home.space(user))
    return Before(shared, first, complete, recalled)


def _before(plan: Plan) -> Before:
    if plan.before is None:
        raise ValueError("the plan has not begun")
    return plan.before


def _forget_items(home: Home, settings: Settings, plan: Plan) -> list[str]:
    space, run_id = home.space(plan.user), receipt_id(plan)
    _step(plan, 1)
    with open_landing(space, settings) as landing, Catalog(space) as catalog:
        chunks = counting.chunks_of(space, catalog, plan.ids) | set(plan.needles.ids)
        remove_landed(landing, plan.targets, _before(plan).shared, datetime.fromisoformat(plan.asked_at))
        remove_crawl_records(space, {target.url for target in plan.targets if target.url})
        forget_checks(space, {target.file for target in plan.targets}, {*plan.needles.words, *plan.needles.phrases})
        _step(plan, 2)
        derived.strip(space, catalog, plan.ids, plan.days)
        failed = derived.run_again(space, settings, plan.days, run_id, _own_step(plan, "days"))
        derived.drop_records(catalog, plan.ids, plan.days)
        nothing_left = not landing.rows("SELECT 1 FROM item LIMIT 1") and not catalog.lake_files()
    _step(plan, 3)
    failed += _forget_known(space, settings, plan, chunks, nothing_left=nothing_left)
    _step(plan, 4)
    with Catalog(space) as catalog:
        scrub(space, catalog)
    for reader, days in plan.readers.items():
        failed += _forget_reader(home, settings, plan, reader, days)
    return failed


def _forget_known(space: Space, settings: Settings, plan: Plan, chunks: set[str], *, nothing_left: bool) -> list[str]:
    """Remove what was consolidated from the items, and recalls of anything that is stored no more."""
    before, step = _before(plan), _own_step(plan, "snapshots")
    first, days = before.first.get(space.user), before.complete[space.user]
    failed = known.build_again(space, settings, first, days, step, nothing_left=nothing_left)
    known.forget_recalls(space, plan.ids, chunks, before.recalled[space.user])
    known.clear_answers(space)
    return failed


def _forget_reader(home: Home, settings: Settings, plan: Plan, reader: str, days: derived.Days) -> list[str]:
    """Remove a team's items from the stores of a member who requested them."""
    space = home.space(reader)
    with writer_lock(space, timeout=LOCK_SECONDS):
        teams.drop_requests(space, plan.user, plan.ids)
        with Catalog(space) as catalog, open_landing(space, settings) as landing:
            derived.strip(space, catalog, plan.ids, days)
            failed = teams.extract_again(home, reader, plan.user, days, settings, receipt_id(plan))
            derived.drop_records(catalog, plan.ids, days)
            own = landing.rows("SELECT 1 FROM item LIMIT 1")
            nothing_left = not own and not catalog.lake_files()
        failed += _forget_known(space, settings, plan, set(), nothing_left=nothing_left)
        with Catalog(space) as catalog:
            scrub(space, catalog)
    return [f"a member's {one}" for one in failed]


def _forget_user(home: Home, settings: Settings, plan: Plan, elsewhere: Sequence[Path]) -> dict[str, Any]:
    """Remove a user's directories and graph; those who read the user as a team forget its items."""
    space, failed, findings = home.space(plan.user), list[str](), Findings()
    removed = remove_backups(space, settings, findings)
    with closing(open_graph(space, settings)) as graph:
        graph.delete_user()
    for reader, days in plan.readers.items():
        if reader != plan.user:
            failed += _forget_reader(home, settings, plan, reader, days)
            removed += replace_backups(home.space(reader), settings, findings)
    _step(plan, 4)
    shutil.rmtree(space.inbox, ignore_errors=True)
    for path in sorted(space.root.iterdir()):  # the plan last, so that a killed removal can be resumed
        if path.name != PLAN:
            shutil.rmtree(path) if path.is_dir() else path.unlink(missing_ok=True)
    _step(plan, 5)
    receipt = _receipt(home, settings, plan, failed, elsewhere, findings, removed)
    shutil.rmtree(space.root)
    return receipt


def _left_of_user(space: Space) -> int:
    """Return how many files of a user are left beside the plan and the lock."""
    kept = {space.lock, space.root / PLAN}
    return sum(path.is_file() and path not in kept for root in (space.root, space.inbox) for path in root.rglob("*"))


def _receipt(
    home: Home,
    settings: Settings,
    plan: Plan,
    failed: list[str],
    elsewhere: Sequence[Path],
    findings: Findings,
    removed_backups: int,
) -> dict[str, Any]:
    space = home.space(plan.user)
    if plan.kind != "user":
        with Catalog(space) as catalog:
            check_user(space, catalog, plan.needles, plan.ids, findings)
    else:
        findings.add("files of the user", _left_of_user(space))
    check_elsewhere([home.path / "receipts", *elsewhere], plan.needles, findings)
    for user in home.users():
        if user != plan.user:
            check_ids(home.space(user), plan.needles.ids, findings)
    done_at = datetime.now(UTC).isoformat(timespec="seconds")
    after = _counts(home, settings, plan, own=plan.kind != "user")
    workers = settings.workers.destination is not None
    receipt = make_receipt(plan, after, findings, failed, done_at, removed_backups, workers=workers)
    store_receipt(home, plan, receipt)
    return receipt


def _counts(home: Home, settings: Settings, plan: Plan, *, own: bool = True) -> dict[str, dict[str, int]]:
    """Return counts by store: of the user as "own", of the readers of a team as "reader 1", …"""
    space, counts = home.space(plan.user), dict[str, dict[str, int]]()
    if own:  # looking into the stores of a removed user would create them
        with open_landing(space, settings) as landing, Catalog(space) as catalog:
            counts["own"] = counting.received(landing, plan)
            counts["own"] |= counting.derived(space, settings, catalog, plan.ids, plan.days)
    for number, (reader, days) in enumerate(plan.readers.items(), start=1):
        with Catalog(home.space(reader)) as catalog:
            held = counting.derived(home.space(reader), settings, catalog, plan.ids, days)
        counts[f"reader {number}"] = {"requests": teams.requests_of(home.space(reader), plan.user, plan.ids), **held}
    return counts


def _step(plan: Plan, number: int) -> None:
    progress.report(progress.Step(FORGET, PHASES[number - 1], plan.user, number - 1, len(PHASES), "phases"))


def _own_step(plan: Plan, unit: str) -> OwnStep:
    return lambda done, total: progress.report(progress.Step(FORGET, unit, plan.user, done, total, unit))


__all__ = ["FORGET", "NothingToForgetError", "forget", "preview", "resume"]
