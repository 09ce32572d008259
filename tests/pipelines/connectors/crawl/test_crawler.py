"""The crawler on local sites: order, limits, politeness, crawler traps, and repeated crawls."""

import gzip
import json
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from brain_pipelines.connectors.crawl.crawler import Crawler
from brain_pipelines.connectors.crawl.frontier import Frontier
from brain_pipelines.connectors.crawl.job import CrawlConfig, InvalidCrawlError, new_job
from brain_pipelines.connectors.http.fetch import Page
from brain_retrieval.home import Space
from tests.pipelines.connectors.crawl.sites import answers, body, crawl, job, kept_files, settings, states
from tests.pipelines.connectors.http.servers import Request, Site, redirect, reply, serve

TREE = {"/": ["/a", "/b"], "/a": ["/a1", "/"], "/b": ["/b1", "/a"], "/a1": ["/deep"], "/b1": [], "/deep": []}


@pytest.fixture
def site() -> Iterator[Site]:
    with serve(dict(answers(TREE))) as running:
        yield running


def pages(site: Site) -> list[str]:
    return [path for path in site.paths() if path not in ("/robots.txt", "/sitemap.xml")]


def records(home: Path) -> dict[str, dict[str, str]]:
    """Return the metadata of each kept page by its path."""
    from brain_pipelines.readers.webpage.warc import read_file
    from brain_retrieval.settings import Limits

    found = {}
    for path in (home / "inbox").rglob("*.warc.gz"):
        (record,) = read_file(path, Limits(), None).attributes["records"]
        found["/" + record["url"].split("/", 3)[3]] = record["fields"]
    return found


def test_breadth_first_each_page_once_with_its_parent(tmp_path: Path, site: Site) -> None:
    wanted = job(site, max_depth=2)
    result = crawl(tmp_path, site, wanted)
    assert pages(site) == ["/", "/a", "/b", "/a1", "/b1"]
    assert result.job.status == "completed" and result.job.completed_at is not None
    assert result.job.progress == {"discovered": 5, "processed": 5, "failed": 0, "skipped": 0}
    kept = records(tmp_path)
    assert {path: kept[path].get("depth") for path in kept} == {"/": "0", "/a": "1", "/b": "1", "/a1": "2", "/b1": "2"}
    assert kept["/a1"]["via"] == site.url("/a") and kept["/a1"]["job"] == wanted.id
    assert kept["/a1"]["parent"].startswith("inbox:web-crawl/127.0.0.1/a-") and "parent" not in kept["/"]


def test_depth_and_page_limits(tmp_path: Path, site: Site) -> None:
    crawl(tmp_path, site, job(site, max_depth=0))
    assert pages(site) == ["/"]
    result = crawl(tmp_path, site, job(site, max_depth=5, max_pages=3))
    assert result.job.progress["processed"] == 3


def test_excluded_urls_are_not_fetched(tmp_path: Path, site: Site) -> None:
    with serve(answers({"/": []})) as other:
        site.answers["/"] = lambda _: reply(
            body("/", ["/a", "/b?x=1", "/print/a", "/x.png", "mailto:a@b.c", "javascript:x()", other.url("/"), "/far"])
        )
        site.answers["/far"] = lambda _: redirect(f"http://elsewhere.example:{site.port}/")
        wanted = job(site, max_depth=1, exclude_patterns=("*/print/*", "*?x=*"))
        crawl(tmp_path, site, wanted)
    assert pages(site) == ["/", "/a", "/far"]
    assert states(tmp_path, wanted)["/far"][0] == "skipped" and "leaves out" in states(tmp_path, wanted)["/far"][1]


def test_robots_txt_is_respected(tmp_path: Path, site: Site) -> None:
    rules = "User-agent: *\nDisallow: /b\n\nUser-agent: Brain\nDisallow: /a\nAllow: /a1\n"
    site.answers["/robots.txt"] = lambda _: reply(rules, headers={"Content-Type": "text/plain"})
    wanted = job(site, max_depth=2)
    crawl(tmp_path, site, wanted)
    assert pages(site) == ["/", "/b", "/b1"]  # the group for our user agent applies instead of "*"
    assert states(tmp_path, wanted)["/a"][0] == "skipped"
    crawl(tmp_path, site, job(site, max_depth=1, respect_robots_txt=False))
    assert "/a" in pages(site)


