"""The sensor `failures`: how many messages are sent about failed runs, and what they say."""

import json
from datetime import UTC, datetime, timedelta

import dagster as dg
import pytest

from brain_pipelines.connectors.notify import Notice, NotSentError
from brain_pipelines.definitions import build_defs
from brain_pipelines.orchestration import failures
from brain_pipelines.orchestration.partitions import range_tags
from brain_pipelines.orchestration.resources import BrainResource
from tests.pipelines.days import DAYS

PAUSE = timedelta(minutes=15)


@pytest.fixture
def instance():
    with dg.DagsterInstance.ephemeral() as instance:
        yield instance


def fail(instance: dg.DagsterInstance, count: int, *, job: str = "note", user: str = "alice", **tags: str) -> None:
    made = dg.Definitions(jobs=[dg.job(name=job)(lambda: None)]).resolve_job_def(job)
    for _ in range(count):
        run = instance.create_run_for_job(made, tags={**range_tags(user, "2026-01-05", "2026-01-07", DAYS), **tags})
        instance.report_run_failed(run, "the secret text of a user")


class Inbox:
    """A channel that keeps what it is given, or refuses."""

    def __init__(self) -> None:
        self.notices: list[Notice] = []
        self.broken = False

    def __call__(self, notice: Notice) -> None:
        if self.broken:
            raise NotSentError("webhook not sent: timeout")
        self.notices.append(notice)


def tick(instance, channels, states, later: float):
    now = datetime.now(UTC).timestamp() + later
    return failures.notify(instance, channels, states, now=now, pause=PAUSE, ui_url="http://brain/")[0]


def test_a_hundred_failures_are_one_message_and_are_not_repeated(instance) -> None:
    inbox = Inbox()
    states = failures.read_cursor(None, ["log"], datetime.now(UTC).timestamp())
    fail(instance, 60)
    fail(instance, 40, job="email", user="bob")
    fail(instance, 5, **{"dagster/will_retry": "true"})
    states = tick(instance, {"log": inbox}, states, later=10)
    fail(instance, 1)
    states = tick(instance, {"log": inbox}, states, later=60)  # within the pause
    (notice,) = inbox.notices
    assert notice.subject.startswith("Brain: 100 runs failed") and "secret" not in notice.text
    assert (
        "60 × note, the process of the run ended" in notice.body
        and "users bob; 2026-01-05 to 2026-01-07" in notice.body
    )
    assert "http://brain/runs/" in notice.body
    states = tick(instance, {"log": inbox}, states, later=1000)
    tick(instance, {"log": inbox}, states, later=3000)
    assert [n.subject.split(" since")[0] for n in inbox.notices[1:]] == ["Brain: 1 run failed"]


def test_a_broken_channel_is_tried_again_and_does_not_hold_up_another(instance) -> None:
    log, hook = Inbox(), Inbox()
    hook.broken = True
    channels = {"log": log, "webhook": hook}
    states = failures.read_cursor(None, list(channels), datetime.now(UTC).timestamp())
    fail(instance, 3)
    states = tick(instance, channels, states, later=10)
    states = tick(instance, channels, failures.read_cursor(failures.write_cursor(states), list(channels), 0), later=60)
    assert states["webhook"].failed == 1 and len(log.notices) == 1  # the second attempt waits two minutes
    hook.broken = False
    states = tick(instance, channels, states, later=140)
    assert len(hook.notices) == 1 and states["webhook"].failed == 0 and len(log.notices) == 1


def test_a_failed_stage_is_named_by_its_class_of_error_only(instance) -> None:
    def stage_asset(_context) -> None:
        raise failures.StageFailedError("note/text: PermissionError (a.py:3); `brain status` shows the reason")

    asset = dg.asset(key=["note", "text"])(stage_asset)
    dg.materialize([asset], instance=instance, raise_on_error=False)
    (found,) = failures.failures_between(instance, 0, datetime.now(UTC).timestamp() + 1)
    assert found.cause == "note__text: PermissionError"


def test_the_sensor_starts_with_failures_from_now_on(bench, instance) -> None:
    fail(instance, 2)
    defs = build_defs(bench.home)
    assert "failures" in {sensor.name for sensor in defs.sensors or []}
    resources = {"brain": BrainResource(home=str(bench.home.path))}
    with dg.build_sensor_context(instance=instance, resources=resources) as context:
        result = failures.FAILURES(context)
    assert result.skip_reason.skip_message == "no failed run to report"
    assert set(json.loads(result.cursor)) == {"log"}
