"""The sensor `failures`: one message about all runs that have failed since the last one, to each configured channel.

The cursor holds, for each channel, up to when failures were sent, when, and how often in a row sending failed. A
channel that fails is tried again with growing pauses and does not hold up the others. Messages hold names of jobs,
stages and users, days and classes of errors. They never hold the message of an error, which may quote a text.
"""

import json
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime, timedelta

import dagster as dg
from dagster_shared.error import SerializableErrorInfo

from brain_pipelines.connectors.notify import Notice, NotSentError, Send, build_channels
from brain_pipelines.engine.run_stage import StageFailedError
from brain_pipelines.orchestration.resources import BrainResource

SETTLE = timedelta(seconds=5)  # a run is recorded as failed shortly after the time that is recorded
LONGEST_PAUSE = timedelta(hours=1)
MAX_RUNS = 1000  # looked at by one tick
MAX_LINES, MAX_USERS = 20, 5
_STAGE_ERROR = re.compile(r"[\w-]{1,60}/\w{1,60}: (\w{1,80})")
_START, _END = "dagster/asset_partition_range_start", "dagster/asset_partition_range_end"


@dataclass(frozen=True)
class Sent:
    """State of a channel: times are seconds since 1970; `failed` counts attempts to send since the last success."""

    through: float
    at: float = 0.0
    failed: int = 0

    def is_due(self, now: float, pause: timedelta) -> bool:
        """Return whether a message may be sent now."""
        wait = min(LONGEST_PAUSE, timedelta(minutes=1) * 2 ** min(self.failed, 10)) if self.failed else pause
        return now - self.at >= wait.total_seconds()


@dataclass(frozen=True)
class Failure:
    """A failed run: when it ended, and what may be said about it."""

    run_id: str
    ended: float
    job: str
    user: str
    days: str
    cause: str  # "<step>: <class of the error>", or why no process ended the run


def read_cursor(text: str | None, names: Sequence[str], now: float) -> dict[str, Sent]:
    """Return the state of each channel; a new channel begins now instead of with all failures of the past."""
    try:
        known = {name: Sent(**state) for name, state in json.loads(text or "{}").items()}
    except (ValueError, TypeError, AttributeError):
        known = {}
    return {name: known.get(name, Sent(through=now)) for name in names}


def write_cursor(states: Mapping[str, Sent]) -> str:
    """Return the state of the channels as text."""
    return json.dumps({name: asdict(state) for name, state in sorted(states.items())})


def failures_between(instance: dg.DagsterInstance, after: float, until: float) -> list[Failure]:
    """Return the runs that failed in a time, oldest first; runs that Dagster starts again by itself are left out."""
    records = instance.get_run_records(
        dg.RunsFilter(statuses=[dg.DagsterRunStatus.FAILURE], updated_after=datetime.fromtimestamp(after, UTC)),
        limit=MAX_RUNS,
        order_by="update_timestamp",
        ascending=True,
    )
    ended = [r for r in records if r.end_time is not None and after < r.end_time <= until]
    final = [r for r in ended if r.dagster_run.tags.get("dagster/will_retry") != "true"]
    return [_failure(instance, record) for record in sorted(final, key=lambda r: (r.end_time, r.dagster_run.run_id))]


def _failure(instance: dg.DagsterInstance, record: dg.RunRecord) -> Failure:
    run = record.dagster_run
    first, last = (run.tags.get(tag, "") for tag in (_START, _END))
    days = sorted({key.partition("|")[0] for key in (first, last, run.tags.get("dagster/partition", "")) if key})
    return Failure(
        run_id=run.run_id,
        ended=record.end_time or 0.0,
        job=run.job_name,
        user=run.tags.get("brain/user", ""),
        days=" to ".join(days),
        cause=_cause(instance, run.run_id),
    )


