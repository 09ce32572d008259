"""Items of the lake's raw table as rows of the landing record, for a record that has lost them.

A row of the raw table holds all that the landing record knows of an item except the digest of its content, which is
found in its bytes where a file holds several items. The next scan takes the inbox files again, with these receipts.
"""

import json
from collections.abc import Collection, Iterable, Mapping
from datetime import UTC, datetime
from typing import Any

from brain_pipelines.landing.inbox import source_of
from brain_pipelines.landing.landing import Landing
from brain_pipelines.landing.raw_files import BytesDroppedError, LostBytesError
from brain_pipelines.landing.tombstones import of_item
from brain_pipelines.readers.contract import Delivery
from brain_pipelines.readers.source_policy import SourcePolicy
from brain_pipelines.sources.registry import SOURCES_BY_NAME
from brain_retrieval.ids import stable_hash

Row = Mapping[str, Any]
_RECEIVED = """
INSERT INTO received VALUES (?, ?) ON CONFLICT(digest) DO UPDATE
SET received_at = excluded.received_at WHERE excluded.received_at < received_at
"""


def adopt(landing: Landing, rows: Iterable[Row], buried: Collection[str] = ()) -> int:
    """Add the items that the landing record lacks, or has in an older version or with a later receipt.

    Args:
        rows: of the raw table, with the columns `source` and `day`.
        buried: tombstones; what was forgotten is left out.

    Returns:
        How many items were added or changed.
    """
    known = {item.source_id: item for item in landing.all_items()}
    gone = {one.uri: one.removed_at for one in landing.removed()}
    taken = []
    for row in rows:
        item, received = known.get(row["source_id"]), row["received_at"].isoformat()
        if of_item(row["source_id"], "")[0] in buried or gone.get(_file(row), "") > received:
            continue
        if item is not None and item.sha256 == row["sha256"]:
            news = row["received_at"] < item.received_at
        else:
            news = item is None or row["received_at"] > item.received_at
        if news and row["source"] in SOURCES_BY_NAME:
            taken.append(row)
    digests = _digests(landing, taken)
    landed = set(landing.landed())
    with landing.transaction() as connection:
        for row in taken:
            digest, received = digests[row["source_id"]], row["received_at"].isoformat()
            connection.execute(_RECEIVED, (digest, received))
            marks = ",".join("?" * 15)
            connection.execute(f"INSERT OR REPLACE INTO item VALUES ({marks})", _item(landing, row, digest))
            if (file := _file(row)) not in landed:
                landed.add(file)
                connection.execute("INSERT INTO delivery VALUES (?, ?, ?, 0, 0, 0, ?, NULL, ?)", _delivery(row))
                if not landing.raw.keeps_inbox:
                    connection.execute("INSERT OR IGNORE INTO released VALUES (?)", (file,))
    landing.follow_trust(force=bool(taken))
    return len(taken)


def _item(landing: Landing, row: Row, digest: str) -> tuple[str | int | None, ...]:
    event_at, received_at = row["event_at"].astimezone(UTC), row["received_at"].astimezone(UTC)
    return (
        row["source_id"],
        row["source"],
        _file(row),
        row["item"],
        row["sha256"],
        row["bytes"],
        event_at.isoformat(),
        row["event_from"],
        received_at.isoformat(),
        landing.day_of(event_at, received_at),
        digest,
        row["name"],
        row["parent_id"],
        row["meta"],
        "",
    )


def _delivery(row: Row) -> tuple[str, str, str, str | None, str]:
    """Return uri, source, sha256, given time and policy; size and times 0 make the next scan land the file again."""
    given = row["event_at"].astimezone(UTC).isoformat() if row["event_from"] == "given" else None
    policy = SourcePolicy.of(json.loads(row["meta"])).to_meta()
    return _file(row), row["source"], row["sha256"], given, json.dumps(policy, sort_keys=True)


def _digests(landing: Landing, rows: Iterable[Row]) -> dict[str, str]:
    """Return the digest of each item: of its own bytes, or of the part of its file that `locate` finds there."""
    parts: dict[tuple[str, str], dict[str, str]] = {}
    found = {}
    for row in rows:
        key = (_file(row), row["sha256"])
        if row["item"] and key not in parts:
            parts[key] = _parts(landing, row)
        own = parts[key].get(row["item"], "") if row["item"] else ""
        found[row["source_id"]] = stable_hash([row["source"], row["item"], own or row["sha256"]])
    return found


def _parts(landing: Landing, row: Row) -> dict[str, str]:
    source = SOURCES_BY_NAME.get(source_of(_file(row)))
    if source is None:
        return {}
    try:
        with landing.raw.open(row["sha256"]) as path:
            at: datetime = row["received_at"]
            delivery = Delivery(landing.user, _file(row), path, path.stat().st_size, at, at)
            return {item.fragment: item.digest for item in landing.locate(source, delivery)}
    except (BytesDroppedError, LostBytesError):
        return {}


def _file(row: Row) -> str:
    return row["uri"].partition("#")[0]
