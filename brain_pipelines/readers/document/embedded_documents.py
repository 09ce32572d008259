"""Documents embedded in Office and OpenDocument files: their names and programs.

Those of Office files are read by `embedded.py`. Runs in the sandbox's child, after `archive.check_archive`.
"""

import posixpath
import re
import zipfile
from pathlib import Path

MAX_NAMED = 20
_MANIFEST = "META-INF/manifest.xml"
MAX_PART_BYTES = 64 << 20
_FOLDERS = ("word/embeddings/", "xl/embeddings/", "ppt/embeddings/")
_LINK = re.compile(rb"<Relationship\s[^>]{1,2000}>")
_OBJECT = re.compile(rb"<(?:\w{1,20}:)?(?:OLEObject|oleObj|oleObject)\s[^>]{1,4000}>")
_ENTRY = re.compile(rb"<manifest:file-entry\s[^>]{1,2000}>")
_ATTRIBUTE = re.compile(rb"""([\w:]{1,40})\s{0,5}=\s{0,5}["']([^"'<>]{0,500})["']""")
_DOCUMENT = re.compile(
    r"^application/vnd\.(?:oasis\.opendocument|sun\.xml)\.(text|spreadsheet|presentation|calc|writer)"
)


def embedded_documents(path: Path) -> list[str]:
    """Return the embedded documents of a checked package: "oleObject1.bin (AcroExch.Document.7)".

    The workbook behind a chart is not one: its figures are in the chart.
    """
    with zipfile.ZipFile(path) as archive:
        found = list(embedded_members(archive).values())
        if _MANIFEST in archive.namelist() and archive.getinfo(_MANIFEST).file_size <= MAX_PART_BYTES:
            found += _objects(archive.read(_MANIFEST))
    return found


def embedded_members(archive: zipfile.ZipFile) -> dict[str, str]:
    """Return the members of an Office package that are embedded documents, in order, each with its label."""
    names = set(archive.namelist())
    programs: dict[str, str] = {}
    behind_charts: set[str] = set()
    for name in sorted(names):
        folder, file = posixpath.split(name)
        if not file.endswith(".rels") or archive.getinfo(name).file_size > MAX_PART_BYTES:
            continue
        part = posixpath.join(posixpath.dirname(folder), file.removesuffix(".rels"))
        targets = _targets(archive.read(name), posixpath.dirname(part))
        if "/charts/" in part:
            behind_charts |= set(targets.values())
        elif part in names and any(target.startswith(_FOLDERS) for target in targets.values()):
            programs |= _programs(archive, part, targets)
    members = sorted(n for n in names - behind_charts if n.startswith(_FOLDERS) and not n.endswith("/"))
    return {name: _label(posixpath.basename(name), programs.get(name, "")) for name in members}


def remarks(found: list[str]) -> list[str]:
    """Return the repair that names embedded documents; none if there are none."""
    if not found:
        return []
    more = f" and {len(found) - MAX_NAMED} more" if len(found) > MAX_NAMED else ""
    noun = "document" if len(found) == 1 else "documents"
    return [f"{len(found)} embedded {noun} not read: {', '.join(found[:MAX_NAMED])}{more}"]


def _label(name: str, program: str) -> str:
    return f"{name[:100]} ({program[:60]})" if program else name[:100]


def _targets(relations: bytes, folder: str) -> dict[str, str]:
    """Return the id of each relation with the member that it leads to."""
    found: dict[str, str] = {}
    for tag in _LINK.findall(relations):
        values = _attributes(tag)
        target = values.get("Target", "")
        whole = target[1:] if target.startswith("/") else posixpath.normpath(posixpath.join(folder, target))
        found[values.get("Id", "")] = whole
    return found


def _programs(archive: zipfile.ZipFile, part: str, targets: dict[str, str]) -> dict[str, str]:
    """Return the programs that made embedded objects, by member."""
    if archive.getinfo(part).file_size > MAX_PART_BYTES:
        return {}
    found: dict[str, str] = {}
    for tag in _OBJECT.findall(archive.read(part)):
        values = _attributes(tag)
        program = values.get("ProgID") or values.get("progId") or ""
        if program and (target := targets.get(values.get("r:id", ""))):
            found[target] = program
    return found


def _objects(manifest: bytes) -> list[str]:
    """Return the documents within an OpenDocument package."""
    found = []
    for tag in _ENTRY.findall(manifest):
        values = _attributes(tag)
        name, kind = values.get("manifest:full-path", ""), _DOCUMENT.match(values.get("manifest:media-type", ""))
        if kind and name.strip("/") and name.endswith("/"):
            found.append(_label(name.strip("/"), kind[1]))
    return sorted(found)


def _attributes(tag: bytes) -> dict[str, str]:
    return {name.decode("latin-1"): value.decode("utf-8", "replace") for name, value in _ATTRIBUTE.findall(tag)}
