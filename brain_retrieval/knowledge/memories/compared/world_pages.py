"""What was read on a page of the world: it speaks of other people's things, as the rents of a town beside one's own."""

import re
from collections.abc import Mapping
from typing import Any

WEB = frozenset({"web-page", "web-crawl"})  # what is read there is not about the user's things, and the reverse
_DOCUMENT = "document"
_SAVED = re.compile(r"\.(?:x?html?|mht(?:ml)?|webarchive)(?:#|\Z)", re.IGNORECASE)


def is_page(source: str, uri: str) -> bool:
    """Return whether a source is a page of the web: one that was fetched, or one that was saved as a file.

    >>> is_page("document", "inbox:document/rents.html"), is_page("document", "inbox:document/lease.pdf")
    (True, False)
    """
    return source in WEB or (source == _DOCUMENT and _SAVED.search(uri) is not None)


def is_of_page(row: Mapping[str, Any]) -> bool:
    """Return whether a row of MEMORIES is from a page of the web."""
    return is_page(row["source"], row.get("uri") or "")
