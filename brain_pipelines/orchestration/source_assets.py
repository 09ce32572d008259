"""Asset factory: builds the Dagster assets, checks and job of a source type.

    <source>/raw ──► <source>/text ──► <source>/chunks ──► <source>/embeddings
                           ├─────────► <source>/extractions
                           └─────────► <source>/enrichments

Source types are in `sources/`, stages in `stages/`, their execution in `engine/run_stage.py`.
"""

import warnings
from collections.abc import Iterator
from contextlib import contextmanager

import dagster as dg

from brain_pipelines.engine import progress
from brain_pipelines.engine.run_stage import StageFailedError, materialize
from brain_pipelines.engine.stage import Stage
from brain_pipelines.engine.standing import QUARANTINED, standings
from brain_pipelines.landing.run_planning import MAX_SPAN
from brain_pipelines.orchestration.asset_catalogue import (
    describe_stage,
    group_of,
    pool_of,
    stage_kinds,
    stage_metadata,
)
from brain_pipelines.orchestration.cells.names import Names
from brain_pipelines.orchestration.days.calendar import Calendar
from brain_pipelines.orchestration.partition_events import Done, meaning, results
from brain_pipelines.orchestration.partitions import Work, work_items
from brain_pipelines.orchestration.resources import BrainResource
from brain_pipelines.sources.source import Source
from brain_pipelines.stages.registry import STAGES
from brain_retrieval.errors import may_pass
from brain_retrieval.home import Home
from brain_retrieval.settings import Settings

# What is in beta or preview here (policies of backfills, checks by partition) is covered by tests with the version
# that is pinned; a warning for each asset would hide real ones.
warnings.filterwarnings("ignore", category=dg.BetaWarning)
warnings.filterwarnings("ignore", category=dg.PreviewWarning)

# Of the stages that could run next the first of the registry does: a text is searchable before it is extracted from.
PRIORITY_TAG = "dagster/priority"
# The same for every asset of a graph: assets with different policies do not share a run.
BACKFILL_POLICY = dg.BackfillPolicy.multi_run(max_partitions_per_run=MAX_SPAN)

# A retry holds a place in the run queue, so there are few; later ones are runs of their own (the sensor `retry`).
MAX_RETRIES, FIRST_WAIT = 2, 5.0  # seconds


class StageConfig(dg.Config):
    """Run options of a stage. `force` also computes unchanged days."""

    force: bool = False


def job_name(source: str) -> str:
    """Return the name of a source type's job: Dagster does not allow "-" in it."""
    return source.replace("-", "_")


def build_source_graph(source: Source, partitions: dg.PartitionsDefinition, settings: Settings) -> dg.Definitions:
    """Return the assets of a source type and the job that runs them, named like the source."""
    assets = [build_stage_asset(source, stage, partitions, settings) for stage in STAGES]
    job = dg.define_asset_job(
        job_name(source.name),
        selection=dg.AssetSelection.groups(group_of(source.name)),
        description=f"Materialise every stage of {source.name} for a span of days of one user.",
    )
    return dg.Definitions(assets=assets, jobs=[job])


def build_stage_asset(
    source: Source, stage: Stage, partitions: dg.PartitionsDefinition, settings: Settings
) -> dg.AssetsDefinition:
    """Return the asset `<source>/<stage>`, which calls `materialize` for each user among the partitions of its run."""
    names = Names.of(settings)
    key = names.asset(source.name, stage.name)
    blocking = [check.__name__ for check in stage.validity]
    calendar = Calendar.of(settings)

    @dg.asset(
        key=key,
        deps=[names.asset(source.name, stage.upstream)] if stage.upstream else [],
        partitions_def=partitions,
        backfill_policy=BACKFILL_POLICY,
        code_version=stage.code_version,
        op_tags={PRIORITY_TAG: str(-STAGES.index(stage)) if stage in STAGES else "0"},
        group_name=group_of(source.name),
        description=describe_stage(source, stage),
        kinds=stage_kinds(stage, settings),
        metadata=stage_metadata(stage),
        owners=list(settings.notify.owners),
        pool=pool_of(source, stage, settings),
        check_specs=[
            *(
                dg.AssetCheckSpec(check.__name__, asset=key, blocking=True, description=meaning(check))
                for check in stage.validity
            ),
            dg.AssetCheckSpec(
                QUARANTINED,
                asset=key,
                partitions_def=partitions,
                description="No item of the day was rejected, repaired or failed; `brain status` names each.",
            ),
        ],
    )
    def stage_asset(
        context: dg.AssetExecutionContext, config: StageConfig, brain: BrainResource
    ) -> Iterator[dg.AssetCheckEvaluation | dg.MaterializeResult]:
        with retrying_what_may_pass(context):
            done = [
                _run(context, stage, source, brain, user, work, config.force)
                for user, work in work_items(context.partition_keys, calendar, context.run.tags).items()
            ]
        yield from results(context, key, done, blocking, Home(brain.path))

    return stage_asset


@contextmanager
def retrying_what_may_pass(context: dg.AssetExecutionContext) -> Iterator[None]:
    """Let Dagster repeat the step for an error that may pass in a moment, and for no other.

    A retry policy of Dagster would also repeat a step for bad input, and when the user interrupts it.
    """
    try:
        yield
    except Exception as error:
        if not (may_pass(error) or (isinstance(error, StageFailedError) and error.transient)):
            raise
        wait = FIRST_WAIT * 2**context.retry_number
        raise dg.RetryRequested(max_retries=MAX_RETRIES, seconds_to_wait=wait) from error


def _run(
    context: dg.AssetExecutionContext,
    stage: Stage,
    source: Source,
    brain: BrainResource,
    user: str,
    work: Work,
    force: bool,
) -> Done:
    def advance(done: int, total: int, unit: str) -> None:
        progress.report(progress.Step(source.name, stage.name, user, done, total, unit))

    report = materialize(
        stage,
        source,
        brain.space(user),
        work.days,
        settings=brain.settings,
        run_id=context.run_id,
        force=force,
        progress=advance,
    )
    progress.report(progress.Step(source.name, stage.name, user, 1, 1, "stages"))
    context.log.info(
        f"{source.name}/{stage.name}: {len(report.computed)} days computed, {len(report.skipped)} unchanged, "
        f"{len(report.failed)} to retry, {sum(report.rows.values())} rows, {report.seconds:.2f} s"
    )
    standing = standings(brain.space(user), source, stage, work.days)
    return Done(user, report, standing, Calendar.of(brain.settings))
