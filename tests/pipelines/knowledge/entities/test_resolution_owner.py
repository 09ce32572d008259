"""The owner is always one entity, and manual merge decisions of the owner are applied."""

from datetime import timedelta

import pytest

from brain_pipelines.knowledge.decision import Decision
from brain_retrieval.ids import content_id
from brain_retrieval.settings.knowledge import OwnerSettings
from tests.pipelines.knowledge.entities.history import START, groups, named, row, run

OWNER_ID = content_id("entity", "dana", "owner")
PROFILE = OwnerSettings(name="Dana Park", aliases=("DP",), emails=("dana@park.org",))


def decision(kind: str, left: str, right: str, day: int = 0) -> Decision:
    return Decision(kind, left, right, START + timedelta(days=day), f"note_{day}")  # type: ignore[arg-type]


def test_first_person_and_profile_are_one_entity() -> None:
    rows = [row("s1", "user"), row("s2", "Dana Park"), row("s3", "DP"), row("s4", "dana@park.org", "Concept")]
    rows += [row("s5", "Dana"), row("s6", "D. Park"), row("s7", "dana.park@acme.com", "Concept")]
    known = run(rows, owner=PROFILE).known_entities
    assert known.height == 1
    owner = known.row(0, named=True)
    assert (owner["entity_id"], owner["name"], owner["canonical_name"]) == (OWNER_ID, "Dana Park", "dana-park")
    assert owner["is_owner"]
    assert owner["confidence"] == 1


def test_without_a_profile_the_first_person_is_the_owner() -> None:
    known = run([row("s1", "user", confidence=0.5), row("s2", "Alice")], min_confidence=0.8).known_entities
    assert known.filter(known["is_owner"])["entity_id"].to_list() == [OWNER_ID]


def test_team_space_has_no_owner() -> None:
    known = run([row("s1", "user"), row("s2", "Alice")], has_owner=False).known_entities
    assert not known["is_owner"].any()


def test_ambiguous_given_name_is_not_joined_to_the_owner() -> None:
    rows = [row("s1", "user"), row("s2", "Dana"), row("s3", "Dana Wells")]
    assert named(run(rows, owner=PROFILE))["Dana"] == {"Dana"}


def test_owner_with_only_a_given_name_is_not_joined_to_namesakes() -> None:
    rows = [row("s1", "user"), row("s2", "Dana"), row("s3", "Dana Wells"), row("s4", "User Guide")]
    assert named(run(rows, owner=OwnerSettings(name="Dana")))["Dana"] == {"Dana", "user"}


def test_owner_id_is_in_entity_names() -> None:
    names = run([row("s1", "user")], owner=PROFILE).names
    assert OWNER_ID in set(names["name_id"])
    assert content_id("entity", "dana", "Person", "user") in set(names["name_id"])


def test_latest_decision_of_a_pair_applies() -> None:
    rows = [row("s1", "Robert Smith"), row("s2", "Bob Smith")]
    assert len(groups(run(rows))) == 1
    apart = decision("unmerge", "Bob Smith", "Robert Smith", 1)
    assert len(groups(run(rows, decisions=[apart]))) == 2
    again = decision("merge", "Robert Smith", "Bob Smith", 2)
    assert len(groups(run(rows, decisions=[again, apart]))) == 1
    assert len(groups(run(rows, decisions=[decision("unmerge", "Bob Smith", "Robert Smith", 3), again]))) == 2


def test_manual_merge_joins_dissimilar_names_and_is_logged() -> None:
    rows = [row("s1", "Robert Smith"), row("s1", "Rosie"), row("s2", "Acme", "Organization")]
    found = run(rows, decisions=[decision("merge", "Rosie", "Robert Smith")])
    assert named(found)["Robert Smith"] == {"Robert Smith", "Rosie"}
    assert found.merges.row(0, named=True)["decided_by"] == "owner"


@pytest.mark.parametrize("by", ["name", "id"])
def test_unmerge_splits_and_its_removal_restores(by: str) -> None:
    rows = [row("s1", "Alice Chen", "Person", "Alice"), row("s2", "Alice"), row("s3", "A. Chen")]
    before = run(rows)
    ids = dict(zip(before.names["name"], before.names["name_id"], strict=True))
    left, right = ("Alice", "Alice Chen") if by == "name" else (ids["alice"], ids["alice chen"])
    split = run(rows, decisions=[decision("unmerge", left, right)])
    assert named(split) == {"Alice Chen": {"Alice Chen", "A. Chen"}, "Alice": {"Alice"}}
    assert split.merges.filter(split.merges["decided_by"] == "owner")["decision"].to_list() == ["kept_apart"]
    assert run(rows).members.equals(before.members)


def test_unmerge_moves_rows_assigned_to_a_fuller_alias() -> None:
    rows = [row("s1", "Alice", "Person", "Alice Chen"), row("s2", "Alice Chen")]
    assert len(groups(run(rows))) == 1
    split = run(rows, decisions=[decision("unmerge", "Alice", "Alice Chen")])
    assert named(split) == {"Alice Chen": {"Alice Chen"}, "Alice": {"Alice"}}


def test_chain_of_links_does_not_undo_an_unmerge() -> None:
    rows = [row("s1", "Robert Smith"), row("s2", "Bob Smith"), row("s3", "R. Smith")]
    split = run(
        rows, decisions=[decision("unmerge", "Bob Smith", "Robert Smith"), decision("merge", "R. Smith", "Bob Smith")]
    )
    assert named(split) == {"Robert Smith": {"Robert Smith"}, "Bob Smith": {"Bob Smith", "R. Smith"}}


def test_decision_on_an_unknown_name_is_counted() -> None:
    assert (
        run([row("s1", "Alice")], decisions=[decision("merge", "Alice", "Zed")]).report["decisions_without_name"] == 1
    )
