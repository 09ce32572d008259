"""Asset `team/extractions`, its job, and the sensor that starts a run when a reader first accesses a team source."""

from datetime import UTC, datetime

import dagster as dg

from brain_pipelines.engine import progress
from brain_pipelines.knowledge.team_extraction import extract_for_reader, pending
from brain_pipelines.landing.run_planning import spans
from brain_pipelines.orchestration.asset_catalogue import docs_of
from brain_pipelines.orchestration.cells.names import Names
from brain_pipelines.orchestration.days.calendar import Calendar
from brain_pipelines.orchestration.partitions import range_tags, work_items
from brain_pipelines.orchestration.resources import BrainResource
from brain_pipelines.orchestration.source_assets import BACKFILL_POLICY, StageConfig, retrying_what_may_pass
from brain_retrieval.home import Home
from brain_retrieval.ids import stable_hash
from brain_retrieval.settings import Settings

TEAM = "team"
MOST_REQUESTS = 50


def build_team_graph(partitions: dg.PartitionsDefinition, settings: Settings) -> dg.Definitions:
    """Return the asset, the job `team` and the sensor `team_requests`."""
    asset = build_team_asset(partitions, settings)
    names = Names.of(settings)
    job = dg.define_asset_job(
        TEAM,
        selection=dg.AssetSelection.groups(TEAM),
        description="Extract, for one reader, the team sources that this reader has requested.",
    )

    @dg.sensor(
        name="team_requests",
        job=job,
        minimum_interval_seconds=30,
        default_status=dg.DefaultSensorStatus.RUNNING,
        description="Starts the extraction of team sources for the readers who have requested them.",
    )
    def team_requests(context: dg.SensorEvaluationContext, brain: BrainResource) -> dg.SensorResult | dg.SkipReason:
        requests = run_requests(Home(brain.path), brain.settings)
        if not requests:
            return dg.SkipReason("no pending requests for team sources")
        known = set(context.instance.get_dynamic_partitions(names.users))
        new = sorted({r.tags["brain/user"] for r in requests} - known)
        return dg.SensorResult(
            run_requests=requests[:MOST_REQUESTS],
            dynamic_partitions_requests=[names.users_partitions().build_add_request(new)] if new else [],
        )

    return dg.Definitions(assets=[asset], jobs=[job], sensors=[team_requests])


def build_team_asset(partitions: dg.PartitionsDefinition, settings: Settings) -> dg.AssetsDefinition:
    """Return the asset; a partition is a day of the team's sources and the reader."""

    @dg.asset(
        key=Names.of(settings).asset(TEAM, "extractions"),
        partitions_def=partitions,
        backfill_policy=BACKFILL_POLICY,
        group_name=TEAM,
        kinds={"parquet"},
        metadata=docs_of(TEAM),
        owners=list(settings.notify.owners),
        description="Extractions of team sources for the reader who requested them; text and vectors are shared.",
    )
    def team_extractions(
        context: dg.AssetExecutionContext, config: StageConfig, brain: BrainResource
    ) -> dg.MaterializeResult:
        rows = computed = 0
        for user, work in work_items(context.partition_keys, Calendar.of(brain.settings), context.run.tags).items():
            home = Home(brain.path)
            with retrying_what_may_pass(context):
                done = extract_for_reader(
                    home, user, work.days, brain.settings, run_id=context.run_id, force=config.force
                ).values()
            rows += sum(sum(report.rows.values()) for report in done)
            computed += sum(len(report.computed) for report in done)
            progress.report(progress.Step(TEAM, "extractions", user, 1, 1, "stages"))
        return dg.MaterializeResult(metadata={"rows": rows, "days_computed": computed})

    return team_extractions


def run_requests(home: Home, settings: Settings, *, now: datetime | None = None) -> list[dg.RunRequest]:
    """Return one ranged run for each span of days of each reader with something pending.

    The run key contains the hour, so a lost run is requested again in the next hour and not at every tick.
    """
    hour = (now or datetime.now(UTC)).strftime("%Y-%m-%dT%H")
    members = sorted({user for team in settings.teams.values() for user in team.members})
    requests = []
    for user in members:
        due = pending(home, user, settings)
        for span in spans({day.day for day in due}):
            content = stable_hash([(d.team, d.source, d.day, sorted(d.source_ids)) for d in due if d.day in set(span)])
            key = f"{TEAM}:{user}:{span[0]}:{span[-1]}:{content}:{hour}"
            requests.append(dg.RunRequest(run_key=key, tags=range_tags(user, span[0], span[-1], Calendar.of(settings))))
    return requests