@pytest.mark.parametrize(("status", "allowed"), [(404, True), (403, True), (429, False), (500, False), (503, False)])
def test_missing_or_failing_robots_txt(tmp_path: Path, site: Site, status: int, allowed: bool) -> None:
    site.answers["/robots.txt"] = lambda _: reply("", status)
    result = crawl(tmp_path, site, job(site, max_depth=0))
    assert (result.job.status, pages(site)) == (("completed", ["/"]) if allowed else ("failed", []))


def test_noindex_and_nofollow_are_respected(tmp_path: Path, site: Site) -> None:
    site.answers["/a"] = lambda _: reply(body("/a", ["/a1"], '<meta name="robots" content="noindex">'))
    site.answers["/b"] = lambda _: reply(body("/b", ["/b1"]), headers={"X-Robots-Tag": "nofollow"})
    crawl(tmp_path, site, job(site, max_depth=2))
    assert pages(site) == ["/", "/a", "/b", "/a1"]
    assert kept_files(tmp_path) == ["a1", "b", "index"]


def test_retry_after_is_respected(tmp_path: Path, site: Site) -> None:
    asked = iter([429, 503, 200])

    def busy(_request: Request) -> bytes:
        status = next(asked)
        return reply(body("/a", []), status, {"Retry-After": "0"} if status == 429 else {})

    site.answers["/a"] = busy
    result = crawl(tmp_path, site, job(site, max_depth=1))
    assert pages(site).count("/a") == 3 and result.job.progress["processed"] == 3


def test_unresponsive_page_fails_after_max_attempts(tmp_path: Path, site: Site) -> None:
    site.answers["/a"] = lambda _: b""
    site.answers["/b"] = lambda _: reply("", 500)
    wanted = job(site, max_depth=1)
    result = crawl(tmp_path, site, wanted)
    assert pages(site).count("/a") == pages(site).count("/b") == 3
    assert result.job.progress["failed"] == 2 and states(tmp_path, wanted)["/b"][1] == "answered with 500, 3 times"


def test_refusing_host_is_blocked(tmp_path: Path, site: Site) -> None:
    site.answers["/"] = lambda _: reply(body("/", [f"/secret/x{n}y" for n in range(20)]))
    site.answers["*"] = lambda request: reply("no", 404 if request.path == "/robots.txt" else 403)
    wanted = job(site, max_depth=1)
    result = crawl(tmp_path, site, wanted)
    assert len(pages(site)) == 6 and result.job.progress["failed"] == 20
    again = crawl(tmp_path, site, job(site, max_depth=1, max_pages=50))
    assert len(pages(site)) == 6 and again.job.status == "failed"


def test_endless_calendar_is_bounded(tmp_path: Path, site: Site) -> None:
    def calendar(request: Request) -> bytes:
        day = int(request.path.rpartition("=")[2] if "=" in request.path else 0)
        return reply(
            body(f"/day{day}", [f"/calendar?day={day + 1}", f"/calendar?day={day + 2}", "x/x/x/" + request.path])
        )

    site.answers["*"] = lambda r: reply("", 404) if r.path == "/robots.txt" else calendar(r)
    site.answers["/"] = lambda _: reply(body("/", ["/calendar?day=1"]))
    result = crawl(tmp_path, site, job(site, max_depth=20, max_pages=1000, max_similar=10))
    assert result.job.status == "completed" and len(pages(site)) < 120


def test_duplicate_pages_are_stored_once(tmp_path: Path, site: Site) -> None:
    same = body("/same", [], '<link rel="canonical" href="/same">')
    site.answers["/"] = lambda _: reply(
        body("/", ["/same", "/same?utm_source=a", "/same#b", "/alias", "/moved", "/twin", "/stolen"])
    )
    for path in ("/same", "/alias", "/same?ref=3"):
        site.answers[path] = lambda _: reply(same)
    site.answers["/moved"] = lambda _: redirect("/same", 301)
    site.answers["/twin"] = lambda _: reply(same.replace("canonical", "other").replace("<p>", "<p class='n1'>"))
    site.answers["/stolen"] = lambda _: reply(body("/s", [], '<link rel="canonical" href="http://evil.example/">'))
    wanted = job(site, max_depth=1)
    crawl(tmp_path, site, wanted)
    assert kept_files(tmp_path) == ["index", "same", "stolen"]
    found = states(tmp_path, wanted)
    assert "the same page" in found["/alias"][1] and "the same words" in found["/twin"][1]


