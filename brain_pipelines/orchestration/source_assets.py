"""Asset factory: builds the Dagster assets, checks and job of a source type.

    <source>/raw ──► <source>/text ──► <source>/chunks ──► <source>/embeddings
                           ├─────────► <source>/extractions
                           └─────────► <source>/enrichments

Source types are in `sources/`, stages in `stages/`, their execution in `engine/run_stage.py`.
"""

import warnings
from collections.abc import Mapping

import dagster as dg

from brain_pipelines.engine import progress
from brain_pipelines.engine.run_stage import StageReport, materialize
from brain_pipelines.engine.stage import Stage
from brain_pipelines.landing.run_planning import MAX_SPAN
from brain_pipelines.orchestration.partitions import partition_key, work_items
from brain_pipelines.orchestration.resources import BrainResource
from brain_pipelines.sources.source import Source
from brain_pipelines.stages.registry import STAGES

# `backfill_policy` is covered by tests; its beta warning, one for each asset, would hide real ones.
warnings.filterwarnings("ignore", category=dg.BetaWarning)

# The same for every asset of a graph: assets with different policies do not share a run.
BACKFILL_POLICY = dg.BackfillPolicy.multi_run(max_partitions_per_run=MAX_SPAN)
NOTHING_QUARANTINED = "nothing_quarantined"
MAX_TABLE_ROWS = 62


class StageConfig(dg.Config):
    """Run options of a stage. `force` also computes unchanged days."""

    force: bool = False


def job_name(source: str) -> str:
    """Return the name of a source type's job and group: Dagster does not allow "-" in them."""
    return source.replace("-", "_")


def build_source_graph(source: Source, partitions: dg.PartitionsDefinition) -> dg.Definitions:
    """Return the assets of a source type and the job that runs them, named like the source."""
    assets = [build_stage_asset(source, stage, partitions) for stage in STAGES]
    job = dg.define_asset_job(
        job_name(source.name),
        selection=dg.AssetSelection.groups(job_name(source.name)),
        description=f"Materialise every stage of {source.name} for a span of days of one user.",
    )
    return dg.Definitions(assets=assets, jobs=[job])


def build_stage_asset(source: Source, stage: Stage, partitions: dg.PartitionsDefinition) -> dg.AssetsDefinition:
    """Return the asset `<source>/<stage>`, which calls `materialize` for each user among the partitions of its run."""
    key = dg.AssetKey([source.name, stage.name])
    blocking = [check.__name__ for check in stage.validity]

    @dg.asset(
        key=key,
        deps=[dg.AssetKey([source.name, stage.upstream])] if stage.upstream else [],
        partitions_def=partitions,
        backfill_policy=BACKFILL_POLICY,
        code_version=stage.code_version,
        group_name=job_name(source.name),
        description=f"{stage.description}\n\nSource type {source.name}: {source.description}",
        kinds={"lancedb"} if "index" in stage.tables else {"parquet"},
        check_specs=[
            *(dg.AssetCheckSpec(name, asset=key, blocking=True) for name in blocking),
            dg.AssetCheckSpec(NOTHING_QUARANTINED, asset=key, description="No item was rejected, repaired or failed."),
        ],
    )
    def stage_asset(
        context: dg.AssetExecutionContext, config: StageConfig, brain: BrainResource
    ) -> dg.MaterializeResult:
        reports: dict[str, StageReport] = {}
        for user, days in work_items(context.partition_keys).items():
            reports[user] = _run(context, stage, source, brain, user, days, config.force)
        return dg.MaterializeResult(metadata=_metadata(reports), check_results=_check_results(reports, blocking))

    return stage_asset


def _run(
    context: dg.AssetExecutionContext,
    stage: Stage,
    source: Source,
    brain: BrainResource,
    user: str,
    days: list[str],
    force: bool,
) -> StageReport:
    def advance(done: int, total: int, unit: str) -> None:
        progress.report(progress.Step(source.name, stage.name, user, done, total, unit))

    report = materialize(
        stage,
        source,
        brain.space(user),
        days,
        settings=brain.settings,
        run_id=context.run_id,
        force=force,
        progress=advance,
    )
    progress.report(progress.Step(source.name, stage.name, user, 1, 1, "stages"))
    for day, rows in report.rows.items():
        counts = {"day_rows": rows, "day_quarantined": report.quarantined.get(day, 0)}
        context.add_asset_metadata(counts, partition_key=partition_key(user, day))
    context.log.info(
        f"{source.name}/{stage.name}: {len(report.computed)} days computed, {len(report.skipped)} unchanged, "
        f"{len(report.failed)} to retry, {sum(report.rows.values())} rows, {report.seconds:.2f} s"
    )
    return report


def _metadata(reports: Mapping[str, StageReport]) -> dict[str, dg.MetadataValue]:
    """Return counts and seconds; never text, names or subjects, since the event log cannot be purged by partition."""
    rows = sum(sum(r.rows.values()) for r in reports.values())
    seconds = sum(r.seconds for r in reports.values())
    records = [
        dg.TableRecord({"day": day, "rows": count, "quarantined": report.quarantined.get(day, 0)})
        for report in reports.values()
        for day, count in sorted(report.rows.items())
        if count or report.quarantined.get(day)
    ]
    return {
        "rows": dg.MetadataValue.int(rows),
        "users": dg.MetadataValue.int(len(reports)),
        "days_computed": dg.MetadataValue.int(sum(len(r.computed) for r in reports.values())),
        "days_skipped": dg.MetadataValue.int(sum(len(r.skipped) for r in reports.values())),
        "quarantined": dg.MetadataValue.int(sum(sum(r.quarantined.values()) for r in reports.values())),
        "seconds": dg.MetadataValue.float(round(seconds, 3)),
        "rows_per_second": dg.MetadataValue.float(round(rows / seconds, 1) if seconds else 0.0),
        "by_day": dg.MetadataValue.table(records[:MAX_TABLE_ROWS], _TABLE_SCHEMA),
    }


_TABLE_SCHEMA = dg.TableSchema(
    [dg.TableColumn("day", "string"), dg.TableColumn("rows", "int"), dg.TableColumn("quarantined", "int")]
)


def _check_results(reports: Mapping[str, StageReport], blocking: list[str]) -> list[dg.AssetCheckResult]:
    results = []
    for name in blocking:
        violations = sum(report.violations.get(name, 0) for report in reports.values())
        results.append(
            dg.AssetCheckResult(check_name=name, passed=violations == 0, metadata={"violations": violations})
        )
    quarantined = sum(sum(report.quarantined.values()) for report in reports.values())
    results.append(
        dg.AssetCheckResult(
            check_name=NOTHING_QUARANTINED,
            passed=quarantined == 0,
            severity=dg.AssetCheckSeverity.WARN,
            metadata={"quarantined": quarantined},
            description="`brain status` lists each item with its reason." if quarantined else None,
        )
    )
    return results
