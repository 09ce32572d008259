"""`check_online`: a claim weighed against what is known, and what is missing searched for, fetched and remembered.

    memory ─► enough? ─► query ─► search provider ─► fetcher ─► page ─► the stages ─► memory ─► …

    report = check_online(Home(path), "alice", "The Solberg bridge was opened in 1961.")
    report.evidence.verdict, report.online.stop

The same claim again is answered from memory while the answer is fresh, without any request.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

from pydantic import ValidationError

from brain_pipelines.ingest import dagster_events
from brain_pipelines.ingest.evidence.budget import ABANDONED, Budget
from brain_pipelines.ingest.evidence.gain import is_enough
from brain_pipelines.ingest.evidence.kept_pages import read_pending
from brain_pipelines.ingest.evidence.loop import Loop
from brain_pipelines.ingest.evidence.pages import Pages
from brain_pipelines.ingest.evidence.providers.build import build_providers
from brain_pipelines.ingest.evidence.report import Online, OnlineReport
from brain_pipelines.landing.claim_checks import Checked, ClaimChecks
from brain_retrieval.brain import Brain
from brain_retrieval.errors import BadInputError
from brain_retrieval.evidence.claims.claim import Claim
from brain_retrieval.evidence.report import EvidenceReport
from brain_retrieval.home import Home
from brain_retrieval.ids import content_id
from brain_retrieval.moments import Moment
from brain_retrieval.settings import Settings, load_settings
from brain_retrieval.settings.evidence import OnlineSettings
from brain_retrieval.stores.trust_book import TrustBook

NO_PROVIDER = "no search provider is set up: see [evidence.online] in the settings"
LIMITS = ("max_rounds", "max_queries", "max_addresses", "max_seconds", "max_bytes", "max_model_tokens")
MEMORY, KNOWN = "memory", "the evidence in memory is enough"
AGAIN = "the same claim was checked before"


def check_online(
    home: Home,
    user: str,
    claim: str,
    *,
    as_of: Moment | None = None,
    limit: int = 10,
    again: bool = False,
    limits: Mapping[str, float | None] | None = None,
    report_runs: bool = False,
    left: Callable[[], bool] = bool,
) -> OnlineReport:
    """Return the evidence for a claim, after looking online for what is missing.

    Args:
        claim: one or a few sentences that state something; only its own words are sent to search providers.
        as_of: the time asked about; pages that were published later do not count.
        limit: of the evidence shown for each statement of the claim, 1–1000.
        again: search although memory has an answer.
        limits: fields of `OnlineSettings` that replace those of the settings; None keeps one.
        report_runs: show the days of new pages as materialised in Dagster.
        left: whether who asked has gone; no further request is begun then.

    Raises:
        UnknownUserError: nothing of this user is stored.
        InvalidQueryError: for an empty claim or an invalid option.
        BadInputError: for a limit that is not valid.
    """
    settings = _with_limits(load_settings(home.path), limits or {})
    space, now = home.existing_space(user), datetime.now(UTC)
    budget = Budget(settings.evidence.online, left=left)
    with Brain.open(home.path, user=user) as brain, ClaimChecks(space) as checks:

        def weigh(uris: Sequence[str]) -> EvidenceReport:
            further = read_pending(space, settings, set(uris))
            return brain.evidence(claim, as_of=as_of, limit=limit, further=further, meter=budget)

        report = weigh(())
        key = _key(report, as_of)
        known = checks.get(key)
        if known is not None and now < known.fresh_until and not again:
            return _remembered(known, weigh([uri for _, uri in known.pages]), budget)
        online = Online()
        if is_enough(report) and not again:
            return _reported(report, Online(source=MEMORY, stop=KNOWN), budget)
        if not (providers := build_providers(settings)):
            return _reported(report, Online(source=MEMORY, stop=NO_PROVIDER, warnings=[NO_PROVIDER]), budget)
        fresh = _fresh_days(report.claim, settings.evidence.online)
        book = TrustBook.open(space, settings)
        pages = Pages(space, settings, report.claim, budget, book, 0.0 if again else fresh)
        loop = Loop(pages, providers, budget, weigh, online)
        report = loop.run(report)
        online.checked_at = now.isoformat(timespec="seconds")
        if online.stop != ABANDONED and _is_answered(online):
            queries = tuple(one.query for one in online.rounds)
            until = now + timedelta(days=fresh)
            checks.put(Checked(key, now, until, online.stop, queries, tuple(sorted(set(loop.found)))))
    if report_runs and loop.runs:
        dagster_events.report_runs(space, loop.runs)
    return _reported(report, online, budget)


def _is_answered(online: Online) -> bool:
    """Return whether a provider answered a query at all, be it with no result."""
    return any(isinstance(answer, int) for one in online.rounds for answer in one.providers.values())


def _reported(report: EvidenceReport, online: Online, budget: Budget) -> OnlineReport:
    """Return the report with what was spent of the limits."""
    spent = {name: getattr(budget, name) for name in ("queries", "robots", "seconds", "bytes", "tokens")}
    limits = {name: getattr(budget.limits, name) for name in LIMITS}
    return OnlineReport(report, replace(online, **spent, limits=limits))


def _with_limits(settings: Settings, limits: Mapping[str, float | None]) -> Settings:
    given: dict[str, Any] = {name: value for name, value in limits.items() if value is not None}
    if not given:
        return settings
    try:
        online = OnlineSettings.model_validate({**settings.evidence.online.model_dump(), **given})
    except ValidationError as error:
        first = error.errors()[0]
        raise BadInputError(f"{'.'.join(map(str, first['loc']))}: {first['msg']}") from None
    return settings.model_copy(update={"evidence": settings.evidence.model_copy(update={"online": online})})


def _key(report: EvidenceReport, as_of: Moment | None) -> str:
    """Return the hash of a claim and the time asked about, if one was given."""
    return content_id("claim", report.claim.key, "" if as_of is None else report.at.isoformat())


def _fresh_days(claim: Claim, limits: OnlineSettings) -> float:
    timed = claim.type == "temporal" or claim.until is not None or any(one.dates for one in claim.statements)
    return min(limits.fresh_days, limits.fresh_days_temporal) if timed else limits.fresh_days


def _remembered(known: Checked, report: EvidenceReport, budget: Budget) -> OnlineReport:
    stop = f"{AGAIN}: {known.stop}"
    at = known.checked_at.isoformat(timespec="seconds")
    online = Online(source=MEMORY, stop=stop, checked_at=at, remembered=tuple(url for url, _ in known.pages))
    return _reported(report, online, budget)
