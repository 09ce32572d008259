"""Reader of e-books (.epub): chapters in the order of the spine, without pictures. Runs in the sandbox's child."""

import posixpath
import re
import zipfile
from collections.abc import Iterator
from datetime import datetime, tzinfo
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from brain_pipelines.readers.dates import date_in_member
from brain_pipelines.readers.document.archive import check_archive
from brain_pipelines.readers.document.markdown import read_markdown
from brain_pipelines.readers.document.ooxml import parse_xml, read_member
from brain_pipelines.readers.encoding import check_size, decode
from brain_pipelines.readers.extracted import Block, Extracted
from brain_pipelines.readers.formats import Format
from brain_pipelines.readers.sandbox import Isolated
from brain_pipelines.readers.webpage.hidden_text import remove_hidden
from brain_pipelines.readers.webpage.html import parse_tree, visible_text
from brain_retrieval.errors import BadInputError
from brain_retrieval.settings import Limits

MAX_CHAPTERS = 2000
_DATE = re.compile(rb"<dc:date[^>]{0,500}>\s*(\d{4}-\d\d-\d\d[\dT:.+Z-]{0,30})\s*<")
_DC = "{http://purl.org/dc/elements/1.1/}"
_OBFUSCATED_FONTS = (b"http://www.idpf.org/2008/embedding", b"http://ns.adobe.com/pdf/enc#RC")
_RIGHTS = ("META-INF/rights.xml", "META-INF/sinf.xml", "META-INF/license.lcpl")


def read_file(path: Path, limits: Limits, _scratch: Path | None) -> Extracted:
    """Return one block per heading of a chapter; a chapter without headings takes the title of its HTML head.

    Raises:
        BadInputError: if it is a zip or entity bomb, damaged, DRM-protected, or without text.
    """
    check_size(path, limits.max_file_bytes)
    check_archive(path, limits)
    with zipfile.ZipFile(path) as archive:
        _check_rights(archive)
        folder, package = _package(path, archive)
        blocks: list[Block] = []
        repairs: list[str] = []
        chapters = list(_spine(package, folder))
        for name in chapters[:MAX_CHAPTERS]:
            try:
                blocks += _chapter(archive.read(name))
            except KeyError:
                repairs.append(f"a chapter is missing: {name[:100]}")
            except BadInputError:
                continue  # a cover or an empty page
    if len(chapters) > MAX_CHAPTERS:
        repairs.append(f"{len(chapters) - MAX_CHAPTERS} chapters left out: more than {MAX_CHAPTERS}")
    if not any(block.text.strip() for block in blocks):
        raise BadInputError("no text in the e-book")
    values = {tag: _values(package, tag) for tag in ("title", "creator", "language", "publisher", "date")}
    attributes = {"chapters": len(chapters), "publisher": values["publisher"][:1], "published": values["date"][:1]}
    return Extracted(
        "epub",
        blocks,
        next(iter(values["title"]), ""),
        values["creator"],
        next(iter(values["language"]), None),
        repairs[:20],
        attributes={key: value[0] if isinstance(value, list) else value for key, value in attributes.items() if value},
    )


def _check_rights(archive: zipfile.ZipFile) -> None:
    names = archive.namelist()
    protected = any(name in names for name in _RIGHTS)
    if "META-INF/encryption.xml" in names:
        data = archive.read("META-INF/encryption.xml")
        allowed = sum(data.count(name) for name in _OBFUSCATED_FONTS)
        protected = protected or data.count(b"EncryptionMethod ") > allowed
    if protected:
        raise BadInputError("e-book protected against copying (DRM): it cannot be read")


def _package(path: Path, archive: zipfile.ZipFile) -> tuple[str, Any]:
    """Return the folder and the root element of the package document, which META-INF/container.xml refers to."""
    container = read_member(path, "META-INF/container.xml")
    files = (e.get("full-path") or "" for e in container.iter("{*}rootfile")) if container is not None else iter(())
    name = next((file for file in files if file in archive.namelist()), None)
    name = name or next((n for n in archive.namelist() if n.endswith(".opf")), None)
    if name is None:
        raise BadInputError("damaged e-book: its list of chapters is missing")
    return posixpath.dirname(name), parse_xml(archive.read(name))


def _spine(package: Any, folder: str) -> Iterator[str]:
    """Yield the members of the chapters; a path that leads out of the archive is not found in it."""
    items = {item.get("id"): item for item in package.iter("{*}item")}
    for entry in package.iter("{*}itemref"):
        item = items.get(entry.get("idref"))
        if item is not None and "nav" not in (item.get("properties") or "").split():
            yield posixpath.normpath(posixpath.join(folder, unquote(item.get("href") or "")))


def _chapter(data: bytes) -> list[Block]:
    tree = parse_tree(decode(data).text)
    name = " ".join((tree.findtext(".//title") or "").split())
    remove_hidden(tree)
    for level in range(1, 7):
        for heading in tree.iter(f"h{level}"):
            words = " ".join("".join(heading.itertext()).split())
            tail = heading.tail
            heading.clear()
            heading.text, heading.tail = f"{'#' * level} {words}" if words else "", tail
    found = read_markdown(visible_text(tree)).blocks
    return [Block(b.text, "section", section=b.section or name or None) for b in found if b.text.strip()]


def _values(package: Any, tag: str) -> list[str]:
    return [" ".join(element.text.split()) for element in package.iter(_DC + tag) if element.text]


def published_on(path: Path, zone: tzinfo) -> datetime | None:
    """Return the date in the book's package file."""
    with zipfile.ZipFile(path) as archive:
        name = next((name for name in archive.namelist() if name.endswith(".opf")), "")
    return date_in_member(path, name, _DATE, zone)


FORMAT = Format(
    "epub",
    "application/epub+zip",
    "an e-book (EPUB)",
    family="document",
    suffixes=(".epub",),
    promised=True,
    zip_mimetype=b"epub+zip",
    read=Isolated(read_file, ("lxml.html", "charset_normalizer")),
    date_of=published_on,
)
