"""Throughput of the PDF reader in pages per second, compared with bare pypdfium2 and pdfplumber on the same files.

    python benchmarks/pdf.py EVAL_DIR [--repeat 3]

EVAL_DIR holds PDFs at any depth; only files that all three open are used. pypdfium2 returns text only, pdfplumber text
and tables, Brain's reader text, tables and a box for every line; images are not read. Brain's reader runs in the
sandbox, as in production.
"""

import argparse
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

Read = Callable[[Path], tuple[int, int]]  # -> pages, tables


def read_pdfium(path: Path) -> tuple[int, int]:
    import pypdfium2

    document = pypdfium2.PdfDocument(path)
    for page in document:
        page.get_textpage().get_text_bounded()
    return len(document), 0


def read_plumber(path: Path) -> tuple[int, int]:
    import pdfplumber

    tables = 0
    with pdfplumber.open(path) as document:
        for page in document.pages:
            page.extract_text()
            tables += len(page.extract_tables())
            page.close()
        return len(document.pages), tables


def read_brain(path: Path) -> tuple[int, int]:
    from brain_pipelines.readers.registry import readers_of
    from brain_retrieval.errors import BadInputError
    from brain_retrieval.settings import Limits

    with tempfile.TemporaryDirectory() as scratch:
        try:
            found = readers_of()["pdf"](path, Limits(), Path(scratch))
        except BadInputError as error:
            if "all blank" in str(error):
                return 1, 0
            raise
    return found.attributes["pages"], sum(block.kind == "table" for block in found.blocks)


READERS: dict[str, Read] = {"pypdfium2": read_pdfium, "pdfplumber": read_plumber, "brain": read_brain}


def readable(paths: list[Path]) -> list[Path]:
    """Return the files that every reader opens; this also loads the libraries."""
    kept = []
    for path in paths:
        try:
            for read in READERS.values():
                read(path)
        except Exception as error:
            print(f"left out: {path.name} ({type(error).__name__})")
        else:
            kept.append(path)
    return kept


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--repeat", type=int, default=3)
    args = parser.parse_args()
    paths = readable(sorted(args.folder.rglob("*.pdf")))
    runs: dict[str, list[list[float]]] = {name: [] for name in READERS}  # seconds of each file, run by run
    counts: dict[str, list[tuple[int, int]]] = {}
    for _ in range(args.repeat):
        for name, read in READERS.items():
            timed = [_timed(read, path) for path in paths]
            runs[name].append([seconds for _, seconds in timed])
            counts[name] = [found for found, _ in timed]
    everything = range(len(paths))
    tables = {index for index in everything if counts["pdfplumber"][index][1]}
    groups = {"all": everything, "with tables": tables, "without tables": set(everything) - tables}
    print(f"\nmedian of {args.repeat}\n")
    print("| files | reader | pages/s | times pdfplumber | tables |\n|---|---|---|---|---|")
    for group, members in groups.items():
        middle = {name: statistics.median(sum(run[i] for i in members) for run in runs[name]) for name in READERS}
        for name in READERS:
            pages, found = (sum(counts[name][i][column] for i in members) for column in (0, 1))
            ratio = middle["pdfplumber"] / middle[name]
            print(f"| {len(members)} {group} | {name} | {pages / middle[name]:.1f} | {ratio:.2f} | {found} |")


def _timed(read: Read, path: Path) -> tuple[tuple[int, int], float]:
    began = time.perf_counter()
    found = read(path)
    return found, time.perf_counter() - began


if __name__ == "__main__":
    main()
