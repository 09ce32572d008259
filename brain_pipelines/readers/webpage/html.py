"""Reader of web pages: main text as Markdown sections. Runs in the sandbox's child.

Navigation, cookie banners, footers, comments and hidden text are left out; a page without a main text is read
whole.
"""

import re
from dataclasses import replace
from html import unescape
from pathlib import Path
from typing import Any

from brain_pipelines.readers.document.markdown import read_markdown
from brain_pipelines.readers.email.mail_html import html_to_text
from brain_pipelines.readers.encoding import read_decoded
from brain_pipelines.readers.extracted import Block, Extracted
from brain_pipelines.readers.formats import Format
from brain_pipelines.readers.sandbox import Isolated
from brain_pipelines.readers.text_shape import after_prolog, names_vocabulary
from brain_pipelines.readers.webpage.bookmarks import is_bookmarks, read_bookmarks
from brain_pipelines.readers.webpage.hidden_text import UNSEEN, remove_hidden, text_length
from brain_pipelines.readers.webpage.inline_text import plain_inline
from brain_pipelines.readers.webpage.page_date import page_date
from brain_retrieval.errors import BadInputError
from brain_retrieval.settings import Limits

_ROOT = re.compile(rb"<(?:!doctype\s+(?:html|netscape-bookmark-file-1)|html|head|body)\b", re.I)
_MARKDOWN = re.compile(rb"^(?:#{1,6} |[-*+] |\d{1,3}\. |```|> )", re.M)  # outside of tags
_BLOCK = re.compile(rb"<(?:article|div|main|section|table|p|h[1-6]|ul|title|meta)\b[^>]*>", re.I)
MIN_SHARE = 0.05  # of the visible text; a smaller share means that the extraction failed
MIN_CHARS = 200  # a main text of this length is accepted whatever its share
SMALL_PAGE, SMALL_SHARE = 400, 0.7  # characters; pages this short are read whole
LAYOUT, MOST_OF_MAIL = ("presentation", "none"), 0.5  # roles of a table; share of the text in such tables
_FOR_OUTLOOK = re.compile(r"<!(?:--)?\[if\b[^\]>]{0,60}\bmso\b", re.I)
OUTLOOK_PARTS = 3  # a page has none of them, a mail made with an editor some fifty
_CHARSET = re.compile(rb"""<meta[^>]{1,1000}charset\s*=\s*+(?:["']\s*+)?([\w-]+)""", re.I)
# Control characters are rejected by XML libraries; tag characters are not displayed by browsers.
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff\ufffe\uffff]")
_TAGS = re.compile(r"[\U000e0000-\U000e007f]")
_LANGUAGE = re.compile(r"""<html[^>]{0,1000}\blang\s*=\s*["']?([A-Za-z]{2,3})\b""", re.I)
_ESCAPED = re.compile(r"\\([\\`*_{}\[\]()#+.!<>~|-])")
_HIDDEN = (*UNSEEN, "head")
_BLOCKS = ("p", "div", "br", "li", "tr", "h1", "h2", "h3", "h4", "h5", "h6", "section", "article", "table", "pre", "ul")


def read_file(path: Path, limits: Limits, _scratch: Path | None) -> Extracted:
    """Return the main text of a page with title and authors, and its metadata as attributes.

    Raises:
        BadInputError: if it is empty, too large, not text, or a page without words.
    """
    decoded = read_decoded(path, limits, declared=declared_encoding(path))
    if is_bookmarks(decoded.text):
        return replace(read_bookmarks(decoded.text), repairs=decoded.repairs)
    found = read_html(decoded.text, whole=not limits.cleaning.boilerplate)
    return Extracted(
        "html", found.blocks, found.title, found.authors, found.language, decoded.repairs, attributes=found.attributes
    )


def declared_encoding(path: Path) -> str | None:
    """Return the encoding that a page declares in its first 4 kB."""
    with path.open("rb") as file:
        match = _CHARSET.search(file.read(4096))
    return match[1].decode("ascii") if match else None


def parse_tree(text: str) -> Any:
    """Return the lxml tree of a decoded page.

    Raises:
        BadInputError: if there is no element in it.
    """
    from lxml import etree, html  # pyright: ignore[reportAttributeAccessIssue]

    text = _TAGS.sub("", _CONTROL.sub(" ", text))
    try:
        parser = html.HTMLParser(encoding="utf-8", remove_comments=True, remove_pis=True)
        return html.document_fromstring(text.encode("utf-8", "replace"), parser=parser)
    except (etree.LxmlError, ValueError):
        raise BadInputError("not a web page: it holds no element") from None


