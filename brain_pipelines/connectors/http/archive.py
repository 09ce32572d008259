"""Storage of fetched pages: one WARC file per page, written atomically, named by the page's URL.

Records: warcinfo, request, response (decoded body), and metadata with the linking page (`via`), depth and job. Equal
fetches produce equal bytes, so writing a page again changes nothing.
"""

import os
import re
import tempfile
import uuid
from collections.abc import Mapping
from datetime import UTC
from io import BytesIO
from pathlib import Path
from urllib.parse import urlsplit

from brain_pipelines.connectors.http.fetch import Page
from brain_pipelines.connectors.http.urls import canonical, host_of
from brain_pipelines.landing.inbox import to_uri
from brain_pipelines.readers.webpage.warc import OWN_SOFTWARE
from brain_retrieval.home import Space
from brain_retrieval.ids import content_id

SOFTWARE = f"{OWN_SOFTWARE}/1"
# The body is stored decoded, so headers that describe its transfer encoding would be wrong.
_TRANSPORT = ("content-encoding", "transfer-encoding", "content-length", "connection", "set-cookie", "set-cookie2")
_NAMESPACE = uuid.UUID("6ba7b811-9dad-11d1-80b4-00c04fd430c8")  # of URLs, RFC 4122


def page_path(space: Space, source: str, url: str) -> Path:
    """Return the inbox path of the page at `url`: below its host, readable, unique for each canonical URL."""
    name = canonical(url) or url
    words = "-".join(re.findall(r"[A-Za-z0-9]+", urlsplit(name).path))[-60:].strip("-").lower() or "index"
    digest = content_id("page", name).removeprefix("page_")[:12]
    return space.inbox / source / (re.sub(r"[^a-z0-9.-]", "_", host_of(name)) or "page") / f"{words}-{digest}.warc.gz"


def keep_page(space: Space, source: str, url: str, page: Page, fields: Mapping[str, str | int | None]) -> Path:
    """Write a page into the inbox, replacing an earlier version, and return its path.

    Args:
        space: the user's paths.
        source: "web-page" or "web-crawl".
        url: the canonical URL of the page.
        page: the response, with status 200.
        fields: fields of the metadata record; None and "" are omitted.
    """
    target = page_path(space, source, url)
    target.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    handle, temporary = tempfile.mkstemp(dir=target.parent, prefix=".", suffix=".part")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(warc_bytes(page, fields))
            file.flush()
            os.fsync(file.fileno())
        moment = page.fetched_at.timestamp()
        os.utime(temporary, (moment, moment))
        Path(temporary).replace(target)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise
    return target


def stored_origin(path: Path) -> str | None:
    """Return the field `origin` of a stored page, None without one; "unreadable" of a file that cannot be read."""
    from warcio.archiveiterator import ArchiveIterator
    from warcio.exceptions import ArchiveLoadFailed

    try:
        with path.open("rb") as file:
            kept = [r.content_stream().read() for r in ArchiveIterator(file) if r.rec_type == "metadata"]
    except (OSError, ArchiveLoadFailed):
        return "unreadable"
    said = [line.partition(b": ") for one in kept for line in one.splitlines()]
    return next((value.decode("utf-8", "replace") for name, _, value in said if name == b"origin"), None)


def uri_of(space: Space, path: Path) -> str:
    """Return the uri of a stored page's item."""
    return to_uri(path.relative_to(space.inbox))


def warc_bytes(page: Page, fields: Mapping[str, str | int | None]) -> bytes:
    """Return the WARC file of one page, each record compressed separately as the standard requires."""
    from warcio.statusandheaders import StatusAndHeaders
    from warcio.warcwriter import WARCWriter

    output = BytesIO()
    writer = WARCWriter(output, gzip=True, warc_version="1.1")
    date = page.fetched_at.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")

    def record(kind: str, url: str, body: bytes, http: StatusAndHeaders | None, **more: str) -> None:
        identity = uuid.uuid5(_NAMESPACE, f"{kind} {date} {page.final_url}")
        headers = {"WARC-Record-ID": f"<urn:uuid:{identity}>", "WARC-Date": date, **more}
        made = writer.create_warc_record(
            url, kind, payload=BytesIO(body), length=len(body), http_headers=http, warc_headers_dict=headers
        )
        writer.write_record(made)

    record("warcinfo", "", _lines({"software": SOFTWARE, "format": "WARC File Format 1.1"}), None)
    path = re.sub(r"^[a-z]+://[^/]+", "", page.final_url) or "/"
    record(
        "request", page.final_url, b"", StatusAndHeaders(f"GET {path} HTTP/1.1", list(page.asked), is_http_request=True)
    )
    headers = [(k, v) for k, v in page.headers if k not in _TRANSPORT]
    answer = StatusAndHeaders(str(page.status) + " ", [*headers, ("content-length", str(len(page.body)))], "HTTP/1.1")
    record("response", page.final_url, page.body, answer, **({"WARC-IP-Address": page.address} if page.address else {}))
    asked = {"asked-url": page.url if page.url != page.final_url else None, "redirects": " ".join(page.redirects)}
    record("metadata", page.final_url, _lines({**fields, **asked}), None)
    return output.getvalue()


def _lines(fields: Mapping[str, str | int | None]) -> bytes:
    kept = {key: re.sub(r"[\r\n]+", " ", str(value)) for key, value in fields.items() if value not in (None, "")}
    return "".join(f"{key}: {value}\r\n" for key, value in kept.items()).encode()
