"""Barcodes: codes read by Brain's reader and by plain zxing-cpp with all of its formats, in the same run.

    python benchmarks/files.py codes DIRECTORY...

A picture with a text of the same name beside it (as in zxing's `blackbox` tests) is read if one code has this text, or
holds it after a prefix or guards of up to six characters; letters and digits are compared. Where the folder's name
begins with "falsepositives", and on every page of a PDF (the first three of a file, at 144 dpi), a code of any text is
counted as false. `--noise N` adds N pictures of random bars.
"""

import argparse
import random
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

SUFFIXES = (".png", ".jpg", ".jpeg", ".gif")
PAGES = 3
Picture = tuple[str, str | None, Any]  # set, expected text (None: no code is expected), image


def plain(image: Any) -> list[tuple[str, str]]:
    """Return format and text of every code that zxing-cpp finds by default."""
    import zxingcpp

    return [(code.format.name, code.text) for code in zxingcpp.read_barcodes(image)]


def brain(image: Any) -> list[tuple[str, str]]:
    """Return format and text of every code that Brain reports."""
    from brain_pipelines.readers.image.codes import read_codes

    return [(code["format"], code["text"]) for code in read_codes(image)]


def pictures(roots: list[Path], noise: int) -> Iterator[Picture]:
    """Yield the pictures of all roots."""
    from PIL import Image

    for root in roots:
        for path in [root] if root.is_file() else sorted(root.rglob("*")):
            if path.suffix.lower() == ".pdf":
                yield from _pages(path)
            elif path.suffix.lower() in SUFFIXES:
                text = path.with_suffix(".txt")
                known = text.exists() and not path.parent.name.startswith("falsepositives")
                if not known and not path.parent.name.startswith("falsepositives"):
                    continue
                expected = text.read_text("utf-8", "replace") if known else None
                yield path.parent.name, expected, Image.open(path).convert("RGB")
    chance = random.Random(5)
    for _ in range(noise):
        yield "noise", None, _bars(chance)


def _pages(path: Path) -> Iterator[Picture]:
    import pypdfium2

    try:
        document = pypdfium2.PdfDocument(path)
    except pypdfium2.PdfiumError:
        return
    for index in range(min(len(document), PAGES)):
        yield "pages of PDFs", None, document[index].render(scale=2).to_pil().convert("RGB")


def _bars(chance: random.Random) -> Any:
    """Return 600 x 200 pixels of bars of random widths, as in a table, a fence or a chart."""
    from PIL import Image, ImageDraw

    image = Image.new("RGB", (600, 200), "white")
    draw = ImageDraw.Draw(image)
    unit = chance.randint(1, 4)
    at = chance.randint(10, 120)
    while at < 580:
        width = unit * chance.choice((1, 1, 2, 3))
        draw.rectangle((at, 30, min(at + width, 590) - 1, 170), fill="black")
        at += width + unit * chance.choice((1, 1, 2, 3))
    return image


def squeezed(text: str) -> str:
    return "".join(c for c in text if c.isalnum())


def _same(expected: str, found: str) -> bool:
    """Return whether a text is the expected one: a UPC may be given as EAN, Codabar with its guards."""
    return expected in found and len(found) - len(expected) <= 6 and bool(expected)


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of this kind."""
    parser.add_argument("--noise", type=int, default=0, help="pictures of random bars to add")
    parser.add_argument("--sets", action="store_true", help="print every set")


def run(options: argparse.Namespace) -> None:
    """Read all pictures by both, and print how many codes are right and how many false."""
    readers = {"brain": brain, "zxing-cpp": plain}
    seconds: Counter[str] = Counter()
    right: Counter[tuple[str, str]] = Counter()
    false: Counter[tuple[str, str]] = Counter()
    known: Counter[str] = Counter()
    empty: Counter[str] = Counter()
    for group, expected, image in pictures(options.roots, options.noise):
        (empty if expected is None else known)[group] += 1
        for name, read in readers.items():
            began = time.perf_counter()
            codes = read(image)
            seconds[name] += time.perf_counter() - began
            if expected is None:
                false[group, name] += bool(codes)
            else:
                right[group, name] += any(_same(squeezed(expected), squeezed(text)) for _, text in codes)
    print("| | pictures | " + " | ".join(readers) + " |\n|---|---|---|---|")
    for group in sorted(known) if options.sets else ():
        print(f"| {group}: read | {known[group]} | " + " | ".join(str(right[group, name]) for name in readers) + " |")
    for label, groups, counts in (("read", known, right), ("false codes", empty, false)):
        totals = (sum(counts[group, name] for group in groups) for name in readers)
        print(f"| {label} | {sum(groups.values())} | " + " | ".join(map(str, totals)) + " |")
    for group in sorted(empty):
        print(f"| false: {group} | {empty[group]} | " + " | ".join(str(false[group, name]) for name in readers) + " |")
    print("| seconds | | " + " | ".join(f"{seconds[name]:.1f}" for name in readers) + " |")