def read_html(text: str, *, whole: bool = False) -> Extracted:
    """Return the main text of a decoded page, or all of its visible text.

    Raises:
        BadInputError: if there is no visible word in it.
    """
    from lxml import html

    from brain_pipelines.readers.webpage.page_facts import linked_data, page_facts
    from brain_pipelines.readers.webpage.page_people import page_authors

    tree = parse_tree(text)
    title, authors = _title(tree), page_authors(tree, linked_data(tree))
    facts = page_facts(tree)
    remove_hidden(tree)
    length = sum(text_length(body) for body in tree.iter("body")) or text_length(tree)
    if not whole and is_written_as_mail(text, tree, length):
        main = html_to_text(str(html.tostring(tree, encoding="unicode")))
    else:
        main = "" if whole else _main_text(tree, length)
    share = SMALL_SHARE if length < SMALL_PAGE else MIN_SHARE
    if len(main) < min(MIN_CHARS, length) and len(main) < length * share:
        main = ""
    sections = read_markdown(main or _whole_text(text)).blocks
    blocks = [Block(block.text, block.kind, section=block.section) for block in sections]
    language = _LANGUAGE.search(text[:8192])
    return Extracted("html", blocks, title, authors, language[1].lower() if language else None, attributes=facts)


def is_written_as_mail(text: str, tree: Any, length: int) -> bool:
    """Return whether a page was written to be sent: with parts for Outlook, or most of it in tables of layout.

    Newsletters are, also where they were saved or published as pages. They have no navigation to be left out, and
    extraction would take their columns for lists of links.

    Args:
        text: the page; tree: of lxml, without what is not shown; length: of the tree's text, in characters.
    """
    if len(_FOR_OUTLOOK.findall(text)) >= OUTLOOK_PARTS:
        return True
    tables = (table for table in tree.iter("table") if table.get("role") in LAYOUT)
    outer = (table for table in tables if not any(each.get("role") in LAYOUT for each in table.iterancestors("table")))
    return sum(map(text_length, outer)) > length * MOST_OF_MAIL


def _main_text(tree: Any, length: int) -> str:
    from brain_pipelines.readers.webpage.main_text import RELIABLE, completed, coverage, is_better
    from brain_pipelines.readers.webpage.page_prose import prose_of

    plain_inline(tree)
    prose = prose_of(tree)
    text = _extracted(tree, favor_precision=True)
    found = coverage(prose, text)
    if prose and (found.share < RELIABLE or found.is_list):
        looser = _extracted(tree, favor_precision=False)
        other = coverage(prose, looser)
        if is_better(found, other):
            text, found = looser, other
    return completed(text, prose, found, length)


def _extracted(tree: Any, *, favor_precision: bool) -> str:
    import trafilatura

    # keep headings, lists and tables as Markdown
    found = trafilatura.extract(
        tree,
        output_format="markdown",
        include_comments=False,
        include_tables=True,
        include_formatting=True,
        favor_precision=favor_precision,
    )
    return _ESCAPED.sub(r"\1", found or "")


def _whole_text(text: str) -> str:
    tree = parse_tree(text)  # extraction has left its marks on the other
    remove_hidden(tree)
    if whole := visible_text(tree):
        return whole
    raise BadInputError("no visible text in the page")


def _title(tree: Any) -> str:
    # without `extract_metadata`, which also searches the whole page for dates, tags and licences
    from trafilatura.metadata import examine_meta, extract_meta_json, extract_title

    found = examine_meta(tree)
    try:
        found = extract_meta_json(tree, found)
    except Exception:  # damaged JSON-LD
        found.title = None
    return " ".join(unescape(found.title or extract_title(tree) or "").split())


def visible_text(tree: Any) -> str:
    """Return all text of a tree that is not a script's or style's, a line a block."""
    from lxml import etree  # pyright: ignore[reportAttributeAccessIssue]

    parts: list[str] = []
    hidden = 0  # elements around that are not shown
    for event, element in etree.iterwalk(tree, events=("start", "end")):
        unseen, breaks = element.tag in _HIDDEN, element.tag in _BLOCKS
        if event == "start":
            hidden += unseen
            parts.append(("\n" if breaks else "") + ("" if hidden else element.text or ""))
        else:
            hidden -= unseen
            parts.append(("\n" if breaks else "") + ("" if hidden else element.tail or ""))
    lines = (" ".join(line.split()) for line in "".join(parts).split("\n"))
    return "\n".join(line for line in lines if line)


def _is_page(start: bytes, _complete: bool) -> bool:
    if _ROOT.match(start, after_prolog(start)):
        return True
    if start[:1] != b"<" or names_vocabulary(start):
        return False
    blocks = len(_BLOCK.findall(start[:4096]))
    return blocks >= 3 and blocks > len(_MARKDOWN.findall(start[:4096]))  # notes in Markdown may begin with a tag


FORMAT = Format(
    "html",
    "text/html",
    "a web page (HTML)",
    family="document",
    suffixes=(".html", ".htm"),
    promised=True,
    in_pieces=True,
    shape=_is_page,
    read=Isolated(read_file, ("trafilatura", "charset_normalizer")),
    date_of=page_date,
    date_from="content",
    advice="; drop it under 'document'",
)