def test_second_crawl_is_conditional_and_writes_only_changes(tmp_path: Path, site: Site) -> None:
    version = {"/a": 1}

    def versioned(request: Request) -> bytes:
        tag = f'"{version["/a"]}"'
        if request.headers.get("if-none-match") == tag:
            return reply(b"", 304, {"ETag": tag, "Content-Length": None})
        return reply(body(f"/a/v{version['/a']}", ["/a1"]), headers={"ETag": tag})

    nonce = iter(range(100))
    site.answers["/a"] = versioned
    site.answers["/b"] = lambda _: reply(body("/b", []) + f"<!-- nonce {next(nonce)} -->")
    wanted = job(site, max_depth=2)
    first = crawl(tmp_path, site, wanted)
    assert len(first.stored) == 4
    assert crawl(tmp_path, site, wanted).stored == [] and len(pages(site)) == 4  # a completed job is not repeated
    site.requests.clear()
    second = crawl(tmp_path, site, wanted, again=True)
    assert second.stored == [] and pages(site) == ["/", "/a", "/b", "/a1"]  # links of a 304 are known
    assert second.job.progress["processed"] == 4
    version["/a"] = 2
    third = crawl(tmp_path, site, wanted, again=True)
    assert [path.name.rsplit("-", 1)[0] for path in third.stored] == ["a"]
    site.answers["/a1"] = lambda _: reply("", 410)
    fourth = crawl(tmp_path, site, wanted, again=True)
    assert fourth.job.progress["failed"] == 1 and "a1" in kept_files(tmp_path)  # deleted on the site, kept in the inbox
    third.stored[0].unlink()
    assert len(crawl(tmp_path, site, wanted, again=True).stored) == 1


def test_sitemaps_add_unlinked_pages(tmp_path: Path, site: Site) -> None:
    def listing(*paths: str, tag: str = "url") -> str:
        return f"<{tag}set>" + "".join(f"<{tag}><loc>{site.url(p)}</loc></{tag}>" for p in paths) + f"</{tag}set>"

    site.answers["/robots.txt"] = lambda _: reply(f"Sitemap: {site.url('/index.xml')}")
    index = f"<sitemapindex><sitemap><loc>{site.url('/one.xml.gz')}</loc></sitemap></sitemapindex>"
    site.answers["/index.xml"] = lambda _: reply(index)
    site.answers["/one.xml.gz"] = lambda _: reply(gzip.compress(listing("/lonely", "/b").encode()))
    site.answers["/sitemap.xml"] = lambda _: reply(gzip.compress(bytes(300 << 20)), headers={"Content-Type": "a/b"})
    site.answers["/lonely"] = lambda _: reply(body("/lonely", []))
    wanted = job(site, max_depth=1, use_sitemaps=True)
    crawl(tmp_path, site, wanted)
    visited = [path for path in pages(site) if "xml" not in path]
    assert visited == ["/", "/a", "/b", "/lonely"]


def test_documents_are_stored_and_images_are_not(tmp_path: Path, site: Site) -> None:
    site.answers["/"] = lambda _: reply(body("/", ["/paper", "/photo", "/empty"]))
    site.answers["/paper"] = lambda _: reply(b"%PDF-1.4 " + b"x" * 100, headers={"Content-Type": "application/pdf"})
    site.answers["/photo"] = lambda _: reply(b"\x89PNG", headers={"Content-Type": "image/png"})
    site.answers["/empty"] = lambda _: reply("  ")
    wanted = job(site, max_depth=1)
    crawl(tmp_path, site, wanted)
    assert kept_files(tmp_path) == ["index", "paper"]
    assert states(tmp_path, wanted)["/photo"] == ("skipped", "no page: image/png")


def test_hosts_are_crawled_in_parallel(tmp_path: Path) -> None:
    tree = {"/": [f"/x{n}y" for n in range(4)], **{f"/x{n}y": [] for n in range(4)}}
    hosts = ("127.0.0.1", "127.0.0.2", "127.0.0.3")
    with serve(dict(answers(tree)), address="0.0.0.0") as site:
        config = CrawlConfig(max_depth=1, requests_per_second=10.0, use_sitemaps=False)
        wanted = new_job("alice", tuple(site.url("/", host=host) for host in hosts), config)
        result = crawl(tmp_path, site, wanted)
    assert result.job.progress["processed"] == 15  # equal text on another host is a different page
    first = [r.headers["host"].split(":")[0] for r in site.requests if r.path != "/robots.txt"][:3]
    assert sorted(first) == list(hosts)


