"""Search providers: what is sent, what is read from their answers, and what is refused."""

import json
from collections.abc import Iterator

import pytest

from brain_pipelines.ingest.evidence.providers.address_list import AddressList
from brain_pipelines.ingest.evidence.providers.provider import SearchFailedError
from brain_pipelines.ingest.evidence.providers.search_api import SearchApi
from brain_retrieval.errors import InvalidSettingsError
from brain_retrieval.settings import FetchSettings, load_settings
from brain_retrieval.settings.evidence import AddressListSettings, SearchApiSettings
from tests.pipelines.connectors.http.servers import Site, redirect, reply, serve

JSON = {"Content-Type": "application/json"}


@pytest.fixture
def site() -> Iterator[Site]:
    with serve({}) as running:
        yield running


def api(site: Site, **options: object) -> SearchApi:
    settings = SearchApiSettings.model_validate({"url": site.url("/"), "allow_private": True, **options})
    return SearchApi("one", settings, FetchSettings())


def test_searxng_is_asked_in_its_form(site: Site) -> None:
    rows = [{"url": "https://a.example/1", "title": " A  page ", "content": "…"}, {"url": "javascript:x"}, "odd", {}]
    site.answers["*"] = lambda _: reply(json.dumps({"results": rows}), headers=JSON)
    provider = api(site, language="en")
    (found,) = provider.search("40 % & more?", 5, seconds=60)
    assert (found.url, found.title) == ("https://a.example/1", "A page") and provider.received > 0
    assert site.paths() == ["/search?q=40+%25+%26+more%3F&format=json&language=en"]


def test_any_service_with_json_by_get_or_post(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OWN_SEARCH_KEY", "secret-key")
    rows = {"web": {"hits": [{"link": "https://a.example/1", "name": "A"}, {"link": "https://a.example/2"}]}}
    site.answers["*"] = lambda _: reply(json.dumps(rows), headers=JSON)
    form = {"kind": "json", "results": "web.hits", "address_field": "link", "title_field": "name"}
    form |= {"api_key_env": "OWN_SEARCH_KEY", "key_header": "X-Key"}
    got = api(site, **form, url=site.url("/find?query={query}&n={count}")).search('a "b" c', 1, seconds=60)
    assert [one.url for one in got] == ["https://a.example/1"]
    api(site, **form, body='{"q": "{query}", "n": {count}}', key_prefix="Bearer ").search('a "b"', 3, seconds=60)
    first, second = site.requests
    assert (first.path, first.headers["x-key"]) == ("/find?query=a%20%22b%22%20c&n=1", "secret-key")
    assert (json.loads(second.body), second.headers["x-key"]) == ({"q": 'a "b"', "n": 3}, "Bearer secret-key")


def test_a_private_address_needs_a_setting_and_a_key_follows_no_redirect(site: Site) -> None:
    with pytest.raises(SearchFailedError, match="not a public address"):
        api(site, allow_private=False).search("x", 1, seconds=60)
    assert site.requests == []
    site.answers["*"] = lambda _: redirect("https://elsewhere.example/")
    with pytest.raises(SearchFailedError, match="more than 0 redirects") as error:
        api(site, api_key="secret-key").search("x", 1, seconds=60)
    assert "secret" not in str(error.value)


@pytest.mark.parametrize(
    ("body", "status", "reason"),
    [(b"{}", 500, "answered with 500"), (b"<html>", 200, "not JSON"), (b'{"results": 3}', 200, "no list 'results'")],
)
def test_what_a_bad_answer_is_called(site: Site, body: bytes, status: int, reason: str) -> None:
    site.answers["*"] = lambda _: reply(body, status)
    with pytest.raises(SearchFailedError, match=reason):
        api(site).search("x", 1, seconds=60)


def test_listed_addresses_are_chosen_by_words_of_the_query(site: Site) -> None:
    base = site.url("")
    site.answers["/feed"] = lambda _: reply(
        f"<rss><channel><item><title>New harbour opens</title><link>{base}/news/1</link></item>"
        f"<item><title>Bakery closed</title><link>{base}/news/2</link></item>"
        f"<item><title>Harbour</title><link>https://other.example/3</link></item></channel></rss>"
    )
    site.answers["/atom"] = lambda _: reply(
        f'<feed xmlns="http://www.w3.org/2005/Atom"><entry><title>The old harbour</title>'
        f'<link rel="alternate" href="{base}/atom/1"/></entry></feed>'
    )
    site.answers["/map.xml"] = lambda _: reply(
        f"<sitemapindex><sitemap><loc>{base}/part.xml</loc></sitemap></sitemapindex>"
    )
    site.answers["/part.xml"] = lambda _: reply(
        f"<!DOCTYPE x [<!ENTITY a 'harbour'>]><urlset><url><loc>{base}/pages/harbour-dues</loc></url>"
        f"<url><loc>{base}/pages/&a;</loc></url></urlset>"
    )
    settings = AddressListSettings.model_validate(
        {"addresses": [f"{base}/about"], "feeds": [f"{base}/feed", f"{base}/atom"], "sitemaps": [f"{base}/map.xml"]}
    )
    provider = AddressList("own", settings, FetchSettings(allow_networks=("127.0.0.0/8",), ports=(site.port,)))
    found = [one.url.removeprefix(base) for one in provider.search("When did the harbour open?", 10, seconds=60)]
    assert found == ["/news/1", "/atom/1", "/pages/harbour-dues", "/about"]
    asked = len(site.requests)
    assert [one.url.removeprefix(base) for one in provider.search("bakery", 10, seconds=60)] == ["/news/2", "/about"]
    assert len(site.requests) == asked == 4


def test_lists_that_cannot_be_read_fail(site: Site) -> None:
    settings = AddressListSettings.model_validate({"feeds": [site.url("/feed")]})
    provider = AddressList("own", settings, FetchSettings(allow_networks=("127.0.0.0/8",), ports=(site.port,)))
    with pytest.raises(SearchFailedError, match="404"):
        provider.search("x", 1, seconds=60)


@pytest.mark.parametrize(
    "section",
    [
        'search.a]\nurl = "ftp://x"',
        'search.a]\nkind = "json"\nurl = "https://x.example/"',
        'search.a]\nurl = "https://x.example"\nresults = "a..b"',
        'trusted.a]\nfeeds = ["nothing"]',
    ],
)
def test_settings_that_cannot_work_are_refused(tmp_path, section: str) -> None:
    (tmp_path / "brain.toml").write_text(f"[evidence.online.{section}\n")
    with pytest.raises(InvalidSettingsError):
        load_settings(tmp_path)
