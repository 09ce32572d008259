"""The HTTP client for all outgoing web requests. Each page uses its own connections, closed when it is done.

No cookies beyond the redirects of one page and origin, no proxies or credentials from the environment, HTTP/1.1 without
keep-alive: the connection used is the one that was checked. Callers decide what to do with the response.
"""

import re
import ssl
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path
from typing import Any
from urllib.parse import urldefrag, urljoin

import httpcore

from brain_pipelines.connectors.http.addresses import parse_networks
from brain_pipelines.connectors.http.body import ACCEPTED, MEGABYTE, read_body
from brain_pipelines.connectors.http.connection import Deadline, GuardedBackend, Resolver, resolve
from brain_pipelines.connectors.http.targets import FetchError, Target, parse_target
from brain_retrieval.settings import FetchSettings

REDIRECTS = (301, 302, 303, 307, 308)
ACCEPT = "text/html,application/xhtml+xml,application/pdf;q=0.9,text/*;q=0.8,*/*;q=0.5"
MAX_COOKIES, MAX_COOKIE = 20, 4096
MAX_HEADERS = 200
_COOKIE = re.compile(r"([!#$%&'*+.^_`|~0-9A-Za-z-]+)=([\x21\x23-\x2b\x2d-\x3a\x3c-\x5b\x5d-\x7e\"]*)")

Headers = tuple[tuple[str, str], ...]
Hop = Callable[[Target], None]  # raises FetchError to stop


@dataclass(frozen=True)
class Validators:
    """Version identifiers from an earlier response of `url`, for a conditional request."""

    url: str
    etag: str | None = None
    last_modified: str | None = None


@dataclass(frozen=True)
class Page:
    """One response. `url` was requested, `final_url` responded after `redirects`; header names are lower case."""

    url: str
    final_url: str
    status: int
    headers: Headers
    body: bytes  # decoded
    fetched_at: datetime  # aware UTC
    redirects: tuple[str, ...] = ()
    address: str = ""  # of the server
    asked: Headers = field(default=())  # headers of the last request

    def header(self, name: str) -> str:
        """Return the first header with a lower-case name, or ""."""
        return next((value for key, value in self.headers if key == name), "")

    @property
    def content_type(self) -> str:
        """The media type in lower case, without parameters."""
        return self.header("content-type").partition(";")[0].strip().lower()


class Fetcher:
    """Fetches pages under the limits of the settings. Thread-safe."""

    def __init__(self, settings: FetchSettings, *, resolver: Resolver = resolve, user_agent: str | None = None) -> None:
        self.settings = settings
        self.user_agent = user_agent or settings.user_agent
        self._resolver = resolver
        self._networks = parse_networks(settings.allow_networks)
        file = settings.ca_file
        self._context = _context(file, file.stat().st_mtime_ns if file else 0)

    def fetch(
        self,
        url: str,
        *,
        validators: Validators | None = None,
        before_hop: Hop | None = None,
        seconds: float | None = None,
        headers: Headers = (),
        most: int | None = None,
    ) -> Page:
        """Return the response to a GET of `url` after redirects, whatever its status.

        Args:
            url: absolute, http or https.
            validators: from an earlier response; a 304 response has no body.
            before_hop: called before each request, redirects included; raises FetchError to stop.
            seconds: time limit for the page with all redirects; None uses the settings of its host.
            headers: further ones, such as a key; they are sent to the origin of `url` only.
            most: limit in bytes, if it is less than that of the settings.

        Raises:
            FetchError: if no complete response was received within the limits; the message gives the reason.
        """
        target = parse_target(urldefrag(url).url, self.settings.ports)
        first, most = target.origin, min(most or self.settings.max_bytes, self.settings.max_bytes)
        deadline = Deadline(seconds or self._seconds(target.host))
        backend = GuardedBackend(deadline, self._networks, self._resolver)
        jar: dict[tuple[str, str, int], dict[str, str]] = {}
        passed: list[str] = []
        with httpcore.ConnectionPool(
            ssl_context=self._context, network_backend=backend, max_connections=1, max_keepalive_connections=0
        ) as pool:
            while True:
                if before_hop:
                    before_hop(target)
                asked = self._headers(target, jar.get(target.origin, {}), validators)
                sent = (*asked, *headers) if target.origin == first else asked
                page = _attempt(lambda t=target, a=sent: self._request(pool, t, a, most=most), deadline)
                _keep_cookies(page, jar.setdefault(target.origin, {}))
                location = page.header("location")
                if page.status not in REDIRECTS or not location:
                    return _with_redirects(page, url, target.url, passed, asked)
                if len(passed) >= self.settings.max_redirects:
                    raise FetchError(f"more than {self.settings.max_redirects} redirects", "redirects")
                passed.append(target.url)
                target = parse_target(_redirect_url(target.url, location), self.settings.ports)

    def post(self, url: str, body: bytes, *, media_type: str, headers: Headers = (), seconds: float = 20.0) -> Page:
        """Return the response to a POST of `url`, whatever its status; a redirect is not followed.

        Raises:
            FetchError: if no complete response was received within the limits; the message gives the reason.
        """
        target = parse_target(urldefrag(url).url, self.settings.ports)
        deadline = Deadline(seconds)
        backend = GuardedBackend(deadline, self._networks, self._resolver)
        asked = (*self._headers(target, {}, None), ("Content-Type", media_type), *headers)
        with httpcore.ConnectionPool(
            ssl_context=self._context, network_backend=backend, max_connections=1, max_keepalive_connections=0
        ) as pool:
            return _attempt(lambda: self._request(pool, target, asked, body), deadline)

    def _seconds(self, host: str) -> float:
        # the most specific configured domain that contains the host
        named = self.settings.host_seconds
        found = [name for name in named if host == name or host.endswith("." + name)]
        return named[max(found, key=len)] if found else self.settings.total_seconds

    def _headers(self, target: Target, cookies: dict[str, str], validators: Validators | None) -> Headers:
        headers = [
            ("Host", target.authority),
            ("User-Agent", self.user_agent),
            ("Accept", ACCEPT),
            ("Accept-Language", "en;q=0.8, *;q=0.5"),
            ("Accept-Encoding", ACCEPTED),
            ("Connection", "close"),
        ]
        if cookies:
            headers.append(("Cookie", "; ".join(f"{name}={value}" for name, value in cookies.items())))
        if validators and validators.url == target.url:
            if validators.etag:
                headers.append(("If-None-Match", validators.etag))
            if validators.last_modified:
                headers.append(("If-Modified-Since", validators.last_modified))
        return tuple(headers)

    def _request(
        self,
        pool: httpcore.ConnectionPool,
        target: Target,
        headers: Headers,
        content: bytes | None = None,
        *,
        most: int | None = None,
    ) -> Page:
        url = httpcore.URL(
            scheme=target.scheme.encode(),
            host=target.host.encode(),
            port=target.port,
            target=target.path.encode("ascii"),
        )
        wait = self.settings.connect_seconds
        timeouts = {"connect": wait, "pool": wait, "read": None, "write": None}  # GuardedStream applies the deadline
        method = "GET" if content is None else "POST"
        if content is not None:
            headers = (*headers, ("Content-Length", str(len(content))))
        with pool.stream(
            method, url, headers=list(headers), content=content, extensions={"timeout": timeouts}
        ) as response:
            found = _decoded(response.headers)
            body = b""
            if response.status not in REDIRECTS:
                body = self._body(response, dict(found), most or self.settings.max_bytes)
            return Page(target.url, target.url, response.status, found, body, datetime.now(UTC), (), _peer(response))

    def _body(self, response: httpcore.Response, headers: dict[str, str], most: int) -> bytes:
        length = headers.get("content-length", "")
        if length.isdigit() and int(length[:20]) > most:
            raise FetchError(f"too large: {int(length[:20]) / MEGABYTE:.1f} MB", "too-large")
        return read_body(
            response.iter_stream(),
            headers.get("content-encoding", ""),
            max_bytes=most,
            max_ratio=self.settings.max_ratio,
        )


