"""Days that were computed without a Dagster run, shown there as materialised. It is for display: the ledger counts."""

import logging
from collections.abc import Mapping, Sequence
from typing import Any

from brain_pipelines.ingest.local_runs import open_instance
from brain_pipelines.landing.run_planning import SpanRequest
from brain_pipelines.orchestration.days.computed_days import show_materialised
from brain_retrieval.home import Home, Space

LOGGER = logging.getLogger(__name__)


def report_runs(space: Space, runs: Sequence[Mapping[str, Any]]) -> None:
    """Show the days of an ingestion's runs, each of a single day, as materialised in Dagster."""
    report_requests(
        space,
        [
            SpanRequest(space.user, run["source"], run["from"], run["from"], (run["from"],), "")
            for run in runs
            if run["success"] and run["from"] == run["to"]
        ],
    )


def report_requests(space: Space, requests: Sequence[SpanRequest]) -> None:
    """Show the days of requests as materialised in Dagster; failures are logged, since nothing depends on it."""
    for request in requests:
        try:
            _report(Home(space.home), request)
        except Exception as error:
            LOGGER.warning("a file is stored, but could not be reported to Dagster: %s", type(error).__name__)


def _report(home: Home, request: SpanRequest) -> None:
    with open_instance(home.path) as instance:
        show_materialised(instance, home, request)
