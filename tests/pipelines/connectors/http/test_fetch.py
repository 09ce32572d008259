"""The HTTP client against well-behaved and hostile servers."""

import gzip
import threading
import time
import zlib
from collections.abc import Iterator

import pytest

from brain_pipelines.connectors.http.fetch import Fetcher, Validators
from brain_pipelines.connectors.http.targets import FetchError
from brain_retrieval.settings import FetchSettings
from tests.pipelines.connectors.http.servers import Request, Site, redirect, reply, serve

LOOPBACK = ("127.0.0.0/8",)
PAGE = "<html><body><p>Hello</p></body></html>"


def fetcher(site: Site, *, resolver=None, **settings) -> Fetcher:
    values = {"allow_networks": LOOPBACK, "ports": (site.port, 80, 443), "total_seconds": 60.0, **settings}
    return Fetcher(FetchSettings(**values), **({"resolver": resolver} if resolver else {}))


@pytest.fixture
def site() -> Iterator[Site]:
    with serve({"/": lambda _: reply(PAGE)}) as running:
        yield running


def refusal(action) -> FetchError:
    with pytest.raises(FetchError) as caught:
        action()
    return caught.value


def test_page_has_request_and_response_data(site: Site) -> None:
    page = fetcher(site).fetch(site.url("/#part"))
    assert (page.status, page.body.decode(), page.content_type) == (200, PAGE, "text/html")
    assert page.final_url == site.url() and page.address == "127.0.0.1"
    asked = site.requests[0].headers
    assert asked["user-agent"].startswith("Brain/") and asked["accept-encoding"] == "gzip, deflate"
    assert "cookie" not in asked and "referer" not in asked and "authorization" not in asked


def test_loopback_is_blocked_by_default(site: Site) -> None:
    error = refusal(lambda: fetcher(site, allow_networks=()).fetch(site.url()))
    assert error.kind == "refused" and "not a public address" in str(error)
    assert site.requests == []


