"""The plan of `brain plan`: stale partitions grouped by stage and reason, each group with the cost of running it."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from brain_pipelines.commands.planning.costing import Cost, Costing, open_costing
from brain_pipelines.ingest.stale import FAILED, FOLLOWS, MODEL_WAITS, Stale, stale_of
from brain_pipelines.knowledge.due import is_due
from brain_pipelines.stages.registry import STAGES
from brain_retrieval.home import Home, Space
from brain_retrieval.settings import Settings, load_settings
from brain_retrieval.stores.snapshot_clock import latest_day

ORDER = [stage.name for stage in STAGES]


@dataclass
class Group:
    """Stale partitions of one stage with the same reason. `runs`: `brain apply` is known to compute them."""

    stage: str
    reason: str
    detail: str
    runs: bool
    partitions: list[Stale] = field(default_factory=list)
    cost: Cost = field(default_factory=Cost)

    @property
    def sources(self) -> dict[str, int]:
        """The number of days of each source."""
        return dict(sorted(Counter(one.source for one in self.partitions).items()))

    def to_json(self) -> dict[str, Any]:
        days = sorted({one.day for one in self.partitions})
        said = {"stage": self.stage, "reason": self.reason, "detail": self.detail, "runs": self.runs}
        span = {"partitions": len(self.partitions), "from": days[0], "to": days[-1], "sources": self.sources}
        return {**said, **span, **asdict(self.cost)}


@dataclass
class Plan:
    """The plan of one user. `snapshot_due`: the nightly consolidation has something to do."""

    user: str
    groups: list[Group]
    snapshot_due: bool

    @property
    def partitions(self) -> int:
        """The number of partitions that `brain apply` is known to compute."""
        return sum(len(group.partitions) for group in self.groups if group.runs)

    def total(self, *, follows: bool = False) -> Cost:
        """Return the cost of what is known to run; with `follows` also of what may have to run after it."""
        whole = Cost()
        for group in self.groups:
            if group.runs or (follows and group.reason == FOLLOWS):
                whole.add(group.cost)
        return whole

    def to_json(self) -> dict[str, Any]:
        return {
            "user": self.user,
            "partitions": self.partitions,
            "groups": [group.to_json() for group in self.groups],
            "total": asdict(self.total()),
            "at_most": asdict(self.total(follows=True)),
            "snapshot_due": self.snapshot_due,
        }


def plan(home: Home, *, user: str | None = None, stage: str | None = None) -> list[Plan]:
    """Return the plan of a user, or of all.

    Raises:
        UnknownUserError: if nothing of the user has ever landed.
    """
    settings = load_settings(home.path)
    users = home.users() if user is None else [home.existing_space(user).user]
    return [plan_of(home.space(name), settings, stage) for name in users]


def plan_of(space: Space, settings: Settings, stage: str | None = None) -> Plan:
    """Return the plan of a user, of one stage or of all."""
    found = [one for one in stale_of(space, settings) if stage in (None, one.stage)]
    with open_costing(space, settings) as costing:
        groups = grouped(found)
        for group in groups:
            group.cost = _cost(costing, group)
    return Plan(space.user, groups, is_due(space, settings, latest_day()))


def grouped(found: Sequence[Stale]) -> list[Group]:
    """Return groups by stage, in graph order, and reason; errors of failures are quoted once a group."""
    groups: dict[tuple[str, str, str], Group] = {}
    for one in found:
        detail = "" if one.reason in (FAILED, MODEL_WAITS) else one.detail
        group = groups.setdefault((one.stage, one.reason, detail), Group(one.stage, one.reason, one.detail, one.runs))
        group.partitions.append(one)
    return sorted(groups.values(), key=lambda g: (ORDER.index(g.stage), g.reason == FOLLOWS, g.reason, g.detail))


def _cost(costing: Costing, group: Group) -> Cost:
    whole = Cost()
    for source in group.sources:
        whole.add(costing.of(source, group.stage, [one for one in group.partitions if one.source == source]))
    return whole
