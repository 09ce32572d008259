"""Small files of each format, produced with the usual libraries."""

import io
import zipfile
import zlib
from datetime import UTC, datetime
from pathlib import Path
from struct import pack


def png() -> bytes:
    """Return a white image of 300 × 200 pixels."""

    def part(kind: bytes, data: bytes) -> bytes:
        return pack(">I", len(data)) + kind + data + pack(">I", zlib.crc32(kind + data))

    rows = b"".join(b"\0" + b"\xff" * 300 for _ in range(200))
    header = part(b"IHDR", pack(">IIBBBBB", 300, 200, 8, 0, 0, 0, 0))
    return b"\x89PNG\r\n\x1a\n" + header + part(b"IDAT", zlib.compress(rows)) + part(b"IEND", b"")


def pdf(
    *pages: str,
    table: list[list[str]] | None = None,
    password: str = "",
    image: bool = False,
    made: datetime | None = None,
) -> bytes:
    """Return a PDF with one page per text, a ruled table at the end of the last page, or an image on each page."""
    from fpdf import FPDF
    from fpdf.enums import EncryptionMethod

    document = FPDF()
    document.set_creation_date(made or datetime(2026, 1, 7, 10, tzinfo=UTC))
    if password:
        document.set_encryption("owner", password, encryption_method=EncryptionMethod.RC4)
    for text in pages:
        document.add_page()
        document.set_font("Helvetica", size=12)
        if text:
            document.multi_cell(0, 8, text)
        if image:
            document.image(io.BytesIO(png()), w=100)
    if table:
        with document.table() as rows:
            for row in table:
                line = rows.row()
                for cell in row:
                    line.cell(cell)
    return bytes(document.output())


def docx(
    *, title: str = "", sections: dict[str, list[str]] | None = None, table: list[list[str]] | None = None
) -> bytes:
    """Return a Word file with level 1 headings, or level 2 for names that begin with a space."""
    import docx as library

    document = library.Document()
    if title:
        document.core_properties.title = title
    for heading, paragraphs in (sections or {}).items():
        if heading:
            document.add_heading(heading.strip(), 2 if heading.startswith(" ") else 1)
        for text in paragraphs:
            document.add_paragraph(text)
    if table:
        grid = document.add_table(rows=0, cols=len(table[0]))
        for row in table:
            for cell, text in zip(grid.add_row().cells, row, strict=True):
                cell.text = text
    buffer = io.BytesIO()
    document.save(buffer)
    return buffer.getvalue()


def with_member(archive: bytes, name: str, data: bytes, *, level: int = 9) -> bytes:
    """Return a zip archive with one member replaced."""
    buffer = io.BytesIO()
    with (
        zipfile.ZipFile(io.BytesIO(archive)) as old,
        zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED, compresslevel=level) as new,
    ):
        for member in old.namelist():
            if member != name:
                new.writestr(member, old.read(member))
        new.writestr(name, data)
    return buffer.getvalue()


def understated(archive: bytes, name: str) -> bytes:
    """Return a zip archive whose directory understates a member's uncompressed size as 100 bytes."""
    with zipfile.ZipFile(io.BytesIO(archive)) as old:
        size = old.getinfo(name).file_size
    return archive.replace(pack("<I", size), pack("<I", 100))


def sparse(path: Path, start: bytes, size: int) -> Path:
    """Write a sparse file of `size` bytes: `start`, then a hole."""
    with path.open("wb") as file:
        file.write(start)
        file.truncate(size)
    return path
