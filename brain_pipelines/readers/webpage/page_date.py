"""Publication date of a web page: from its JSON-LD, its metadata or a time element. Standard library only."""

import re
from datetime import datetime, tzinfo
from pathlib import Path

from brain_pipelines.readers.dates import beginning
from brain_pipelines.readers.event_time import parse_time

_NAMES = "article:published_time|og:published_time|datepublished|date|dc.date|dc.date.issued|dcterms.created|pubdate"
_META = re.compile(r"<meta\b[^>]{0,2000}>", re.I)
_DATED = re.compile(rf"""\b(?:name|property|itemprop)\s*=\s*["'](?:{_NAMES})["']""", re.I)
_CONTENT = re.compile(r"""\bcontent\s*=\s*["']([^"']{4,60})["']""", re.I)
_JSON_LD = re.compile(r'"datePublished"\s*:\s*"([^"]{4,60})"')
_LINKED = re.compile(r"<script\b[^>]{0,300}ld\+json[^>]{0,300}>", re.I)
_TIME_TAG = re.compile(r"""<time\b[^>]{0,500}\bdatetime\s*=\s*["']([^"']{4,60})["']""", re.I)


def page_date(path: Path, zone: tzinfo) -> datetime | None:
    """Return the first date that can be parsed: of the JSON-LD, the metadata, a time element."""
    text = beginning(path).decode("utf-8", "replace")
    found = [match[1] for script in _linked_data(text) for match in _JSON_LD.finditer(script)]
    tags = (_CONTENT.search(tag) for tag in _META.findall(text) if _DATED.search(tag))
    found += [tag[1] for tag in tags if tag]
    found += [match[1] for pattern in (_JSON_LD, _TIME_TAG) for match in pattern.finditer(text)]
    return next((date for text in found if (date := parse_time(text, zone))), None)


def _linked_data(text: str) -> list[str]:
    return [part.partition("</script")[0] for part in _LINKED.split(text)[1:]]
