"""Slack connector: copies export zips from a directory or from any place that fsspec can read."""

from brain_pipelines.connectors import folder, url
from brain_pipelines.connectors.connector import PollRun
from brain_retrieval.settings.connectors import FolderSettings, SlackSettings, UrlSettings

SUFFIXES = (".zip",)


def poll(run: PollRun, name: str, settings: SlackSettings) -> None:
    """Copy new and changed exports.

    Raises:
        ConnectorError: the place is missing or not allowed.
    """
    common = {"user": settings.user, "source": settings.source, "suffixes": SUFFIXES}
    if settings.path is not None:
        section = FolderSettings(path=settings.path, settle_seconds=settings.settle_seconds, **common)
        folder.poll(run, name, section)
    elif settings.url is not None:
        url.poll(run, name, UrlSettings(url=settings.url, **common))
