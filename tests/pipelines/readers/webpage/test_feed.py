"""Feeds: RSS of several versions and Atom, with texts that are HTML in several ways."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from brain_pipelines.readers.detect import detect_format
from brain_pipelines.readers.webpage.feed import date_of, read_file
from brain_retrieval.errors import BadInputError
from brain_retrieval.settings import Limits

RSS = """<?xml version="1.0" encoding="utf-8"?>
<!-- made by hand -->
<rss version="2.0" xmlns:content="http://purl.org/rss/1.0/modules/content/" xmlns:dc="http://purl.org/dc/elements/1.1/"
 xmlns:media="http://search.yahoo.com/mrss/" xmlns:atom="http://www.w3.org/2005/Atom"><channel>
<title>Harbour &amp;amp; tides</title><atom:link href="https://harbour.example/feed" rel="self"/>
<link>https://harbour.example/</link><description>What goes on</description>
<item><media:content url="https://harbour.example/1.jpg"/><title>The &lt;em&gt;Marlin&lt;/em&gt; is back</title>
<link>https://harbour.example/marlin</link><pubDate>Sat, 14 Mar 2026 06:30:00 +0100</pubDate>
<dc:creator>Tilda Voss</dc:creator><description>In short.</description>
<content:encoded><![CDATA[<p>The <b>Marlin</b> lies at pier 3.</p><ul><li>Tickets: 12 euros</li></ul>
<script>steal()</script>]]>
</content:encoded></item>
<item><title>Dredging</title><description>&lt;p&gt;Pier 5 is closed until &lt;i&gt;May&lt;/i&gt;.&lt;/p&gt;
</description><pubDate>Mon, 16 Mar 2026 09:00:00 GMT</pubDate></item>
</channel></rss>"""
ATOM = """<feed xmlns="http://www.w3.org/2005/Atom"><title>Releases</title><updated>2026-04-02T10:00:00Z</updated>
<link rel="self" href="https://tool.example/atom"/><link href="https://tool.example/"/>
<entry><title type="html">Version &lt;code&gt;4.1&lt;/code&gt;</title><published>2026-04-02T08:00:00Z</published>
<author><name>Ines Prado</name></author>
<content type="xhtml">
<div xmlns="http://www.w3.org/1999/xhtml"><p>Needs <em>more</em> memory.</p></div></content></entry>
<entry><title>Version 4.0</title><updated>2026-03-02T08:00:00Z</updated>
<summary>Tags are kept.</summary></entry></feed>"""
RDF = """<?xml version="1.0"?><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"
 xmlns="http://purl.org/rss/1.0/"><channel><title>Old club</title></channel>
<item><title>Summer regatta</title><link>http://club.example/r</link><description>On 6 June.</description></item>
<item><title>Dues</title><description>40 crowns.</description></item></rdf:RDF>"""


def written(tmp_path: Path, text: str, name: str = "feed.xml") -> Path:
    path = tmp_path / name
    path.write_text(text, "utf-8")
    assert detect_format(path).name == "feed"
    return path


def test_items_keep_their_title_day_author_and_whole_text(tmp_path: Path) -> None:
    found = read_file(written(tmp_path, RSS), Limits(), None)
    assert (found.title, found.url, found.authors) == ("Harbour & tides", "https://harbour.example/", ["Tilda Voss"])
    first, second = found.blocks
    assert first.section == "The Marlin is back" and first.time == datetime(2026, 3, 14, 5, 30, tzinfo=UTC)
    assert "lies at pier 3" in first.text and "- Tickets: 12 euros" in first.text and "/marlin" in first.text
    assert "steal" not in first.text and "In short" not in first.text and "<" not in first.text
    assert second.section == "Dredging" and second.text == "# Dredging\n\nPier 5 is closed until May."


def test_items_of_atom_and_of_old_feeds(tmp_path: Path) -> None:
    found = read_file(written(tmp_path, ATOM), Limits(), None)
    assert [block.section for block in found.blocks] == ["Version 4.1", "Version 4.0"]
    assert [block.text for block in found.blocks] == [
        "# Version 4.1\n\nNeeds more memory.",
        "# Version 4.0\n\nTags are kept.",
    ]
    assert (found.title, found.url, found.authors) == ("Releases", "https://tool.example/", ["Ines Prado"])
    old = read_file(written(tmp_path, RDF, "old.rdf"), Limits(), None)
    assert [(block.section, block.text.splitlines()[2]) for block in old.blocks] == [
        ("Summer regatta", "On 6 June."),
        ("Dues", "40 crowns."),
    ]


def test_a_feed_is_of_the_day_of_its_latest_item(tmp_path: Path) -> None:
    assert date_of(written(tmp_path, RSS), UTC) == datetime(2026, 3, 16, 9, tzinfo=UTC)
    assert date_of(written(tmp_path, ATOM), UTC) == datetime(2026, 4, 2, 10, tzinfo=UTC)
    assert date_of(written(tmp_path, RDF), UTC) is None


def test_pages_and_other_xml_are_no_feeds(tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    page.write_text("<html><body><p>How a &lt;feed&gt; and &lt;rss&gt; work</p></body></html>")
    other = tmp_path / "other.xml"
    other.write_text('<?xml version="1.0"?><herd><feed kind="hay"><item>12 bales</item></feed></herd>')
    assert (detect_format(page).name, detect_format(other).name) == ("html", "xml")


def test_a_feed_without_words_or_with_entities_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadInputError, match="no item"):
        read_file(written(tmp_path, "<rss version='2.0'><channel><title>x</title></channel></rss>"), Limits(), None)
    bomb = f'<!DOCTYPE rss [<!ENTITY a "b">]>{RSS.split("-->")[1]}'
    path = tmp_path / "bomb.xml"
    path.write_text(bomb)
    with pytest.raises(BadInputError, match="entit"):
        read_file(path, Limits(), None)
