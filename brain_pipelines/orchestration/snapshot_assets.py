"""The nightly consolidation job: one asset for each stage of a snapshot, from sources to graph, and its schedule.

The stages are listed in `knowledge/registry.py` and run by `knowledge/run_snapshot.py`.
"""

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime

import dagster as dg

from brain_pipelines.engine import progress
from brain_pipelines.knowledge.due import due_users
from brain_pipelines.knowledge.pinned_inputs import lake_inputs
from brain_pipelines.knowledge.quality import LIMITS, MEANINGS, SAMPLED, passed
from brain_pipelines.knowledge.registry import SNAPSHOT_STAGES
from brain_pipelines.knowledge.run_snapshot import SnapshotReport, run_stage
from brain_pipelines.knowledge.stage import SnapshotStage
from brain_pipelines.knowledge.stages import quality
from brain_pipelines.orchestration.asset_catalogue import (
    describe_snapshot_stage,
    snapshot_freshness,
    snapshot_metadata,
    snapshot_pool,
)
from brain_pipelines.orchestration.cells.names import Names
from brain_pipelines.orchestration.days.calendar import Calendar
from brain_pipelines.orchestration.days.snapshot_days import snapshot_days, yesterday
from brain_pipelines.orchestration.golden_check import build_golden_check
from brain_pipelines.orchestration.partition_events import input_versions
from brain_pipelines.orchestration.partitions import range_tags, register
from brain_pipelines.orchestration.resources import BrainResource
from brain_pipelines.orchestration.source_assets import BACKFILL_POLICY, StageConfig
from brain_pipelines.stages.registry import STAGES
from brain_retrieval.home import Home
from brain_retrieval.settings import Settings

NIGHTLY = "nightly"
# Short outages of a model endpoint or a graph server are retried without manual intervention.
RETRY = dg.RetryPolicy(max_retries=2, delay=5, backoff=dg.Backoff.EXPONENTIAL)


def build_nightly(partitions: dg.PartitionsDefinition, sources: Sequence[str], settings: Settings) -> dg.Definitions:
    """Return the assets of a snapshot and the job `nightly`; a partition is a knowledge day of a user."""
    assets = [build_snapshot_asset(stage, partitions, sources, settings) for stage in SNAPSHOT_STAGES]
    job = dg.define_asset_job(
        NIGHTLY,
        selection=dg.AssetSelection.groups("knowledge", "memory"),
        description="Snapshot of a user's knowledge at the end of a day: entities, facts, storylines, salience, graph.",
    )
    golden = build_golden_check(Names.of(settings).asset("knowledge", quality.STAGE.name), partitions)
    return dg.Definitions(assets=assets, asset_checks=[golden], jobs=[job])


def build_snapshot_asset(
    stage: SnapshotStage, partitions: dg.PartitionsDefinition, sources: Sequence[str], settings: Settings
) -> dg.AssetsDefinition:
    """Return the asset `<group>/<stage>`, which calls `run_stage` for each partition of the run."""
    names = Names.of(settings)
    key = names.asset(stage.group, stage.name)
    calendar = Calendar.of(settings)

    @dg.asset(
        key=key,
        deps=_deps(stage, sources, settings.partitions, names),
        partitions_def=partitions,
        backfill_policy=BACKFILL_POLICY,
        code_version=stage.code_version,
        group_name=stage.group,
        description=describe_snapshot_stage(stage),
        kinds={"polars", "parquet"},
        metadata=snapshot_metadata(stage),
        owners=list(settings.notify.owners),
        pool=snapshot_pool(stage, settings),
        freshness_policy=snapshot_freshness(settings) if stage.publishes else None,
        retry_policy=RETRY,
        check_specs=[
            dg.AssetCheckSpec(
                name,
                asset=key,
                blocking=blocks,
                partitions_def=partitions,
                description=f"{MEANINGS[name]} At most {LIMITS[name]:g}.",
            )
            for name, blocks in stage.checks.items()
        ],
    )
    def snapshot_asset(
        context: dg.AssetExecutionContext, config: StageConfig, brain: BrainResource
    ) -> Iterator[dg.AssetCheckEvaluation | dg.MaterializeResult]:
        reports: dict[str, SnapshotReport] = {}
        try:
            for user, days in snapshot_days(context.partition_keys, brain.settings, context.run.tags).items():
                for day in days:
                    reports[calendar.key(user, day)] = _run(context, stage, brain, user, day, config.force)
                progress.report(progress.Step(NIGHTLY, stage.name, user, 1, 1, "stages"))
        except (KeyboardInterrupt, dg.DagsterExecutionInterruptedError):
            # Without this, Dagster would count the interrupt as a failed attempt and retry the stage.
            raise dg.Failure("interrupted", allow_retries=False) from None
        if not context.has_partition_key:  # else Dagster books the results below as those of the partition
            for partition, report in reports.items():
                yield from _evaluations(key, stage, partition, report)
        checked = _check_results(stage, list(reports.values()))
        yield dg.MaterializeResult(check_results=checked, tags=input_versions(context, key))

    return snapshot_asset


