"""Web pages as fetched, saved or in foreign archives: items, places, times, attributes."""

import gzip
import json
from datetime import UTC, datetime
from io import BytesIO
from pathlib import Path

import pytest

from brain_pipelines.connectors.http.archive import keep_page, page_path, uri_of
from brain_pipelines.connectors.http.fetch import Page
from brain_pipelines.engine.run_stage import materialize
from brain_pipelines.landing.landing import open_landing
from brain_pipelines.sources.registry import SOURCES_BY_NAME
from brain_pipelines.stages.registry import STAGES
from brain_retrieval.stores.catalog import Catalog
from brain_retrieval.stores.lake import Lake
from tests.pipelines.conftest import Bench

SENTENCE = "The component library was late by two weeks, and so the launch moved to the middle of March. "
PAGE = f"""<!DOCTYPE html><html lang="en"><head><title>Late</title><meta name="author" content="Ann Lee">
<meta property="article:published_time" content="2026-01-05T10:00:00Z">
<meta property="article:modified_time" content="2026-01-06"><meta name="keywords" content="launch, delay">
<meta name="description" content="Why the launch moved."><meta property="og:image" content="/cover.png">
<meta property="og:site_name" content="The Site"><link rel="canonical" href="/late"></head><body>
<nav><a href="/">Home</a></nav><article><h1>Late</h1><p>{SENTENCE * 4}</p><p>{SENTENCE * 3}
<a href="next?page=2">next</a><img src="table.png" alt="The table"></p></article></body></html>"""
FETCHED = datetime(2026, 1, 8, 9, 30, tzinfo=UTC)


def page(body: str | bytes = PAGE, url: str = "https://site.example/late", **headers: str) -> Page:
    data = body.encode() if isinstance(body, str) else body
    named = {"content-type": "text/html; charset=utf-8", "etag": '"v1"', "set-cookie": "secret=1", **headers}
    return Page(url, url, 200, tuple(named.items()), data, FETCHED, (), "93.184.216.34", (("Host", "site.example"),))


def read(bench: Bench, source: str = "web-page") -> None:
    """Run the first two stages, raw and text."""
    space = bench.space()
    with open_landing(space, bench.settings) as landing:
        days = landing.days(source)
    for stage in STAGES[:2]:
        materialize(stage, SOURCES_BY_NAME[source], space, days, settings=bench.settings, run_id="test")


def documents(bench: Bench, source: str) -> dict[str, dict]:
    space = bench.space()
    with Catalog(space) as catalog:
        rows = Lake(space, catalog).read("text", source=source).to_pylist()
    return {row["uri"]: {**row, "attributes": json.loads(row["attributes"])} for row in rows}


def quarantine(bench: Bench, source: str) -> list[str]:
    with Catalog(bench.space()) as catalog:
        return [row.reason for row in catalog.quarantine(source=source) if row.kind == "rejected"]


def test_fetched_page_has_its_parent_and_metadata(bench: Bench) -> None:
    space = bench.space()
    seed = keep_page(space, "web-crawl", "https://site.example/", page(url="https://site.example/"), {"depth": 0})
    fields = {"depth": 1, "job": "crawl_1", "via": "https://site.example/", "parent": uri_of(space, seed)}
    child = keep_page(space, "web-crawl", "https://site.example/late", page(), fields)
    for path in (seed, child):
        assert bench.land(path) == {"2026-01-05"}
    read(bench, "web-crawl")
    found = documents(bench, "web-crawl")
    top, late = found[uri_of(space, seed)], found[uri_of(space, child)]
    assert late["parent_id"] == top["source_id"] and top["parent_id"] is None
    assert (late["url"], late["fetched_at"], late["title"]) == ("https://site.example/late", FETCHED, "Late")
    assert late["authors"] == ["Ann Lee"] and "library was late" in late["text"] and "Home" not in late["text"]
    facts = late["attributes"]
    assert facts["published_at"] == "2026-01-05T10:00:00+00:00" and facts["modified_at"].startswith("2026-01-06")
    assert facts["canonical"] == "https://site.example/late" and facts["og_image"] == "https://site.example/cover.png"
    assert facts["links"] == ["https://site.example/", "https://site.example/next?page=2"] and "media" not in facts
    assert (facts["depth"], facts["job"], facts["via"]) == (1, "crawl_1", "https://site.example/")
    assert (facts["http_status"], facts["domain"], facts["validation_state"]) == (200, "site.example", "trusted")
    assert facts["http_headers"]["etag"] == '"v1"' and "secret" not in json.dumps(facts)
    assert facts["keywords"] == ["launch", "delay"] and facts["description"] == "Why the launch moved."


