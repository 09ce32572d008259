"""What runs from the command line are made of: the job of one source, and the instance that its records go to."""

from brain_pipelines.ingest.local_runs import open_instance
from brain_pipelines.orchestration.runs.graphs import is_alone, run_defs
from brain_pipelines.orchestration.runs.location import build_defs


def test_the_job_of_a_run_is_that_of_the_code_location(bench) -> None:
    every = build_defs(bench.home)
    for source in ("note", "agent-note", "nightly"):
        one, same = (defs.resolve_job_def(source.replace("-", "_")) for defs in (run_defs(bench.home, source), every))
        assert one.get_job_snapshot_id() == same.get_job_snapshot_id()
        assert set(one.asset_layer.selected_asset_keys) == set(same.asset_layer.selected_asset_keys)
    alone = run_defs(bench.home, "note")
    assert not alone.resolve_asset_graph().has(
        next(iter(every.resolve_job_def("email").asset_layer.selected_asset_keys))
    )
    assert not run_defs(bench.home, "nightly").resolve_asset_graph().executable_asset_keys & set(
        every.resolve_job_def("note").asset_layer.selected_asset_keys
    )
    assert not is_alone("maintenance")
    assert every.resolve_job_def("maintenance")


def test_a_changed_configuration_of_the_instance_is_read_again(bench) -> None:
    with open_instance(bench.home.path) as instance:
        assert instance.run_monitoring_enabled
        config = bench.home.path / "dagster" / "dagster.yaml"
    text = config.read_text()
    monitored = "run_monitoring:\n  enabled: true"
    assert monitored in text
    config.write_text(text.replace(monitored, monitored.replace("true", "false")))
    with open_instance(bench.home.path) as instance:
        assert not instance.run_monitoring_enabled
