"""HTML in notes and exports becomes Markdown: its text and structure, without tags."""

import time

import pytest

from brain_pipelines.readers.document.html_fragment import to_markdown
from brain_pipelines.readers.document.html_in_markdown import without_html
from brain_pipelines.readers.document.markdown import read_markdown_file


@pytest.mark.parametrize(
    ("fragment", "shown"),
    [
        ("<div>Ann &amp; <b>Bo</b> met.</div><div><br/></div><div>Later</div>", "Ann & Bo met.\n\nLater"),
        ("<ul><li><div>milk</div><ul><li>oat</li></ul></li><li>tea</li></ul>", "- milk\n  - oat\n- tea"),
        ("<ol><li>one<li>two</ol>", "1. one\n2. two"),
        ("<h2>Food</h2><p>Good.</p>", "## Food\n\nGood."),
        ('See <a href="https://example.org/x">the page</a>.', "See [the page](https://example.org/x)."),
        ("<p>a</p><blockquote><p>b</p><p>c</p></blockquote><p>d</p>", "a\n\n> b\n>\n> c\n\nd"),
        (
            "<table><tr><td><p>Part</p></td><td>Price</td></tr><tr><td>Tap</td><td>18</td></tr></table>",
            "Part | Price\nTap | 18",
        ),
        ('<en-todo checked="true"/>paid<br><en-todo checked="false"/>call', "[x] paid\n[ ] call"),
        ('<ul><li style="--en-checked:true;"><div>paid</div></li></ul>', "- [x] paid"),
        ("<style>p {}</style><script>x()</script><p>seen<!-- not --></p>", "seen"),
        ("<pre><code>a\n  b</code></pre>", "```\na\n  b\n```"),
    ],
)
def test_structure_is_kept_without_tags(fragment: str, shown: str) -> None:
    assert to_markdown(fragment) == shown


@pytest.mark.parametrize("unit", ["<", "<!--", "<a href='", "<p ", "<div>", "<a>", "<ul><li>", "<blockquote>x", "`<b>"])
def test_long_broken_html_takes_linear_time(unit: str) -> None:
    text = unit * (200_000 // len(unit))
    before = time.process_time()
    to_markdown(text)
    read_markdown_file(text)
    assert time.process_time() - before < 20


BLOG = """---
title: Porto
---

<!-- wp:paragraph -->
<p>We flew with <strong>Jonas Weidner</strong>.</p>
<!-- /wp:paragraph -->

<!-- wp:heading -->
<h2>The food</h2>
<!-- /wp:heading -->

He paid <u>84</u> euros<br/>for `<b>` all.
"""


def test_html_in_markdown_is_read_as_what_it_shows() -> None:
    blocks = [block for block in read_markdown_file(BLOG).blocks if block.text.strip()]
    assert [block.section for block in blocks] == [None, "The food"]
    assert blocks[0].text.strip() == "We flew with Jonas Weidner."
    assert "He paid 84 euros\nfor `<b>` all." in blocks[1].text
    start, end = blocks[1].raw_start, blocks[1].raw_end
    assert BLOG[start:end].startswith("<h2>The food") and BLOG[start:end].endswith("all.")


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("<div>\n- milk\n- tea\n</div>\n\nmore", "- milk\n- tea\n\nmore"),
        ("<style>a{}</style><style>b\n\nc{}</style><p>seen</p>\n\nmore", "seen\n\nmore"),
        ("<!-- a\n\nb -->\nThe *day*", "\nThe *day*"),
        ('<a href="x.html"><img src="y.jpg"></a> On the way', " On the way"),
        ('{{<figure "a.jpg">}}', '{{<figure "a.jpg">}}'),
    ],
)
def test_blocks_of_html_end_where_they_should(text: str, shown: str) -> None:
    assert without_html(text).text == shown


@pytest.mark.parametrize(
    "text",
    [
        "a < b and c > d",
        "Vec<i> and List<T>",
        "```\n<p>code</p>\n```\n",
        "`<b>bold</b>`",
        "a <title> and <name> of mine",
    ],
)
def test_what_is_no_html_stays(text: str) -> None:
    assert without_html(text).text == text
