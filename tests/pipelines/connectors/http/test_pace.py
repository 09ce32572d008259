"""Request pacing and cool-down per host."""

from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest

from brain_pipelines.connectors.http.pace import Pace, parse_retry_after


class Clock:
    now = 1000.0

    def __call__(self) -> float:
        return self.now


def pace(clock: Clock, **options) -> Pace:
    values = {"interval": 1.0, "cool_down": 30.0, "block_after": 3, "jitter": 0.0, **options}
    return Pace(clock=clock, **values)


def test_hosts_are_paced_independently() -> None:
    clock = Clock()
    paces = pace(clock)
    paces.start("a")
    assert (paces.wait("a"), paces.wait("b")) == (1.0, 0.0)
    paces.start("b", delay=5.0)
    assert paces.wait("b") == 5.0
    clock.now += 1.0
    assert paces.wait("a") == 0.0


def test_backoff_grows_until_host_responds() -> None:
    paces = pace(Clock())
    assert [paces.finish("a", 429), paces.finish("a", 503), paces.finish("a", 429)] == [30.0, 60.0, 120.0]
    assert paces.wait("a") == 120.0
    paces.finish("a", 200)
    assert paces.finish("a", 429) == 30.0
    assert paces.finish("b", 429, "7") == 7.0 and paces.finish("c", 503, "999999") == 3600.0
    assert max(paces.finish("d", 429) for _ in range(40)) == 3600.0


def test_host_is_blocked_after_consecutive_refusals() -> None:
    paces = pace(Clock())
    for status in (403, 403, 200, 403, 401):
        paces.finish("a", status)
    assert not paces.blocked("a")
    paces.finish("a", 403)
    assert paces.blocked("a") and not paces.blocked("b")


@pytest.mark.parametrize(("text", "seconds"), [("120", 120.0), ("", None), ("soon", None), ("-5", None)])
def test_retry_after(text: str, seconds: float | None) -> None:
    assert parse_retry_after(text) == seconds


def test_retry_after_as_a_date() -> None:
    assert 55 < (parse_retry_after(format_datetime(datetime.now(UTC) + timedelta(minutes=1), usegmt=True)) or 0) <= 60
    assert parse_retry_after("Mon, 05 Jan 2015 10:00:00 GMT") == 0.0
