"""Items of a web archive (WARC): one per page, with its bytes, its URL, the time it was fetched and the linking page.

An archive that Brain wrote holds one page and is one item; pages of other archives are fragments of the file.
"""

import json
import posixpath
from collections import Counter
from datetime import datetime, tzinfo
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from urllib.parse import quote, unquote, urlsplit

from brain_pipelines.readers.contract import Delivery, Item
from brain_pipelines.readers.document_date import date_inside
from brain_pipelines.readers.event_time import parse_time
from brain_pipelines.readers.webpage import warc
from brain_retrieval.ids import stable_hash
from brain_retrieval.settings import Limits

MAX_FRAGMENT = 120  # characters
LOCATE_SECONDS = 15.0  # short, because a sensor waits for the result
_SUFFIXES = {
    "text/html": ".html",
    "application/xhtml+xml": ".html",
    "application/pdf": ".pdf",
    "text/plain": ".txt",
    "text/markdown": ".md",
    "application/epub+zip": ".epub",
    "application/json": ".json",
}


def locate_records(delivery: Delivery, zone: tzinfo, limits: Limits) -> list[Item]:
    """Return one item per page; [] if the archive cannot be read, for which the read stage reports the reason."""
    with TemporaryDirectory(prefix="brain-warc-") as directory:
        try:
            found = warc.READ(delivery.path, limits, Path(directory), within=LOCATE_SECONDS).attributes
            records, own = found["records"], bool(found["own"]) and len(found["records"]) == 1
            seen: Counter[str] = Counter()
            return [_item(record, delivery, zone, Path(directory), own, seen) for record in records]
        except Exception:  # a hostile archive still lands
            return []


def _item(
    record: dict[str, Any], delivery: Delivery, zone: tzinfo, directory: Path, own: bool, seen: Counter[str]
) -> Item:
    url, fields = record["url"], record["fields"]
    path = directory / record["file"]
    fetched_at = parse_time(record["date"], zone)
    event_at, origin = _event(record, delivery, zone, path, fetched_at)
    seen[url] += 1
    fragment = "" if own else _fragment(url, seen[url])
    parent = fields.get("parent", "") if own else ""
    return Item(
        fragment=fragment,
        event_at=event_at,
        event_from=origin,
        digest="" if own else record["sha256"],
        content=path.read_bytes(),
        name=_name(url, record["headers"].get("content-type", "")),
        parent=parent if parent.startswith("inbox:web-") else None,
        meta=_meta(record, fetched_at, own),
    )


def _event(
    record: dict[str, Any], delivery: Delivery, zone: tzinfo, path: Path, fetched_at: datetime | None
) -> tuple[datetime, str]:
    if delivery.event_time is not None:
        return delivery.event_time, "given"
    try:
        found, origin = date_inside(path, zone)
    except Exception:  # parsers may raise anything on a hostile payload
        found, origin = None, ""
    latest = fetched_at or delivery.received_at
    if found is not None and found <= latest:  # a page that dates itself after it was fetched is wrong
        return found, origin
    modified = parse_time(record["headers"].get("last-modified", ""), zone)
    if modified is not None and modified <= latest:
        return modified, "metadata"
    return (fetched_at, "metadata") if fetched_at else (delivery.mtime, "file")


def _fragment(url: str, count: int) -> str:
    escaped = quote(url, safe="-._~:@+,/?=&") + (f"~{count}" if count > 1 else "")
    return escaped if len(escaped) <= MAX_FRAGMENT else f"{escaped[:80]}~{stable_hash([url, count])}"


def _name(url: str, content_type: str) -> str:
    """Return a file name for the page: the last part of its URL, with the suffix of its content type."""
    parts = urlsplit(url)
    stem = unquote(posixpath.basename(parts.path.rstrip("/")), errors="replace") or parts.netloc
    suffix = _SUFFIXES.get(content_type.partition(";")[0].strip().lower(), "")
    stem = "".join(c for c in stem if c.isprintable() and c not in "/\\")[:80] or "page"
    return stem if stem.lower().endswith(suffix) else stem + suffix


def _meta(record: dict[str, Any], fetched_at: datetime | None, own: bool) -> dict[str, str]:
    meta = {"url": record["url"], "status": str(record["status"])}
    if fetched_at:
        meta["fetched_at"] = fetched_at.isoformat()
    if record["headers"]:
        meta["headers"] = json.dumps(record["headers"], sort_keys=True)
    if own:
        known = ("via", "depth", "job", "asked-url", "redirects", "rendered", "origin", "part")
        meta |= {key: record["fields"][key] for key in known if record["fields"].get(key)}
    elif via := record["fields"].get("via"):
        meta["via"] = via
    return meta
