"""Authors of a web page: from its linked data, its metadata or its byline, the first of these that names a person."""

import re
from collections.abc import Iterable, Iterator
from typing import Any

from brain_pipelines.readers.webpage.person_name import distinct_names, person_names

MAX_BYLINE = 200  # characters; a longer element is no byline
MAX_ELEMENTS = 20_000  # with a class or id, looked at for a byline
_METAS = ("author", "article:author", "og:article:author", "parsely-author", "sailthru.author", "byl", "dcsext.author")
_INVERTED = ("citation_author", "dc.creator", "dcterms.creator", "dc:creator", "dc.contributor.author")
_BYLINE = re.compile(
    r"(?:^|[\s_-])(?:author|byline|authorname|writer)s?(?:[\s_-]{1,2}(?:name|link|title|text|full|fn))?(?:$|\s)", re.I
)
_ELSEWHERE = re.compile(
    r"comment|disqus|related|recommend|sidebar|teaser|popular|trending|promo|footer|(?<![a-z])card\b", re.I
)
_FULL = re.compile(r"(?:^|\s)(?:fn|p-name|author-?name|byline-?name)(?:$|\s)", re.I)
_LINK = re.compile(r"(?:^|\s)author(?:$|\s)", re.I)


def page_authors(tree: Any, linked: Iterable[dict[str, Any]]) -> list[str]:
    """Return the full names of the authors of a page, [] if it names none.

    Args:
        tree: the lxml tree of the page with its head.
        linked: JSON-LD objects of the page, the article first.
    """
    for found in (_of_linked_data(linked), _of_metadata(tree), *_of_bylines(tree)):
        if found:
            return found
    return []


def _of_linked_data(linked: Iterable[dict[str, Any]]) -> list[str]:
    for one in linked:
        names: list[str] = []
        authors = one.get("author") or one.get("creator") or []
        for author in authors if isinstance(authors, list) else [authors]:
            if isinstance(author, dict):
                kind = author.get("@type") or "Person"
                author = author.get("name") if "Person" in (kind if isinstance(kind, list) else [kind]) else ""
            if isinstance(author, list):
                author = "; ".join(part for part in author if isinstance(part, str))
            names += person_names(author) if isinstance(author, str) else []
        if names:
            return distinct_names(names)
    return []


def _of_metadata(tree: Any) -> list[str]:
    found: dict[str, list[str]] = {}
    for meta in tree.iter("meta"):
        keys = (meta.get("property") or meta.get("name") or meta.get("itemprop") or "").lower().split()
        for key in keys:
            if key in _METAS or key in _INVERTED:
                found.setdefault(key, []).extend(person_names(meta.get("content") or "", inverted=key in _INVERTED))
    return next((distinct_names(found[key]) for key in (*_INVERTED, *_METAS) if found.get(key)), [])


def _of_bylines(tree: Any) -> Iterator[list[str]]:
    """Yield the names in the first elements that are marked as the author: by schema.org, by a link, by their class."""
    marked: dict[str, list[str]] = {"itemprop": [], "rel": [], "class": []}
    for number, element in enumerate(
        tree.iter("span", "a", "div", "p", "em", "address", "cite", "h3", "h4", "li", "strong")
    ):
        if number > MAX_ELEMENTS:
            break
        kind = _kind(element)
        if kind and not marked[kind] and not _is_elsewhere(element):
            marked[kind] = _names_of(element)
    yield from marked.values()


def _kind(element: Any) -> str:
    if "author" in (element.get("itemprop") or "").split():
        return "itemprop"
    if element.tag == "a" and _LINK.search(element.get("rel") or ""):
        return "rel"
    return "class" if any(_BYLINE.search(element.get(key) or "") for key in ("class", "id")) else ""


def _is_elsewhere(element: Any) -> bool:
    """Return whether an element lies in a comment, a list of other articles or a footer."""
    for parent in (element, *element.iterancestors()):
        if parent.tag in ("aside", "footer", "nav", "button", "body"):
            return parent.tag != "body"
        if any(_ELSEWHERE.search(parent.get(key) or "") for key in ("class", "id")):
            return True
    return False


def _names_of(element: Any) -> list[str]:
    """Return the names in a byline, of its links or marked names if it has them."""
    inner = [one for one in element.iter("a", "span", "meta") if one is not element]
    named = [
        one for one in inner if "name" in (one.get("itemprop") or "").split() or _FULL.search(one.get("class") or "")
    ]
    for group in (named, [one for one in inner if one.tag == "a"]):
        names = [name for one in group for name in person_names(_text(one), certain=False)]
        if names:
            return distinct_names(names)
    text = _text(element)
    return person_names(text, certain=False) if len(text) <= MAX_BYLINE else []


def _text(element: Any) -> str:
    content = element.get("content") if element.tag == "meta" else None
    return content or " ".join(" ".join(element.itertext()).split())
