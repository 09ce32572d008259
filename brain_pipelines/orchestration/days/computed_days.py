"""Days that were computed outside a run, as materialisations in Dagster."""

import dagster as dg

from brain_pipelines.landing.run_planning import SpanRequest
from brain_pipelines.orchestration.days.calendar import Calendar
from brain_pipelines.orchestration.days.open_days import record_open_days
from brain_pipelines.orchestration.partitions import register
from brain_pipelines.stages.registry import STAGES
from brain_retrieval.home import Home
from brain_retrieval.settings import load_settings


def show_materialised(instance: dg.DagsterInstance, home: Home, request: SpanRequest) -> None:
    """Record every stage's materialisation of the days of a request."""
    settings = load_settings(home.path)
    calendar = Calendar.of(settings)
    register(instance, [request.user], calendar.names)
    for stage in STAGES:
        for key in sorted({calendar.key(request.user, day) for day in request.days}):
            event = dg.AssetMaterialization(calendar.names.asset(request.source, stage.name), partition=key)
            instance.report_runless_asset_event(event)
    record_open_days(instance, home, settings, [request.user])
