"""Names by which the server may be reached, and the origins whose pages may send it requests that change something.

A page of another site can have its own name resolve to 127.0.0.1 (DNS rebinding). Its requests then carry that name as
their host, so a host that is not listed is refused.
"""

from collections.abc import Mapping
from ipaddress import ip_address
from urllib.parse import urlsplit

from brain_retrieval.settings.server import ServerSettings

LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})
ANY = ("0.0.0.0", "::")  # noqa: S104 - compared with, not listened on


def allowed_names(settings: ServerSettings) -> frozenset[str]:
    """Return the names of the settings and those of the loopback interface, lower case."""
    own = () if settings.host in ANY else (settings.host.lower(),)
    return LOOPBACK.union(own, (name.lower().strip("[]") for name in settings.allowed_hosts))


def is_loopback(host: str) -> bool:
    """Return whether only this machine can reach a server that listens on `host`."""
    try:
        return host == "localhost" or ip_address(host).is_loopback
    except ValueError:
        return False


def is_allowed_host(header: str, names: frozenset[str]) -> bool:
    """Return whether a Host header names this server; the port does not matter."""
    try:
        parts = urlsplit(f"//{header}")
        return bool(parts.hostname) and parts.hostname in names and not parts.path and parts.username is None
    except ValueError:
        return False


def is_own_origin(headers: Mapping[str, str], scheme: str) -> bool:
    """Return whether a request comes from a page of this server, or from a program that is no browser."""
    if headers.get("sec-fetch-site", "none") not in ("none", "same-origin"):
        return False
    origin = headers.get("origin")
    if origin is None:
        return True
    # behind a proxy that speaks TLS the page's scheme is https
    return origin in {f"{one}://{headers.get('host', '')}" for one in (scheme, "https")}
