"""Web pages to their main text, as Markdown sections. Runs in the sandbox's child.

Navigation, cookie banners and footers are taken off; a page in which no main text is found is read whole.
"""

import re
from pathlib import Path
from typing import Any

from brain_pipelines.media.encoding import read_decoded
from brain_pipelines.media.extracted import Block, Extracted
from brain_pipelines.media.markdown import read_markdown
from brain_retrieval.errors import BadInputError
from brain_retrieval.settings import Limits

MIN_SHARE = 0.05  # of the visible text; less is not a main text but a mistake
MIN_CHARS = 200  # below it the share decides nothing
_CHARSET = re.compile(rb"""<meta[^>]+charset\s*=\s*["']?\s*([\w-]+)""", re.I)
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff\ufffe\uffff]")
_LANGUAGE = re.compile(r"""<html[^>]*\blang\s*=\s*["']?([A-Za-z]{2,3})\b""", re.I)
_UNSEEN = ("script", "style", "noscript", "template", "svg", "head", "iframe", "object")
_BLOCKS = ("p", "div", "br", "li", "tr", "h1", "h2", "h3", "h4", "h5", "h6", "section", "article", "table", "pre", "ul")


def read_file(path: Path, limits: Limits, _scratch: Path | None) -> Extracted:
    """Return the main text of a page with title and authors.

    Raises:
        BadInputError: empty, too large, not a text, or a page without words.
    """
    with path.open("rb") as file:
        match = _CHARSET.search(file.read(4096))
    declared = match[1].decode("ascii") if match else None
    decoded = read_decoded(path, limits, declared=declared)
    found = read_html(decoded.text)
    return Extracted("html", found.blocks, found.title, found.authors, found.language, decoded.repairs)


def read_html(text: str) -> Extracted:
    """Return the main text of a decoded page.

    Raises:
        BadInputError: if there is no visible word in it.
    """
    from lxml import etree, html  # pyright: ignore[reportAttributeAccessIssue]

    text = _CONTROL.sub(" ", text)  # no XML library takes them
    try:
        tree = html.document_fromstring(text.encode("utf-8", "replace"), parser=html.HTMLParser(encoding="utf-8"))
    except (etree.LxmlError, ValueError):
        raise BadInputError("not a web page: it holds no element") from None
    title, authors = _metadata(tree)
    whole = _visible_text(tree)
    if not whole:
        raise BadInputError("no visible text in the page")
    main = _main_text(text)
    if len(main) < min(MIN_CHARS, len(whole)) and len(main) < len(whole) * MIN_SHARE:
        main = ""
    sections = read_markdown(main or whole).blocks
    blocks = [Block(block.text, block.kind, section=block.section) for block in sections]
    language = _LANGUAGE.search(text[:8192])
    return Extracted("html", blocks, title, authors, language[1].lower() if language else None)


def _main_text(text: str) -> str:
    import trafilatura

    return (
        trafilatura.extract(
            text, output_format="markdown", include_comments=False, include_tables=True, include_formatting=True
        )
        or ""
    )


def _metadata(tree: Any) -> tuple[str, list[str]]:
    from trafilatura.metadata import extract_metadata

    found = extract_metadata(tree, extensive=False)
    if found is None:
        return "", []
    authors = [name.strip() for name in (found.author or "").split(";") if name.strip()]
    return " ".join((found.title or "").split()), authors


def _visible_text(tree: Any) -> str:
    from lxml import etree  # pyright: ignore[reportAttributeAccessIssue]

    parts: list[str] = []
    for event, element in etree.iterwalk(tree, events=("start", "end")):
        if not isinstance(element.tag, str):
            parts.append((element.tail or "") if event == "end" else "")
        elif event == "start":
            hidden = any(a.tag in _UNSEEN for a in [element, *element.iterancestors()])
            parts.append(("\n" if element.tag in _BLOCKS else "") + ("" if hidden else element.text or ""))
        else:
            hidden = any(a.tag in _UNSEEN for a in element.iterancestors())
            parts.append(("\n" if element.tag in _BLOCKS else "") + ("" if hidden else element.tail or ""))
    lines = (" ".join(line.split()) for line in "".join(parts).split("\n"))
    return "\n".join(line for line in lines if line)
