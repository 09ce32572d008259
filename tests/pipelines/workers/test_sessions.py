"""Sessions of a home and of workers: what one commits the next one has, and what was not committed nobody has."""

import pytest

from brain_pipelines.orchestration.workers.fence import LostLockError
from brain_retrieval.errors import SharedUserError, WriterBusyError
from tests.pipelines.conftest import Bench
from tests.pipelines.workers.conftest import Machines


def test_two_workers_in_turn_equal_one_machine(machines: Machines, bench: Bench, models_dir) -> None:
    notes = {"a.md": "The well is behind the barn.", "b.md": "Seven bolts hold the gate.", "c.md": "The boat is red."}
    for number, (name, text) in enumerate(notes.items()):
        machines.land(name, text, day=f"2026-01-0{number + 1}")
        machines.run((machines.first, machines.second)[number % 2], run_id=f"run-{number}")
    with machines.session(machines.home):
        pass
    (bench.home.path / "brain.toml").write_text(f'models_dir = "{models_dir}"\nfirst_day = 2026-01-01\n')
    for number, (name, text) in enumerate(notes.items()):
        bench.land(bench.drop("alice", "note", name, text, day=f"2026-01-0{number + 1}"))
    bench.run()
    assert len(bench.texts()) == 3
    assert machines.home.digests() == bench.digests()
    assert machines.home.digests() == machines.first.digests()
