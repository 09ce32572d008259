"""What a source says of itself: its trust and language, and whether its domain is trusted by the settings."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from urllib.parse import urlsplit

from brain_retrieval.errors import BrainError
from brain_retrieval.stores.lake import Lake
from brain_retrieval.stores.lake_query import query

OWN, EXTERNAL = "own", "external"
_SOURCES = "SELECT source_id, trust, language, url FROM text WHERE source_id IN (SELECT unnest($1))"


@dataclass(frozen=True)
class Provenance:
    """Trust of a source (own, owner, agent, external), its language, and its address if it was fetched."""

    trust: str = EXTERNAL
    language: str | None = None
    url: str | None = None


def read_provenance(lake: Lake, source_ids: Iterable[str], warnings: list[str]) -> dict[str, Provenance]:
    """Return the provenance of sources by id; of those that cannot be read none, with a warning."""
    wanted = sorted(set(source_ids))
    if not wanted:
        return {}
    try:
        rows = query(lake, _SOURCES, [wanted]).to_pylist()
    except (BrainError, OSError) as error:
        warnings.append(f"the trust of sources was not read, so none counts as your own: {error}")
        return {}
    return {row["source_id"]: Provenance(row["trust"], row["language"], row["url"]) for row in rows}


def is_trusted_domain(url: str | None, trusted: Sequence[str]) -> bool:
    """Return whether an address lies on one of the domains or below."""
    host = host_of(url)
    return bool(host) and any(host == name or host.endswith("." + name) for name in trusted)


def host_of(url: str | None) -> str:
    """Return the host of an address in lower case, "" without one."""
    try:
        return (urlsplit(url or "").hostname or "").removeprefix("www.")
    except ValueError:
        return ""
