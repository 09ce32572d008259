"""What models have cost, and the teams that the user is a member of."""

import re
from datetime import UTC, date, datetime, timedelta
from typing import Any

from starlette.responses import Response

from brain_pipelines.server.page.lake import rows
from brain_pipelines.server.page.team_space import space_of, teams_here
from brain_pipelines.server.page.visit import In, router_for
from brain_pipelines.server.page.words import word
from brain_pipelines.server.pool import Opened
from brain_pipelines.server.problems import ProblemError

router = router_for("read")
LATEST = "SELECT source_id, source, uri, title, event_at FROM text ORDER BY event_at DESC, source_id LIMIT $1"
MOST_LATEST = 8


@router.get("/costs")
async def costs(visit: In, month: str = "") -> Response:
    """Show a month's costs by source, stage, task and model."""
    if month and not re.fullmatch(r"20\d{2}-(0[1-9]|1[0-2])", month):
        raise ProblemError(400, "A month is written like 2026-01.")
    return await visit.show("costs.html", lambda opened: _costs(opened, month))


def _costs(opened: Opened, month: str) -> dict[str, Any]:
    from brain_retrieval.models.chat.chat_costs import GROUPS
    from brain_retrieval.models.chat.cost_report import cost_report

    now = datetime.now(UTC).date()
    shown = month or f"{now:%Y-%m}"
    first = date.fromisoformat(f"{shown}-01")
    after = (first + timedelta(days=32)).replace(day=1)
    report = cost_report(opened.home.space(opened.user), opened.settings.costs, shown)
    return {
        "report": report,
        "groups": GROUPS,
        "title": f"{word(f'{first:%B}')} {first.year}",
        "before": f"{first - timedelta(days=1):%Y-%m}" if first.year > 2000 else "",
        "after": f"{after:%Y-%m}" if after <= now else "",
        "model": opened.settings.llm.model or "",
    }


@router.get("/teams")
async def teams(visit: In) -> Response:
    """Show the teams of the user, and what still awaits extraction."""
    return await visit.show("teams.html", _teams)


def latest(opened: Opened, team: str) -> list[dict[str, Any]]:
    """Return the newest sources of a team that the user is a member of."""
    with space_of(opened, team) as shared:
        return rows(shared, LATEST, [MOST_LATEST])


def _teams(opened: Opened) -> dict[str, Any]:
    from brain_pipelines.knowledge.team_extraction import pending, wanted_days
    from brain_retrieval.teams import teams_of

    mine = teams_of(opened.settings, opened.user)
    waiting = pending(opened.home, opened.user, opened.settings) if mine else []
    here = teams_here(opened)
    asked = wanted_days(opened.home.space(opened.user), opened.settings) if mine else []
    return {
        "teams": [
            {
                "name": team,
                "members": opened.settings.teams[team].members,
                "extraction": opened.settings.teams[team].extraction,
                "asked": sum(len(day.source_ids) for day in asked if day.team == team),
                "here": team in here,
                "sources": latest(opened, team) if team in here else [],
                "pending": sum(day.team == team for day in waiting),
            }
            for team in mine
        ]
    }
