"""What a run of a stage reports for each partition: metadata of the materialisation and results of its checks.

Each event holds the figures of its own user and day, taken from the records, so a run that skips an unchanged day
repeats what is stored of it. Events hold ids and counts, never text: the event log cannot be purged by partition.
"""

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import dagster as dg
from dagster._core.definitions.data_version import get_input_data_version_tag

from brain_pipelines.engine.run_stage import StageReport
from brain_pipelines.engine.standing import QUARANTINED, DayStanding, standing_problems, together
from brain_pipelines.orchestration.days.calendar import Calendar
from brain_retrieval.home import Home

VERSION_DIGITS = 6
NAMED = 10  # users, or ids of items in quarantine, that an event names


@dataclass(frozen=True)
class Done:
    """A run of a stage for one user: its report, and what is stored of each day afterwards."""

    user: str
    report: StageReport
    standings: dict[str, DayStanding]
    calendar: Calendar

    @cached_property
    def partitions(self) -> dict[str, DayStanding]:
        """What is stored of each partition of the run: of a day, or of the days of a month together."""
        found: dict[str, list[DayStanding]] = defaultdict(list)
        for day, standing in sorted(self.standings.items()):
            found[self.calendar.key(self.user, day)].append(standing)
        return {key: together(days) for key, days in found.items()}

    @cached_property
    def computed(self) -> set[str]:
        """The partitions with days that were computed."""
        return {self.calendar.key(self.user, day) for day in self.report.computed}

    @cached_property
    def run(self) -> set[str]:
        """The partitions with days that were computed, or should have been."""
        return self.computed | {self.calendar.key(self.user, day) for day in self.report.failed}


def meaning(check: Callable[..., int]) -> str:
    """Return the first line of a check's docstring."""
    return (check.__doc__ or "").strip().partition("\n")[0]


def results(
    context: dg.AssetExecutionContext, asset: dg.AssetKey, done: Sequence[Done], blocking: Sequence[str], home: Home
) -> Iterator[dg.AssetCheckEvaluation | dg.MaterializeResult]:
    """Yield what a run of a stage reports: the checks of each partition, the materialisation, the checks of the asset.

    Dagster shows the last result of a check as that of the asset. It fails for the problems of any user, so that a run
    of one user does not hide those of another; only the violations of this run stop its later stages.
    """
    for one in done:
        _add_metadata(context, asset, one)
    problems = standing_problems(home, "/".join(asset.path))
    checks = [_validity(name, done, problems) for name in blocking]
    own = [evaluation for one in done for evaluation in _evaluations(asset, one)]
    whole, versions = _whole(asset, problems), input_versions(context, asset)
    if context.has_partition_key:  # Dagster books the result of the asset as that of the partition
        alone = own[0] if own else _evaluation(asset, (), None)
        yield dg.MaterializeResult(check_results=[*checks, _result(alone)], tags=versions)
        yield whole
    else:
        yield from own
        yield dg.MaterializeResult(check_results=[*checks, _result(whole)], tags=versions)


def input_versions(context: dg.AssetExecutionContext, asset: dg.AssetKey) -> dict[str, str]:
    """Return the tags that name the versions of an asset's inputs, in 6 digits each instead of Dagster's 64.

    A snapshot has some fifty inputs. For inputs with partitions Dagster tells what is stale by their names and by
    the numbers of their events; these versions are only shown.
    """
    step = context.get_step_execution_context()
    if not step.is_external_input_asset_version_info_loaded:
        return {}
    found = {
        key: step.maybe_fetch_and_get_input_asset_version_info(key)
        for key in step.job_def.asset_layer.get(asset).parent_keys
    }
    return {
        get_input_data_version_tag(key): info.data_version.value[:VERSION_DIGITS]
        for key, info in found.items()
        if info and info.data_version
    }


