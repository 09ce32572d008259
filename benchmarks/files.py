"""How foreign files are read, measured on fixtures of other projects. One subcommand a kind, one module each.

    python benchmarks/files.py reading DIRECTORY...   # every file: read, refused with a reason, or failed
    python benchmarks/files.py pdf DIRECTORY...       # words kept against pdfium; rows of tables with known cells
    python benchmarks/files.py web DIRECTORY...       # main text, authors and dates, beside plain trafilatura
    python benchmarks/files.py mail DIRECTORY...      # mails found in mailboxes
    python benchmarks/files.py codes DIRECTORY...     # barcodes read, beside plain zxing-cpp

A further kind is a module `files_<kind>.py` with `add_options(parser)` and `run(options)`, named in KINDS.
"""

import argparse
import importlib
import sys
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parent), str(Path(__file__).resolve().parent.parent)]

KINDS = {
    "reading": "every file of a tree: how many are read, and why the others are not",
    "pdf": "words kept against pdfium on pages with tables, and whole rows of tables with known cells",
    "web": "main text, authors and dates of web pages, beside plain trafilatura",
    "mail": "mails found in mailboxes",
    "codes": "QR codes and barcodes read, beside plain zxing-cpp in the same run",
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    kinds = parser.add_subparsers(dest="kind", required=True)
    for name, what in KINDS.items():
        module = importlib.import_module(f"files_{name}")
        own = kinds.add_parser(
            name, help=what, description=module.__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
        )
        own.add_argument("roots", nargs="+", type=Path, help="files, or directories of any depth")
        module.add_options(own)
        own.set_defaults(run=module.run)
    options = parser.parse_args()
    options.run(options)


if __name__ == "__main__":
    main()
