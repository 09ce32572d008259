"""Slack connector: takes the export zips that are put into a directory, or anywhere that fsspec can read."""

from brain_pipelines.connectors import folder, url
from brain_pipelines.connectors.connector import Look
from brain_retrieval.settings.connectors import FolderSettings, SlackSettings, UrlSettings

SUFFIXES = (".zip",)


def look(found: Look, name: str, settings: SlackSettings) -> None:
    """Take new and changed exports.

    Raises:
        ConnectorError: the place is not there, or not allowed.
    """
    common = {"user": settings.user, "source": settings.source, "suffixes": SUFFIXES}
    if settings.path is not None:
        section = FolderSettings(path=settings.path, settle_seconds=settings.settle_seconds, **common)
        folder.look(found, name, section)
    elif settings.url is not None:
        url.look(found, name, UrlSettings(url=settings.url, **common))
