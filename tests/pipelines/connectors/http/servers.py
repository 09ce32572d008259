"""Loopback servers that return scripted responses: valid pages, and anything a hostile host may send."""

import socket
import socketserver
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

Answer = Callable[["Request"], bytes | Iterator[bytes]]


@dataclass
class Request:
    method: str
    path: str
    headers: dict[str, str]
    body: bytes = b""


@dataclass
class Site:
    """A running server: its port, the requests received, and the responses by path ("*" for all other paths)."""

    port: int
    answers: dict[str, Answer]
    requests: list[Request] = field(default_factory=list)

    def url(self, path: str = "/", host: str = "127.0.0.1") -> str:
        return f"http://{host}:{self.port}{path}"

    def paths(self) -> list[str]:
        return [request.path for request in self.requests]


def reply(body: bytes | str = b"", status: int = 200, headers: dict[str, str] | None = None) -> bytes:
    """Return a complete HTTP response as bytes."""
    data = body.encode() if isinstance(body, str) else body
    named = {"Content-Type": "text/html; charset=utf-8", "Content-Length": str(len(data)), **(headers or {})}
    lines = "".join(f"{key}: {value}\r\n" for key, value in named.items() if value is not None)
    return f"HTTP/1.1 {status} Reason\r\n{lines}\r\n".encode() + data


def redirect(location: str, status: int = 302) -> bytes:
    return reply(b"", status, {"Location": location})


class _Handler(socketserver.BaseRequestHandler):
    def handle(self) -> None:
        request = _read(self.request)
        if request is None:
            return
        site: Site = self.server.site  # type: ignore[attr-defined]
        site.requests.append(request)
        answer = site.answers.get(request.path) or site.answers.get("*") or (lambda _: reply("none", 404))
        try:
            made = answer(request)
            for part in [made] if isinstance(made, bytes) else made:
                self.request.sendall(part)
        except OSError:
            pass  # the client closed the connection


def _read(connection: socket.socket) -> Request | None:
    data = b""
    connection.settimeout(10)
    try:
        while b"\r\n\r\n" not in data:
            part = connection.recv(65536)
            if not part:
                return None
            data += part
    except OSError:
        return None
    head, _, body = data.partition(b"\r\n\r\n")
    first, *lines = head.decode("latin-1").split("\r\n")
    method, path, _ = first.split(" ", 2)
    headers = {k.lower(): v for k, v in (line.split(": ", 1) for line in lines)}
    while len(body) < int(headers.get("content-length", 0)):
        body += connection.recv(65536)
    return Request(method, path, headers, body)


class _Server(socketserver.ThreadingTCPServer):
    allow_reuse_address = True
    daemon_threads = True
    request_queue_size = 64


@contextmanager
def serve(
    answers: dict[str, Answer],
    *,
    wrap: Callable[[socket.socket], socket.socket] | None = None,
    address: str = "127.0.0.1",
) -> Iterator[Site]:
    """Run a server until the block ends."""
    with _Server((address, 0), _Handler) as server:
        if wrap:
            server.socket = wrap(server.socket)
        site = Site(server.server_address[1], answers)
        server.site = site  # type: ignore[attr-defined]
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
        thread.start()
        try:
            yield site
        finally:
            server.shutdown()
