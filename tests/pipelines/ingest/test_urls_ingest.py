"""URLs on the command line: fetched or crawled, stored, processed and reported."""

import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest
from typer.testing import CliRunner

from brain_pipelines.commands import app
from brain_pipelines.orchestration.recrawl import crawl_due, due_jobs
from tests.pipelines.conftest import Bench
from tests.pipelines.connectors.crawl.sites import answers, body
from tests.pipelines.connectors.http.servers import Site, reply, serve

TREE = {"/": ["/a"], "/a": ["/c", "/print"], "/c": [], "/print": []}


@pytest.fixture
def site(bench: Bench) -> Iterator[Site]:
    with serve(dict(answers(TREE))) as running:
        allow = f'[fetch]\nallow_networks = ["127.0.0.0/8"]\nports = [80, {running.port}]\n'
        (bench.home.path / "brain.toml").write_text(allow + "[crawl]\nrequests_per_second = 200.0\n")
        yield running


def run(*arguments: str) -> tuple[int, dict]:
    result = CliRunner().invoke(app.app, [*arguments, "--json"])
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result.exit_code, json.loads(result.stdout)


def test_ingest_fetches_single_pages_and_crawls(bench: Bench, site: Site) -> None:
    missing = site.url("/missing")
    site.answers["/a?utm_source=mail"] = site.answers["/a"]
    code, report = run("ingest", site.url("/a?utm_source=mail"), missing, "-u", "alice")
    assert code == 0 and len(report["stored"]) == 1, report
    assert report["quarantined"][-1]["uri"] == missing and "404" in report["quarantined"][-1]["reason"]
    assert report["stored"][0]["uri"].startswith("inbox:web-page/127.0.0.1/a-")
    code, report = run("crawl", site.url("/"), "-u", "alice", "--depth", "3", "--exclude", "print")
    assert code == 0 and report["job"]["status"] == "completed" and report["job"]["progress"]["processed"] == 3
    assert len(report["ingest"]["stored"]) == 3 and all(one["success"] for one in report["ingest"]["runs"])
    assert len(bench.texts(source="web-crawl")) == 3
    jobs = CliRunner().invoke(app.app, ["crawl", "-u", "alice", "--list", "--json"])
    (listed,) = json.loads(jobs.stdout)
    assert listed["id"] == report["job"]["id"] and listed["config"]["exclude_patterns"] == ["print"]
    site.requests.clear()
    code, again = run("crawl", "-u", "alice", "--resume", listed["id"])
    assert code == 0 and site.requests == [] and again["ingest"]["stored"] == []


def test_blocked_or_invalid_urls_fail(bench: Bench, site: Site) -> None:
    code, report = run("ingest", "http://169.254.169.254/", "-u", "alice")
    assert code == 1 and "169.254.169.254" in report["quarantined"][0]["reason"]
    result = CliRunner().invoke(app.app, ["ingest", site.url("/a"), "-u", "alice", "-s", "note"])
    assert result.exit_code != 0 and site.requests == []
    assert CliRunner().invoke(app.app, ["crawl", "-u", "alice"]).exit_code == 2
    assert CliRunner().invoke(app.app, ["crawl", "-u", "alice", "--resume", "crawl_x"]).exit_code != 0


def test_configured_crawl_jobs_run_when_due(bench: Bench, site: Site) -> None:
    toml = bench.home.path / "brain.toml"
    toml.write_text(
        toml.read_text() + f'[[crawl.jobs]]\nuser = "alice"\nseeds = ["{site.url("/")}"]\ninterval_hours = 6\n'
    )
    settings, now = bench.settings, datetime.now(UTC)
    assert crawl_due(bench.home, settings) == {"jobs": 1, "failed": 0, "changed": 4}
    assert list(due_jobs(bench.home, settings, now=now + timedelta(hours=5))) == []
    site.answers["/a"] = lambda _: reply(body("/changed", ["/c"]))
    later = now + timedelta(hours=7)
    assert crawl_due(bench.home, settings, now=later) == {"jobs": 1, "failed": 0, "changed": 1}


def test_recrawl_schedule_exists_and_is_stopped() -> None:
    import dagster as dg

    from brain_pipelines.orchestration.recrawl import RECRAWL

    assert RECRAWL.default_status == dg.DefaultScheduleStatus.STOPPED and RECRAWL.job_name == "crawl"
