"""Letters and diaries of persons, one file each, from the pages and books in which they are published."""

import re
from collections.abc import Sequence
from datetime import datetime
from pathlib import PurePosixPath

from benchmarks.shown_forms import File

FOOTNOTE = re.compile(r'<span class="fn">.*?</span>', re.DOTALL)
LETTER = re.compile(r"(?ms)^#### \[(\d{4}-\d\d-\d\d)\??,? ?(To \w+)[^\]]*\]\s*\n(.*?)(?=^#{1,4} |\Z)")
MONTH = re.compile(r"(?ms)^# (\d{4})|^### (\w+)[^\n]*\n(.*?)(?=^#|\Z)")


def letter_pages(pages: Sequence[File], title: str) -> list[File]:
    """Return parts of web pages, named by a day as 19170101, as pages without footnotes."""
    made: list[File] = []
    for path, content, changed in pages:
        day = PurePosixPath(path).stem
        text = FOOTNOTE.sub("", content.decode(errors="replace"))
        name = f"{day[:4]}-{day[4:6]}-{day[6:]} {title}.html"
        made.append((name, f"<html><body>\n{text}\n</body></html>".encode(), changed))
    return made


def letters(book: File, wanted: Sequence[str]) -> list[File]:
    """Return letters of a book with headings as "#### [1924-05-14, To Slim]", chosen by "1924-05-14 To Slim"."""
    found: dict[str, File] = {}
    for day, to, text in LETTER.findall(book[1].decode()):
        content = f"# Letter {to}, {day}\n\n{text.strip()}\n"
        found.setdefault(f"{day} {to}", (f"{day} Letter {to}.md", content.encode(), book[2]))
    return [found[each] for each in wanted]


def months(book: File) -> list[File]:
    """Return the months of a diary with years and months as headings, and lines that begin with the day."""
    made: list[File] = []
    year = ""
    for stated, name, text in MONTH.findall(book[1].decode()):
        year = stated or year
        try:
            month = datetime.strptime(f"{name[:3].title()} {year}", "%b %Y")  # noqa: DTZ007 - no time of a day
        except ValueError:
            continue  # a year, or a heading of something else
        body = re.sub(r"\^\[[^\]]*\]", "", text)  # notes of the editor
        body = re.sub(r"(?m)^(\d{1,2}) ", rf"{month:%B} \1: ", body).strip()
        content = f"# Journal of {month:%B %Y}\n\n{body}\n"
        made.append((f"{month:%Y-%m} Journal.md", content.encode(), book[2]))
    return made
