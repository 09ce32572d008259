"""Builds the configured connectors from the settings. A new kind of connector is one module and one line here."""

from collections.abc import Callable
from functools import partial

from brain_pipelines.connectors import folder, imap, slack, url
from brain_pipelines.connectors.connector import Connector, ConnectorError
from brain_pipelines.sources.registry import SOURCES_BY_NAME
from brain_retrieval.errors import InvalidSettingsError
from brain_retrieval.settings import Settings


def build_connectors(settings: Settings) -> list[Connector]:
    """Return the configured connectors, sorted by kind and name.

    Raises:
        InvalidSettingsError: if one names a source type that does not exist.
    """
    sections = settings.connectors
    kinds: tuple[tuple[str, dict, Callable[..., None], Callable[..., str]], ...] = (
        ("folder", sections.folder, folder.poll, lambda s: str(s.path)),
        ("imap", sections.imap, imap.poll, lambda s: f"{s.username}@{s.host}:{s.port}"),
        ("slack", sections.slack, slack.poll, lambda s: str(s.path) if s.path else url.shown(s.url)),
        ("url", sections.url, url.poll, lambda s: url.shown(s.url)),
    )
    found = []
    for kind, named, poll, place in kinds:
        for name, section in sorted(named.items()):
            known = SOURCES_BY_NAME.get(section.source)
            if known is None:
                raise InvalidSettingsError(f"connectors.{kind}.{name}.source: no source type of that name")
            found.append(
                Connector(
                    kind=kind,
                    name=name,
                    user=section.user,
                    source=known.name,
                    place=place(section),
                    interval_seconds=section.interval_seconds,
                    poll=partial(poll, name=name, settings=section),
                )
            )
    return found


def find_connector(settings: Settings, name: str) -> Connector:
    """Return the connector with this name, or with `kind-name` if two kinds share the name.

    Raises:
        ConnectorError: if there is none, or more than one.
    """
    connectors = build_connectors(settings)
    matching = [c for c in connectors if name in (c.key, c.name)]
    if len(matching) == 1:
        return matching[0]
    known = ", ".join(connector.key for connector in connectors) or "none is configured"
    raise ConnectorError(
        f"{'no' if not matching else 'more than one'} connector is called {name!r} (there are: {known})"
    )
