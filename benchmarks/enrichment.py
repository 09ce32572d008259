"""Precision of summaries, keywords and tags, by reading: each is judged right or wrong by a person.

    brain ingest FILES --user USER --home HOME
    python benchmarks/enrichment.py HOME USER --sheet SHEET.tsv

The first run writes a sheet of one line for each summary, keyword and tag of the user's sources, computed by the code
as it is, with an empty verdict. Read each source, write `1` (right) or `0` (wrong) into the last column, and run the
command again: it prints the share of right ones by part. Verdicts stay with their source, part and text, so after a
change only what is new has to be judged. Right means:

- a summary: it says what the text is about, is whole, and can be read alone;
- a keyword: it names what the text is about, as someone would search for it; no half phrase, no verb, no chance word;
- a tag: someone who filters by it would expect this text. The source type, which is always right, is left out.
"""

import argparse
import csv
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import polars as pl

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from brain_pipelines.stages.enrichment.extractive import enrich

PARTS = ("summary", "keyword", "tag")
Key = tuple[str, str, str]  # source, part, text


def texts(home: Path, user: str) -> Iterator[dict[str, Any]]:
    """Yield the rows of DOCUMENT_TEXT of a user, one for each source, in the order of their names."""
    files = sorted((home / "users" / user / "lake" / "text").rglob("*.parquet"), key=lambda file: file.stat().st_mtime)
    rows = pl.concat([pl.read_parquet(file) for file in files], how="diagonal_relaxed")
    yield from rows.unique("source_id", keep="last").sort("uri").iter_rows(named=True)


def findings(home: Path, user: str) -> Iterator[Key]:
    """Yield what the enrichment of today's code says of each source."""
    for row in texts(home, user):
        found = enrich(row)
        for part, terms in zip(PARTS, ([found.summary], found.keywords, found.tags), strict=True):
            yield from ((row["uri"], part, term) for term in terms if term and term != row["source"])


def judged(sheet: Path) -> dict[Key, str]:
    """Return the verdicts of a sheet, "" where there is none yet."""
    if not sheet.exists():
        return {}
    with sheet.open(newline="", encoding="utf-8") as file:
        return {(row[0], row[1], row[2]): row[3] for row in csv.reader(file, delimiter="\t")}


def main() -> None:
    """Write the sheet with the verdicts that are known, and print the precision of each part."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("home", type=Path)
    parser.add_argument("user")
    parser.add_argument("--sheet", type=Path, required=True)
    options = parser.parse_args()
    known = judged(options.sheet)
    rows = [(*key, known.get(key, "")) for key in findings(options.home, options.user)]
    with options.sheet.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file, delimiter="\t").writerows(rows)
    sources = len({row[0] for row in rows})
    for part in PARTS:
        verdicts = [row[3] for row in rows if row[1] == part]
        right, wrong = verdicts.count("1"), verdicts.count("0")
        share = f"{right / (right + wrong):.2f}" if right + wrong else "–"
        print(f"{part}: {len(verdicts)} of {sources} sources, {right + wrong} judged, {share} right")


if __name__ == "__main__":
    main()
