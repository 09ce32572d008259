"""Reader of Excel and OpenDocument spreadsheets (.xlsx, .xls, .ods): tables. Runs in the sandbox's child.

Formulas give their saved values. Charts are not read; pictures are left for OCR.
"""

import re
import zipfile
from itertools import islice
from pathlib import Path
from typing import Any

from brain_pipelines.readers.document.archive import check_archive, is_zip
from brain_pipelines.readers.document.charts import chart_blocks
from brain_pipelines.readers.document.embedded_documents import embedded_documents
from brain_pipelines.readers.document.embedded_images import PictureSink, archive_pictures
from brain_pipelines.readers.document.ooxml import archive_facts, check_not_encrypted, office_date, opendocument_date
from brain_pipelines.readers.document.tables import MAX_ROWS, grid_blocks
from brain_pipelines.readers.encoding import check_size
from brain_pipelines.readers.extracted import AS_DETECTED, Block, Extracted
from brain_pipelines.readers.formats import Format
from brain_pipelines.readers.sandbox import Isolated
from brain_retrieval.errors import BadInputError
from brain_retrieval.settings import Limits

MAX_SPAN = 20_000_000  # cells between a sheet's first and last; the parser allocates memory for each
MAX_SHEETS = 500
_CELL = re.compile(rb'[ ]r="([A-Z]{1,3})(\d{1,7})"')
_PIECE = 1 << 20


def read_file(path: Path, limits: Limits, scratch: Path | None) -> Extracted:
    """Return the sheets as tables of at most `tables.ROWS_A_BLOCK` rows, and their pictures.

    Raises:
        BadInputError: if it is a bomb, damaged, encrypted, spread over too many cells, or without a filled cell.
    """
    check_size(path, limits.max_file_bytes)
    zipped = is_zip(path)  # all but .xls
    facts: dict[str, Any] = {}
    if zipped:
        check_archive(path, limits)
        check_not_encrypted(path)
        facts = archive_facts(path)
        _check_span(path)
    blocks, repairs, attributes = _read_sheets(path)
    sink = PictureSink(limits, scratch)
    embedded: list[str] = []
    if zipped:
        blocks += archive_pictures(path, ("xl/media/", "Pictures/"), sink)
        blocks += chart_blocks(path, figures=False)
        embedded = embedded_documents(path)
    if not blocks and not embedded:
        raise BadInputError("no filled cell in the workbook")
    attributes["pictures"] = sink.count
    return Extracted(
        AS_DETECTED,
        blocks,
        facts.get("title", ""),
        facts.get("authors", []),
        repairs=[*repairs, *sink.remarks()],
        attributes=attributes,
        embedded=embedded,
    )


def _read_sheets(path: Path) -> tuple[list[Block], list[str], dict[str, Any]]:
    from python_calamine import CalamineError, CalamineWorkbook, PasswordError, SheetVisibleEnum

    blocks: list[Block] = []
    repairs: list[str] = []
    rows = 0
    try:
        workbook = CalamineWorkbook.from_path(str(path))
        names = workbook.sheet_names
        hidden = [s.name for s in workbook.sheets_metadata if s.visible != SheetVisibleEnum.Visible]
    except PasswordError:
        raise BadInputError("encrypted workbook: a password is needed") from None
    except (CalamineError, OSError, ValueError, zipfile.BadZipFile) as error:
        raise BadInputError(f"damaged workbook: {str(error)[:120]}") from None
    for name in names[:MAX_SHEETS]:
        try:
            sheet = workbook.get_sheet_by_name(name)
        except CalamineError as error:  # a sheet of charts, or a damaged one; the others are read
            repairs.append(f"sheet '{name[:60]}' not read: {str(error)[:80]}")
            continue
        top, left = sheet.start or (0, 0)
        below = islice(sheet.iter_rows(), top, None)  # rows count from the first of the sheet, columns from `left`
        found, taken, left_out = grid_blocks(
            below, sheet=name, first_row=top + 1, first_column=left, most=MAX_ROWS - rows
        )
        blocks += found
        rows += taken
        if left_out:
            repairs.append(f"sheet '{name[:60]}': {left_out}")
    if len(names) > MAX_SHEETS:
        repairs.append(f"{len(names) - MAX_SHEETS} sheets left out: more than {MAX_SHEETS}")
    attributes: dict[str, Any] = {"sheets": names[:MAX_SHEETS], "rows": rows}
    return blocks, repairs, attributes | ({"hidden_sheets": hidden} if hidden else {})


def _check_span(path: Path) -> None:
    """Refuse sheets whose filled cells lie so far apart that the dense grid would not fit in memory."""
    with zipfile.ZipFile(path) as archive:
        for member in archive.namelist():
            if member.startswith("xl/worksheets/") and member.endswith(".xml"):
                rows, columns = _extent(archive, member)
                if rows * columns > MAX_SPAN:
                    raise BadInputError(
                        f"a sheet spread over {rows:,} rows and {columns:,} columns, the limit is {MAX_SPAN:,} cells"
                    )


def _extent(archive: zipfile.ZipFile, member: str) -> tuple[int, int]:
    rows = columns = 0
    before = b""
    with archive.open(member) as stream:
        while piece := stream.read(_PIECE):
            for letters, digits in set(_CELL.findall(before + piece)):
                rows = max(rows, int(digits))
                columns = max(columns, _column(letters))
            before = piece[-20:]
    return rows, columns


def _column(letters: bytes) -> int:
    number = 0
    for letter in letters:
        number = number * 26 + letter - 64
    return number


READ = Isolated(read_file, ("python_calamine", "lxml.etree", "PIL.Image"))
FORMATS = (
    Format(
        "xlsx",
        "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
        "an Excel workbook (.xlsx)",
        family="document",
        suffixes=(".xlsx",),
        promised=True,
        zip_folder="xl/",
        read=READ,
        date_of=office_date,
    ),
    Format(
        "xls",
        "application/vnd.ms-excel",
        "an Excel workbook of before 2007 (.xls)",
        family="document",
        suffixes=(".xls",),
        ole_streams=("Workbook",),
        read=READ,
    ),
    Format(
        "ods",
        "application/vnd.oasis.opendocument.spreadsheet",
        "an OpenDocument spreadsheet",
        family="document",
        suffixes=(".ods",),
        zip_mimetype=b"opendocument.spreadsheet",
        read=READ,
        date_of=opendocument_date,
    ),
)
