"""Whose snapshot is due, what a snapshot takes from recall and teams, and which ones are kept."""

from datetime import UTC, datetime

import pytest

from brain_pipelines.knowledge.due import due_users
from brain_pipelines.orchestration.snapshot_assets import snapshot_requests
from brain_retrieval.brain import Brain
from brain_retrieval.errors import InvalidQueryError
from brain_retrieval.knowledge.reader import Knowledge
from brain_retrieval.stores.snapshots import SnapshotStore
from tests.pipelines.orchestration.snapshot_steps import DAY, NOTES, snapshot, write


def test_users_are_due_when_there_is_new_data(bench) -> None:
    write(bench, {"move.md": NOTES["move.md"]})
    assert due_users(bench.home, bench.settings, DAY) == ["alice"]
    now = datetime(2026, 3, 2, 3, tzinfo=UTC)
    [request] = snapshot_requests(bench.home, bench.settings, now)
    assert request.run_key == f"nightly:alice:{DAY}" and request.tags["brain/user"] == "alice"
    snapshot(bench)
    assert due_users(bench.home, bench.settings, "2026-03-02") == []
    assert due_users(bench.home, bench.settings, "2026-03-08") == ["alice"]  # snapshots are refreshed at least weekly
    write(bench, {"lisbon.md": NOTES["lisbon.md"]})
    assert due_users(bench.home, bench.settings, "2026-03-02") == ["alice"]


def test_recall_makes_snapshot_due_and_raises_salience(bench, known) -> None:
    with Brain.open(bench.home.path, user="alice") as brain:
        brain.knowledge().entity("Bob Lee")
    today = datetime.now(UTC).date().isoformat()
    assert due_users(bench.home, bench.settings, today) == ["alice"]
    snapshot(bench, today)
    row = Knowledge(bench.space(), bench.settings).entity("Bob Lee")
    assert row.state == "active" and row.access_count == 1
    other = Knowledge(bench.space(), bench.settings).entity("Kafka")
    assert other.state in ("candidate", "archived") and other.salience < row.salience


def test_old_snapshots_are_pruned(bench) -> None:
    (bench.home.path / "brain.toml").write_text("[knowledge]\nkeep_snapshots = 2\n")
    write(bench, {"move.md": NOTES["move.md"]})
    for day in ("2026-03-01", "2026-03-02", "2026-03-03", "2026-03-04"):
        snapshot(bench, day)
    assert SnapshotStore(bench.space()).days() == ["2026-03-02", "2026-03-03", "2026-03-04"]


def test_team_member_snapshot_contains_team_sources(bench) -> None:
    from brain_pipelines.knowledge.team_extraction import extract_for_reader, request_batch

    (bench.home.path / "brain.toml").write_text('[teams.team-apollo]\nmembers = ["alice"]\n')
    write(bench, {"lead.md": NOTES["lead.md"]}, user="team-apollo")
    write(bench, {"move.md": NOTES["move.md"]})
    assert request_batch(bench.home, "alice", "team-apollo", bench.settings) == 1
    extract_for_reader(bench.home, "alice", [NOTES["lead.md"][0]], bench.settings, run_id="r")
    snapshot(bench)
    known = Knowledge(bench.space(), bench.settings)
    card = known.entity("Priya Raman")
    assert card.sources[0].source_type == "team-apollo--note" and card.facts[0].evidence[0].uri == "inbox:note/lead.md"
    assert known.table("known_sources")["team"].to_list().count("team-apollo") == 1

    (bench.home.path / "brain.toml").write_text('[teams.team-apollo]\nmembers = ["bob"]\n')
    snapshot(bench)
    with pytest.raises(InvalidQueryError):
        Knowledge(bench.space(), bench.settings).entity("Priya Raman")
