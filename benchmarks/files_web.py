"""Web pages of public sets: Brain's main text beside plain trafilatura in one run, and authors and dates.

    python benchmarks/files.py web DIR... [--show]      (alone: python benchmarks/files_web.py DIR...)

Each DIR is a copy of one of three public repositories, recognised by its files: mozilla/readability
(`test/test-pages/*/source.html` with the expected text and metadata), scrapinghub/article-extraction-benchmark
(`ground-truth.json`, `html/*.html.gz`), or adbar/trafilatura (`tests/evaldata.json` with `tests/cache`, `tests/eval`).

F1 is of the multisets of words, a mean over the pages; for trafilatura's set it is of the passages that a text must
and must not have, as its authors count. A picture of a formula in an expected page counts by its alternative text. An
author is right if the expected field has the name, a date if it is the same day or instant.
"""

import argparse
import gzip
import json
import re
import statistics
import sys
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

WORD = re.compile(r"\w+")
FALL = 0.05  # a page this far below trafilatura is named


@dataclass(frozen=True)
class Page:
    """A page with its expected text, or the passages that must and must not be in it, author and date."""

    name: str
    html: str
    text: str = ""
    present: tuple[str, ...] = ()
    absent: tuple[str, ...] = ()
    author: str | None = None
    date: str | None = None
    checks: bool = field(default=False)  # passages instead of a text


def pages_of(folder: Path) -> Iterator[Page]:
    """Yield the pages of a public set."""
    if (folder / "test" / "test-pages").is_dir():
        yield from _readability(folder / "test" / "test-pages")
    elif (folder / "ground-truth.json").exists():
        for key, truth in json.loads((folder / "ground-truth.json").read_text("utf-8")).items():
            html = gzip.decompress((folder / "html" / f"{key}.html.gz").read_bytes()).decode()
            yield Page(key[:16], html, truth["articleBody"])
    elif (folder / "tests" / "evaldata.json").exists():
        yield from _passages(folder / "tests")
    else:
        raise SystemExit(f"{folder}: none of the three sets; see --help")


def _readability(folder: Path) -> Iterator[Page]:
    for page in sorted(folder.iterdir()):
        meta = json.loads((page / "expected-metadata.json").read_text("utf-8"))
        html, expected = ((page / name).read_text("utf-8", "replace") for name in ("source.html", "expected.html"))
        author, date = " ".join((meta.get("byline") or "").split()), meta.get("publishedTime")
        yield Page(page.name, html, _text_of(expected), author=author, date=date)


def _passages(folder: Path) -> Iterator[Page]:
    from brain_pipelines.readers.encoding import decode

    for one in json.loads((folder / "evaldata.json").read_text("utf-8")).values():
        path = next((path for sub in ("cache", "eval") if (path := folder / sub / one["file"]).exists()), None)
        if path is not None:
            present, absent = (tuple(one[key]) for key in ("with", "without"))
            author = one.get("author")
            author = "; ".join(author) if isinstance(author, list) else author
            html = decode(path.read_bytes()).text
            yield Page(one["file"], html, "", present, absent, author, one.get("date") or None, checks=True)


def _text_of(page: str) -> str:
    from brain_pipelines.readers.webpage.html import parse_tree, visible_text

    tree = parse_tree(page)
    for picture in tree.iter("img"):
        if "/math/" in (picture.get("src") or ""):
            alt = re.sub(r"^\{\\displaystyle (.*)\}$", r"\1", picture.get("alt") or "")
            picture.tail = f" {alt} {picture.tail or ''}"
    return visible_text(tree)


def f1(true: str, got: str) -> float:
    """Return the F1 of two texts as multisets of words in lower case."""
    expected, found = (Counter(WORD.findall(text.lower())) for text in (true, got))
    hits = sum((expected & found).values())
    return 2 * hits / (sum(expected.values()) + sum(found.values())) if hits else float(expected == found)


def passages(page: Page, got: str) -> Counter[str]:
    """Return the passages found rightly (`right`), found wrongly (`wrong`) and missing (`missed`)."""
    text = _plain(got)
    right = sum(_plain(one) in text for one in page.present)
    return Counter(right=right, wrong=sum(_plain(one) in text for one in page.absent), missed=len(page.present) - right)


