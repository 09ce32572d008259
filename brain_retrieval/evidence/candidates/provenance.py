"""What a source says of itself: its trust, its language and its address."""

from collections.abc import Iterable
from dataclasses import dataclass
from urllib.parse import urlsplit

from brain_retrieval.errors import BrainError
from brain_retrieval.stores.lake import Lake

EXTERNAL = "external"
_COLUMNS = ["source_id", "trust", "language", "url"]


@dataclass(frozen=True)
class Provenance:
    """Trust of a source (own, owner, agent, external), its language, and its address if it was fetched."""

    trust: str = EXTERNAL
    language: str | None = None
    url: str | None = None


def read_provenance(lake: Lake, places: Iterable[tuple[str, str]], warnings: list[str]) -> dict[str, Provenance]:
    """Return the provenance of the sources in partitions by id; of those that cannot be read none, with a warning.

    Args:
        lake: of the user.
        places: source type and day of the partitions that are read.
        warnings: to add to.
    """
    days: dict[str, set[str]] = {}
    for source, day in places:
        if day:
            days.setdefault(source, set()).add(day)
    found: dict[str, Provenance] = {}
    for source, wanted in sorted(days.items()):
        try:
            rows = lake.read("text", source=source, days=sorted(wanted), columns=_COLUMNS).to_pylist()
        except (BrainError, OSError) as error:
            warnings.append(f"the trust of sources was not read, so none of {source!r} counts as your own: {error}")
            continue
        found.update((row["source_id"], Provenance(row["trust"], row["language"], row["url"])) for row in rows)
    return found


def host_of(url: str | None) -> str:
    """Return the host of an address in lower case, "" without one."""
    try:
        return (urlsplit(url or "").hostname or "").removeprefix("www.")
    except ValueError:
        return ""