def test_trusted_domains_and_media_are_settings(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    (bench.home.path / "brain.toml").write_text('[crawl]\ntrusted_domains = ["example"]\nextract_media = true\n')
    bench.land(keep_page(bench.space(), "web-page", "https://site.example/late", page(), {"origin": "online"}))
    read(bench)
    (found,) = documents(bench, "web-page").values()
    assert found["attributes"]["validation_state"] == "trusted"
    assert found["attributes"]["media"] == [
        {"kind": "image", "url": "https://site.example/table.png", "alt": "The table"}
    ]


def test_the_same_fetch_is_the_same_file_and_another_version_replaces_it(bench: Bench) -> None:
    url = "https://site.example/late?utm_source=x#part"
    first = keep_page(bench.space(), "web-page", url, page(), {})
    before = first.read_bytes()
    assert keep_page(bench.space(), "web-page", url, page(), {}).read_bytes() == before
    assert bench.land(first) == {"2026-01-05"}
    changed = keep_page(bench.space(), "web-page", "https://site.example/late", page(PAGE.replace("two", "three")), {})
    assert changed == first and bench.land(changed) == {"2026-01-05"}
    read(bench)
    (text,) = bench.texts(source="web-page").values()
    assert "late by three weeks" in text and "late by two weeks" not in text


TIMES = {
    "the page's own date": (PAGE, {}, "2026-01-05"),
    "Last-Modified": ("<p>" + SENTENCE * 5, {"last-modified": "Wed, 07 Jan 2026 10:00:00 GMT"}, "2026-01-07"),
    "the time of fetching": ("<p>" + SENTENCE * 5, {}, "2026-01-08"),
    "not a date after fetching": (PAGE.replace("2026-01-05", "2026-02-20"), {}, "2026-01-08"),
}


@pytest.mark.parametrize("case", TIMES)
def test_event_time_of_a_page(bench: Bench, case: str) -> None:
    body, headers, day = TIMES[case]
    assert bench.land(keep_page(bench.space(), "web-page", "https://a.example/x", page(body, **headers), {})) == {day}


def test_encoding_stated_only_in_the_http_header(bench: Bench) -> None:
    body = ("<html><body><p>" + "Grüße aus Zürich, schöne Straße. " * 12).encode("iso-8859-15")
    fetched = page(body, **{"content-type": "text/html; charset=ISO-8859-15"})
    bench.land(keep_page(bench.space(), "web-page", "https://a.example/x", fetched, {}))
    read(bench)
    assert "Grüße aus Zürich" in next(iter(bench.texts(source="web-page").values()))


def foreign(pages: list[tuple[str, str, bytes]], *, status: str = "200 OK") -> bytes:
    from warcio.statusandheaders import StatusAndHeaders
    from warcio.warcwriter import WARCWriter

    output = BytesIO()
    writer = WARCWriter(output, gzip=True)
    writer.write_record(writer.create_warcinfo_record("crawl.warc.gz", {"software": "Heritrix/3.4"}))
    for url, kind, body in pages:
        headers = StatusAndHeaders(status, [("Content-Type", kind)], protocol="HTTP/1.1")
        dated = {"WARC-Date": "2026-01-09T12:00:00Z"}
        writer.write_record(
            writer.create_warc_record(
                url, "response", payload=BytesIO(body), http_headers=headers, warc_headers_dict=dated
            )
        )
    return output.getvalue()


def test_foreign_archive_has_many_pages(bench: Bench) -> None:
    other = PAGE.replace("Late", "Early").replace("2026-01-05", "2026-01-07")
    archive = foreign(
        [
            ("https://a.example/late", "text/html", PAGE.encode()),
            ("https://a.example/style.css", "text/css", b"body{}"),
            ("https://a.example/early?x=1", "text/html", other.encode()),
            ("https://a.example/note", "text/plain", SENTENCE.encode()),
            ("https://a.example/early?x=1", "text/html", other.replace("two", "six").encode()),
        ]
    )
    path = bench.drop("alice", "web-page", "crawl.warc.gz", archive)
    assert bench.land(path) == {"2026-01-05", "2026-01-07", "2026-01-09"}
    read(bench)
    found = documents(bench, "web-page")
    assert [uri.partition("#")[2] for uri in sorted(found)] == [
        "https://a.example/early?x=1",
        "https://a.example/early?x=1~2",
        "https://a.example/late",
        "https://a.example/note",
    ]
    assert all(row["fetched_at"] == datetime(2026, 1, 9, 12, tzinfo=UTC) for row in found.values())
    assert found[f"{next(iter(found)).partition('#')[0]}#https://a.example/early?x=1~2"]["url"].endswith("?x=1")
    assert quarantine(bench, "web-page") == []


BAD = {
    "no pages": (foreign([("https://a.example/x", "text/css", b"body{}")]), "no page"),
    "errors only": (foreign([("https://a.example/x", "text/html", b"<p>gone")], status="404 Not Found"), "no page"),
    "cut off": (foreign([("https://a.example/x", "text/html", PAGE.encode())])[:400], ""),
    "noise": (b"WARC/1.1\r\n" + bytes(range(256)) * 20, ""),
}


@pytest.mark.parametrize("case", BAD)
def test_archive_without_pages_gives_a_reason(bench: Bench, case: str) -> None:
    data, reason = BAD[case]
    bench.land(bench.drop("alice", "web-page", "bad.warc.gz", data))
    read(bench)
    assert len(quarantine(bench, "web-page")) == 1 and reason in quarantine(bench, "web-page")[0]
    assert bench.texts(source="web-page") == {}


def test_decompression_bomb_is_refused_in_time(bench: Bench) -> None:
    from warcio.statusandheaders import StatusAndHeaders
    from warcio.warcwriter import WARCWriter

    output = BytesIO()
    headers = StatusAndHeaders(
        "200 OK", [("Content-Type", "text/html"), ("Content-Encoding", "gzip")], protocol="HTTP/1.1"
    )
    bomb = gzip.compress(bytes(300 << 20))
    writer = WARCWriter(output, gzip=True)
    writer.write_record(
        writer.create_warc_record("https://a.example/", "response", payload=BytesIO(bomb), http_headers=headers)
    )
    bench.land(bench.drop("alice", "web-page", "bomb.warc.gz", output.getvalue()))
    read(bench)
    (reason,) = quarantine(bench, "web-page")
    assert "a page of more than 64.0 MB" in reason


def test_an_archive_with_too_many_pages_is_refused(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BRAIN_LIMITS__MAX_PARTS", "3")
    many = [(f"https://a.example/{n}", "text/plain", SENTENCE.encode()) for n in range(4)]
    bench.land(bench.drop("alice", "web-page", "many.warc.gz", foreign(many)))
    read(bench)
    assert quarantine(bench, "web-page") == ["more than 3 pages in the web archive"]


def test_parent_outside_of_web_sources_is_ignored(bench: Bench) -> None:
    claims = {"parent": "inbox:note/secret.md", "depth": 1}
    path = keep_page(bench.space(), "web-page", "https://a.example/x", page(), claims)
    bench.land(path)
    with open_landing(bench.space(), bench.settings) as landing:
        (item,) = landing.items_of(uri_of(bench.space(), path))
    assert item.parent_id is None


def test_a_page_saved_as_mhtml(bench: Bench) -> None:
    head = (
        "From: <Saved by Blink>\r\nSnapshot-Content-Location: https://site.example/late\r\nSubject: Late\r\n"
        "Date: Sat, 10 Jan 2026 08:00:00 +0000\r\nMIME-Version: 1.0\r\n"
        'Content-Type: multipart/related; type="text/html"; boundary="b"\r\n\r\n'
    )
    part = "--b\r\nContent-Type: text/html\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n"
    body = PAGE.replace("=", "=3D").replace("\n", "\r\n")
    picture = "--b\r\nContent-Type: image/png\r\nContent-Transfer-Encoding: base64\r\n\r\niVBORw0KGgo=\r\n--b--\r\n"
    path = bench.drop("alice", "web-page", "Late.mhtml", f"{head}{part}{body}\r\n{picture}")
    assert bench.land(path) == {"2026-01-10"}
    read(bench)
    (found,) = documents(bench, "web-page").values()
    assert found["url"] == "https://site.example/late" and "library was late" in found["text"]
    assert found["format"] == "mhtml" and found["attributes"]["domain"] == "site.example"


def test_names_on_disk_are_readable_and_stay_below_the_host(bench: Bench) -> None:
    space = bench.space()
    path = page_path(space, "web-page", "https://Site.example/../../etc/passwd?a=1")
    assert path.parent == space.inbox / "web-page" / "site.example"
    assert path.name.startswith("etc-passwd-") and path.name.endswith(".warc.gz")
    assert path == page_path(space, "web-page", "https://site.example/etc/passwd?a=1&utm_campaign=z")
    assert path != page_path(space, "web-page", "https://site.example/etc/passwd?a=2")
    assert isinstance(path, Path)
