"""PDF pages with tables: words kept against pdfium, and whole rows of tables with known cells.

    python benchmarks/files.py pdf DIRECTORY... [--worst 10]

Words: on every page on which pdfplumber finds a ruled table (two rows and columns, a quarter of the cells filled), the
share of pdfium's words, as a multiset, that the reader keeps. Scanned pages, which the reader leaves to OCR, are not
counted. Printed is the mean over pages, and the share over all words.

Rows: known cells are those of the CSV files beside tabula-java's PDFs, and of the ICDAR 2013 table competition
(`*-str.xml`), each PDF once. A row is whole if one line of the reader's text holds all of its cells in order, and
exact if the line holds nothing else; case, white space and punctuation are not compared. A row counts if it has at
least two filled cells.
"""

import argparse
import csv
import hashlib
import re
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

_WORD = re.compile(r"\w+")
_HYPHEN_AT_END = re.compile("[\ufffe\x02][\\s]{0,4}")
Rows = list[list[str]]


@dataclass
class Read:
    """What one reader made of one file: words by page, lines by page, seconds."""

    words: dict[int, Counter[str]] = field(default_factory=dict)
    lines: dict[int, list[str]] = field(default_factory=lambda: defaultdict(list))
    seconds: float = 0.0


def words(text: str) -> Counter[str]:
    return Counter(_WORD.findall(_HYPHEN_AT_END.sub("", text)))


def squeezed(text: str) -> str:
    """Return the letters and digits of a text, in lower case."""
    return "".join(_WORD.findall(text.lower())).replace("_", "")


def of_pdfium(path: Path) -> Read:
    """Return the words that pdfium reads on each page."""
    import pypdfium2

    found = Read()
    document = pypdfium2.PdfDocument(path)
    for index, page in enumerate(document):
        found.words[index + 1] = words(page.get_textpage().get_text_bounded())
    document.close()
    return found


def of_brain(path: Path) -> Read:
    """Return the words and lines that the reader keeps on each page; pages left to OCR are missing."""
    from brain_pipelines.readers.document.pdf import read_file
    from brain_retrieval.settings import Limits

    found = Read()
    began = time.perf_counter()
    with tempfile.TemporaryDirectory() as scratch:
        extracted = read_file(path, Limits(), Path(scratch))
    found.seconds = time.perf_counter() - began
    for block in extracted.blocks:
        page = block.page or 0
        if block.kind == "page" and block.picture:
            continue
        found.words[page] = found.words.get(page, Counter()) + words(block.text)
        found.lines[page] += block.text.split("\n")
    return found


def ruled_pages(path: Path) -> set[int]:
    """Return the pages on which pdfplumber finds a ruled table that holds text."""
    import pdfplumber

    pages = set()
    with pdfplumber.open(path) as document:
        for page in document.pages:
            if any(_holds_text(table.extract()) for table in page.find_tables()):
                pages.add(page.page_number)
            page.close()
    return pages


def _holds_text(rows: list[list[str | None]]) -> bool:
    cells = [cell for row in rows for cell in row if cell is not None]
    filled = sum(bool(cell.strip()) for cell in cells)
    return len(rows) > 1 and len(rows[0]) > 1 and filled > 3 and filled * 4 >= len(cells)


def known_rows(path: Path) -> Iterator[tuple[str, int | None, Rows]]:
    """Yield the known tables of a PDF: the set that they are from, the page (None: any) and the rows of cells."""
    beside = path.parent / "csv" / f"{path.stem}.csv"
    if beside.exists():
        with beside.open(encoding="utf-8", newline="") as file:
            yield "tabula-java CSV", None, list(csv.reader(file))
    competition = path.with_name(f"{path.stem}-str.xml")
    if competition.exists():
        yield from _competition(competition)


def _competition(path: Path) -> Iterator[tuple[str, int | None, Rows]]:
    from lxml import etree

    for region in etree.parse(str(path)).getroot().iter("region"):
        rows: dict[int, dict[int, str]] = defaultdict(dict)
        for cell in region.iter("cell"):
            place = cell.get("start-row"), cell.get("start-col")
            rows[int(place[0])][int(place[1])] = cell.findtext("content") or ""
        yield "ICDAR 2013", int(region.get("page")), [[row[n] for n in sorted(row)] for _, row in sorted(rows.items())]


def is_whole(row: list[str], lines: list[str]) -> bool:
    """Return whether one line holds all cells of a row, in order; a page written from the right has them reversed."""
    return _holds(row, lines) or _holds(row[::-1], lines)