def _deps(stage: SnapshotStage, sources: Sequence[str], unit: str, names: Names) -> list[dg.AssetDep]:
    """Return the direct dependencies of a stage. The first stage depends on all days of the same user."""
    groups = {s.name: s.group for s in SNAPSHOT_STAGES}
    if stage.upstream:
        upstreams = {s.name: s.upstream for s in SNAPSHOT_STAGES}
        return [dg.AssetDep(names.asset(groups[name], name)) for name in last_of(stage.upstream, upstreams)]
    every_day = dg.MultiPartitionMapping(
        {
            "user": dg.DimensionPartitionMapping("user", dg.IdentityPartitionMapping()),
            unit: dg.DimensionPartitionMapping(unit, dg.AllPartitionMapping()),
        }
    )
    return [
        dg.AssetDep(names.asset(source, name), partition_mapping=every_day)
        for source in sources
        for name in read_stages()
    ]


def read_stages() -> list[str]:
    """Return the last of the source stages that write tables read by a snapshot; upstream ones are implied."""
    tables = {table for table, _ in lake_inputs(SNAPSHOT_STAGES)}
    writers = [stage.name for stage in STAGES if tables & set(stage.tables)]
    return last_of(writers, {stage.name: (stage.upstream,) if stage.upstream else () for stage in STAGES})


def last_of(names: Sequence[str], upstreams: Mapping[str, Sequence[str]]) -> list[str]:
    """Return the stages that are not upstream of another one: the others are implied and would clutter the graph."""

    def before(name: str) -> set[str]:
        return {name}.union(*(before(one) for one in upstreams[name]))

    implied = {one for name in names for one in before(name) - {name}}
    return [name for name in names if name not in implied]


def _run(
    context: dg.AssetExecutionContext, stage: SnapshotStage, brain: BrainResource, user: str, day: str, force: bool
) -> SnapshotReport:
    report = run_stage(
        stage, SNAPSHOT_STAGES, brain.space(user), day, settings=brain.settings, run_id=context.run_id, force=force
    )
    context.add_asset_metadata(_metadata(report), partition_key=Calendar.of(brain.settings).key(user, day))
    for warning in report.warnings[:20]:
        context.log.warning(warning)
    done = "unchanged" if report.skipped else f"{sum(report.rows.values())} rows"
    context.log.info(f"{stage.group}/{stage.name}: {done}, {report.seconds:.2f} s")
    return report


def _metadata(report: SnapshotReport) -> dict[str, dg.MetadataValue]:
    """Return counts, measures and seconds; never names, because the event log cannot be purged by partition."""
    values: dict[str, dg.MetadataValue] = {
        "computed": dg.MetadataValue.bool(not report.skipped),
        "seconds": dg.MetadataValue.float(round(report.seconds, 3)),
    }
    values |= {f"{table}_rows": dg.MetadataValue.int(rows) for table, rows in report.rows.items()}
    return values | {name: dg.MetadataValue.float(float(round(value, 6))) for name, value in report.measures.items()}


def _evaluations(
    asset: dg.AssetKey, stage: SnapshotStage, partition: str, report: SnapshotReport
) -> Iterator[dg.AssetCheckEvaluation]:
    """Yield the result of each check of one snapshot."""
    for name, blocks in stage.checks.items():
        if name in report.measures:
            value = report.measures[name]
            yield dg.AssetCheckEvaluation(
                check_name=name,
                asset_key=asset,
                passed=passed(name, value),
                metadata={"value": value},
                severity=_severity(blocks),
                blocking=blocks,
                partition=partition,
            )


def _severity(blocks: bool) -> dg.AssetCheckSeverity:
    return dg.AssetCheckSeverity.ERROR if blocks else dg.AssetCheckSeverity.WARN


def _check_results(stage: SnapshotStage, reports: Sequence[SnapshotReport]) -> list[dg.AssetCheckResult]:
    results = []
    for name, blocks in stage.checks.items():
        values = [report.measures[name] for report in reports if name in report.measures]
        worst = max(values, default=0.0)
        metadata: dict[str, float | str] = {"worst": worst, "snapshots": len(values)}
        if name == SAMPLED and reports[-1].sample:
            metadata["sample"] = " ".join(reports[-1].sample)  # ids only: the event log cannot be purged by partition
        results.append(
            dg.AssetCheckResult(
                check_name=name, passed=passed(name, worst), severity=_severity(blocks), metadata=metadata
            )
        )
    return results


def snapshot_requests(home: Home, settings: Settings, now: datetime) -> list[dg.RunRequest]:
    """Return a run request for yesterday's snapshot of each user that needs one."""
    day = yesterday(settings, now)
    return [
        dg.RunRequest(run_key=f"{NIGHTLY}:{user}:{day}", tags=range_tags(user, day, day, Calendar.of(settings)))
        for user in due_users(home, settings, day)
    ]


def build_nightly_schedule(settings: Settings) -> dg.ScheduleDefinition:
    """Return the schedule `nightly`, with the cron expression `knowledge.nightly` of the settings."""

    @dg.schedule(
        name=NIGHTLY,
        job_name=NIGHTLY,
        cron_schedule=settings.knowledge.nightly,
        execution_timezone=settings.time_zone,
        default_status=dg.DefaultScheduleStatus.RUNNING,
        description="Runs the snapshot of each user with new data: entities, facts, storylines, salience, graph.",
    )
    def nightly(context: dg.ScheduleEvaluationContext, brain: BrainResource) -> list[dg.RunRequest] | dg.SkipReason:
        requests = snapshot_requests(Home(brain.path), brain.settings, context.scheduled_execution_time)
        register(context.instance, {request.tags["brain/user"] for request in requests}, Names.of(settings))
        return requests or dg.SkipReason("no user needs a new snapshot")

    return nightly
