"""Validation of URLs before any name is resolved: scheme, host, port and path become a `Target`.

Hosts are normalised to one unambiguous form. IP addresses not written as four decimal parts are refused, because
parsers disagree about forms such as `0x7f.1` or `2130706433`.
"""

import re
from dataclasses import dataclass
from ipaddress import AddressValueError, IPv4Address, IPv6Address
from urllib.parse import quote, urlsplit

from brain_pipelines.connectors.http.addresses import Address
from brain_retrieval.errors import BrainError

MAX_URL = 4096  # characters
PORTS = {"http": 80, "https": 443}
_UNSAFE = re.compile(r"[\x00-\x20\x7f\\]")
_LABEL = re.compile(r"[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?")
_NUMBER = re.compile(r"\d+|0x[0-9a-f]*", re.I)


class FetchError(BrainError):
    """A page that was not fetched. `kind`: refused | timeout | too-large | network | protocol | redirects.

    "timeout" and "network" may succeed on a retry.
    """

    def __init__(self, reason: str, kind: str) -> None:
        super().__init__(reason)
        self.kind = kind

    @property
    def transient(self) -> bool:
        """Whether a retry may succeed."""
        return self.kind in ("timeout", "network")


@dataclass(frozen=True)
class Target:
    """Destination of one request. `host` is lower-case ASCII without brackets; `address` is set for an IP literal."""

    scheme: str
    host: str
    port: int
    path: str  # includes the query
    address: Address | None = None

    @property
    def authority(self) -> str:
        """The Host header; the port is included only if it is not the default of the scheme."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if PORTS[self.scheme] == self.port else f"{host}:{self.port}"

    @property
    def origin(self) -> tuple[str, str, int]:
        return (self.scheme, self.host, self.port)

    @property
    def url(self) -> str:
        return f"{self.scheme}://{self.authority}{self.path}"


def parse_target(url: str, ports: tuple[int, ...]) -> Target:
    """Return the target of a URL.

    Args:
        url: absolute, http or https.
        ports: allowed ports.

    Raises:
        FetchError: "refused", with the reason.
    """
    if len(url) > MAX_URL:
        raise _refused(f"a URL of {len(url)} characters")
    if _UNSAFE.search(url.strip()):
        raise _refused("a URL with blanks, backslashes or control characters")
    try:
        parts = urlsplit(url.strip())
        port = parts.port
    except ValueError:
        raise _refused("a URL that cannot be read") from None
    scheme = parts.scheme.lower()
    if scheme not in PORTS:
        raise _refused(f"the scheme {scheme[:20]!r}, only http and https are fetched")
    if "@" in parts.netloc:
        raise _refused("a URL with a user name or password")
    port = PORTS[scheme] if port is None else port
    if port not in ports:
        raise _refused(f"port {port}, allowed are {', '.join(map(str, ports))}")
    host, address = parse_host(parts.netloc)
    query = f"?{_escaped(parts.query)}" if parts.query else ""
    return Target(scheme, host, port, (_escaped(parts.path) or "/") + query, address)


def _escaped(text: str) -> str:
    return quote(text, safe="/%:@!$&'()*+,;=?~-._[]|", errors="replace")


def parse_host(authority: str) -> tuple[str, Address | None]:
    """Return the canonical host of `host[:port]`, and its address if it is an IP literal.

    Raises:
        FetchError: "refused": no host, a zone id, an IP address in an unusual form, or a malformed host name.
    """
    if authority.startswith("["):
        literal = authority[1:].partition("]")[0]
        try:
            address = IPv6Address(literal)
        except AddressValueError:
            raise _refused("a malformed IPv6 address") from None
        if address.scope_id is not None:
            raise _refused("an IPv6 address with a zone")
        return address.compressed, address
    host = _ascii_host(authority.partition(":")[0]).removesuffix(".")
    if not host:
        raise _refused("a URL without a host")
    if _NUMBER.fullmatch(host.rpartition(".")[2]):
        try:
            return host, IPv4Address(host)
        except AddressValueError:
            raise _refused(f"the host {host[:60]!r}: an address in an unusual form") from None
    if len(host) > 253 or not all(_LABEL.fullmatch(label) for label in host.split(".")):
        raise _refused("a malformed host name")
    return host, None


def _ascii_host(host: str) -> str:
    if host.isascii():
        return host.lower()
    import idna

    try:
        return idna.encode(host, uts46=True).decode("ascii").lower()
    except (idna.IDNAError, UnicodeError):
        pass
    # IDNA rejects digits and dots of other scripts, but some resolvers accept "１２７.0.0.1", so it must not pass.
    raise _refused("a malformed international host name")


def _refused(what: str) -> FetchError:
    return FetchError(f"not fetched: {what}", "refused")
