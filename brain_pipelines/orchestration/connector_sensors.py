"""A sensor for every configured connector, off by default: what reaches out is switched on by a person.

What is taken, and from where on, is in the state that a connector shares with the command line; the sensor's own cursor
counts the files that it took.
"""

import dagster as dg

from brain_pipelines.connectors.connector import Connector
from brain_pipelines.connectors.registry import build_connectors
from brain_pipelines.orchestration.resources import BrainResource
from brain_retrieval.errors import WriterBusyError
from brain_retrieval.home import Home
from brain_retrieval.settings import Settings

LOOK_SECONDS = 30.0  # a tick must answer within 60


def build_connector_sensors(settings: Settings) -> list[dg.SensorDefinition]:
    """Return a sensor for every configured connector, switched off."""
    return [_sensor(connector) for connector in build_connectors(settings)]


def _sensor(connector: Connector) -> dg.SensorDefinition:
    @dg.sensor(
        name=f"connect_{connector.key}".replace("-", "_"),
        minimum_interval_seconds=connector.interval_seconds,
        default_status=dg.DefaultSensorStatus.STOPPED,
        description=f"Copies what is new at {connector.place} into the inbox of {connector.user}.",
    )
    def connect(context: dg.SensorEvaluationContext, brain: BrainResource) -> dg.SensorResult:
        space = Home(brain.path).space(connector.user)
        try:
            look = connector.run(space, seconds=LOOK_SECONDS, max_bytes=brain.settings.limits.max_media_bytes)
        except WriterBusyError as error:
            return dg.SensorResult(skip_reason=str(error), cursor=context.cursor)
        total = int(context.cursor or 0) + look.taken
        return dg.SensorResult(skip_reason=look.summary(), cursor=str(total))

    return connect