def _cause(instance: dg.DagsterInstance, run_id: str) -> str:
    entries = instance.all_logs(run_id, of_type=dg.DagsterEventType.STEP_FAILURE)
    for entry in entries:
        event = entry.get_dagster_event()
        error = event.step_failure_data.error
        return f"{event.step_key}: {_class_of(error.cause or error) if error else 'failed'}"
    return "the process of the run ended or did not start"


def _class_of(error: SerializableErrorInfo) -> str:
    """Return the class of an error; that of a stage begins its message, "note/text: OSError (file.py:3); …"."""
    named = _STAGE_ERROR.search(error.message) if error.cls_name == StageFailedError.__name__ else None
    return named[1] if named else error.cls_name or "failed"


def compose(failures: Sequence[Failure], ui_url: str) -> Notice:
    """Return one message about failed runs, those of the same job and cause in one line."""
    kinds = Counter((one.job, one.cause) for one in failures)
    lines = []
    for (job, cause), count in kinds.most_common(MAX_LINES):
        runs = [one for one in failures if (one.job, one.cause) == (job, cause)]
        users = sorted({one.user for one in runs if one.user})
        named = ", ".join(users[:MAX_USERS]) + (f" and {len(users) - MAX_USERS} more" if len(users) > MAX_USERS else "")
        days = sorted({one.days for one in runs if one.days})
        span = f"{days[0][:10]} to {days[-1][-10:]}" if days and days[0][:10] != days[-1][-10:] else "".join(days[:1])
        facts = "; ".join(filter(None, [named and f"users {named}", span]))
        last = f"{ui_url.rstrip('/')}/runs/{runs[-1].run_id}"
        lines.append(f"{count} × {job}, {cause}" + (f" ({facts})" if facts else "") + f"\n    {last}")
    if len(kinds) > MAX_LINES:
        lines.append(f"and {len(kinds) - MAX_LINES} further causes")
    when = datetime.fromtimestamp(failures[0].ended, UTC).strftime("%Y-%m-%d %H:%M UTC")
    runs = "1 run" if len(failures) == 1 else f"{len(failures)} runs"
    body = "\n".join(lines) + "\n\n`brain status` shows the reason of each day that failed, and what is in quarantine."
    return Notice(f"Brain: {runs} failed since {when}", body)


def notify(
    instance: dg.DagsterInstance,
    channels: Mapping[str, Send],
    states: Mapping[str, Sent],
    *,
    now: float,
    pause: timedelta,
    ui_url: str,
) -> tuple[dict[str, Sent], list[str]]:
    """Send to each channel that is due what it has not had yet; return the new states and a line for each attempt."""
    until = now - SETTLE.total_seconds()
    after, done = dict(states), []
    found: dict[float, list[Failure]] = {}
    for name, send in channels.items():
        state = states[name]
        if not state.is_due(now, pause):
            continue
        if state.through not in found:
            found[state.through] = failures_between(instance, state.through, until)
        failures = found[state.through]
        if not failures:
            continue
        try:
            send(compose(failures, ui_url))
        except NotSentError as error:
            after[name] = replace(state, at=now, failed=state.failed + 1)
            done.append(str(error))
        else:
            after[name] = Sent(through=failures[-1].ended, at=now)
            done.append(f"{name}: {len(failures)} failed runs")
    return after, done


@dg.sensor(
    name="failures",
    minimum_interval_seconds=30,
    default_status=dg.DefaultSensorStatus.RUNNING,
    description="Sends one message about the runs that failed since the last one: log, e-mail, webhook (`[notify]`).",
)
def failures(context: dg.SensorEvaluationContext, brain: BrainResource) -> dg.SensorResult:
    """Send what is due."""
    settings = brain.settings
    now = datetime.now(UTC).timestamp()
    channels = build_channels(settings)
    states = read_cursor(context.cursor, list(channels), now)
    after, done = notify(
        context.instance,
        channels,
        states,
        now=now,
        pause=timedelta(minutes=settings.notify.every_minutes),
        ui_url=settings.notify.ui_url,
    )
    return dg.SensorResult(cursor=write_cursor(after), skip_reason="; ".join(done) or "no failed run to report")


FAILURES = failures