@lru_cache(maxsize=8)
def _context(ca_file: Path | None, _changed: int) -> ssl.SSLContext:  # reading all authorities takes 20 ms and more
    context = httpcore.default_ssl_context()
    if ca_file is not None:
        context.load_verify_locations(cafile=ca_file)
    return context


def _attempt(get: Callable[[], Page], deadline: Deadline) -> Page:
    try:
        return get()
    except httpcore.ConnectTimeout:
        raise FetchError("no connection in time", "timeout") from None
    except httpcore.TimeoutException:
        raise FetchError(f"took longer than {deadline.seconds:g} seconds", "timeout") from None
    except httpcore.NetworkError as error:
        if isinstance(error.__cause__, ssl.SSLError) or "SSL" in str(error) or "CERTIFICATE" in str(error):
            raise FetchError(f"no trusted connection: {str(error)[:200]}", "protocol") from None
        raise FetchError(f"no connection: {str(error)[:200] or 'closed'}", "network") from None
    except httpcore.RemoteProtocolError as error:
        # a truncated body may be complete on a retry; malformed headers will not improve
        kind = "network" if "closed connection" in str(error) or "disconnected" in str(error) else "protocol"
        raise FetchError(f"not a proper answer: {str(error)[:200]}", kind) from None
    except (httpcore.ProtocolError, httpcore.UnsupportedProtocol, ValueError) as error:
        raise FetchError(f"not a proper answer: {str(error)[:200]}", "protocol") from None


def _decoded(headers: Sequence[tuple[bytes, bytes]]) -> Headers:
    if len(headers) > MAX_HEADERS:
        raise FetchError(f"more than {MAX_HEADERS} headers", "protocol")
    return tuple((key.decode("latin-1").lower(), value.decode("utf-8", "replace")) for key, value in headers)


def _redirect_url(base: str, location: str) -> str:
    try:
        return urldefrag(urljoin(base, location.strip())).url
    except ValueError:
        raise FetchError("a redirect to a URL that cannot be read", "refused") from None


def _keep_cookies(page: Page, cookies: dict[str, str]) -> None:
    for key, value in page.headers:
        match = _COOKIE.match(value.strip()) if key == "set-cookie" else None
        if match and len(match[0]) <= MAX_COOKIE and (len(cookies) < MAX_COOKIES or match[1] in cookies):
            cookies[match[1]] = match[2]


def _with_redirects(page: Page, url: str, final_url: str, redirects: Sequence[str], asked: Headers) -> Page:
    return Page(
        url, final_url, page.status, page.headers, page.body, page.fetched_at, tuple(redirects), page.address, asked
    )


def _peer(response: httpcore.Response) -> str:
    stream: Any = response.extensions.get("network_stream")
    address = stream.get_extra_info("server_addr") if stream is not None else None
    return str(address[0]) if address else ""
