"""Reading of a web page with its attributes: from the page, the HTTP response and the crawl."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import urljoin, urlsplit

from brain_pipelines.readers.contract import Reading, ReadResult
from brain_pipelines.readers.event_time import parse_time
from brain_pipelines.readers.registry import readers_of
from brain_pipelines.sources.result import read_whole
from brain_retrieval.schemas.names import HELD_BACK

MAX_LINKS = 200
_FROM_CRAWL = ("via", "depth", "job", "asked-url", "rendered")


def read_page(raw_row: dict[str, Any], path: Path, reading: Reading, *, source: str) -> ReadResult:
    """Return the text of a page, or of another document from the web, with its attributes.

    Raises:
        BadInputError: if its format is not supported, or its reader refuses it.
    """
    result = read_whole(raw_row, path, reading, readers=readers_of(), source=source)
    url = raw_row.get("url") or result.url or ""
    attributes = {**_resolved(result.attributes, url, reading), **_of_answer(raw_row)}
    host = (urlsplit(url).hostname or "").lower()
    if host:
        attributes["domain"] = host
    attributes["validation_state"] = raw_row["trust"] if raw_row.get("trust") in HELD_BACK else "trusted"
    return replace(result, attributes=attributes, url=url or None)


def _resolved(found: dict[str, Any], url: str, reading: Reading) -> dict[str, Any]:
    """Return the page's metadata with absolute URLs and times in ISO 8601, without empty values."""
    base = _absolute(url, found.get("base", "")) or url
    kept = {key: value for key, value in found.items() if key not in ("base", "media", "links")}
    for key in ("canonical", "og_image"):
        if key in kept:
            kept[key] = _absolute(base, kept[key])
    for key in ("published_at", "modified_at"):
        if key in kept:
            time = parse_time(kept[key], reading.zone)
            kept[key] = time.isoformat() if time else None
    links = (_absolute(base, link) for link in found.get("links", []))
    kept["links"] = list(dict.fromkeys(link for link in links if link))[:MAX_LINKS]
    if reading.settings.crawl.extract_media:
        kept["media"] = [{**one, "url": _absolute(base, one["url"])} for one in found.get("media", [])]
    return {key: value for key, value in kept.items() if value}


def _absolute(base: str, reference: str) -> str:
    try:
        found = urljoin(base, reference.strip())
    except ValueError:
        return ""
    return found if found.startswith(("http://", "https://")) else ""


def _of_answer(raw_row: dict[str, Any]) -> dict[str, Any]:
    meta = json.loads(raw_row.get("meta") or "{}")
    found: dict[str, Any] = {key.replace("-", "_"): meta[key] for key in _FROM_CRAWL if key in meta}
    if "depth" in found and found["depth"].isdigit():
        found["depth"] = int(found["depth"])
    if meta.get("status", "").isdigit():
        found["http_status"] = int(meta["status"])
    if "headers" in meta:
        found["http_headers"] = json.loads(meta["headers"])
    return found
