"""Metadata of Office and OpenDocument packages, and safe parsing of their XML without entities.

Runs in the sandbox's child, after `archive.check_archive`.
"""

import re
import zipfile
from datetime import UTC, datetime, tzinfo
from pathlib import Path
from typing import Any

from brain_pipelines.readers.dates import date_in_member
from brain_retrieval.errors import BadInputError

MAX_XML_BYTES = 128 << 20
_NO_NAMES = {"python-docx", "un-named", "unknown", "author", "microsoft office user", "steve canny", "user", "openpyxl"}
# Creation dates of the templates of python-docx and python-pptx, which files made with them have by default.
TEMPLATE_DATES = (datetime(2013, 12, 23, 23, 15, tzinfo=UTC), datetime(2013, 1, 27, 9, 14, 16, tzinfo=UTC))
_CREATED = re.compile(rb"<dcterms:created[^>]{0,500}>\s*([\dT:.+Z-]{10,40})\s*<")
_MADE = re.compile(rb"<meta:creation-date>\s*([\dT:.+Z-]{10,40})\s*<")
_DC = "{http://purl.org/dc/elements/1.1/}"
_META = "{urn:oasis:names:tc:opendocument:xmlns:meta:1.0}"
_APP = "{http://schemas.openxmlformats.org/officeDocument/2006/extended-properties}"
_CORE = "{http://schemas.openxmlformats.org/package/2006/metadata/core-properties}"


def parse_xml(data: bytes) -> Any:
    """Return the root element of an XML text; entities are neither expanded nor fetched.

    Raises:
        BadInputError: if it is not well-formed, or declares entities.
    """
    from lxml import etree  # pyright: ignore[reportAttributeAccessIssue]

    check_no_entities(data)
    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False, remove_pis=True)
    try:
        return etree.fromstring(data, parser)
    except etree.XMLSyntaxError as error:
        raise BadInputError(f"damaged XML: {str(error)[:120]}") from None


def check_no_entities(data: bytes) -> None:
    """Raise BadInputError if an XML text declares entities, also in an encoding of two or four bytes a character."""
    if b"<!ENTITY" in data.replace(b"\0", b""):
        raise BadInputError("XML with a declaration of entities (entity bomb)")


def read_member(path: Path, name: str) -> Any:
    """Return the root of a member's XML, None if there is no such member.

    Raises:
        BadInputError: if it is damaged or too large.
    """
    with zipfile.ZipFile(path) as archive:
        if name not in archive.namelist():
            return None
        if archive.getinfo(name).file_size > MAX_XML_BYTES:
            raise BadInputError(f"too large: a part of more than {MAX_XML_BYTES >> 20} MB")
        return parse_xml(archive.read(name))


def check_not_encrypted(path: Path) -> None:
    """Refuse an OpenDocument package whose manifest declares encryption.

    Raises:
        BadInputError: if the package is encrypted.
    """
    with zipfile.ZipFile(path) as archive:
        if "META-INF/manifest.xml" in archive.namelist():
            with archive.open("META-INF/manifest.xml") as stream:
                if b"encryption-data" in stream.read(1 << 20):
                    raise BadInputError("encrypted OpenDocument file: a password is needed")


def archive_facts(path: Path) -> dict[str, Any]:
    """Return "title", "authors" and "language" from the properties of a package; damaged ones count as absent."""
    found: dict[str, Any] = {}
    for name in ("docProps/core.xml", "meta.xml"):
        try:
            root = read_member(path, name)
        except BadInputError:
            continue
        if root is None:
            continue
        found["title"] = _first(root, _DC + "title")
        authors = [_first(root, _META + "initial-creator") or _first(root, _DC + "creator")]
        found["authors"] = [author for author in authors if author and author.lower() not in _NO_NAMES]
        found["language"] = _first(root, _DC + "language") or None
        found["keywords"] = _first(root, _CORE + "keywords")
    return {key: value for key, value in found.items() if value}


def _first(root: Any, tag: str) -> str:
    return next((" ".join(element.text.split()) for element in root.iter(tag) if element.text), "")


def stored_pages(path: Path) -> int | None:
    """Return the number of pages that the program counted when it saved the document; None if it stored none."""
    try:
        root = read_member(path, "docProps/app.xml")
    except BadInputError:
        return None
    text = _first(root, _APP + "Pages") if root is not None else ""
    return int(text) or None if text.isascii() and text.isdigit() and len(text) < 7 else None


def office_date(path: Path, zone: tzinfo) -> datetime | None:
    """Return when an Office document was created; None if the date is that of a template."""
    found = date_in_member(path, "docProps/core.xml", _CREATED, zone)
    return None if found in TEMPLATE_DATES else found


def opendocument_date(path: Path, zone: tzinfo) -> datetime | None:
    """Return when an OpenDocument file was created."""
    return date_in_member(path, "meta.xml", _MADE, zone)
