"""Canonical URLs: equal for the same page, different for different pages."""

import pytest

from brain_pipelines.connectors.http.urls import absolute, canonical, may_be_page, page_name, template, within

SAME = [
    ("HTTP://Example.COM:80/a", "http://example.com/a"),
    ("https://example.com:443", "https://example.com/"),
    ("https://example.com/a/./b/../c#part", "https://example.com/a/c"),
    ("https://example.com/../../a", "https://example.com/a"),
    ("https://example.com/a?b=2&a=1&utm_source=x&fbclid=y", "https://example.com/a?a=1&b=2"),
    ("https://example.com/a;jsessionid=12?x=1", "https://example.com/a?x=1"),
    ("https://bücher.example/ä", "https://xn--bcher-kva.example/%C3%A4"),
    ("https://example.com./", "https://example.com/"),
    ("https://example.com/a?tag=2&tag=1", "https://example.com/a?tag=2&tag=1"),
    ("https://example.com/%7Euser/", "https://example.com/%7Euser/"),
]


@pytest.mark.parametrize(("url", "name"), SAME)
def test_canonical_form(url: str, name: str) -> None:
    assert canonical(url) == name == canonical(name)


@pytest.mark.parametrize("pair", [("?cid=1", "?cid=2"), ("?source=a", "?source=b"), ("/a", "/a/"), ("/A", "/a")])
def test_different_pages_have_different_canonical_urls(pair: tuple[str, str]) -> None:
    first, second = (canonical(f"https://example.com/{one.lstrip('/')}") for one in pair)
    assert first != second


@pytest.mark.parametrize("url", ["mailto:a@b.c", "javascript:void(0)", "http://", "http://user@host/", "ftp://h/", ""])
def test_invalid_urls_have_no_canonical_form(url: str) -> None:
    assert canonical(url) is None and absolute("https://example.com/", url) is None


def test_relative_links_are_resolved() -> None:
    base = "https://example.com/docs/intro"
    assert absolute(base, " ../about us \n") == "https://example.com/about%20us"
    assert absolute(base, "//other.example/x") == "https://other.example/x"
    assert absolute(base, "?page=2") == "https://example.com/docs/intro?page=2"
    assert absolute(base, "#top") is None and absolute(base, "http://[") is None


DECLARED = [
    ("https://e.example/a?x=1", "/a", "https://e.example/a"),
    ("https://e.example/a", "https://other.example/a", "https://e.example/a"),
    ("https://e.example/a", "https://e.example:8443/a", "https://e.example/a"),
    ("https://e.example/a", "/", "https://e.example/a"),  # the site declares its front page on every page
    ("https://e.example/?utm_source=x", "/", "https://e.example/"),
    ("https://e.example/a", "http://[", "https://e.example/a"),
]


@pytest.mark.parametrize(("url", "declared", "name"), DECLARED)
def test_declared_canonical_url_is_accepted_on_same_host_only(url: str, declared: str, name: str) -> None:
    assert page_name(url, declared) == name


def test_may_be_page_rejects_traps_and_files() -> None:
    assert may_be_page("https://e.example/a/b.html") and may_be_page("https://e.example/paper.pdf")
    for url in ("https://e.example/a.png", "https://e.example/" + "a/" * 20, "https://e.example/x/y" + "/x/y" * 3):
        assert not may_be_page(url)
    assert template("https://e.example/cal/2026/01?day=3") == template("https://e.example/cal/2027/11?day=9")


def test_within_matches_domain_and_subdomains() -> None:
    assert within("docs.e.example", ("e.example",)) and within("e.example", ("e.example",))
    assert not within("evile.example", ("e.example",))
