"""Search services that answer in JSON: SearXNG, and any other by an address or a body with the query in it."""

import json
from typing import Any
from urllib.parse import quote, urlencode, urlsplit

from brain_pipelines.connectors.http.fetch import Fetcher, Headers, Page
from brain_pipelines.connectors.http.targets import PORTS, FetchError
from brain_pipelines.ingest.evidence.providers.provider import Found, SearchFailedError
from brain_retrieval.settings import FetchSettings
from brain_retrieval.settings.evidence import SearchApiSettings

PRIVATE = ("127.0.0.0/8", "10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "::1/128", "fc00::/7")
MOST_BYTES = 2 << 20
MOST_TEXT = 500  # characters of a title or snippet


class SearchApi:
    """One search service. Its answers are data: only addresses are taken from them, and these are checked later."""

    listed = False

    def __init__(self, name: str, settings: SearchApiSettings, fetch: FetchSettings) -> None:
        self.name, self.received = name, 0
        self._settings = settings
        parts = urlsplit(settings.url)
        changes: dict[str, Any] = {"max_bytes": MOST_BYTES, "max_redirects": 0}
        if (port := parts.port or PORTS[parts.scheme]) not in fetch.ports:
            changes["ports"] = (*fetch.ports, port)
        if settings.allow_private:
            changes["allow_networks"] = (*fetch.allow_networks, *PRIVATE)
        self._fetcher = Fetcher(fetch.model_copy(update=changes))

    def search(self, query: str, most: int, *, seconds: float) -> list[Found]:
        """Return at most `most` addresses, the best first.

        Raises:
            SearchFailedError: there was no answer, or none that can be read, within `seconds`.
        """
        try:
            page = self._ask(query, most, min(seconds, self._settings.seconds))
        except FetchError as error:
            raise SearchFailedError(str(error)) from None
        self.received += len(page.body)
        if page.status != 200:
            raise SearchFailedError(f"answered with {page.status}")
        return self._read(page.body)[:most]

    def _ask(self, query: str, most: int, seconds: float) -> Page:
        own = self._settings
        headers: Headers = ()
        if key := own.key():
            headers = ((own.key_header, own.key_prefix + key),)
        if own.kind == "searxng":
            asked = {"q": query, "format": "json", **({"language": own.language} if own.language else {})}
            url = f"{own.url.rstrip('/').removesuffix('/search')}/search?{urlencode(asked)}"
            return self._fetcher.fetch(url, headers=headers, seconds=seconds)
        url = own.url.replace("{query}", quote(query, safe="")).replace("{count}", str(most))
        if own.body is None:
            return self._fetcher.fetch(url, headers=headers, seconds=seconds)
        body = own.body.replace("{query}", json.dumps(query)[1:-1]).replace("{count}", str(most))
        return self._fetcher.post(url, body.encode(), media_type="application/json", headers=headers, seconds=seconds)

    def _read(self, body: bytes) -> list[Found]:
        own = self._settings
        try:
            rows = _at(json.loads(body), own.results)
        except (ValueError, RecursionError):
            raise SearchFailedError("the answer is not JSON") from None
        if not isinstance(rows, list):
            raise SearchFailedError(f"the answer has no list {own.results!r}")
        found = []
        for row in rows:
            url = _at(row, own.address_field)
            if isinstance(url, str) and url.startswith(("http://", "https://")):
                found.append(Found(url, _text(_at(row, own.title_field)), _text(_at(row, own.snippet_field))))
        return found


def _at(value: Any, path: str) -> Any:
    """Return what lies at a path of names separated by dots, None if there is nothing."""
    for name in path.split(".") if path else ():
        value = value.get(name) if isinstance(value, dict) else None
    return value


def _text(value: Any) -> str:
    return " ".join(value[:MOST_TEXT].split()) if isinstance(value, str) else ""
