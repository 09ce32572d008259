"""Mailboxes of other projects: mails found in each mbox, beside its separators and Python's own reader.

    python benchmarks/files.py mail DIR... [--show]      (alone: python benchmarks/files_mail.py DIR...)

A root is a copy of jstedfast/MimeKit, or any directory or file: every file named `*.mbox` or `*.mbox.txt` is read. A
mail counts if it is an item of its own; several of the same bytes are one item. If a file has a summary of its mails
beside it, as MimeKit's have (`*-summary.txt`), those are the mails expected; else the lines that begin with "From ".
"""

import argparse
import mailbox
import re
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

SEPARATOR = re.compile(rb"^From ", re.M)


def mailboxes(roots: list[Path]) -> Iterator[Path]:
    """Yield the mailboxes below the roots, without empty files."""
    for root in roots:
        found = [root] if root.is_file() else sorted((*root.rglob("*.mbox"), *root.rglob("*.mbox.txt")))
        yield from (path for path in found if path.stat().st_size)


def expected(path: Path) -> int:
    """Return the number of mails that a mailbox is said to have."""
    summary = path.with_name(path.name.removesuffix(".txt").removesuffix(".mbox") + "-summary.txt")
    return len(SEPARATOR.findall((summary if summary.exists() else path).read_bytes()))


def items(path: Path) -> tuple[int, int, list[str]]:
    """Return the mails that Brain finds, those it reads, and the reasons for the others."""
    from tests.samples.taking import take

    taken = take("email", path, name=f"{path.name.split('.')[0]}.mbox", given=datetime(2026, 1, 5, tzinfo=UTC))
    mails = [one for one in taken if "part-" not in one.item.fragment and one.item.fragment]
    return len(mails), sum(one.document is not None for one in mails), [one.refusal for one in mails if one.refusal]


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--show", action="store_true", help="print why mails were refused")


def run(options: argparse.Namespace) -> None:
    """Print a table of the mailboxes below `options.roots`."""
    print("| mailbox | expected | Python's mailbox | Brain | read |\n|---|---|---|---|---|")
    for path in mailboxes(options.roots):
        found, read, reasons = items(path)
        print(f"| {path.name} | {expected(path)} | {len(mailbox.mbox(path, create=False))} | {found} | {read} |")
        for reason in sorted(set(reasons)) if options.show else ():
            print(f"    {reasons.count(reason)} refused: {reason}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("roots", nargs="+", type=Path)
    add_options(parser)
    run(parser.parse_args())


if __name__ == "__main__":
    main()