def _add_metadata(context: dg.AssetExecutionContext, asset: dg.AssetKey, done: Done) -> None:
    """Attach the figures of each day to its materialisation."""
    # `context.add_asset_metadata` lists all partitions of the run for each one that is given.
    step = context.get_step_execution_context()
    for partition, standing in done.partitions.items():
        step._metadata_accumulator = step._metadata_accumulator.with_additional_asset_metadata(
            asset_key=asset,
            metadata={
                "rows": dg.MetadataValue.int(standing.rows),
                "quarantined": dg.MetadataValue.int(len(standing.quarantined)),
                **({"waiting": dg.MetadataValue.int(standing.waiting)} if standing.waiting else {}),
                **({"held_back": dg.MetadataValue.int(standing.held)} if standing.held else {}),
                "seconds": dg.MetadataValue.float(standing.seconds),
                **({"bytes": dg.MetadataValue.int(standing.bytes)} if standing.bytes else {}),
                **_spent(standing),
                "computed": dg.MetadataValue.bool(partition in done.computed),
            },
            partition_key=partition,
        )


def _spent(standing: DayStanding) -> dict[str, dg.MetadataValue]:
    """Return what remote models took; days that none was asked for have no such figures, so that events stay small."""
    if not standing.tokens and not standing.money:
        return {}
    return {"tokens": dg.MetadataValue.int(standing.tokens), "money": dg.MetadataValue.float(round(standing.money, 6))}


def _evaluations(asset: dg.AssetKey, done: Done) -> Iterator[dg.AssetCheckEvaluation]:
    """Yield whether anything of a day is in quarantine; a day that was skipped and has nothing keeps its result."""
    for partition, standing in done.partitions.items():
        if standing.quarantined or partition in done.run:
            yield _evaluation(asset, standing.quarantined, partition, waiting=standing.waiting)


def _evaluation(
    asset: dg.AssetKey, bad: Sequence[str], partition: str | None, *, waiting: int = 0
) -> dg.AssetCheckEvaluation:
    values: dict[str, int | str] = {"quarantined": len(bad), "items": _first(bad)} if bad else {}
    values |= {"waiting_for_a_model": waiting} if waiting else {}
    return _quarantine(asset, not bad, values, partition)


def _whole(asset: dg.AssetKey, problems: Mapping[str, Mapping[str, int]]) -> dg.AssetCheckEvaluation:
    """Return the result of the asset: the number of items of all users in quarantine, and whose they are."""
    counts = {user: count for user, found in sorted(problems.items()) if (count := found.get(QUARANTINED))}
    values = {"quarantined": sum(counts.values()), "users": _first(list(counts))} if counts else {}
    return _quarantine(asset, not counts, values, None)


def _quarantine(
    asset: dg.AssetKey, passed: bool, values: Mapping[str, int | str], partition: str | None
) -> dg.AssetCheckEvaluation:
    return dg.AssetCheckEvaluation(
        check_name=QUARANTINED,
        asset_key=asset,
        passed=passed,
        metadata=values,
        severity=dg.AssetCheckSeverity.WARN,
        description=None if passed else "`brain status` lists each item with its reason.",
        partition=partition,
    )


def _result(evaluation: dg.AssetCheckEvaluation) -> dg.AssetCheckResult:
    return dg.AssetCheckResult(
        check_name=evaluation.check_name,
        passed=evaluation.passed,
        metadata=evaluation.metadata,
        severity=evaluation.severity,
        description=evaluation.description,
    )


def _validity(name: str, done: Sequence[Done], problems: Mapping[str, Mapping[str, int]]) -> dg.AssetCheckResult:
    violations = sum(one.report.violations.get(name, 0) for one in done)
    users = sorted(user for user, found in problems.items() if found.get(name))
    severity = dg.AssetCheckSeverity.ERROR if violations else dg.AssetCheckSeverity.WARN
    values: dict[str, int | str] = {"violations": violations, **({"users": _first(users)} if users else {})}
    return dg.AssetCheckResult(check_name=name, passed=not violations and not users, severity=severity, metadata=values)


def _first(names: Sequence[str]) -> str:
    return " ".join(names[:NAMED]) + (" …" if len(names) > NAMED else "")