def _plain(text: str) -> str:
    return " ".join(text.split())


def read(page: str) -> tuple[str, list[str], dict[str, Any]]:
    """Return the text, the authors and the attributes that Brain reads from a page."""
    from brain_pipelines.readers.webpage.html import read_html
    from brain_retrieval.errors import BadInputError

    try:
        found = read_html(page)
    except BadInputError:
        return "", [], {}
    return "\n\n".join(block.text for block in found.blocks), found.authors, found.attributes


def same_time(found: str | None, expected: str) -> bool:
    """Return whether two stated times are the same instant or the same day as written."""
    from brain_pipelines.readers.event_time import parse_time

    pair = [parse_time(text, UTC) for text in (found or "", expected)]
    return None not in pair and (pair[0] == pair[1] or (found or "")[:10] == expected[:10])


def measure(pages: list[Page], *, show: bool) -> None:
    """Print the table of a set."""
    import trafilatura

    texts: dict[str, list[str]] = {"trafilatura": [], "Brain": []}
    seconds = Counter[str]()
    metas: list[tuple[list[str], dict[str, Any]]] = []
    for page in pages:
        began = time.process_time()
        texts["trafilatura"].append(trafilatura.extract(page.html) or "")
        middle = time.process_time()
        text, authors, attributes = read(page.html)
        seconds += {"trafilatura": middle - began, "Brain": time.process_time() - middle}
        texts["Brain"].append(text)
        metas.append((authors, attributes))
    print(f"{len(pages)} pages\n\n| | F1 | ms a page |\n|---|---|---|")
    scores = {
        name: [f1(page.text, text) for page, text in zip(pages, found, strict=True)] for name, found in texts.items()
    }
    for name, found in texts.items():
        counts = sum((passages(page, text) for page, text in zip(pages, found, strict=True)), Counter())
        of_passages = 2 * counts["right"] / max(1, 2 * counts["right"] + counts["wrong"] + counts["missed"])
        value = of_passages if pages[0].checks else statistics.fmean(scores[name])
        print(f"| {name} | {value:.4f} | {1000 * seconds[name] / len(pages):.1f} |")
    if not pages[0].checks:
        fallen = [
            f"{page.name} {ours:.2f} ({theirs:.2f})"
            for page, ours, theirs in zip(pages, scores["Brain"], scores["trafilatura"], strict=True)
            if ours < theirs - FALL
        ]
        print(f"\nbelow trafilatura by more than {FALL}: {', '.join(fallen) or 'none'}")
    _metadata(pages, metas, show=show)


def _metadata(pages: list[Page], metas: list[tuple[list[str], dict[str, Any]]], *, show: bool) -> None:
    named = [(page, authors) for page, (authors, _) in zip(pages, metas, strict=True) if page.author is not None]
    right = said = 0
    for page, authors in named:
        expected = re.sub(r"[\W_]", "", page.author or "").casefold()
        wrong = [name for name in authors if re.sub(r"[\W_]", "", name).casefold() not in expected]
        right, said = right + len(authors) - len(wrong), said + len(authors)
        if wrong and show:
            print(f"  author {page.name}: {wrong}, expected {page.author!r}")
    dated = [(page, facts.get("published_at")) for page, (_, facts) in zip(pages, metas, strict=True) if page.date]
    good = sum(same_time(found, page.date or "") for page, found in dated)
    if named:
        print(
            f"authors: {right} right of {said} named, on {sum(bool(page.author) for page, _ in named)} pages with one"
        )
    if dated:
        print(f"dates: {good} right of {len(dated)}, {sum(bool(found) for _, found in dated)} found")


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--show", action="store_true", help="print wrong authors")


def run(options: argparse.Namespace) -> None:
    """Measure every set of `options.roots`."""
    for folder in options.roots:
        pages = list(pages_of(folder))
        read(pages[0].html)  # the first page loads word lists
        print(f"\n{folder.name}: ", end="")
        measure(pages, show=options.show)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("roots", nargs="+", type=Path)
    add_options(parser)
    run(parser.parse_args())


if __name__ == "__main__":
    main()