def test_environment_proxies_and_credentials_are_not_used(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9/")
    assert fetcher(site).fetch(site.url()).status == 200


TARGETS = (
    "http://169.254.169.254/latest/meta-data/",
    "http://[::1]:80/",
    "http://[::ffff:169.254.169.254]/",
    "http://[fd00:ec2::254]/",
    "http://2130706433/",
    "http://0x7f.1/",
    "http://10.0.0.1/",
    "http://192.168.0.1/",
    "http://0.0.0.0/",
    "http://100.100.100.200/",
    "http://localhost:22/",
    "file:///etc/passwd",
    "gopher://127.0.0.1/",
    "http://name:password@93.184.216.34/",
)


@pytest.mark.parametrize("location", TARGETS)
def test_every_redirect_target_is_checked(site: Site, location: str) -> None:
    site.answers["/out"] = lambda _: redirect(location)
    error = refusal(lambda: fetcher(site).fetch(site.url("/out")))
    assert error.kind == "refused"


@pytest.mark.parametrize("answers", [["10.0.0.5"], ["93.184.216.34", "10.0.0.5"], ["::1"], ["169.254.169.254"], ["x"]])
def test_names_resolving_to_blocked_addresses_are_refused(site: Site, answers: list[str]) -> None:
    error = refusal(lambda: fetcher(site, resolver=lambda host, port: answers).fetch("http://rebind.example/"))
    assert error.kind == "refused"


def test_connection_goes_to_checked_address(site: Site) -> None:
    """DNS rebinding: a name server that changes its answer is asked only once per connection."""
    answers = iter([["127.0.0.1"], ["169.254.169.254"]])
    client = fetcher(site, resolver=lambda host, port: next(answers))
    page = client.fetch(site.url("/", host="rebind.example"))
    assert page.status == 200 and site.requests[0].headers["host"] == f"rebind.example:{site.port}"
    assert refusal(lambda: client.fetch(site.url("/", host="rebind.example"))).kind == "refused"


def test_unresponsive_name_server_times_out(site: Site) -> None:
    answered, over = threading.Event(), threading.Event()

    def silent(host: str, port: int) -> list[str]:
        over.wait(60)
        answered.set()
        return ["127.0.0.1"]

    client = fetcher(site, resolver=silent, connect_seconds=0.2)
    try:
        assert refusal(lambda: client.fetch("http://slow.example/")).kind == "timeout"
        assert not answered.is_set()
    finally:
        over.set()


def test_redirect_limit(site: Site) -> None:
    site.answers["*"] = lambda request: redirect(f"/hop/{int(request.path.rpartition('/')[2] or 0) + 1}")
    error = refusal(lambda: fetcher(site).fetch(site.url("/hop/0")))
    assert error.kind == "redirects" and len(site.requests) == 6


def _trickle(head: bytes, part: bytes) -> Iterator[bytes]:
    yield head
    while True:
        time.sleep(0.05)
        yield part


SLOW = {
    "headers one by one": lambda _: _trickle(b"HTTP/1.1 200 OK\r\n", b"X-A: 1\r\n"),
    "one header byte by byte": lambda _: _trickle(b"HTTP/1.1 200 OK\r\nX-A: ", b"a"),
    "a body byte by byte": lambda _: _trickle(b"HTTP/1.1 200 OK\r\nContent-Length: 99999\r\n\r\n", b"a"),
    "chunks of one byte": lambda _: _trickle(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", b"1\r\na\r\n"),
    "only interim answers": lambda _: _trickle(b"HTTP/1.1 100 Continue\r\n\r\n", b"HTTP/1.1 100 Continue\r\n\r\n"),
    "nothing at all": lambda _: _trickle(b"", b""),
}


@pytest.mark.parametrize("kind", SLOW)
def test_slow_response_hits_page_deadline(site: Site, kind: str) -> None:
    site.answers["/slow"] = SLOW[kind]
    began = time.monotonic()
    error = refusal(lambda: fetcher(site, total_seconds=0.4).fetch(site.url("/slow")))
    assert error.kind == "timeout" and error.transient
    assert time.monotonic() - began < 60  # the answer would never end


def test_time_limit_per_host(site: Site) -> None:
    site.answers["/slow"] = SLOW["nothing at all"]
    client = fetcher(site, total_seconds=30.0, host_seconds={"127.0.0.1": 0.3, "example.org": 9.0})
    assert "0.3 seconds" in str(refusal(lambda: client.fetch(site.url("/slow"))))


def _bomb(megabytes: int, layers: int = 1) -> bytes:
    packer = zlib.compressobj(9, zlib.DEFLATED, 31)
    data = b"".join([*(packer.compress(bytes(1 << 20)) for _ in range(megabytes)), packer.flush()])
    return gzip.compress(data) if layers == 2 else data


LARGE = {
    "declared": lambda _: reply(b"", headers={"Content-Length": "999999999999"}),
    "endless": lambda _: _endless(b"HTTP/1.1 200 OK\r\n\r\n", bytes(65536)),
    "endless chunks": lambda _: _endless(
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", b"10000\r\n" + bytes(65536) + b"\r\n"
    ),
    "gzip bomb": lambda _: reply(_bomb(40), headers={"Content-Encoding": "gzip"}),
    "ratio": lambda _: reply(_bomb(3), headers={"Content-Encoding": "gzip"}),
    "endless deflate": lambda _: reply(zlib.compress(bytes(50 << 20)), headers={"Content-Encoding": "deflate"}),
}


def _endless(head: bytes, part: bytes) -> Iterator[bytes]:
    yield head
    while True:
        yield part


@pytest.mark.parametrize("kind", LARGE)
def test_large_responses_are_refused(site: Site, kind: str) -> None:
    site.answers["/large"] = LARGE[kind]
    error = refusal(lambda: fetcher(site, max_bytes=4 << 20).fetch(site.url("/large")))
    assert error.kind == "too-large"


DAMAGED = {
    "header flood": (lambda _: reply(headers={f"X-{n}": "v" * 80 for n in range(5000)}), "protocol"),
    "many headers": (lambda _: reply(headers={f"X-{n}": "v" for n in range(500)}), "protocol"),
    "one long header": (lambda _: reply(headers={"X": "v" * 500_000}), "protocol"),
    "not http": (lambda _: b"SSH-2.0-OpenSSH_9.2\r\n\r\n", "protocol"),
    "shorter than it says": (lambda _: reply(PAGE, headers={"Content-Length": "5000"}), "network"),
    "two lengths": (lambda _: reply(PAGE, headers={"Content-Length": "5, 38"}), "protocol"),
    "closed at once": (lambda _: b"", "network"),
    "another encoding": (lambda _: reply(PAGE, headers={"Content-Encoding": "br"}), "protocol"),
    "broken gzip": (lambda _: reply(b"\x1f\x8b" + b"x" * 50, headers={"Content-Encoding": "gzip"}), "protocol"),
    "cut gzip": (lambda _: reply(gzip.compress(PAGE.encode())[:-9], headers={"Content-Encoding": "gzip"}), "network"),
}


@pytest.mark.parametrize("kind", DAMAGED)
def test_damaged_responses_are_refused(site: Site, kind: str) -> None:
    answer, expected = DAMAGED[kind]
    site.answers["/bad"] = answer
    assert refusal(lambda: fetcher(site).fetch(site.url("/bad"))).kind == expected


PACKED = {
    "gzip": ("gzip", gzip.compress),
    "zlib": ("deflate", zlib.compress),
    "raw": ("deflate", lambda data: zlib.compress(data)[2:-4]),
}


@pytest.mark.parametrize("kind", PACKED)
def test_compressed_bodies_are_decoded(site: Site, kind: str) -> None:
    name, pack = PACKED[kind]
    site.answers["/p"] = lambda _: reply(pack(PAGE.encode() * 50), headers={"Content-Encoding": name})
    assert fetcher(site).fetch(site.url("/p")).body == PAGE.encode() * 50


def test_cookies_are_limited_to_redirects_of_one_page_and_origin(site: Site) -> None:
    with serve({"*": lambda _: reply("other")}) as other:
        set_cookie = {"Set-Cookie": "session=abc; Path=/", "Location": "/second"}
        site.answers["/first"] = lambda _: reply(b"", 302, set_cookie)
        site.answers["/second"] = lambda _: redirect(other.url("/third"))
        client = fetcher(site, ports=(site.port, other.port))
        client.fetch(site.url("/first"))
        client.fetch(site.url("/"))
    asked = {request.path: request.headers.get("cookie") for request in [*site.requests, *other.requests]}
    assert asked == {"/first": None, "/second": "session=abc", "/third": None, "/": None}


def test_validators_are_sent_only_to_their_url(site: Site) -> None:
    def answer(request: Request) -> bytes:
        known = request.headers.get("if-none-match") == '"v1"'
        return (
            reply(b"", 304, {"ETag": '"v1"', "Content-Length": None})
            if known
            else reply(PAGE, headers={"ETag": '"v1"'})
        )

    site.answers["/page"] = answer
    site.answers["/old"] = lambda _: redirect("/page", 301)
    client = fetcher(site)
    first = client.fetch(site.url("/page"))
    known = Validators(first.final_url, first.header("etag"))
    assert (first.status, client.fetch(site.url("/page"), validators=known).status) == (200, 304)
    assert client.fetch(site.url("/old"), validators=known).status == 304
    assert [request.headers.get("if-none-match") for request in site.requests] == [None, '"v1"', None, '"v1"']


def test_network_errors_have_readable_messages(site: Site) -> None:
    def unknown(host: str, port: int) -> list[str]:
        raise OSError("no such name")

    assert refusal(lambda: fetcher(site, resolver=unknown).fetch("http://nowhere.example/")).kind == "network"
    error = refusal(lambda: fetcher(site, ports=(1,)).fetch("http://127.0.0.1:1/"))
    assert error.kind == "network" and "no connection" in str(error)
