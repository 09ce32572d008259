"""Reader of web archives (WARC 1.0 and 1.1, ISO 28500): pages. Runs in the sandbox's child.

Each response with status 200 and a supported type becomes a file in the scratch directory, decompressed, with its
record's metadata in the attributes; `sources/web_archive.py` makes items from them. Responses with another status, and
pictures, scripts and styles are left out.
"""

import hashlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from brain_pipelines.readers.encoding import MEGABYTE, check_size
from brain_pipelines.readers.extracted import Extracted
from brain_pipelines.readers.formats import Format
from brain_pipelines.readers.sandbox import Isolated
from brain_retrieval.errors import BadInputError
from brain_retrieval.settings import Limits

STEP = 1 << 16
MAX_FIELDS, MAX_VALUE = 1 << 16, 2000
OWN_SOFTWARE = "Brain"
_TYPES = (
    "text/html",
    "application/xhtml+xml",
    "application/pdf",
    "text/plain",
    "text/markdown",
    "application/epub+zip",
)
_OFFICE = ("application/vnd.openxmlformats-officedocument.", "application/vnd.oasis.opendocument.", "application/rtf")
_HEADERS = ("content-type", "last-modified", "etag", "content-language", "link", "server", "x-robots-tag")


def read_file(path: Path, limits: Limits, scratch: Path | None) -> Extracted:
    """Return no text, and as attributes {"own": bool, "records": [...]}: one record per page.

    A record has `file` (its name in `scratch`), `url`, `date`, `status`, `sha256`, `headers` (those of interest), and
    `fields`, the lines of the metadata record that belongs to it.

    Raises:
        BadInputError: if it is too large, has too many pages, is not an archive, or none of its pages can be read.
    """
    check_size(path, limits.max_archive_bytes)
    found: dict[str, Any] = {"own": False, "records": []}
    fields: dict[str, dict[str, str]] = {}  # by URL
    repairs: list[str] = []
    try:
        _collect(path, limits, scratch, found, fields)
    except BadInputError:
        raise
    except Exception as error:  # the library passes on any error of its parsers and of zlib
        if not found["records"]:
            raise BadInputError(f"the web archive is damaged ({type(error).__name__})") from None
        repairs.append(f"the web archive is damaged after {len(found['records'])} pages; the rest was left out")
    if not found["records"]:
        raise BadInputError("no page in the web archive that was answered with status 200 and can be read")
    for record in found["records"]:
        record["fields"] = fields.get(record["url"], {})
    return Extracted("warc", [], repairs=repairs, attributes=found)


def _collect(
    path: Path, limits: Limits, scratch: Path | None, found: dict[str, Any], fields: dict[str, dict[str, str]]
) -> None:
    from warcio.archiveiterator import ArchiveIterator

    room = limits.max_archive_bytes
    with path.open("rb") as file:
        for record in ArchiveIterator(file):
            kind, url = record.rec_type, (record.rec_headers.get_header("WARC-Target-URI") or "")[:MAX_VALUE]
            if kind == "warcinfo":
                found["own"] = _fields(record).get("software", "").startswith(OWN_SOFTWARE)
            elif kind == "metadata" and url:
                fields.setdefault(url, _fields(record))
            elif kind in ("response", "resource") and url and _wanted(record, own=found["own"]):
                if len(found["records"]) >= max(1, limits.max_parts):
                    raise BadInputError(f"more than {limits.max_parts} pages in the web archive")
                name = f"page-{len(found['records'])}"
                described = _described(record, url, name)
                size, described["sha256"] = _keep(record, scratch / name if scratch else None, limits, room)
                room -= size
                if size:
                    found["records"].append(described)


def _wanted(record: Any, *, own: bool) -> bool:
    if record.rec_type == "resource":
        return _readable(record.content_type or "")
    if record.http_headers is None:
        return False
    status = record.http_headers.get_statuscode()
    return status == "200" and (own or _readable(record.http_headers.get_header("Content-Type") or ""))


def _readable(content_type: str) -> bool:
    kind = content_type.partition(";")[0].strip().lower()
    return kind in _TYPES or kind.startswith(_OFFICE)


def _described(record: Any, url: str, name: str) -> dict[str, Any]:
    http = record.http_headers
    headers = {key: http.get_header(key)[:MAX_VALUE] for key in _HEADERS if http and http.get_header(key)}
    if not http and record.content_type:
        headers["content-type"] = record.content_type
    status = int(http.get_statuscode()) if http else 200
    date = (record.rec_headers.get_header("WARC-Date") or "")[:40]
    return {"file": name, "url": url, "date": date, "status": status, "headers": headers}


def _keep(record: Any, target: Path | None, limits: Limits, room: int) -> tuple[int, str]:
    """Write the decompressed payload and return its size in bytes and its sha256."""
    digest, size = hashlib.sha256(), 0
    charset = _charset(record)
    parts: list[bytes] = []
    for part in _steps(record):
        size += len(part)
        if size > min(limits.max_file_bytes, room):
            raise BadInputError(f"a page of more than {min(limits.max_file_bytes, room) / MEGABYTE:.1f} MB in it")
        digest.update(part)
        parts.append(part)
    if target is not None:
        target.write_bytes(_as_utf8(b"".join(parts), charset))
    return size, digest.hexdigest()


def _steps(record: Any) -> Iterator[bytes]:
    stream = record.content_stream()
    while part := stream.read(STEP):
        yield part


def _charset(record: Any) -> str | None:
    content_type = (record.http_headers and record.http_headers.get_header("Content-Type")) or ""
    named = content_type.lower().partition("charset=")[2].strip(" \"';")
    return named[:40] if named and content_type.lower().startswith(("text/", "application/xhtml")) else None


def _as_utf8(data: bytes, charset: str | None) -> bytes:
    """Return a text recoded to UTF-8 with a byte order mark if only the HTTP header states its charset, else `data`."""
    if charset is None or charset in ("utf-8", "utf8") or data.isascii():
        return data
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        pass
    else:
        return data
    try:
        return data.decode(charset).encode("utf-8-sig")
    except (UnicodeDecodeError, LookupError):
        return data


def _fields(record: Any) -> dict[str, str]:
    """Return the `name: value` lines of an application/warc-fields block, names in lower case."""
    text = record.content_stream().read(MAX_FIELDS).decode("utf-8", "replace")
    pairs = (line.partition(":") for line in text.splitlines())
    return {key.strip().lower()[:80]: value.strip()[:MAX_VALUE] for key, colon, value in pairs if colon}


READ = Isolated(read_file, ("warcio.archiveiterator",))
FORMAT = Format(
    "warc",
    "application/warc",
    "a web archive (WARC)",
    family="web",
    suffixes=(".warc.gz", ".warc"),
    in_gzip=b"WARC/",
    opening=(b"WARC/",),
    read=READ,
)
