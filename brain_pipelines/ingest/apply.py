"""`apply`: run just the partitions of a user that are not up to date, stage by stage, through Dagster."""

import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from brain_pipelines.engine.healing import ensure_catalog
from brain_pipelines.engine.landing_recovery import ensure_landing
from brain_pipelines.ingest.console import Bars
from brain_pipelines.ingest.files import run_spans
from brain_pipelines.ingest.report import IngestReport
from brain_pipelines.ingest.stale import Stale, chosen, stale_of
from brain_pipelines.landing.run_planning import SpanRequest, spans
from brain_pipelines.stages.registry import STAGES, STAGES_BY_NAME
from brain_retrieval.errors import InvalidQueryError
from brain_retrieval.home import Home
from brain_retrieval.settings import load_settings


@dataclass
class ApplyReport:
    """What was planned for a user, what of it is still not up to date, and the runs."""

    user: str
    planned: int = 0
    left: list[Stale] = field(default_factory=list)
    runs: list[dict[str, Any]] = field(default_factory=list)
    seconds: float = 0.0

    @property
    def success(self) -> bool:
        return not self.left and all(run["success"] for run in self.runs)

    def to_json(self) -> dict[str, Any]:
        left = [
            {"source": s.source, "stage": s.stage, "day": s.day, "reason": s.reason, "detail": s.detail}
            for s in self.left
        ]
        counts = {"planned": self.planned, "done": self.planned - len(left)}
        return {"user": self.user, **counts, "left": left, "runs": self.runs, "seconds": round(self.seconds, 2)}


def apply(home: Home, *, user: str, stage: str | None = None, bars: Bars | None = None) -> ApplyReport:
    """Run the stale partitions of a user: those of one stage, or all; and the stages that read what they change.

    Raises:
        UnknownUserError: if nothing of the user has ever landed.
        InvalidQueryError: if the stage does not exist.
        InterruptedCommandError: if a signal stopped it; the message says how far it came.
    """
    began = time.perf_counter()
    if stage is not None and stage not in STAGES_BY_NAME:
        raise InvalidQueryError(f"no stage {stage!r:.40}; known: {', '.join(STAGES_BY_NAME)}")
    space, settings = home.existing_space(user), load_settings(home.path)
    ensure_catalog(space, settings)
    ensure_landing(space, settings)
    todo = chosen(stale_of(space, settings), stage)
    keys = {(one.source, one.stage, one.day) for one in todo}

    def left() -> list[Stale]:
        return [one for one in stale_of(space, settings) if (one.source, one.stage, one.day) in keys]

    def said() -> str:
        done = len(keys) - len(left())
        rest = "run the same command again to finish the rest" if done < len(keys) else "nothing is missing"
        return f"interrupted: {done} of {len(keys)} partitions are up to date; {rest}"

    report, runs = ApplyReport(user, len(keys)), IngestReport(user, "stale")
    run_spans(home, requests_of(user, todo), bars, runs, said=said)
    report.runs, report.left = runs.runs, left() if todo else []
    report.seconds = time.perf_counter() - began
    return report


def requests_of(user: str, todo: Sequence[Stale]) -> list[SpanRequest]:
    """Return the runs that compute these partitions, each with its stages only; what is up to date is skipped there."""
    by_source: dict[str, dict[str, set[str]]] = {}
    for one in todo:
        by_source.setdefault(one.source, {}).setdefault(one.day, set()).add(one.stage)
    requests = []
    for source, days in sorted(by_source.items()):
        for span in spans(days):
            stages = _with_readers(set[str]().union(*(days[day] for day in span)))
            requests.append(SpanRequest(user, source, span[0], span[-1], tuple(span), "apply", stages))
    return requests


def _with_readers(names: set[str]) -> tuple[str, ...]:
    """Return stages with those that read them, directly or not, in graph order."""
    found = set(names)
    for stage in STAGES:
        if stage.upstream in found:
            found.add(stage.name)
    return tuple(stage.name for stage in STAGES if stage.name in found)
