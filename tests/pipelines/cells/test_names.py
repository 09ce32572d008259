"""Names of cells in one Dagster instance: nothing of one is that of another, and runs are limited by cell."""

from pathlib import Path

import dagster as dg

from brain_pipelines.definitions import build_defs
from brain_pipelines.orchestration.cells.names import Names, cell_of
from brain_pipelines.orchestration.days.calendar import Calendar
from brain_pipelines.orchestration.partitions import range_tags, register
from brain_pipelines.orchestration.run_queue import UserRunCoordinator, names_of
from brain_retrieval.home import Home
from tests.pipelines.cells.conftest import TwoCells, settings_of


def test_two_cells_share_no_asset_and_no_users(two: TwoCells) -> None:
    alone = {key.to_user_string() for key in build_defs(Home(Path("/nowhere"))).resolve_all_asset_keys()}
    keys = {
        cell: {key.to_user_string() for key in build_defs(bench.home).resolve_all_asset_keys()}
        for cell, bench in (("north", two.north), ("south", two.south))
    }
    assert keys["north"] == {f"north/{key}" for key in alone} and keys["south"] == {f"south/{key}" for key in alone}
    instance = dg.DagsterInstance.ephemeral()
    register(instance, ["hanna"], Names.of(settings_of(two.north)))
    assert instance.get_dynamic_partitions("users-north") == ["hanna"]
    assert instance.get_dynamic_partitions("users-south") == instance.get_dynamic_partitions("users") == []


def test_a_run_of_the_page_belongs_to_the_cell_of_its_assets(two: TwoCells) -> None:
    instance = dg.DagsterInstance.ephemeral()
    job = build_defs(two.north.home).resolve_job_def("note")
    run = instance.create_run_for_job(job, asset_selection=frozenset({dg.AssetKey(["north", "note", "raw"])}))
    assert names_of(run) == Names("north") and cell_of(dg.AssetKey(["note", "raw"])) == ""
    register(instance, ["hanna"], Names("north"))
    tags = range_tags("hanna", "2026-01-05", "2026-01-05", Calendar.of(settings_of(two.north)))
    assert names_of(instance.create_run_for_job(job, tags=tags)) == Names("north")
    limits = UserRunCoordinator(runs_a_cell=2).get_run_queue_config().tag_concurrency_limits
    assert {"key": "brain/cell", "value": {"applyLimitPerUniqueValue": True}, "limit": 2} in limits


def test_a_machine_has_its_own_pools_and_an_endpoint_one_for_all(two: TwoCells) -> None:
    defs = build_defs(two.south.home)
    pools = {
        key.to_user_string(): asset.op.pool
        for asset in defs.assets or []
        if isinstance(asset, dg.AssetsDefinition)
        for key in asset.keys
    }
    assert pools["south/voice-memo/text"] == "speech_south"
    assert pools["south/note/embeddings"] == "embedding_onnx"
