"""The one HTTP client that reaches out. A page is asked for over connections of its own, which live no longer than it.

No cookies beyond the redirects of one page and one origin, no proxies or credentials from the environment, HTTP/1.1
without keep-alive: what was checked is what is used. What is done with the answer is decided elsewhere.
"""

import re
import ssl
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
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
    """What an earlier answer of `url` said of its version, for a conditional request."""

    url: str
    etag: str | None = None
    last_modified: str | None = None


@dataclass(frozen=True)
class Page:
    """One answer. `url` was asked for, `final_url` answered after `redirects`; names of headers are lower case."""

    url: str
    final_url: str
    status: int
    headers: Headers
    body: bytes  # unpacked
    fetched_at: datetime  # aware UTC
    redirects: tuple[str, ...] = ()
    address: str = ""  # of the peer
    asked: Headers = field(default=())  # headers of the last request

    def header(self, name: str) -> str:
        """Return the first header of a name in lower case, "" if there is none."""
        return next((value for key, value in self.headers if key == name), "")

    @property
    def content_type(self) -> str:
        """The media type in lower case, without parameters."""
        return self.header("content-type").partition(";")[0].strip().lower()


class Fetcher:
    """Fetches pages under the settings' limits. Safe to use from several threads."""

    def __init__(self, settings: FetchSettings, *, resolver: Resolver = resolve, user_agent: str | None = None) -> None:
        self.settings = settings
        self.user_agent = user_agent or settings.user_agent
        self._resolver = resolver
        self._networks = parse_networks(settings.allow_networks)
        self._context = httpcore.default_ssl_context()
        if settings.ca_file is not None:
            self._context.load_verify_locations(cafile=settings.ca_file)

    def fetch(
        self,
        url: str,
        *,
        validators: Validators | None = None,
        before_hop: Hop | None = None,
        seconds: float | None = None,
    ) -> Page:
        """Return the answer to a GET of `url`, whatever its status, after redirects.

        Args:
            url: absolute, http or https.
            validators: of an earlier answer; a 304 then has no body.
            before_hop: asked before each request, redirects included.
            seconds: for the page with all its redirects; None is what the settings say of its host.

        Raises:
            FetchError: if no whole answer was received within the limits, with the reason in words.
        """
        target = parse_target(urldefrag(url).url, self.settings.ports)
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
                page = _attempt(lambda t=target, a=asked: self._get(pool, t, a), deadline)
                _keep_cookies(page, jar.setdefault(target.origin, {}))
                location = page.header("location")
                if page.status not in REDIRECTS or not location:
                    return _renamed(page, url, target.url, passed, asked)
                if len(passed) >= self.settings.max_redirects:
                    raise FetchError(f"more than {self.settings.max_redirects} redirects", "redirects")
                passed.append(target.url)
                target = parse_target(_joined(target.url, location), self.settings.ports)

    def _seconds(self, host: str) -> float:
        # the longest name that the host is, or lies below
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

    def _get(self, pool: httpcore.ConnectionPool, target: Target, headers: Headers) -> Page:
        url = httpcore.URL(
            scheme=target.scheme.encode(),
            host=target.host.encode(),
            port=target.port,
            target=target.path.encode("ascii"),
        )
        wait = self.settings.connect_seconds
        timeouts = {"connect": wait, "pool": wait, "read": None, "write": None}  # the deadline is in the stream
        with pool.stream("GET", url, headers=list(headers), extensions={"timeout": timeouts}) as response:
            found = _decoded(response.headers)
            body = b""
            if response.status not in REDIRECTS:
                body = self._body(response, dict(found))
            return Page(target.url, target.url, response.status, found, body, datetime.now(UTC), (), _peer(response))

    def _body(self, response: httpcore.Response, headers: dict[str, str]) -> bytes:
        most = self.settings.max_bytes
        length = headers.get("content-length", "")
        if length.isdigit() and int(length[:20]) > most:
            raise FetchError(f"too large: {int(length[:20]) / MEGABYTE:.1f} MB", "too-large")
        return read_body(
            response.iter_stream(),
            headers.get("content-encoding", ""),
            max_bytes=most,
            max_ratio=self.settings.max_ratio,
        )


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
        # a body that ends early may be whole the next time; headers that make no sense will not
        kind = "network" if "closed connection" in str(error) or "disconnected" in str(error) else "protocol"
        raise FetchError(f"not a proper answer: {str(error)[:200]}", kind) from None
    except (httpcore.ProtocolError, httpcore.UnsupportedProtocol, ValueError) as error:
        raise FetchError(f"not a proper answer: {str(error)[:200]}", "protocol") from None


def _decoded(headers: Sequence[tuple[bytes, bytes]]) -> Headers:
    if len(headers) > MAX_HEADERS:
        raise FetchError(f"more than {MAX_HEADERS} headers", "protocol")
    return tuple((key.decode("latin-1").lower(), value.decode("utf-8", "replace")) for key, value in headers)


def _joined(base: str, location: str) -> str:
    try:
        return urldefrag(urljoin(base, location.strip())).url
    except ValueError:
        raise FetchError("a redirect to a URL that cannot be read", "refused") from None


def _keep_cookies(page: Page, cookies: dict[str, str]) -> None:
    for key, value in page.headers:
        match = _COOKIE.match(value.strip()) if key == "set-cookie" else None
        if match and len(match[0]) <= MAX_COOKIE and (len(cookies) < MAX_COOKIES or match[1] in cookies):
            cookies[match[1]] = match[2]


def _renamed(page: Page, url: str, final_url: str, redirects: Sequence[str], asked: Headers) -> Page:
    return Page(
        url, final_url, page.status, page.headers, page.body, page.fetched_at, tuple(redirects), page.address, asked
    )


def _peer(response: httpcore.Response) -> str:
    stream: Any = response.extensions.get("network_stream")
    address = stream.get_extra_info("server_addr") if stream is not None else None
    return str(address[0]) if address else ""
