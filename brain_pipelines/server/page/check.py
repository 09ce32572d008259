"""A claim weighed against what is stored: the verdict, and for each statement what supports and contradicts it."""

from typing import Annotated, Any

from fastapi import Query
from starlette.responses import HTMLResponse, Response

from brain_pipelines.server.online import Asked, is_set_up, looked_online
from brain_pipelines.server.page.visit import In, Visit, router_for
from brain_pipelines.server.page.words import word
from brain_pipelines.server.pool import Opened
from brain_retrieval.errors import BrainError
from brain_retrieval.evidence.items import EvidenceItem
from brain_retrieval.evidence.report import EvidenceReport, Finding

router = router_for("read")
looking = router_for("write")
SHOWN, RELATED = 10, 2  # items for each statement; of those that decide nothing
SAYS = 0.5  # share of a part of the claim that a related item has at least
COLOURS = {"supported": "good", "partly supported": "good", "contradicted": "bad", "disputed": "perhaps"}
STATES = {
    "confirmed": "confirmed",
    "provisional": "provisional: more evidence would help",
    "revoked": "revoked: it held before and has ended",
    "evidence_insufficiency": "not enough evidence to rely on",
}
SIDES = {"support": "What supports it", "contradict": "What contradicts it", "neither": "Related, but deciding nothing"}
Day = Annotated[str, Query(max_length=40)]


@router.get("/check")
async def check(
    visit: In, claim: Annotated[str, Query(max_length=8000)] = "", as_of: Day = "", known_at: Day = ""
) -> Response:
    """Show the form and, for a claim, the report."""
    asked = {"claim": claim.strip(), "as_of": as_of.strip(), "known_at": known_at.strip()}
    may = visit.may("write") and is_set_up(visit.server.settings) and not asked["known_at"]
    return await visit.show("check.html", lambda opened: {**_checked(opened, asked), "may_look": may})


@looking.post("/check/online")
async def online(visit: In) -> Response:
    """Search the web for what is missing, and show the report with what was done."""
    asked = {"claim": visit.form.get("claim", "").strip()[:8000], "as_of": visit.form.get("as_of", "")[:40].strip()}
    asked["known_at"] = ""
    frame = _frame(asked)
    try:
        found = await looked_online(visit.request, visit.server.home, visit.user, _options(asked))
    except BrainError as error:
        if error.exit_code not in (2, 3, 5, 7):
            raise
        return await _shown(visit, {**frame, "error": str(error)})
    return await _shown(visit, {**frame, **_reported(found.evidence), "online": found.online})


def _options(asked: dict[str, str]) -> Asked:
    return Asked(asked["claim"], asked["as_of"] or None, SHOWN)


async def _shown(visit: Visit, values: dict[str, Any]) -> Response:
    return HTMLResponse(await visit.read(lambda _: visit.html("check.html", values)))


def _frame(asked: dict[str, str]) -> dict[str, Any]:
    frame: dict[str, Any] = {"asked": asked, "report": None, "online": None, "may_look": False, "error": ""}
    return {**frame, "colours": COLOURS, "states": STATES}


def _checked(opened: Opened, asked: dict[str, str]) -> dict[str, Any]:
    frame = _frame(asked)
    if not asked["claim"]:
        return frame
    as_of, known_at = asked["as_of"] or None, asked["known_at"] or None
    try:
        report = opened.brain.evidence(asked["claim"], as_of=as_of, known_at=known_at, limit=SHOWN)
    except BrainError as error:
        if error.exit_code not in (2, 3):
            raise
        return {**frame, "error": str(error)}
    return {**frame, **_reported(report)}


def _reported(report: EvidenceReport) -> dict[str, Any]:
    failed = {f"{step.part}: {step.failure}": None for one in report.findings for step in one.failures}
    findings = [(one, _sides(one)) for one in report.findings]
    return {"report": report, "findings": findings, "failed": list(failed)}


def _sides(finding: Finding) -> list[tuple[str, str, list[EvidenceItem]]]:
    """Return (stance, heading, items) of each side that has any."""
    found = [(label, word(said), list(finding.of(label))) for label, said in SIDES.items()]
    found = [(label, said, items if label != "neither" else _related(items)) for label, said, items in found]
    return [one for one in found if one[2]]


def _related(items: list[EvidenceItem]) -> list[EvidenceItem]:
    """Return the undecided items in which more than the name is the same."""

    def speaks(item: EvidenceItem) -> bool:
        own = item.features
        return own.overlap >= SAYS and (own.action >= SAYS or (own.object or 0.0) >= SAYS)

    return [item for item in items if item.later or speaks(item)][:RELATED]
