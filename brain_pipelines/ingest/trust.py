"""Decisions about what a user trusts: recorded, then the days they touch run, and what was consolidated follows.

    decide(home, "alice", "example.org", "trusted", by="alice", reason="the maker's own site")

An approval runs the days of the pages it lets in, through the same stages as any landed file. A rejection, or the
withdrawal of an approval, runs the days of what it holds back and builds the snapshots again that knew of it: what it
alone supported goes, and what it had ended holds again. No other day runs.
"""

import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from brain_pipelines.engine.healing import ensure_catalog
from brain_pipelines.engine.landing_recovery import ensure_landing
from brain_pipelines.engine.run_stage import LOCK_SECONDS
from brain_pipelines.ingest.console import Bars
from brain_pipelines.ingest.files import run_spans, spans_of
from brain_pipelines.ingest.report import IngestReport
from brain_pipelines.knowledge.forgetting import counting, derived, known
from brain_pipelines.landing import trust_gate
from brain_pipelines.landing.landing import open_landing
from brain_pipelines.landing.run_planning import DirtyDay
from brain_pipelines.landing.trust_gate import Moved
from brain_retrieval.errors import InvalidQueryError
from brain_retrieval.home import Home, Space
from brain_retrieval.settings import Settings, load_settings
from brain_retrieval.stores.catalog import Catalog
from brain_retrieval.stores.locking import writer_lock
from brain_retrieval.stores.snapshots import SnapshotStore
from brain_retrieval.stores.trust_book import (
    MAX_BY,
    MAX_REASON,
    STATES,
    TRUSTED,
    Decision,
    State,
    Subject,
    TrustBook,
    parse_subject,
)

_NOT_DERIVED = ("lake raw", "lake held", "access log", "quarantine", "cached answers (of all items)")


@dataclass
class TrustReport:
    """What a decision did: the sources let in and held back, what went and what failed to run."""

    user: str
    decision: Decision
    let_in: list[str] = field(default_factory=list)  # uris
    held_back: list[str] = field(default_factory=list)
    still_held: list[str] = field(default_factory=list)  # held back before too, in another state
    overruled_by: str = ""  # the subject above that is rejected
    gone: dict[str, int] = field(default_factory=dict)  # by store: rows of the sources held back, before
    left: dict[str, int] = field(default_factory=dict)  # and after
    days: int = 0
    failed: list[str] = field(default_factory=list)  # to run again
    done: bool = True  # False: a preview
    seconds: float = 0.0

    @property
    def success(self) -> bool:
        return not self.failed

    def to_json(self) -> dict[str, Any]:
        shown = {"user": self.user, "done": self.done, "decision": self.decision.to_json(), "let_in": self.let_in}
        stores = {name: {"before": count, "after": self.left.get(name, 0)} for name, count in self.gone.items()}
        over = {"overruled_by": self.overruled_by}
        rest = {"days": self.days, "to_run_again": self.failed, "seconds": round(self.seconds, 2)}
        return {**shown, "held_back": self.held_back, "still_held": self.still_held, **over, "stores": stores, **rest}


def subject_of(home: Home, user: str, text: str) -> Subject:
    """Return the subject that a text names; the id of a source stands for its uri.

    Raises:
        InvalidQueryError: it names neither a domain, an address nor a source.
    """
    if text.startswith("source_"):
        with open_landing(home.existing_space(user), load_settings(home.path)) as landing:
            found = [item for item in landing.all_items() if item.source_id == text]
        if not found:
            raise InvalidQueryError(f"no source {text:.60} of {user!r}")
        return Subject("source", found[0].uri)
    return parse_subject(text)


