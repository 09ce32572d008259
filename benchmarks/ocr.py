"""OCR on scanned receipts: character error rate, words and key fields found, time; compared with tesseract.

    .venv/bin/python benchmarks/ocr.py EVAL_DIR [COUNT]

EVAL_DIR/receipts holds img/*.jpg, box/*.csv (eight corners and the text of each piece) and key/*.json (fields). Case
and repeated spaces are ignored.
"""

import json
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from statistics import mean

from PIL import Image
from rapidfuzz import fuzz
from rapidfuzz.distance import Levenshtein

from brain_pipelines.readers.image.ocr import join_lines
from brain_retrieval.models.vision.build import build_ocr
from brain_retrieval.settings import load_settings

FIELD_SCORE = 90  # of 100: the field's text is found with at most a letter or two wrong


def truth(path: Path) -> str:
    """Return the text of a page with its pieces sorted into rows by their boxes, because some files list columns."""
    pieces = []
    for line in path.read_text("utf-8").splitlines():
        *corners, text = line.split(",", 8)
        if len(corners) == 8:
            x, y = [int(value) for value in corners[::2]], [int(value) for value in corners[1::2]]
            pieces.append((min(y), max(y), min(x), text))
    rows: list[list[tuple[int, int, int, str]]] = []
    for piece in sorted(pieces, key=lambda p: p[0] + p[1]):
        middle = (piece[0] + piece[1]) / 2
        if rows and rows[-1][0][0] < middle < rows[-1][0][1]:
            rows[-1].append(piece)
        else:
            rows.append([piece])
    return "\n".join(" ".join(piece[3] for piece in sorted(row, key=lambda p: p[2])) for row in rows)


def plain(text: str) -> str:
    """Return a text without irrelevant differences: upper case, single spaces."""
    return " ".join(text.upper().split())


def score(found: str, wanted: str, fields: dict[str, str]) -> tuple[float, float, float]:
    """Return the character error rate in reading order, and the shares of words and of key fields found."""
    found, wanted = plain(found), plain(wanted)
    errors = Levenshtein.distance(found, wanted) / max(1, len(wanted))
    have, want = Counter(found.split()), Counter(wanted.split())
    recall = sum((have & want).values()) / max(1, want.total())
    values = [plain(value) for value in fields.values() if value]
    hits = sum(fuzz.partial_ratio(value, found) >= FIELD_SCORE for value in values) / max(1, len(values))
    return errors, recall, hits


def tesseract(picture: Path) -> str:
    """Return what tesseract reads as one block of text (--psm 6), its best mode on these pages."""
    command = ["tesseract", str(picture), "-", "--psm", "6", "-l", "eng"]
    environment = {"OMP_THREAD_LIMIT": "1", "PATH": "/usr/bin:/bin:/usr/local/bin"}
    return subprocess.run(command, capture_output=True, text=True, check=True, env=environment).stdout


def main() -> None:
    """Measure both on the same pictures and print a line for each."""
    folder = Path(sys.argv[1]) / "receipts"
    names = sorted(path.stem for path in (folder / "img").glob("*.jpg"))[
        : int(sys.argv[2]) if len(sys.argv) > 2 else None
    ]
    reader = build_ocr(load_settings())
    assert reader is not None
    engines = {reader.name: lambda picture: join_lines(reader.read(picture))[0]}
    if shutil.which("tesseract"):
        engines["tesseract --psm 6"] = tesseract
    print(f"{len(names)} receipts")
    with tempfile.TemporaryDirectory() as scratch:
        for engine, read in engines.items():
            rows = []
            seconds = []
            for name in names:
                picture = Path(scratch) / f"{name}.png"
                Image.open(folder / "img" / f"{name}.jpg").convert("RGB").save(picture)
                began = time.perf_counter()
                text = read(picture)
                seconds.append(time.perf_counter() - began)
                fields = json.loads((folder / "key" / f"{name}.json").read_text("utf-8"))
                rows.append(score(text, truth(folder / "box" / f"{name}.csv"), fields))
            errors, recall, hits = (mean(column) for column in zip(*rows, strict=True))
            print(
                f"{engine:28} CER {errors:.3f}  words found {recall:.3f}  key fields {hits:.3f}  "
                f"{mean(seconds):.2f} s an image"
            )


if __name__ == "__main__":
    main()
