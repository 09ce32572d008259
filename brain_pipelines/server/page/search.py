"""The first page: a question, what is remembered about it, the passages found, and why; also as of an earlier day."""

from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from typing import Annotated, Any

from fastapi import Query
from starlette.responses import Response

from brain_pipelines.server.page.highlight import excerpt, marked
from brain_pipelines.server.page.lake import rows
from brain_pipelines.server.page.team_space import space_of, teams_here
from brain_pipelines.server.page.visit import In, router_for
from brain_pipelines.server.page.why import explain
from brain_pipelines.server.pool import Opened
from brain_retrieval.errors import BrainError, NoSnapshotError
from brain_retrieval.knowledge.memories.audit import Change
from brain_retrieval.knowledge.stories.closed import without_closed

router = router_for("read")
MEMORIES, LATEST, TOPICS = 6, 8, 12
HITS = (10, 20, 50)
Text = Annotated[str, Query(max_length=8000)]
Day = Annotated[str, Query(max_length=40)]
Short = Annotated[str, Query(max_length=300)]
_KINDS = """
SELECT source, count(*) AS n, min(day) AS first, max(day) AS last, min(received_at) AS heard_first,
  max(received_at) AS heard_last FROM text GROUP BY source ORDER BY n DESC, source
"""
_LATEST = "SELECT source_id, source, uri, title, event_at FROM text ORDER BY event_at DESC, source_id LIMIT $1"


@dataclass(frozen=True)
class Asked:
    """The fields of the form, as they were sent."""

    q: str = ""
    as_of: str = ""
    known_at: str = ""
    day_from: str = ""
    day_to: str = ""
    person: str = ""
    source: tuple[str, ...] = ()
    team: str = ""
    k: int = HITS[0]

    @property
    def limited(self) -> bool:
        """Whether anything but the question is set."""
        return any((self.as_of, self.known_at, self.day_from, self.day_to, self.person, self.source, self.team))

    @property
    def options(self) -> dict[str, Any]:
        """The options of `Brain.search`."""
        given = {"as_of": self.as_of, "known_at": self.known_at, "day_from": self.day_from, "day_to": self.day_to}
        more = {"people": [self.person] if self.person else None, "sources": list(self.source) or None}
        return {**{name: value or None for name, value in given.items()}, **more}


@router.get("/")
async def ask(
    visit: In, q: Text = "", as_of: Day = "", known_at: Day = "", day_from: Day = "", day_to: Day = "",
    person: Short = "", source: Annotated[list[Short] | None, Query(max_length=60)] = None,
    team: Short = "", k: Annotated[int, Query(ge=1, le=100)] = HITS[0],
) -> Response:  # fmt: skip
    """Answer a question, or show where to begin."""
    as_of, known_at, day_from, day_to = (one.strip() for one in (as_of, known_at, day_from, day_to))
    asked = Asked(q.strip(), as_of, known_at, day_from, day_to, person.strip(), tuple(source or ()), team, k)
    if asked.q:
        return await visit.show("answer.html", lambda opened: _answer(opened, asked))
    return await visit.show("start.html", lambda opened: _start(opened, asked))


def _answer(opened: Opened, asked: Asked) -> dict[str, Any]:
    """Return what the page of an answer shows; an option that is not valid is said in words above an empty page."""
    frame = _form(opened, asked)
    try:
        with space_of(opened, asked.team) as searched:
            found = searched.brain.search(asked.q, asked.k, **asked.options)
        times = {"as_of": asked.as_of or None, "known_at": asked.known_at or None}
        # A team's space has no memories: what a member has found there is drawn into the member's own.
        memories = () if asked.team else opened.brain.remembered(asked.q, found, **times)
        changes = [] if asked.team else _changes(opened, asked)
    except BrainError as error:
        if isinstance(error, NoSnapshotError) or error.exit_code not in (2, 3):
            raise
        nothing: dict[str, Any] = {"hits": [], "memories": [], "changes": [], "warnings": [], "nearest": None}
        return {**frame, **nothing, "error": str(error), "failure": "", "seconds": 0.0}
    shown = list(found) or ([found.nearest] if found.nearest else [])
    return {
        **frame,
        "hits": [(hit, excerpt(hit.text, asked.q), why) for hit, why in zip(shown, explain(shown), strict=True)],
        "nearest": not found and found.nearest is not None,
        "memories": [(card, marked(card.text, asked.q)) for card in memories],
        "changes": changes,
        "warnings": found.warnings,
        "failure": found.failure,
        "error": "",
        "seconds": found.timings.total_ms / 1000,
    }


def _changes(opened: Opened, asked: Asked) -> list[Change]:
    """Return what had surely changed in what the question is about, if a day is asked for."""
    if not (asked.as_of or asked.known_at):
        return []
    found = opened.brain.audit(asked.q, at=asked.as_of or None, known_at=asked.known_at or None)
    return [one for one in found.changes if one.sure]


def _start(opened: Opened, asked: Asked) -> dict[str, Any]:
    known = opened.brain.knowledge()
    listed = without_closed(known, known.storylines(open_only=True)) if known.day else []
    stories = [one for one in listed if one.level == "storyline"]
    names = known.table("known_entities").filter(~_owner()) if known.day else None
    topics = (
        [] if names is None else names.sort(["source_count", "name"], descending=[True, False]).head(TOPICS).to_dicts()
    )
    return {
        **_form(opened, asked),
        "latest": rows(opened, _LATEST, [LATEST]),
        "stories": stories[:4],
        "topics": topics,
        "memories": [(card, [(card.text, False)]) for card in known.memories(limit=MEMORIES)],
        "snapshot": known.day,
    }


def _owner() -> Any:
    import polars as pl

    return pl.col("is_owner")


def _form(opened: Opened, asked: Asked) -> dict[str, Any]:
    kinds = rows(opened, _KINDS)
    total = sum(one["n"] for one in kinds)
    frame = {"asked": asked, "kinds": kinds, "sizes": HITS, "range": _range(kinds), "total": total}
    return {**frame, "teams": teams_here(opened)}


def _range(kinds: list[dict[str, Any]]) -> dict[str, Any]:
    """Return the days that the sliders cover: from the day before the first source to today or the last one."""
    today = datetime.now(UTC).date()
    days = [date.fromisoformat(one[name]) for one in kinds for name in ("first", "last")]
    days += [one[name].date() for one in kinds for name in ("heard_first", "heard_last")]
    first, last = min([today, *days]) - timedelta(days=1), max([today, *days])
    return {"first": first.isoformat(), "last": last.isoformat(), "days": (last - first).days}
