"""Main text extraction from web pages: Brain's HTML reader against plain trafilatura on the same pages.

    python benchmarks/web.py EVAL_DIR [--repeat 3]

EVAL_DIR holds `web/ground-truth.json` and `web/html/<id>.html.gz` in the format of the article extraction benchmark
(Scrapinghub). Its metric: multisets of 4-token shingles of the true and the extracted text, precision and recall of
each page, their means, and the F1 of these means.
"""

import argparse
import gzip
import json
import re
import statistics
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

TOKEN = re.compile(r"\w+")
SHINGLE = 4
Extract = Callable[[str], str]


def shingles(text: str) -> Counter[tuple[str, ...]]:
    """Return the multiset of a text's shingles; a shorter text is a single shingle."""
    tokens = TOKEN.findall(text)
    return Counter(tuple(tokens[n : n + SHINGLE]) for n in range(max(1, len(tokens) - SHINGLE + 1)))


def precision_and_recall(true: str, found: str) -> tuple[float, float]:
    """Return the precision and recall of one page as the benchmark defines them."""
    expected, got = shingles(true), shingles(found)
    hits = sum(min(count, got[one]) for one, count in expected.items())
    false, missed = sum(got.values()) - hits, sum(expected.values()) - hits
    if false == missed == 0:
        return 1.0, 1.0
    return (hits / (hits + false) if hits + false else 0.0), (hits / (hits + missed) if hits + missed else 0.0)


def plain(page: str) -> str:
    """Return what trafilatura extracts by default."""
    import trafilatura

    return trafilatura.extract(page) or ""


def without_comments(page: str) -> str:
    """Return what trafilatura extracts without comments, with `favor_precision`."""
    import trafilatura

    return trafilatura.extract(page, include_comments=False, favor_precision=True) or ""


def brain(page: str) -> str:
    """Return the text that Brain extracts from a page."""
    from brain_pipelines.readers.webpage.html import read_html
    from brain_retrieval.errors import BadInputError

    try:
        return "\n\n".join(block.text for block in read_html(page).blocks)
    except BadInputError:
        return ""


METHODS: dict[str, Extract] = {
    "trafilatura, default (floor)": plain,
    "trafilatura, precision, no comments": without_comments,
    "**Brain**": brain,
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("--repeat", type=int, default=3)
    args = parser.parse_args()
    folder = args.data / "web"
    truth = json.loads((folder / "ground-truth.json").read_text("utf-8"))
    pages = {key: gzip.decompress((folder / "html" / f"{key}.html.gz").read_bytes()).decode() for key in truth}
    floor = 0.0
    print(f"{len(pages)} pages, median of {args.repeat}\n\n| | F1 | precision | recall | pages/s | against the floor |")
    print("|---|---|---|---|---|---|")
    for name, extract in METHODS.items():
        extract(next(iter(pages.values())))  # warm up
        seconds, found = [], {}
        for _ in range(args.repeat):
            began = time.perf_counter()
            found = {key: extract(page) for key, page in pages.items()}
            seconds.append(time.perf_counter() - began)
        scores = [precision_and_recall(truth[key]["articleBody"], found[key]) for key in pages]
        precision, recall = (statistics.fmean(score[n] for score in scores) for n in (0, 1))
        f1, rate = 2 * precision * recall / (precision + recall), len(pages) / statistics.median(seconds)
        floor = floor or rate
        print(f"| {name} | {f1:.4f} | {precision:.4f} | {recall:.4f} | {rate:.1f} | {rate / floor:.2f} |")


if __name__ == "__main__":
    main()
