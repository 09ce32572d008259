"""Letters and diaries of persons, one file each, from the pages and books in which they are published."""

import html
import re
from collections.abc import Sequence
from datetime import datetime
from pathlib import PurePosixPath

from benchmarks.shown_forms import File

FOOTNOTE = re.compile(r'<span class="fn">.*?</span>', re.DOTALL)
LETTER = re.compile(r"(?ms)^#### \[(\d{4}-\d\d-\d\d)\??,? ?(To \w+)[^\]]*\]\s*\n(.*?)(?=^#{1,4} |\Z)")
TITLE = re.compile(r'<title (?:level="a"|type="main")[^>]*>(.*?)</title>', re.DOTALL)
DAY = re.compile(r"<title [^>]*iso-date[^>]*>\s*(\d{4}-\d\d-\d\d)")
PART = re.compile(r"</(?:p|opener|closer|salute|signed|dateline|addrLine|seg|div)>")
GAP = re.compile(r"<(?:space|lb|pb|c)\b[^>]*/>")
BODY = re.compile(r"<body[ >].*</body>", re.DOTALL)
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


def edited(pages: Sequence[File], title: str) -> list[File]:
    """Return the days of a diary, or the letters of an edition, as notes; each is a file in TEI with a title and a day.

    Args:
        pages: the XML files.
        title: what stands after the day in the name of a note; empty: the title of the file.
    """
    made: list[File] = []
    for path, content, changed in pages:
        xml = content.decode()
        day, named, body = DAY.search(xml), TITLE.search(xml), BODY.search(xml)
        if not day or not named or not body:
            raise ValueError(f"{path}: no day, title or body")
        text = re.sub(r"<(note|fw)\b[^>]*>.*?</\1>", "", body[0], flags=re.DOTALL)  # notes of the editor
        parts = [_words(part) for part in PART.split(text)]
        heading = _words(named[1])
        note = "\n\n".join([f"# {heading}", *(part for part in parts if part)])
        made.append((f"{day[1]} {title or heading.split(',')[0]}.md", f"{note}\n".encode(), changed))
    return made


def _words(marked: str) -> str:
    return re.sub(r"\s+", " ", html.unescape(re.sub(r"<[^>]+>", "", GAP.sub(" ", marked)))).strip()
