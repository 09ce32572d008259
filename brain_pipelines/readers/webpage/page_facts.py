"""Metadata of a web page: dates, description, language, canonical URL, links, pictures.

Values are as in the page, but shortened; links are not resolved, since the page's own URL is not known here.
"""

import json
import re
from collections.abc import Iterator
from typing import Any

MAX_LINKS, MAX_MEDIA, MAX_KEYWORDS = 500, 200, 50
MAX_VALUE, MAX_URL = 1000, 2000
MAX_JSON_LD = 200_000  # characters of one script
MAX_OBJECTS = 200
_KEYS: dict[str, tuple[str, ...]] = {
    "published_at": (
        "article:published_time",
        "og:published_time",
        "datepublished",
        "date",
        "dc.date",
        "dc.date.issued",
        "dcterms.created",
        "pubdate",
        "parsely-pub-date",
        "sailthru.date",
    ),
    "modified_at": ("article:modified_time", "og:updated_time", "datemodified", "dcterms.modified", "last-modified"),
    "description": ("description", "og:description", "twitter:description", "dc.description"),
    "og_image": ("og:image", "og:image:url", "twitter:image", "twitter:image:src"),
    "site_name": ("og:site_name", "application-name"),
    "type": ("og:type",),
    "robots": ("robots",),
}
_JSON_LD = {"published_at": "datePublished", "modified_at": "dateModified", "description": "description"}
_ARTICLE = re.compile(r"(?:Article|Posting|Report|Review)\b")
_CDATA = re.compile(r"\A\s*+(?://)?\s*+<!\[CDATA\[|(?://)?\s*+\]\]>\s*+\Z")
_MEDIA = {"img": "image", "video": "video", "audio": "audio", "source": "source"}


def page_facts(tree: Any) -> dict[str, Any]:
    """Return the metadata of an lxml tree that still has its head and scripts, as plain JSON without empty values."""
    metas = _metas(tree)
    linked = linked_data(tree)
    facts: dict[str, Any] = {}
    for key, names in _KEYS.items():
        stated = next((metas[name] for name in names if metas.get(name)), None)
        article = _linked(linked, _JSON_LD.get(key, ""))
        # the article's own date is more often right than the metadata, which some sites renew with each change
        value = (article or stated) if key in ("published_at", "modified_at") else (stated or article)
        if isinstance(value, str) and value.strip():
            facts[key] = " ".join(value.split())[:MAX_VALUE]
    if "published_at" not in facts and (found := _time_element(tree)):
        facts["published_at"] = found
    facts.update(_urls(tree))
    keywords = [*_split(metas.get("keywords", "")), *_split(metas.get("news_keywords", "")), *_tags(tree)]
    facts["keywords"] = list(dict.fromkeys(keywords))[:MAX_KEYWORDS]
    facts["links"] = list(dict.fromkeys(_links(tree)))[:MAX_LINKS]
    facts["media"] = list(_media(tree))[:MAX_MEDIA]
    return {key: value for key, value in facts.items() if value}


def _metas(tree: Any) -> dict[str, str]:
    found: dict[str, str] = {}
    for meta in tree.iter("meta"):
        name = meta.get("property") or meta.get("name") or meta.get("itemprop") or meta.get("http-equiv")
        if name and meta.get("content"):
            found.setdefault(name.strip().lower(), meta.get("content").strip())
    return found


def linked_data(tree: Any) -> list[dict[str, Any]]:
    """Return the JSON-LD objects of a page with a date or an author, articles first; damaged JSON is ignored."""
    found: list[dict[str, Any]] = []
    for script in tree.iter("script"):
        if "ld+json" not in (script.get("type") or "") or not script.text or len(script.text) > MAX_JSON_LD:
            continue
        try:
            content = json.loads(_CDATA.sub("", script.text), strict=False)
            found += [one for one in _objects(content) if one.keys() & {"datePublished", "author", "dateModified"}]
        except (ValueError, RecursionError):
            continue
    return sorted(found[:MAX_OBJECTS], key=lambda one: not _ARTICLE.search(str(one.get("@type"))[:200]))


def _linked(linked: list[dict[str, Any]], key: str) -> Any:
    """Return the value of `key` in the first article, else in the first object that has one."""
    return next((one[key] for one in linked if isinstance(one.get(key), str) and one[key].strip()), None)


def _objects(value: Any) -> Iterator[dict[str, Any]]:
    if isinstance(value, list):
        for one in value[:50]:
            yield from _objects(one)
    elif isinstance(value, dict):
        yield value
        yield from _objects(value.get("@graph") or [])


def _time_element(tree: Any) -> str | None:
    # a bare <time> may be the date of a comment: only one marked as the page's date counts
    for element in tree.iter("time"):
        marks = f"{element.get('itemprop')} {element.get('class')} {element.get('pubdate')}".lower()
        if element.get("datetime") and re.search(r"publish|pubdate|entry-date|posted", marks):
            return element.get("datetime").strip()[:60]
    return None


def _urls(tree: Any) -> dict[str, str]:
    found: dict[str, str] = {}
    for link in tree.iter("link"):
        if "canonical" in (link.get("rel") or "").lower().split() and link.get("href"):
            found.setdefault("canonical", link.get("href").strip()[:MAX_URL])
    for base in tree.iter("base"):
        if base.get("href"):
            found.setdefault("base", base.get("href").strip()[:MAX_URL])
    return found


def _split(text: str) -> list[str]:
    return [word for part in re.split(r"[,;]", text[:5000]) if (word := " ".join(part.split())) and len(word) <= 80]


def _tags(tree: Any) -> list[str]:
    marked = (meta.get("content") for meta in tree.iter("meta") if meta.get("property") == "article:tag")
    return [" ".join(text.split())[:80] for text in marked if text and text.strip()]


def _links(tree: Any) -> Iterator[str]:
    for anchor in tree.iter("a", "area"):
        href = (anchor.get("href") or "").strip()
        if href and len(href) <= MAX_URL and not re.match(r"#|javascript:|mailto:|tel:|data:", href, re.I):
            yield href


def _media(tree: Any) -> Iterator[dict[str, str]]:
    for element in tree.iter(*_MEDIA):
        source = (element.get("src") or element.get("data-src") or "").strip()
        if source and len(source) <= MAX_URL and not source.lower().startswith("data:"):
            alt = " ".join((element.get("alt") or "").split())[:300]
            yield {"kind": _MEDIA[element.tag], "url": source, **({"alt": alt} if alt else {})}