def test_a_delay_between_requests(tmp_path: Path, site: Site) -> None:
    began = time.monotonic()
    crawl(tmp_path, site, job(site, max_depth=1, delay_seconds=0.15))
    assert pages(site) == ["/", "/a", "/b"] and time.monotonic() - began >= 0.3


def test_page_without_text_is_rendered_if_browser_is_available(tmp_path: Path, site: Site) -> None:
    def render(url: str) -> Page:
        shown = body("/shown", ["/a"]).encode()
        return Page(url, url, 200, (("content-type", "text/html"), ("x-rendered", "yes")), shown, datetime.now(UTC))

    site.answers["/"] = lambda _: reply("<html><body><div id='app'></div><script>start()</script></body></html>")
    space = Space(tmp_path, "alice").create()
    with Frontier(space) as frontier:
        opened = frontier.open_job(job(site, max_depth=1))
        Crawler(space, frontier, opened, settings(site), render=render).run()
    assert pages(site) == ["/", "/a"] and records(tmp_path)["/"]["rendered"] == "yes"


def test_job_id_validation_and_stored_state(tmp_path: Path, site: Site) -> None:
    assert job(site).id == job(site).id != job(site, max_depth=1).id
    assert job(site).config.allowed_domains == ("127.0.0.1",)
    for seeds, config in (((), {}), (("ftp://a/",), {}), (("http://a/",), {"exclude_patterns": ("x" * 500,)})):
        with pytest.raises(InvalidCrawlError):
            new_job("alice", seeds, CrawlConfig(**config))
    crawl(tmp_path, site, job(site, max_depth=0))
    with Frontier(Space(tmp_path, "alice")) as frontier:
        (listed,) = frontier.jobs()
        assert frontier.processed_urls(listed.id) == [site.url("/")]
    assert json.loads(json.dumps(listed.to_json()))["status"] == "completed"


def test_patterns_cannot_backtrack_catastrophically() -> None:
    config = CrawlConfig(exclude_patterns=("*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*b",))
    assert config.allows("http://x.example/" + "a" * 1500)


def test_scheduled_crawl_does_not_restore_removed_pages(tmp_path: Path, site: Site) -> None:
    wanted = job(site, max_depth=1)
    crawl(tmp_path, site, wanted)
    (removed,) = (tmp_path / "inbox").rglob("a-*.warc.gz")
    removed.unlink()
    assert not crawl(tmp_path, site, wanted, again=True, restore=False).stored
    assert not removed.exists() and states(tmp_path, wanted)["/a"][0] == "skipped"
    assert crawl(tmp_path, site, wanted, again=True).stored == [removed]


def test_media_are_fetched_when_asked_and_name_their_page(tmp_path: Path, site: Site) -> None:
    picture, pixel = b"\x89PNG" + bytes(5000), b"\x89PNG" + bytes(50)
    tags = ["/big.png", "/big.png", "/pixel.png", "/private/x.png", "http://127.0.0.1:1/gone.png", "/talk.mp3"]
    html = body("/", [], "".join(f'<img src="{one}">' for one in tags[:5]) + f'<audio src="{tags[5]}"></audio>')
    site.answers["/"] = lambda _: reply(html)
    site.answers["/big.png"] = lambda _: reply(picture, headers={"Content-Type": "image/png"})
    site.answers["/pixel.png"] = lambda _: reply(pixel, headers={"Content-Type": "image/png"})
    site.answers["/talk.mp3"] = lambda _: reply(b"ID3" + bytes(100), headers={"Content-Type": "audio/mpeg"})
    site.answers["/robots.txt"] = lambda _: reply("User-agent: *\nDisallow: /private/")
    crawl(tmp_path / "off", site, job(site, max_depth=0))
    assert list(records(tmp_path / "off")) == ["/"]
    crawl(tmp_path, site, job(site, max_depth=0, extract_media=True))
    kept = records(tmp_path)
    assert sorted(kept) == ["/", "/big.png", "/talk.mp3"] and "/private/x.png" not in site.paths()
    assert kept["/big.png"]["via"] == site.url("/") and kept["/big.png"]["parent"].startswith("inbox:web-crawl/")
    crawl(tmp_path, site, job(site, max_depth=0, extract_media=True), again=True)
    assert site.paths().count("/big.png") == 1
