"""Which users need a night: those with something new since their last, and, so that nights do not grow old, the rest
every few days. Between nights salience is still exact: it is a formula of the time.
"""

from datetime import date, timedelta

from brain_pipelines.night import lake_hash
from brain_pipelines.shared_sources import SharedSources
from brain_retrieval.home import Home, Space
from brain_retrieval.ids import stable_hash
from brain_retrieval.settings import Settings
from brain_retrieval.stores.catalog import Catalog

FINGERPRINT = "night_fingerprint"
TABLES = tuple((table, None) for table in ("text", "mentions", "entities", "facts", "enrichments"))


def fingerprint(space: Space, settings: Settings, catalog: Catalog) -> str:
    """Return a hash of all that a night may depend on but the date: stores, access log, settings that matter."""
    from brain_retrieval.memory.access_log import AccessLog

    with AccessLog(space) as log:
        accesses = log.count()
    chosen = [settings.knowledge, settings.memory, settings.graph, settings.extraction, settings.owners.get(space.user)]
    return stable_hash(
        [
            lake_hash(catalog, TABLES),
            SharedSources(space, settings).content_hash(TABLES),
            accesses,
            [section.model_dump(mode="json") for section in chosen if section is not None],
        ]
    )


def remember(space: Space, settings: Settings, catalog: Catalog, day: str) -> None:
    """Note what the night of `day` was made of."""
    catalog.set_meta(FINGERPRINT, f"{day} {fingerprint(space, settings, catalog)}")


def is_due(space: Space, settings: Settings, day: str) -> bool:
    """Tell whether a user needs a night of `day`: a user without anything never does."""
    if not space.catalog.is_file():
        return False
    with Catalog(space) as catalog:
        if not any(catalog.lake_files(table) for table, _ in TABLES) and not SharedSources(space, settings).wanted:
            return False
        stored = (catalog.get_meta(FINGERPRINT) or "").split(" ")
        if len(stored) != 2 or stored[1] != fingerprint(space, settings, catalog):
            return True
    oldest = date.fromisoformat(day) - timedelta(days=settings.knowledge.max_idle_nights)
    return date.fromisoformat(stored[0]) <= oldest


def due_users(home: Home, settings: Settings, day: str) -> list[str]:
    """Return the users that need a night of `day`, sorted."""
    return [user for user in home.users() if is_due(home.space(user), settings, day)]
