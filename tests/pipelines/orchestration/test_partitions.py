"""Partition keys and ranges. The budget is tested in `test_partition_budget.py`."""

from datetime import date

import dagster as dg

from brain_pipelines.orchestration.partitions import build_user_days, partition_key, range_tags, work_items


def test_partition_key_matches_dagster_format() -> None:
    assert partition_key("alice", "2026-01-05") == str(dg.MultiPartitionKey({"user": "alice", "day": "2026-01-05"}))


def test_today_is_a_partition() -> None:
    with dg.DagsterInstance.ephemeral() as instance:
        instance.add_dynamic_partitions("users", ["alice"])
        keys = build_user_days(date(2026, 1, 1)).get_partition_keys(dynamic_partitions_store=instance)
    assert keys[0] == "2026-01-01|alice"
    assert len(keys) == (date.fromisoformat(max(keys)[:10]) - date(2026, 1, 1)).days + 1


def test_work_items_group_rectangle_by_user() -> None:
    keys = [partition_key(u, d) for u in ("alice", "bob") for d in ("2026-01-05", "2026-01-06")]
    assert work_items(keys) == {u: ["2026-01-05", "2026-01-06"] for u in ("alice", "bob")}


def test_run_tags_contain_user_for_serialisation() -> None:
    assert range_tags("alice", "2026-01-05", "2026-01-31")["brain/user"] == "alice"
