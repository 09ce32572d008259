"""Which addresses and URLs may be requested."""

from ipaddress import ip_address

import pytest

from brain_pipelines.connectors.http.addresses import parse_networks, why_refused
from brain_pipelines.connectors.http.targets import FetchError, parse_target

PORTS = (80, 443, 8080)

CLOSED = """127.0.0.1 127.255.255.254 0.0.0.0 10.0.0.1 172.16.0.1 172.31.255.255 192.168.1.1 100.64.0.1 100.127.255.254
169.254.0.1 169.254.169.254 192.0.0.8 192.0.2.1 198.18.0.1 198.51.100.7 203.0.113.9 224.0.0.1 239.255.255.255 240.0.0.1
255.255.255.255 100.100.100.200 168.63.129.16 192.88.99.1
:: ::1 ::ffff:127.0.0.1 ::ffff:10.0.0.1 ::ffff:169.254.169.254 ::127.0.0.1 64:ff9b::127.0.0.1 64:ff9b::a9fe:a9fe
64:ff9b:1::1 2002:7f00:1:: 2002:a9fe:a9fe:: 2001:0:7f00:1:: fe80::1 fe80::1%eth0 fec0::1 fc00::1 fd00:ec2::254
fd12:3456::1 ff02::1 100::1 2001:db8::1 3fff::1 5f00::1""".split()
OPEN = "1.1.1.1 8.8.8.8 93.184.216.34 172.15.0.1 172.32.0.1 100.63.255.255 2606:4700:4700::1111 ::ffff:8.8.8.8".split()


@pytest.mark.parametrize("text", CLOSED)
def test_non_public_addresses_are_refused(text: str) -> None:
    assert why_refused(ip_address(text))


@pytest.mark.parametrize("text", [*OPEN, "64:ff9b::808:808"])
def test_public_addresses_are_allowed(text: str) -> None:
    assert why_refused(ip_address(text)) is None


def test_allowed_network_does_not_allow_others_or_metadata() -> None:
    allowed = parse_networks(["127.0.0.0/8", "169.254.0.0/16", "fd00::/8"])
    assert why_refused(ip_address("127.0.0.1"), allowed) is None
    assert why_refused(ip_address("::ffff:127.0.0.1"), allowed) is None
    assert why_refused(ip_address("fd00::5"), allowed) is None
    assert why_refused(ip_address("10.0.0.1"), allowed) == "not a public address"
    for metadata in ("169.254.169.254", "::ffff:169.254.169.254", "64:ff9b::a9fe:a9fe", "fd00:ec2::254"):
        assert why_refused(ip_address(metadata), allowed) == "a metadata address"


REFUSED = {
    "ftp://example.com/": "scheme",
    "file:///etc/passwd": "scheme",
    "javascript:alert(1)": "scheme",
    "//example.com/": "scheme",
    "http://user:secret@example.com/": "user name",
    "http://example.com@127.0.0.1/": "user name",
    "http://example.com:22/": "port 22",
    "http://example.com:0/": "port 0",
    "http://example.com:99999/": "cannot be read",
    "http:///path": "without a host",
    "http://exa mple.com/": "blanks",
    "http://example.com\\@127.0.0.1/": "backslashes",
    "http://example.com/\r\nHost: other": "control",
    "http://2130706433/": "unusual form",
    "http://0x7f000001/": "unusual form",
    "http://0x7f.1/": "unusual form",
    "http://0177.0.0.1/": "unusual form",
    "http://127.1/": "unusual form",
    "http://127.0.0.1.0/": "unusual form",
    "http://1.2.3.256/": "unusual form",
    "http://[::1/": "cannot be read",
    "http://[fe80::1%25eth0]/": "zone",
    "http://a..b/": "malformed",
    "http://" + "a" * 5000: "characters",
}


@pytest.mark.parametrize(("url", "reason"), REFUSED.items(), ids=lambda text: text[:40])
def test_urls_refused_before_name_resolution(url: str, reason: str) -> None:
    with pytest.raises(FetchError) as caught:
        parse_target(url, PORTS)
    assert reason in str(caught.value)
    assert caught.value.kind == "refused" and not caught.value.transient


def test_hosts_are_normalised() -> None:
    assert parse_target("HTTP://EXAMPLE.com.:80/a b".replace(" ", "%20"), PORTS).url == "http://example.com/a%20b"
    assert parse_target("http://bücher.example/ü?q=ö", PORTS).url == "http://xn--bcher-kva.example/%C3%BC?q=%C3%B6"
    wide = parse_target("http://１２７.0.0.1/", PORTS)
    assert str(wide.address) == "127.0.0.1"
    mapped = parse_target("http://[::FFFF:127.0.0.1]:8080/", PORTS)
    assert mapped.authority == "[::ffff:7f00:1]:8080" and why_refused(mapped.address)
