"""Sessions of a home and of workers: what one commits the next one has, and what was not committed no other has."""

from datetime import timedelta
from pathlib import Path

import pytest
import sqlalchemy as sa

from brain_pipelines.orchestration.sensors import tick
from brain_pipelines.orchestration.workers import opening, session
from brain_pipelines.orchestration.workers.fence import Copy, Fence, LostLockError
from brain_pipelines.orchestration.workers.local_files import read_state
from brain_pipelines.orchestration.workers.session import share
from brain_retrieval.errors import BadInputError, InvalidSettingsError, SharedUserError, WriterBusyError
from brain_retrieval.stores.access_log import AccessLog
from tests.pipelines.conftest import Bench
from tests.pipelines.workers.conftest import Machines, write_settings

NOTES = {"a.md": "The well is behind the barn.", "b.md": "Seven bolts hold the gate.", "c.md": "The boat is red."}


def versions(machines: Machines) -> dict[str, Copy]:
    with machines.fence() as fence:
        return fence.copies()


def end_connections(machines: Machines) -> None:
    """End every other connection to the database, as a restart of the server or of the network would."""
    url = sa.make_url(machines.database).set(drivername="postgresql+psycopg2")
    with sa.create_engine(url).connect() as connection:
        own = "datname = current_database() AND pid <> pg_backend_pid()"
        connection.execute(sa.text(f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE {own}"))


def test_two_workers_in_turn_equal_one_machine(machines: Machines, bench: Bench, models_dir: Path) -> None:
    for number, (name, text) in enumerate(NOTES.items()):
        machines.land(name, text, day=f"2026-01-0{number + 1}")
        machines.run((machines.first, machines.second)[number % 2], run_id=f"run-{number}")
    with machines.session(machines.home) as done:
        assert done.fetched["alice"].files
    (bench.home.path / "brain.toml").write_text(f'models_dir = "{models_dir}"\nfirst_day = 2026-01-01\n')
    for number, (name, text) in enumerate(NOTES.items()):
        bench.land(bench.drop("alice", "note", name, text, day=f"2026-01-0{number + 1}"))
    bench.run()
    assert set(bench.texts().values()) == set(NOTES.values())
    assert machines.home.digests() == bench.digests() == machines.first.digests()
    with machines.session(machines.first) as done:  # it has just computed the newest version
        assert not done.fetched["alice"].files
    assert not done.published["alice"].files and done.versions == {"alice": versions(machines)["alice"].version}


def test_worker_that_lost_its_connection_commits_nothing(machines: Machines) -> None:
    machines.land("a.md", NOTES["a.md"])
    before = versions(machines)
    with pytest.raises(LostLockError), machines.session(machines.first, run_id="lost"):
        machines.first.run()
        end_connections(machines)
    with machines.fence() as fence:
        assert fence.copies() == before and not fence.committed("lost")
    assert not read_state(machines.first.space()).clean
    machines.run(machines.second, run_id="again")
    with machines.session(machines.first):  # its copy is compared by hash, and what it had computed is replaced
        assert machines.first.digests() == machines.second.digests()


def test_interrupted_work_is_brought_back_to_the_newest_version(machines: Machines) -> None:
    machines.land("a.md", NOTES["a.md"])
    with pytest.raises(KeyboardInterrupt), machines.session(machines.first):
        machines.first.run()
        raise KeyboardInterrupt
    assert machines.first.texts()
    with machines.session(machines.first):
        assert not machines.first.texts()


def test_one_at_a_time_and_commits_by_number_even_without_the_lock(machines: Machines) -> None:
    machines.land("a.md", NOTES["a.md"])
    with machines.session(machines.first):
        busy = pytest.raises(WriterBusyError, match="another worker works on 'alice'")
        with busy, machines.session(machines.second, seconds=0.01):
            pass
        with machines.fence() as fence:
            assert fence.busy() == {"alice"}
    with Fence(machines.database) as fence:
        fence.lock(["alice"], seconds=60)
        base = fence.copy("alice")
        assert base
        stale = Copy(base.version - 1, "0" * 64)
        with pytest.raises(LostLockError, match="another worker has committed"):
            fence.commit({"alice": (stale, "1" * 64)}, run_id="stale", unused={})
        fence.unlock(["alice"])
        with pytest.raises(LostLockError, match="was lost"):
            fence.commit({"alice": (base, "1" * 64)}, run_id="unlocked", unused={})
    assert versions(machines) == {"alice": base}


def test_nothing_is_written_outside_a_session(machines: Machines) -> None:
    machines.land("a.md", NOTES["a.md"])
    with pytest.raises(SharedUserError, match="give files to the inbox"):
        machines.home.run()
    with pytest.raises(InvalidSettingsError, match="a worker needs an empty directory"):
        (machines.home.home.path / "shared.json").unlink()
        share(machines.home.home.path, "worker")


def test_searches_are_recorded_in_the_home_only(machines: Machines) -> None:
    machines.land("a.md", NOTES["a.md"])
    machines.run(machines.first)
    with machines.session(machines.home), AccessLog(machines.home.space()) as log:
        log.rows("SELECT 1")
    for bench in (machines.first, machines.home):
        with machines.session(bench):
            (bench.space().root / "golden.yaml").write_text(f"- query: of {bench.home.path.name}\n")
            (bench.space().root / "agents").mkdir(exist_ok=True)
            (bench.space().root / "agents" / "one.json").write_text(bench.home.path.name)
    with machines.session(machines.second):
        root = machines.second.space().root
        assert (root / "agents" / "one.json").read_text() == "home"
        assert (root / "golden.yaml").read_text() == "- query: of home\n"


def test_settings_that_differ_are_named(machines: Machines, tmp_path: Path, models_dir: Path) -> None:
    machines.land("a.md", NOTES["a.md"])
    other = write_settings(tmp_path / "other", models_dir, f"file://{machines.store}", "[costs]\nmonthly = 1\n")
    settings = other.path / "brain.toml"
    settings.write_text(settings.read_text().split("[costs]")[0].replace("2026-01-01", "2025-01-01"))
    share(other.path, "worker")
    with pytest.raises(BadInputError, match="first_day = 2026-01-01"), machines.session(Bench(other)):
        pass


def test_contents_that_no_version_needs_are_removed_after_their_time(
    machines: Machines, monkeypatch: pytest.MonkeyPatch
) -> None:
    machines.land("a.md", NOTES["a.md"])
    machines.run(machines.first)
    before = {path.name for path in machines.store.rglob("*") if path.is_file()}
    machines.land("a.md", "The well is in the garden.")
    machines.run(machines.second)
    assert before <= {path.name for path in machines.store.rglob("*") if path.is_file()}
    monkeypatch.setattr(session, "UNUSED_FOR", timedelta(0))
    with machines.session(machines.home):
        pass
    left = {path.name for path in machines.store.rglob("*") if path.is_file()}
    assert not before <= left
    with machines.session(machines.first) as done:
        assert done.fetched["alice"].files
    assert set(machines.first.texts().values()) == {"The well is in the garden."}


def test_forgotten_user_is_gone_from_the_destination_and_from_the_next_worker(machines: Machines) -> None:
    import shutil

    machines.land("a.md", NOTES["a.md"])
    machines.run(machines.first)
    with machines.session(machines.home):
        shutil.rmtree(machines.home.space().root)
    assert not versions(machines)
    assert not [path for path in machines.store.rglob("*") if path.is_file()]
    with machines.session(machines.first):
        assert not machines.first.space().landing.is_file()


class _Instance:
    """What the sensor asks an instance for here: where its records are."""

    def __init__(self, address: str) -> None:
        self.run_storage = type("Storage", (), {"postgres_url": address})()


def test_sensor_lands_what_is_new_and_leaves_users_in_work_for_later(machines: Machines) -> None:
    home, settings = machines.home.home, machines.home.settings
    instance = _Instance(machines.database)
    for user in ("alice", "bob"):
        machines.home.drop(user, "note", "a.md", NOTES["a.md"])
    with machines.session(machines.first, ["bob"]):
        plan = tick(home, settings, None, instance=instance)  # type: ignore[arg-type]
    assert {one.user for one in plan.requests} == {"alice"}
    assert set(versions(machines)) == {"alice"}
    machines.run(machines.first, "alice")
    later = tick(home, settings, str(plan.batch), instance=instance)  # type: ignore[arg-type]
    assert {one.user for one in later.requests} == {"bob"}
    machines.run(machines.second, "bob")
    tick(home, settings, str(later.batch), instance=instance)  # type: ignore[arg-type]
    assert machines.home.digests("bob") == machines.second.digests("bob")
    assert opening.is_quiet(home.space("alice")) and opening.is_quiet(home.space("bob"))
