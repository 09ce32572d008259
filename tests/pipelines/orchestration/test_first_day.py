"""The first day of a home: chosen by the oldest file, moved by the owner; only what lies elsewhere then runs again."""

import json
from datetime import date
from typing import Any

import pytest
from typer.testing import CliRunner

from brain_pipelines.commands.app import app
from brain_pipelines.landing.inbox import FileState
from brain_pipelines.landing.landing import open_landing
from brain_pipelines.orchestration.behind import unfinished
from brain_pipelines.orchestration.days.budget import measure_budget
from brain_pipelines.orchestration.days.first_day import choose_first_day
from brain_pipelines.orchestration.sensors import tick
from brain_retrieval.settings import HomePartitions, read_home_partitions, write_home_partitions
from brain_retrieval.stores.catalog import Catalog

TODAY = date(2026, 3, 1)


def arrive(bench, day: str, *, user: str = "alice", today: date = TODAY) -> date:
    """Land a note of an event day and let it choose; return the first day of the home then."""
    path = bench.drop(user, "note", f"{day}.md", f"A note of {day}.", day=day)
    space = bench.space(user)
    with open_landing(space, bench.settings) as landing:
        landing.land(FileState.of(path, space.inbox))
        return choose_first_day(bench.home, landing, today=today).first_day


def waiting(bench, user: str = "alice") -> list[str]:
    with open_landing(bench.space(user), bench.settings) as landing, Catalog(bench.space(user)) as catalog:
        return [day.day for day in unfinished(landing, catalog)]


def init(bench, *options: str, code: int = 0) -> Any:
    result = CliRunner().invoke(app, ["init", str(bench.home.path), *options, "--json"])
    assert result.exit_code == code, result.output + repr(result.exception)
    return json.loads(result.stdout) if code == 0 else result.output


def test_ten_years_of_notes_get_their_own_days(bench) -> None:
    assert arrive(bench, "2026-02-20") == date(2026, 1, 1)
    assert arrive(bench, "2016-05-05") == date(2016, 1, 1)
    assert arrive(bench, "2019-07-07") == date(2016, 1, 1)
    assert waiting(bench) == ["2016-05-05", "2019-07-07", "2026-02-20"]


def test_new_files_leave_room_for_those_of_the_last_month(bench) -> None:
    assert arrive(bench, "2026-01-10", today=date(2026, 1, 11)) == date(2025, 1, 1)


def test_other_users_count_and_follow(bench) -> None:
    assert arrive(bench, "2017-04-04", user="bob") == date(2017, 1, 1)
    assert arrive(bench, "2026-02-20") == date(2017, 1, 1)
    assert arrive(bench, "2012-02-02") == date(2012, 1, 1)
    assert waiting(bench, "bob") == ["2017-04-04"]


def test_clock_that_was_never_set_decides_nothing(bench) -> None:
    assert arrive(bench, "1980-01-01") == date(2024, 1, 1)
    assert arrive(bench, "2026-02-20") == date(2026, 1, 1)
    assert waiting(bench) == ["2026-01-01", "2026-02-20"]


def test_first_day_stays_beyond_the_budget(bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BRAIN_PARTITION_BUDGET", "100")
    assert arrive(bench, "2026-02-20") == date(2026, 1, 1)
    assert arrive(bench, "2016-05-05") == date(2026, 1, 1)
    assert waiting(bench) == ["2026-01-01", "2026-02-20"]


def test_first_day_of_the_owner_stays(bench) -> None:
    (bench.home.path / "brain.toml").write_text("first_day = 2020-01-01\n")
    assert arrive(bench, "2016-05-05") == date(2020, 1, 1)
    assert "brain.toml sets first_day" in init(bench, "--since", "2016-01-01", code=2)


def test_home_from_before_keeps_its_first_day(bench) -> None:
    """Items that lay on the first day have rows there, and nothing may run by itself after an update."""
    path = bench.drop("alice", "note", "old.md", "Old.", day="2016-05-05")
    bench.land(path)
    with open_landing(bench.space(), bench.settings) as landing, landing.transaction() as connection:
        connection.execute("DROP TABLE calendar")
    assert arrive(bench, "2012-02-02") == date(2024, 1, 1)
    assert read_home_partitions(bench.home.path).by == "before" and waiting(bench) == ["2024-01-01"]


def test_moving_the_first_day_runs_what_lay_elsewhere_and_back_is_as_before(bench, counted) -> None:
    for day in ("2026-01-05", "2026-01-20", "2026-02-10"):
        arrive(bench, day)
    bench.run()
    before, embedded = bench.digests(), counted()
    later = init(bench, "--since", "2026-01-20")
    assert (later["days_run"], later["items_before_first_day"]) == (1, 1)  # the first day, which clears the days before
    with Catalog(bench.space()) as catalog:
        rows = {row.day: row.rows for row in catalog.ledger(source="note", stage="embeddings")}
    assert rows == {"2026-01-05": 0, "2026-01-20": 2, "2026-02-10": 1}
    assert waiting(bench) == [] and sorted(bench.texts()) == [f"inbox:note/{day}.md" for day in sorted(rows)]
    assert init(bench, "--since", "2026-01-01")["days_run"] == 2
    assert bench.digests() == before
    assert counted() - embedded <= 2  # vectors of what moved within a run are kept


def test_switch_to_months_and_back_runs_nothing(bench) -> None:
    for day in ("2026-01-05", "2026-02-10"):
        arrive(bench, day)
    bench.run()
    before = bench.digests()
    months = init(bench, "--partitions", "month")
    assert (months["partitions"], months["days_run"]) == ("month", 0)
    assert months["partitions_per_asset"] * 28 <= months["partitions_per_asset_before"]
    bench.drop("alice", "note", "new.md", "New.", day="2026-02-11")
    done = CliRunner().invoke(app, ["rerun", "--user", "alice", "--source", "note", "--from", "2026-02-11", "--json"])
    assert [run["success"] for run in json.loads(done.stdout)["runs"]] == [True]
    assert "New." in bench.texts().values()
    assert init(bench, "--partitions", "day")["partitions_per_asset"] == months["partitions_per_asset_before"]
    assert before[0].items() <= bench.digests()[0].items()


def test_tick_keeps_days_that_dagster_does_not_know_yet(bench) -> None:
    bench.drop("alice", "note", "a.md", "Now.", day="2026-02-20")
    bench.drop("alice", "note", "b.md", "Then.", day="2016-05-05")
    write_home_partitions(bench.home.path, HomePartitions(date(2026, 1, 1), "files"))
    plan = tick(bench.home, bench.settings, None, since="2026-01-01")
    assert [request.start for request in plan.requests] == ["2026-02-20"]
    assert bench.settings.first_day == date(2016, 1, 1)
    later = tick(bench.home, bench.settings, "1", since="2016-01-01")
    assert [request.start for request in later.requests] == ["2016-05-05"]


def test_budget_counts_months(bench) -> None:
    write_home_partitions(bench.home.path, HomePartitions(date(2025, 1, 1), "owner", "month"))
    arrive(bench, "2026-02-20")
    assert measure_budget(bench.home, bench.settings, today=TODAY).partitions == 15
