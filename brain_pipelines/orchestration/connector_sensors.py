"""One sensor per configured connector. Off by default: a person must enable access to other systems.

The polling state is shared with the command line; the sensor's own cursor only counts the copied files.
"""

import dagster as dg

from brain_pipelines.connectors.connector import Connector
from brain_pipelines.connectors.registry import build_connectors
from brain_pipelines.orchestration.resources import BrainResource
from brain_retrieval.errors import WriterBusyError
from brain_retrieval.home import Home
from brain_retrieval.settings import Settings

POLL_SECONDS = 30.0  # a tick must answer within 60


def build_connector_sensors(settings: Settings) -> list[dg.SensorDefinition]:
    """Return one sensor per configured connector, stopped by default."""
    return [_sensor(connector) for connector in build_connectors(settings)]


def _sensor(connector: Connector) -> dg.SensorDefinition:
    @dg.sensor(
        name=f"connect_{connector.key}".replace("-", "_"),
        minimum_interval_seconds=connector.interval_seconds,
        default_status=dg.DefaultSensorStatus.STOPPED,
        description=f"Copies new files from {connector.place} into the inbox of {connector.user}.",
    )
    def connect(context: dg.SensorEvaluationContext, brain: BrainResource) -> dg.SensorResult:
        space = Home(brain.path).space(connector.user)
        try:
            run = connector.run(space, seconds=POLL_SECONDS, max_bytes=brain.settings.limits.max_media_bytes)
        except WriterBusyError as error:
            return dg.SensorResult(skip_reason=str(error), cursor=context.cursor)
        total = int(context.cursor or 0) + run.taken
        return dg.SensorResult(skip_reason=run.summary(), cursor=str(total))

    return connect
