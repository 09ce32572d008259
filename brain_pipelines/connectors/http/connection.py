"""Network backend of the HTTP client: resolves names, checks every address, and connects to a checked address only.

TLS still verifies the certificate for the host name, which the layer above passes on. One object serves one page: its
deadline covers connecting, headers and body of all redirects together.
"""

import socket
import ssl
import time
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from concurrent.futures import TimeoutError as FutureTimeoutError
from ipaddress import ip_address
from typing import Any

import httpcore

from brain_pipelines.connectors.http.addresses import Address, Network, unwrapped, why_refused
from brain_pipelines.connectors.http.targets import FetchError, parse_host

MAX_ANSWERS = 20
Resolver = Callable[[str, int], Sequence[str]]  # host, port -> addresses as text


def resolve(host: str, port: int) -> list[str]:
    """Return the addresses of a name from the system resolver."""
    answers = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(answer[4][0]) for answer in answers))


class Deadline:
    """A deadline on the monotonic clock for a whole page."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self._at = time.monotonic() + seconds

    def left(self) -> float:
        """Return the seconds left.

        Raises:
            FetchError: "timeout" if none are left.
        """
        left = self._at - time.monotonic()
        if left <= 0:
            raise FetchError(f"took longer than {self.seconds:g} seconds", "timeout")
        return left


class GuardedStream(httpcore.NetworkStream):
    """A stream whose every operation is limited by the time left for the page, against servers that send slowly."""

    def __init__(self, inner: httpcore.NetworkStream, deadline: Deadline) -> None:
        self._inner, self._deadline = inner, deadline

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        return self._inner.read(max_bytes, self._within(timeout))

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        self._inner.write(buffer, self._within(timeout))

    def close(self) -> None:
        self._inner.close()

    def start_tls(
        self, ssl_context: ssl.SSLContext, server_hostname: str | None = None, timeout: float | None = None
    ) -> httpcore.NetworkStream:
        inner = self._inner.start_tls(ssl_context, server_hostname, self._within(timeout))
        return GuardedStream(inner, self._deadline)

    def get_extra_info(self, info: str) -> Any:
        return self._inner.get_extra_info(info)

    def _within(self, timeout: float | None) -> float:
        left = self._deadline.left()
        return left if timeout is None else min(timeout, left)


class GuardedBackend(httpcore.NetworkBackend):
    """Connects to checked addresses only. `resolver` does the DNS lookup and can be replaced in tests."""

    def __init__(self, deadline: Deadline, allowed: Sequence[Network], resolver: Resolver = resolve) -> None:
        self._deadline, self._allowed, self._resolver = deadline, allowed, resolver
        self._inner = httpcore.SyncBackend()

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore.NetworkStream:
        """Connect to the first checked address that responds.

        Raises:
            FetchError: "refused" if any address of the name is blocked; "network" if it has no address.
        """
        failure: Exception | None = None
        for address in self._checked(host, port, timeout):
            left = self._deadline.left()
            within = left if timeout is None else min(timeout, left)
            try:
                stream = self._inner.connect_tcp(str(address), port, within, local_address, socket_options)
            except (httpcore.ConnectError, httpcore.ConnectTimeout) as error:
                failure = error
            else:
                return GuardedStream(stream, self._deadline)
        raise failure or FetchError(f"no address known for {host}", "network")

    def _checked(self, host: str, port: int, timeout: float | None) -> list[Address]:
        _, literal = parse_host(f"[{host}]" if ":" in host else host)
        # one blocked address refuses the whole name: mixed answers are typical of DNS rebinding
        addresses = [literal] if literal is not None else self._resolve_name(host, port, timeout)
        for address in addresses:
            if reason := why_refused(address, self._allowed):
                raise FetchError(f"not fetched: {host} is at {address}, {reason}", "refused")
        # IPv4 addresses inside IPv6 forms were checked as IPv4, so connect to that address
        return [unwrapped(address) for address in addresses]

    def _resolve_name(self, host: str, port: int, timeout: float | None) -> list[Address]:
        left = self._deadline.left()
        # getaddrinfo has no timeout, so it runs in a thread that is abandoned when it takes too long
        pool = ThreadPoolExecutor(1, thread_name_prefix="resolve")
        try:
            answers = pool.submit(self._resolver, host, port).result(min(left, timeout or left))
        except FutureTimeoutError:
            raise FetchError(f"no answer about {host} from the name server", "timeout") from None
        except (OSError, UnicodeError):
            raise FetchError(f"no address known for {host}", "network") from None
        finally:
            pool.shutdown(wait=False)
        try:
            return [ip_address(answer) for answer in answers[:MAX_ANSWERS]]
        except ValueError:
            raise FetchError(f"the name server's answer about {host} is no address", "refused") from None