def decide(
    home: Home,
    user: str,
    subject: str,
    state: State,
    *,
    by: str,
    reason: str = "",
    preview: bool = False,
    through_dagster: bool = True,
    bars: Bars | None = None,
    now: datetime | None = None,
) -> TrustReport:
    """Record a decision of a user and bring the stores up to date with it.

    Args:
        subject: a domain, an address, or a source by uri or id.
        state: "trusted" approves, "untrusted" rejects, "pending" withdraws.
        by: who decides: a person of the command line, or the name of a key.
        preview: change nothing, and return what would be let in and held back.
        through_dagster: run the days as Dagster runs; otherwise in this process, without a record there.

    Raises:
        UnknownUserError: nothing of the user has ever landed.
        InvalidQueryError: the subject or the state is none.
    """
    began = time.perf_counter()
    space, settings = home.existing_space(user), load_settings(home.path)
    chosen = subject_of(home, user, subject)
    if state not in STATES:
        raise InvalidQueryError(f"no state {state!r:.20}; known: {', '.join(STATES)}")
    at = (now or datetime.now(UTC)).astimezone(UTC).isoformat(timespec="microseconds")
    decision = Decision(at, by[:MAX_BY], chosen.name, state, " ".join(reason.split())[:MAX_REASON])
    _check(chosen, state)
    ensure_catalog(space, settings)
    ensure_landing(space, settings)
    report = TrustReport(user, decision, done=not preview)
    with open_landing(space, settings) as landing:
        book = TrustBook.open(space, settings)
        after = TrustBook([*book.decisions, decision], settings)
        moved = trust_gate.preview(landing, after)
    standing = after.standing_of(chosen)
    report.overruled_by = standing.subject if standing.state != state else ""
    held = [one for one in moved if one.before == TRUSTED]
    report.let_in = sorted(one.item.uri for one in moved if one.after == TRUSTED)
    report.held_back = sorted(one.item.uri for one in held)
    report.still_held = sorted(one.item.uri for one in moved if TRUSTED not in (one.before, one.after))
    report.gone = _count(space, settings, held)
    if not preview:
        with writer_lock(space, timeout=LOCK_SECONDS):
            trust_gate.record(space, decision)
        due = _due(space, settings, chosen)
        report.days = len(due)
        report.failed = _run(home, user, due, bars) if through_dagster else _run_here(space, settings, due)
        report.failed += _consolidate(space, settings)
        report.left = _count(space, settings, held)
    report.seconds = time.perf_counter() - began
    return report


def _check(subject: Subject, state: State) -> None:
    """Refuse to trust what has no single owner, such as "com" or "co.uk"."""
    if state == TRUSTED and subject.kind == "domain" and not is_registrable(subject.name):
        raise InvalidQueryError(f"{subject.name} is an ending under which anyone may register; name a domain below it")


def is_registrable(domain: str) -> bool:
    """Return whether a host is a domain of one owner, or below one; by the public suffix list that `tld` carries."""
    from tld import get_tld

    if "." not in domain:
        return domain.partition(":")[0] == "localhost" or get_tld(f"http://x.{domain}", fail_silently=True) is None
    ending = get_tld(f"http://x.{domain}", fail_silently=True, search_private=True)
    return ending != domain


def _due(space: Space, settings: Settings, subject: Subject) -> list[DirtyDay]:
    """Return the days that a decision touches and that wait for a run; those that an interrupted call left too."""
    with open_landing(space, settings) as landing:  # opening it follows the decision
        book = TrustBook.open(space, settings)
        touched = set[tuple[str, str]]()
        waiting = {(one.source, one.day): one for one in landing.dirty()}
        for item in landing.all_items() if waiting else ():
            if book.is_about(subject, item.meta.get("url"), uri=item.uri):
                family = [item, *trust_gate.parts_of(landing, item.source_id)]
                touched |= {(one.source, landing.partition_of(one.source_id)) for one in family}
        return [waiting[key] for key in sorted(touched & waiting.keys())]


def _run(home: Home, user: str, due: Sequence[DirtyDay], bars: Bars | None) -> list[str]:
    """Run days through Dagster; return the sources of the runs that failed."""
    runs = IngestReport(user, "trust")
    run_spans(home, spans_of(due), bars, runs)
    return [run["source"] for run in runs.runs if not run["success"]]


def _run_here(space: Space, settings: Settings, due: Sequence[DirtyDay]) -> list[str]:
    """Run days in this process; return the stages that failed."""
    days: dict[str, list[str]] = {}
    for one in due:
        days.setdefault(one.source, []).append(one.day)
    return derived.run_again(space, settings, days, "trust", lambda _done, _total: None)


def _consolidate(space: Space, settings: Settings) -> list[str]:
    """Build the snapshots again that know of sources which are held back now; return those that failed."""
    with open_landing(space, settings) as landing, Catalog(space) as catalog:
        ids = {item.source_id for item in landing.held_items()}
        nothing_left = not catalog.lake_files("text")
    store = SnapshotStore(space)
    first = known.first_knowing(store, ids) if ids else None
    if first is None:
        return []
    with writer_lock(space, timeout=LOCK_SECONDS):
        days = [day for day in store.days() if day >= first]
        recalled = known.recalled_items(space)
        failed = known.build_again(space, settings, first, days, lambda _done, _total: None, nothing_left=nothing_left)
        known.forget_recalls(space, set(), set(), recalled)
    return failed


def _count(space: Space, settings: Settings, held: Sequence[Moved]) -> dict[str, int]:
    """Return how many rows of sources the derived stores hold."""
    if not held:
        return {}
    days: dict[str, set[str]] = {}
    for one in held:
        days.setdefault(one.item.source, set()).add(one.day)
    ids = {one.item.source_id for one in held}
    with Catalog(space) as catalog:
        found = counting.derived(space, settings, catalog, ids, {name: sorted(own) for name, own in days.items()})
    return {name: count for name, count in sorted(found.items()) if name not in _NOT_DERIVED}
