"""`maintain`: compaction and cleanup of one user's stores, cheap if nothing is due. Scheduling is done elsewhere."""

from datetime import UTC, datetime, timedelta

from brain_retrieval.home import Space
from brain_retrieval.stores.catalog import Catalog
from brain_retrieval.stores.index.migration import active_index, drop_retired
from brain_retrieval.stores.index.protocol import SearchIndex
from brain_retrieval.stores.lake import Lake
from brain_retrieval.stores.lake_compaction import collect_garbage, compact

# Each commit adds files that every search opens; 200 commits made searches five times slower.
COMMITS = 50
TAIL_SHARE = 0.001  # of the rows: missing in the text index, so that every search reads them one by one
OPTIMIZED = "optimized_index:"


def maintain(
    space: Space, *, force: bool = False, keep: timedelta = timedelta(hours=1), language: str | None = None
) -> dict[str, int]:
    """Compact closed months, optimise the active index, delete unused files and tables; return counts.

    Args:
        force: optimise the index whatever the number of commits since the last time, of rows beyond its text index,
            and of bytes in versions that are not read any more. Those of an import go in the second night after it.
        language: of the full text (ISO 639-1), if it may have changed since the index was built.
        keep: age up to which old lake files and index versions are kept for active readers.

    Returns:
        compacted_months, removed_files, dropped_indexes, optimized_indexes (0 or 1).
    """
    with Catalog(space) as catalog:
        lake = Lake(space, catalog)
        done = {
            "compacted_months": compact(lake, datetime.now(UTC).strftime("%Y-%m")),
            "optimized_indexes": int(_optimize(space, catalog, keep, force=force, language=language)),
            "dropped_indexes": drop_retired(space, catalog, older_than=keep),
            "removed_files": collect_garbage(lake, keep),
        }
        catalog.checkpoint()
    return done


def _optimize(space: Space, catalog: Catalog, keep: timedelta, *, force: bool, language: str | None) -> bool:
    index = active_index(space, catalog)
    if index is None or not index.exists():
        return False
    if language:
        index.use_language(language)
    if not (force or _is_due(catalog, index) or index.is_mostly_replaced(keep)):
        return False
    index.compact(keep=keep)
    catalog.set_meta(OPTIMIZED + index.name, str(index.version()))
    return True


def _is_due(catalog: Catalog, index: SearchIndex) -> bool:
    commits = index.version() - _optimized_at(catalog, index)
    return not 0 <= commits < COMMITS or index.unindexed() > TAIL_SHARE * index.count()


def _optimized_at(catalog: Catalog, index: SearchIndex) -> int:
    return int(catalog.get_meta(OPTIMIZED + index.name) or 0)
