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


def test_entities_are_never_expanded(tmp_path: Path) -> None:
    grown = "".join(f'<!ENTITY e{n} "{f"&e{n - 1};" * 10}">\n' for n in range(1, 10))
    bomb = (
        f'<!DOCTYPE rss [\n<!ENTITY e0 "gull">\n{grown}]><rss version="2.0"><channel><item><title>One &e9; two</title>'
    )
    bomb += "</item></channel></rss>"
    for encoding in ("utf-8", "utf-16", "utf-32"):
        path = tmp_path / f"{encoding}.xml"
        path.write_bytes(f'<?xml version="1.0" encoding="{encoding}"?>\n{bomb}'.encode(encoding))
        with pytest.raises(BadInputError, match="entit"):
            read_file(path, Limits(), None)
    hidden = tmp_path / "hidden.xml"  # in UTF-7 no byte of the declarations is a bracket
    hidden.write_bytes(b'<?xml version="1.0" encoding="utf-7"?>\n' + bomb.replace("<", "+ADw-").encode())
    assert read_file(hidden, Limits(), None).blocks[0].text == "One &e9; two"


def test_a_feed_opens_no_file_and_no_address(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "secret.txt").write_text("the safe is open")
    outside = f'<!DOCTYPE rss SYSTEM "{(tmp_path / "secret.txt").as_uri()}">'
    path = written(tmp_path, outside + RSS.split("-->")[1].strip())
    opened: list[str] = []
    monkeypatch.setattr("urllib.request.OpenerDirector.open", lambda *_: opened.append("address"))
    monkeypatch.setattr("socket.socket.connect", lambda *_: opened.append("socket"))
    found = read_file(path, Limits(), None)
    assert len(found.blocks) == 2 and not opened and "safe" not in str(found)


def test_a_damaged_feed_gives_the_items_that_can_be_read(tmp_path: Path) -> None:
    broken = RSS.replace("In short.", "Nets & lines&nbsp;<br>here").replace("Tilda Voss", "Tilda&nbsp;Voss")
    found = read_file(written(tmp_path, broken), Limits(), None)
    assert [block.section for block in found.blocks] == ["The Marlin is back", "Dredging"]
    assert "- Tickets: 12 euros" in found.blocks[0].text and "damaged" in found.repairs[0]
    cut = read_file(written(tmp_path, RSS[: RSS.index("Pier 5")], "cut.xml"), Limits(), None)
    assert "lies at pier 3" in cut.blocks[0].text and "damaged" in cut.repairs[0]
    with pytest.raises(BadInputError, match="damaged"):
        read_file(written(tmp_path, RSS[: RSS.index("<title>The")], "none.xml"), Limits(), None)


def test_texts_are_plain_or_html_as_the_feed_declares_them(tmp_path: Path) -> None:
    feed = """<feed xmlns="http://www.w3.org/2005/Atom"><title>Kitchen</title>
    <entry><title>How &lt;main&gt; differs from &lt;div&gt;</title><content>First line, 3 &lt; 4
Second line</content><author><email>pia@kitchen.example</email></author></entry>
    <entry><title type="text">Bread</title><summary>&lt;p&gt;Rye &lt;b&gt;and&lt;/b&gt; wheat&lt;/p&gt;
    </summary></entry>
    <entry><title>Sound</title><content type="audio/mpeg">SUQzBAAAAAA</content><summary>Of the oven</summary></entry>
    <entry><title>Film</title><summary type="html">&lt;p&gt;Kneading&lt;/p&gt;&lt;embed src="/k</summary></entry>
    </feed>"""
    first, second, third, fourth = read_file(written(tmp_path, feed), Limits(), None).blocks
    assert first.section == "How <main> differs from <div>" and first.text.endswith("First line, 3 < 4\nSecond line")
    assert second.text.endswith("\n\nRye and wheat") and third.text.endswith("\n\nOf the oven")
    assert fourth.text == "# Film\n\nKneading"


def test_the_longest_text_of_an_episode_is_read(tmp_path: Path) -> None:
    episode = """<rss version="2.0" xmlns:itunes="http://www.itunes.com/dtds/podcast-1.0.dtd"><channel>
    <title>Tides</title><item><title>Episode 7</title><guid>https://tides.example/7</guid>{}</item></channel></rss>"""
    long = "<description>&lt;p&gt;Why the harbour silts up, and what dredging costs.&lt;/p&gt;</description>"
    short = "<itunes:summary>About silt.</itunes:summary>"
    for order in (long + short, short + long):
        found = read_file(written(tmp_path, episode.format(order)), Limits(), None)
        assert found.blocks[0].text == "Why the harbour silts up, and what dredging costs.\n\nhttps://tides.example/7"


@pytest.mark.parametrize("encoding", ["koi8-r", "cp1251"])
def test_a_feed_in_an_encoding_that_it_does_not_state(tmp_path: Path, encoding: str) -> None:
    words = "Паром отходит от третьего причала каждое утро в половине седьмого, билеты продаются на борту."
    path = tmp_path / "feed.xml"
    path.write_bytes(
        f"<rss><channel><item><title>Паром</title><description>{words}</description></item></channel></rss>".encode(
            encoding
        )
    )
    found = read_file(path, Limits(), None)
    assert found.title == "Паром" and found.blocks[0].text == words and found.repairs


def test_feeds_in_utf_16_with_a_prefix_and_with_odd_days(tmp_path: Path) -> None:
    feed = """<?xml version="1.0" encoding="{}"?><a:feed xmlns:a="http://www.w3.org/2005/Atom"><a:title>Kikötő</a:title>
    <a:entry><a:title>Zárás</a:title><a:published>2004-július-13</a:published>
    <a:updated>2004-07-13T09:15-05:00</a:updated></a:entry>
    <a:entry><a:title>Nyitás</a:title><a:updated>2004-07-14</a:updated></a:entry></a:feed>"""
    for encoding in ("utf-8", "utf-16", "undefined"):
        path = tmp_path / "feed.xml"
        path.write_bytes(feed.format(encoding).encode(encoding if encoding != "undefined" else "utf-8"))
        found = read_file(path, Limits(), None)
        assert found.title == "Kikötő" and [block.section for block in found.blocks] == ["Zárás", "Nyitás"]
        days = [datetime(2004, 7, 13, 14, 15, tzinfo=UTC), datetime(2004, 7, 14, 12, tzinfo=UTC)]
        assert [block.time for block in found.blocks] == days
