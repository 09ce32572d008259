"""Bookmarks that a browser exported keep their folders, addresses, days, tags and words about them."""

from pathlib import Path

import pytest

from brain_pipelines.readers.detect import detect_format
from brain_pipelines.readers.webpage.html import read_file
from brain_retrieval.errors import BadInputError
from brain_retrieval.settings import Limits

HEAD = "<!DOCTYPE NETSCAPE-Bookmark-file-1>\n<!-- DO NOT EDIT! -->\n<TITLE>Bookmarks</TITLE>\n<H1>Bookmark menu</H1>\n"
PAGES = """<DL><p>
<DT><A HREF="place:type=6">Recent tags</A>
<DT><A HREF="https://knots.example/" ADD_DATE="1463686918" TAGS="boats,rope" ICON="data:image/png;base64,AAAA">Knots &amp; bends</A>
<DD>For Sunday,
with Ida
<DT><H3 ADD_DATE="1463688081">Sailing</H3>
<DD>All about boats
<DL><p>
<DT><A HREF="https://tide.example/?a=1&amp;b=2" ADD_DATE="0">Tides</A>
<DT><H3>Harbours</H3>
<DL><p><DT><A HREF="https://berth.example/7">Berth 7</A></DL><p>
<DT><A HREF="http://wind.example/"></A>
</DL><p>
<DT><A HREF="javascript:alert(1)">Button</A>
</DL>"""  # noqa: E501 - a line as a browser writes it


def read(folder: Path, text: str) -> tuple[str, list[tuple[str | None, str]]]:
    path = folder / "bookmarks.html"
    path.write_text(text)
    assert detect_format(path).name == "html"
    found = read_file(path, Limits(), None)
    return found.title or "", [(block.section, block.text) for block in found.blocks]


def test_pages_are_listed_by_folder(tmp_path: Path) -> None:
    assert read(tmp_path, HEAD + PAGES) == (
        "Bookmark menu",
        [
            (None, "- Knots & bends (https://knots.example/), saved on 2016-05-19 [boats, rope]: For Sunday, with Ida"),
            ("Sailing", "- Tides (https://tide.example/?a=1&b=2)"),
            ("Sailing / Harbours", "- Berth 7 (https://berth.example/7)"),
            ("Sailing", "- http://wind.example/ (http://wind.example/)"),
        ],
    )


def test_a_file_without_an_address_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadInputError, match="no address in the bookmarks"):
        read(tmp_path, HEAD)
