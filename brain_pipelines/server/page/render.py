"""HTML from templates. Every value is escaped; nothing that is stored or typed becomes markup."""

import hashlib
import mimetypes
from collections.abc import Mapping
from contextvars import ContextVar
from datetime import UTC, date, datetime, tzinfo
from functools import lru_cache
from pathlib import Path
from typing import Any
from urllib.parse import quote, unquote, urlencode

from jinja2 import Environment, StrictUndefined

from brain_pipelines.server.page import words
from brain_pipelines.server.page.session import PREFIX
from brain_pipelines.server.page.words import word
from brain_retrieval.query.hits import clock

FOLDER = Path(__file__).parent
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; media-src 'self'; connect-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
_zone: ContextVar[tzinfo] = ContextVar("zone", default=UTC)
KINDS = {
    "agent-note": "note of an assistant",
    "agent-output": "session of an agent",
    "slack-thread": "Slack",
    "voice-memo": "voice memo",
    "web-crawl": "crawled page",
    "web-page": "web page",
    "email": "mail",
}


def html(template: str, values: Mapping[str, Any], zone: tzinfo = UTC) -> str:
    """Return a page; times are shown in a time zone."""
    before = _zone.set(zone)
    try:
        return _environment(words.language()).get_template(template).render(values)
    finally:
        _zone.reset(before)


@lru_cache(8)
def _environment(language: str) -> Environment:
    found = Environment(
        loader=words.Worded(FOLDER / "templates", language),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    found.globals.update(page=PREFIX, asset=asset_url, link=link, language=words.language)
    found.globals.update(languages=[(one, words.name_of(one)) for one in words.NAMES])
    found.filters.update(
        day=day, hour=hour, moment=moment, clock=clock, file=file_name, kind=kind_name, many=many, size=size, iso=iso
    )
    found.filters.update(plural=plural, word=word)
    return found


@lru_cache(16)
def asset(name: str) -> tuple[bytes, str] | None:
    """Return the bytes and the media type of a file of the page, None if it has no such file."""
    path = FOLDER / "assets" / name
    if name not in {one.name for one in (FOLDER / "assets").iterdir()}:
        return None
    return path.read_bytes(), mimetypes.guess_type(name)[0] or "application/octet-stream"


@lru_cache(16)
def asset_url(name: str) -> str:
    """Return the address of a file of the page; another content has another address."""
    found = asset(name)
    if found is None:
        raise ValueError(f"the page has no file {name!r}")
    return f"{PREFIX}/assets/{name}?v={hashlib.sha256(found[0]).hexdigest()[:12]}"


def link(*parts: str, **query: Any) -> str:
    """Return an address of the page; parameters without a value are left out.

    >>> link("source", "a/b", start=3, end=None)
    '/page/source/a%2Fb?start=3'
    """
    given = {name: value for name, value in query.items() if value not in (None, "", [], ())}
    path = "/".join(quote(part, safe="") for part in parts)
    return f"{PREFIX}/{path}" + (f"?{urlencode(given, doseq=True, errors='replace')}" if given else "")


def day(at: datetime | date | str | None) -> str:
    """Return a day as people write it: "5 January 2026"."""
    if at is None or at == "":
        return ""
    if isinstance(at, str):
        try:
            at = date.fromisoformat(at) if len(at) == len("2026-01-05") else datetime.fromisoformat(at)
        except ValueError:
            return str(at)
    found = at.astimezone(_zone.get()) if isinstance(at, datetime) and at.tzinfo else at
    return word("{day} {month} {year}").format(day=found.day, month=word(f"{found:%B}"), year=found.year)


def hour(at: datetime | str | None) -> str:
    """Return a time of day: "14:30"."""
    if at is None or at == "":
        return ""
    found = datetime.fromisoformat(at) if isinstance(at, str) else at
    return f"{found.astimezone(_zone.get()) if found.tzinfo else found:%H:%M}"


def moment(at: datetime | str | None) -> str:
    """Return a day and time: "5 January 2026, 14:30"."""
    return f"{day(at)}, {hour(at)}" if at else ""


def iso(at: datetime | None) -> str:
    """Return a time for the attribute of a `time` element."""
    return "" if at is None else at.isoformat()


def file_name(uri: str) -> str:
    """Return the readable end of a source's uri: its file, and the item in it.

    >>> file_name("inbox:note/2026-01-05%20first%20day.md")
    '2026-01-05 first day.md'
    """
    path, _, fragment = uri.partition("#")
    name = unquote(path.removeprefix("inbox:").partition("/")[2] or path, errors="replace")
    return f"{name} › {unquote(fragment, errors='replace')}" if fragment else name


def kind_name(source: str) -> str:
    """Return a source type in words; of a team's with the team."""
    team, _, own = source.rpartition("--")
    return word(KINDS.get(own, own.replace("-", " "))) + (f" {word('of|a team')} {team}" if team else "")


def many(number: float) -> str:
    """Return a number with thin spaces between thousands."""
    return f"{number:,.0f}".replace(",", "\u202f")


def plural(number: int, one: str, more: str = "") -> str:
    """Return a number with its noun: "1 source", "3 sources"; what follows a bar is the case of the noun."""
    noun, bar, case = one.partition("|")
    return f"{many(number)} {word(one if number == 1 else more or f'{noun}s{bar}{case}')}"


def size(count: float) -> str:
    """Return a number of bytes in words."""
    for unit in ("bytes", "kB", "MB"):
        if count < 1000:
            return f"{count:.0f} {word(unit)}" if unit == "bytes" or count >= 10 else f"{count:.1f} {unit}"
        count /= 1000
    return f"{count:.1f} GB"


def problem_page(document: Mapping[str, Any], **frame: Any) -> str:
    """Return the page of an error."""
    return html("problem.html", {"problem": document, "user": "", "may": {}, "csrf": "", "here": "", **frame})