def _holds(row: list[str], lines: list[str]) -> bool:
    for line in lines:
        at = 0
        for cell in row:
            at = line.find(cell, at)
            if at < 0:
                break
            at += len(cell)
        else:
            return True
    return False


def is_exact(row: list[str], lines: list[str]) -> bool:
    """Return whether a line is the row and nothing else."""
    return "".join(row) in lines or "".join(row[::-1]) in lines


@dataclass
class Total:
    """Sums over files: of each page (file, page, kept, words), of each table (file, page, set, rows, whole, exact)."""

    pages: list[tuple[str, int, int, int]] = field(default_factory=list)
    tables: list[tuple[str, int, str, int, int, int]] = field(default_factory=list)
    seconds: float = 0.0
    refused: list[str] = field(default_factory=list)


def measure(path: Path, total: Total, *, show: bool = False) -> None:
    """Add one file to the sums."""
    from brain_retrieval.errors import BadInputError

    try:
        ours = of_brain(path)
    except BadInputError as error:
        total.refused.append(f"{path.name}: {error}")
        return
    total.seconds += ours.seconds
    plain = of_pdfium(path)
    for page in sorted(_ruled(path) & set(ours.words)):
        expected = plain.words[page]
        if count := sum(expected.values()):
            total.pages.append((path.name, page, sum((expected & ours.words[page]).values()), count))
    for source, page, rows in known_rows(path):
        lines = [squeezed(line) for own in ([page] if page else list(ours.lines)) for line in ours.lines[own]]
        cells = [[text for cell in row if (text := squeezed(cell))] for row in rows]
        cells = [row for row in cells if len(row) > 1]
        whole = [is_whole(row, lines) for row in cells]
        if show:
            for row, found in zip(cells, whole, strict=True):
                if not found:
                    print(f"not whole: {path.name} p. {page}: {row}")
        if cells:
            exact = sum(is_exact(row, lines) for row in cells)
            total.tables.append((path.name, page or 0, source, len(cells), sum(whole), exact))


def _ruled(path: Path) -> set[int]:
    try:
        return ruled_pages(path)
    except Exception as error:  # pdfplumber is stricter than pdfium
        print(f"pdfplumber cannot read {path.name}: {type(error).__name__}")
        return set()


def show(total: Total, worst: int) -> None:
    """Print both measures, and the pages and tables that lose most."""
    if total.pages:
        mean = sum(kept / count for _, _, kept, count in total.pages) / len(total.pages)
        kept, count = (sum(page[n] for page in total.pages) for n in (2, 3))
        below = sum(kept < 0.98 * count for _, _, kept, count in total.pages)
        print(f"words kept, {len(total.pages)} pages with tables: mean {mean:.4f}, of all {count:,} words", end=" ")
        print(f"{kept / count:.4f}; {below} pages below .98")
        for name, page, own, every in sorted(total.pages, key=lambda page: page[2] / page[3])[:worst]:
            print(f"  {own / every:.3f} {name} p. {page} ({every} words)")
    for source in sorted({table[2] for table in total.tables}):
        members = [table for table in total.tables if table[2] == source]
        rows, whole, exact = (sum(table[n] for table in members) for n in (3, 4, 5))
        files = len({table[0] for table in members})
        print(f"rows, {source}: {rows} of {len(members)} tables, {files} files;", end=" ")
        print(f"whole {whole / rows:.3f}, exact {exact / rows:.3f}")
        for name, page, _, every, own, same in sorted(members, key=lambda table: table[4] - table[3])[:worst]:
            print(f"  whole {own}, exact {same} of {every}: {name} p. {page or 'any'}")
    print(f"reader: {total.seconds:.1f} s")
    for line in total.refused:
        print(f"refused: {line}")


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of this kind."""
    parser.add_argument("--worst", type=int, default=0, help="pages and tables to name, the worst first")
    parser.add_argument("--rows", action="store_true", help="print every row that is not whole")


def run(options: argparse.Namespace) -> None:
    """Measure every different PDF under the roots, and print the sums."""
    total = Total()
    seen: set[str] = set()
    for path in _files(options.roots):
        digest = hashlib.sha256(path.read_bytes()).hexdigest()
        if digest not in seen:
            seen.add(digest)
            measure(path, total, show=options.rows)
    print(f"{len(seen)} different files")
    show(total, options.worst)


def _files(roots: list[Path]) -> Iterator[Path]:
    """Yield the PDFs, those with known cells first: of two copies the one beside its cells counts."""
    found: list[Any] = [p for root in roots for p in ([root] if root.is_file() else sorted(root.rglob("*.pdf")))]
    yield from sorted(found, key=lambda path: not any(True for _ in known_rows(path)))
