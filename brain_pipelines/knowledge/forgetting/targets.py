"""Which landed items a forgetting removes: those of a source, a day or a person's mentions, with their children."""

import json
import re
from collections.abc import Iterable
from datetime import date
from pathlib import Path

from brain_pipelines.knowledge.forgetting.needles import stored_texts
from brain_pipelines.knowledge.forgetting.plan import NothingToForgetError, Scope, Target
from brain_pipelines.landing.inbox import source_of, to_uri
from brain_pipelines.landing.landing import Landing
from brain_pipelines.landing.redaction.file_names import FileNames
from brain_pipelines.sources.registry import SOURCES_BY_NAME
from brain_retrieval.errors import InvalidQueryError
from brain_retrieval.home import Space
from brain_retrieval.ids import stable_hash
from brain_retrieval.language.folding import fold
from brain_retrieval.settings import Settings
from brain_retrieval.stores.catalog import Catalog
from brain_retrieval.stores.lake import Lake

MOST_NAMED = 5
_TARGETS = """
SELECT source_id, source, max(event_day, ?) AS day, file, fragment, sha256, digest,
  coalesce(json_extract(meta, '$.url'), '') FROM item"""
_CHILDREN = """
WITH RECURSIVE family(id) AS (
  SELECT value FROM json_each(?) UNION SELECT source_id FROM item JOIN family ON parent_id = family.id)
SELECT id FROM family"""


def find_targets(space: Space, settings: Settings, landing: Landing, catalog: Catalog, scope: Scope) -> list[Target]:
    """Return the items of a scope and, recursively, their children (attachments, linked pages), sorted.

    Raises:
        NothingToForgetError: if there are none.
        InvalidQueryError: if the day, the source type or the name is not valid, or the name is that of several people.
    """
    if scope.kind == "user":
        return all_targets(landing)
    if scope.kind == "source":
        chosen = _of_source(landing, scope.value) or _of_shown(landing, FileNames(settings), scope.value)
    elif scope.kind == "day":
        chosen = _of_day(landing, scope)
    else:
        chosen = mentioning(space, catalog, scope.value)
    found = with_children(landing, chosen)
    if not found and scope.kind == "source":
        found = _of_deleted(landing, scope.value)
    if not found:
        raise NothingToForgetError(_nothing(scope))
    return found


def all_targets(landing: Landing) -> list[Target]:
    """Return every landed item, sorted."""
    return sorted(Target(*row) for row in landing.rows(_TARGETS, (landing.first_day,)))


def with_children(landing: Landing, ids: Iterable[str]) -> list[Target]:
    """Return the landed items of these ids and all their descendants, sorted."""
    family = {one for (one,) in landing.rows(_CHILDREN, (_json(ids),))}
    return [target for target in all_targets(landing) if target.source_id in family]


def copies_of(landing: Landing, targets: Iterable[Target]) -> tuple[str, ...]:
    """Return the uris of other items with the same content as one of these, such as that of a second export; sorted."""
    going = {(one.source, one.digest) for one in targets}
    gone = {one.source_id for one in targets}
    alike = (one for one in all_targets(landing) if (one.source, one.digest) in going and one.source_id not in gone)
    return tuple(sorted(one.uri for one in alike))


def mentioning(space: Space, catalog: Catalog, name: str) -> set[str]:
    """Return the ids of the sources that mention a person: by the newest snapshot, or with the name in their text.

    Raises:
        InvalidQueryError: if the name is empty or that of several people.
    """
    if not fold(name):
        raise InvalidQueryError("a name to forget must not be empty")
    return _by_snapshot(space, name) | _by_words(space, catalog, name)


def _of_source(landing: Landing, named: str) -> set[str]:
    """Return the ids of a source by its id or uri, or by the path below the inbox as its owner writes it."""
    path = named.removeprefix("inbox:")
    names = {named, f"inbox:{path}", to_uri(Path(path))} if path else {named}
    file, _, fragment = path.partition("#")
    names |= {f"{to_uri(Path(file))}#{fragment}"} if file and fragment else set()
    sql = "SELECT source_id FROM item WHERE ? IN (source_id, file, file || '#' || fragment)"
    return {one for name in names for (one,) in landing.rows(sql, (name,))}


def _of_shown(landing: Landing, names: FileNames, uri: str) -> set[str]:
    """Return the ids of a source by its uri as it is shown under redaction."""
    return {one.source_id for one in all_targets(landing) if uri in (names.uri(one.uri), names.uri(one.file))}


def _of_deleted(landing: Landing, named: str) -> list[Target]:
    """Return a source whose deletion can still be undone: on every day that has not run since, or on the first day."""
    found = []
    for one in landing.find_deleted(named):
        source = SOURCES_BY_NAME[source_of(one.uri)].name
        digest = stable_hash([source, "", one.sha256])
        days = sorted({day.day for day in landing.dirty() if day.source == source}) or [landing.first_day]
        own = (one.uri, "", one.sha256, digest, "")
        found += [Target(landing.whole_id(one.uri), source, day, *own) for day in days]
    return found


def _of_day(landing: Landing, scope: Scope) -> set[str]:
    try:
        day = date.fromisoformat(scope.value).isoformat()
    except ValueError:
        raise InvalidQueryError(f"{scope.value!r:.40} is not a day like 2026-01-31") from None
    if scope.source is not None and scope.source not in SOURCES_BY_NAME:
        raise InvalidQueryError(f"no source type {scope.source!r:.40}")
    only = SOURCES_BY_NAME[scope.source].name if scope.source else None
    return {one.source_id for one in all_targets(landing) if one.day == day and only in (None, one.source)}


def _by_snapshot(space: Space, name: str) -> set[str]:
    import polars as pl

    from brain_retrieval.knowledge.lookup import find_entities
    from brain_retrieval.stores.snapshots import SnapshotStore

    store = SnapshotStore(space)
    if (day := store.newest()) is None:
        return set()
    people = store.read(day, "entity_names").filter(pl.col("entity_class") == "Person")
    found = find_entities(people, name)
    if len(found) > 1:
        named = people.filter(pl.col("entity_id").is_in(found))["display"].unique().sort().to_list()
        said = ", ".join(named[:MOST_NAMED])
        raise InvalidQueryError(f"{name!r:.80} may be {len(found)} people ({said}); give a full name or an entity id")
    members = store.read(day, "entity_members", ["entity_id", "source_id"])
    return set(members.filter(pl.col("entity_id").is_in(found))["source_id"].to_list())


def _by_words(space: Space, catalog: Catalog, name: str) -> set[str]:
    """Return the ids of the sources with a name in their text, title, people, attributes or uri."""
    wanted = re.compile(rf"(?<!\w){re.escape(fold(name))}(?!\w)")
    return {row["source_id"] for row in stored_texts(Lake(space, catalog)) if wanted.search(fold(row["text"]))}


def _nothing(scope: Scope) -> str:
    named = {"source": "there is no source", "day": "nothing was received of", "mentions": "nothing mentions"}
    return f"{named[scope.kind]} {scope.value!r:.200}" + (f" of type {scope.source}" if scope.source else "")


def _json(values: Iterable[str]) -> str:
    return json.dumps(sorted(values))
