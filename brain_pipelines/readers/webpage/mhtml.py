"""Reader of saved web pages (MHTML, RFC 2557): the main HTML part. Runs in the sandbox's child.

Pictures, styles and frames saved with it are left out.
"""

import re
from dataclasses import replace
from email import policy
from email.message import Message
from email.parser import BytesParser, HeaderParser
from pathlib import Path

from brain_pipelines.readers.email.mail_shape import header_block, header_names, is_mail
from brain_pipelines.readers.encoding import check_size, decode
from brain_pipelines.readers.extracted import Extracted
from brain_pipelines.readers.formats import Format
from brain_pipelines.readers.sandbox import Isolated
from brain_pipelines.readers.webpage.html import read_html
from brain_retrieval.errors import BadInputError
from brain_retrieval.settings import Limits

HEAD_BYTES = 1 << 16
MAX_PARTS = 1000


def read_file(path: Path, limits: Limits, _scratch: Path | None) -> Extracted:
    """Return the text of the saved page; `url` is where it was saved from.

    Raises:
        BadInputError: if it is too large, or contains no page.
    """
    check_size(path, limits.max_file_bytes)
    with path.open("rb") as file:
        message: Message = BytesParser(policy=policy.compat32).parse(file)
    data, declared = _page(message)
    decoded = decode(data, declared=declared)
    found = read_html(decoded.text)
    url = saved_from(message)
    return replace(found, format="mhtml", repairs=[*decoded.repairs, *found.repairs], url=url or found.url)


def saved_headers(path: Path) -> Message:
    """Return the headers of a saved page; reads at most 64 kB."""
    with path.open("rb") as file:
        return HeaderParser(policy=policy.compat32).parsestr(file.read(HEAD_BYTES).decode("latin-1"))


def saved_from(message: Message) -> str | None:
    """Return the URL that a saved page states as its own, None if it states no http(s) URL."""
    for name in ("Snapshot-Content-Location", "Content-Location"):
        value = str(message.get(name) or "").strip()
        if value.startswith(("http://", "https://")):
            return value[:2000]
    return None


def _page(message: Message) -> tuple[bytes, str | None]:
    for number, part in enumerate(message.walk()):
        if number > MAX_PARTS:
            break
        if part.get_content_type() in ("text/html", "application/xhtml+xml"):
            data = part.get_payload(decode=True)
            if isinstance(data, bytes) and data:
                return data, part.get_content_charset()
    raise BadInputError("no web page in the saved file")


def _is_saved_page(start: bytes, _complete: bool) -> bool:
    names = header_names(start)
    related = re.search(rb"multipart/related", header_block(start), re.I)
    return is_mail(names) and related is not None and b"snapshot-content-location" in names


FORMAT = Format(
    "mhtml",
    "multipart/related",
    "a saved web page (MHTML)",
    family="web",
    suffixes=(".mhtml", ".mht"),
    promised=True,
    shape=_is_saved_page,
    read=Isolated(read_file, ("trafilatura", "charset_normalizer")),
)
