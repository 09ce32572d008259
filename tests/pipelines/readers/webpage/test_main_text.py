"""What of a page's prose is read: nothing of the article lost, nothing of its surroundings taken."""

from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from brain_pipelines.readers.webpage.html import read_html
from brain_pipelines.readers.webpage.main_text import completed, coverage, is_better
from brain_pipelines.readers.webpage.page_date import page_date
from brain_pipelines.readers.webpage.page_prose import Paragraph, letters

FIRST = "The harbour was closed for three days after the storm, and the ferries waited on the other side of the bay."
SECOND = "Two of the older boats had lost their moorings, which the harbour master had reported in spring already."
THIRD = "Repairs began on Thursday with the northern pier, where most of the visitors arrive during the summer."
TEASER = "Read here why the town council has voted against the new market hall that so many people had hoped for."


def text_of(page: str) -> str:
    return "\n".join(block.text for block in read_html(page).blocks)


def paragraph(text: str, *path: int) -> Paragraph:
    return Paragraph(text, letters(text), path)


def test_a_repeated_paragraph_stays() -> None:
    page = f"<html><body><article><div>{FIRST}</div><div>{SECOND}</div><div>{FIRST}</div></article></body></html>"
    assert text_of(page).count(FIRST) == 2


def test_missing_prose_beside_kept_prose_is_put_back_in_its_place() -> None:
    prose = [paragraph(FIRST, 1, 2), paragraph(SECOND, 1, 2), paragraph(THIRD, 1, 2), paragraph(TEASER, 1, 3)]
    prose += [paragraph(f"{THIRD} {word}", 1, 2) for word in ("Then", "Later")]
    text = "\n\n".join(["# Storm", *(one.text for one in prose if one.text not in (SECOND, TEASER))])
    found = coverage(prose, text)
    lines = [line for line in completed(text, prose, found, length=5000).split("\n") if line]
    assert lines[:4] == ["# Storm", FIRST, SECOND, THIRD]
    assert TEASER not in lines


def test_a_sentence_that_lost_its_links_is_whole_again() -> None:
    prose = [paragraph(f"{FIRST} {SECOND}", 1, 2), paragraph(THIRD, 1, 2)]
    holed = f"{FIRST} had lost{SECOND.partition('had lost')[2]}"
    text = f"{holed}\n\n{THIRD}"
    assert completed(text, prose, coverage(prose, text), length=5000).startswith(f"{FIRST} {SECOND}\n")


def test_an_extraction_that_misses_most_of_its_region_is_left_as_it_is() -> None:
    prose = [paragraph(FIRST, 1, 2), *(paragraph(f"{TEASER} {n}", 1, 2) for n in range(8))]
    assert completed(FIRST, prose, coverage(prose, FIRST), length=9000) == FIRST


def test_a_list_of_entries_is_read_with_its_short_lines() -> None:
    entries = [paragraph(f"{TEASER} {n}", 1, 2, 3 + n) for n in range(6)]
    article = [paragraph(one.text, 1, 2) for one in entries]
    text = "\n\n".join(one.text for one in entries)
    with_authors = text.replace("\n\n", "\n\nBy Ana Duarte\n\n")
    for prose, expected in ((entries, True), (article, False), (entries[:3], False)):
        assert is_better(coverage(prose, text), coverage(prose, with_authors)) is expected
    assert not is_better(coverage(entries, text), coverage(entries, "\n\n".join(one.text for one in entries[:4])))


def test_formulas_stay_in_their_sentence() -> None:
    fraction = "<mfrac><mi>b</mi><mrow><mi>c</mi><mo>+</mo><mn>1</mn></mrow></mfrac>"
    math = f"<math><msup><mi>a</mi><mn>2</mn></msup><mo>=</mo>{fraction}</math>"
    picture = r'<img class="mwe-math-fallback-image-inline" alt="{\displaystyle x_{i}}" src="x.svg">'
    text = text_of(f"<html><body><p>{FIRST} It holds that {math}, with {picture} as before. {SECOND}</p></body></html>")
    assert "It holds that a^2 = b/(c + 1), with x_{i} as before." in text


def test_raised_and_lowered_text_is_plain() -> None:
    page = (
        f"<p>{FIRST} It took 10<sup>6</sup> l of H<sub>2</sub>O, on 5 km<sup>2</sup>, for the 1<sup>st</sup> time.</p>"
    )
    text = text_of(f"<html><body><h1>Sea</h1>{page}<p>{SECOND}</p></body></html>")
    assert "10^6 l of H2O, on 5 km^2, for the 1st time." in text
    assert "sup" not in text and "&lt;" not in text


def test_links_for_editing_a_section_are_no_part_of_its_heading() -> None:
    edit = '<span class="mw-editsection"><span>[</span><a href="/e">edit</a><span>]</span></span>'
    page = f'<h2>History {edit}</h2><p>{FIRST}</p><h2>Today<a class="headerlink" href="#t">¶</a></h2><p>{SECOND}</p>'
    text = text_of(f"<html><body><article>{page}<p>{THIRD}</p></article></body></html>")
    assert "edit" not in text and "¶" not in text and "History" in text and "Today" in text


LINKED = '<script type="application/ld+json">{"@type": "NewsArticle", "datePublished": "2026-01-05T10:00:00Z"}</script>'


VIDEO = '{"@type": "VideoObject", "datePublished": "2020-01-01"}'
ARTICLE = '{"@type": "Article", "datePublished": "2026-01-05T10:00:00Z",\n"headline": "a\nb"}'


@pytest.mark.parametrize(
    "head",
    [
        f'<meta property="article:published_time" content="2026-03-01T08:00:00Z">{LINKED}',
        f'<script type="application/ld+json">[{VIDEO}, {ARTICLE}]</script>',
    ],
)
def test_the_date_of_the_article_comes_before_others(head: str) -> None:
    facts = read_html(f"<html><head>{head}</head><body><p>{FIRST}</p></body></html>").attributes
    assert facts["published_at"] == "2026-01-05T10:00:00Z"


def test_landing_reads_the_same_date(tmp_path: Path) -> None:
    path = tmp_path / "page.html"
    meta = '<meta property="article:published_time" content="2026-03-01T08:00:00Z">'
    path.write_text(f"<html><head>{meta}{LINKED}</head><body><p>{FIRST}</p></body></html>", "utf-8")
    found = page_date(path, ZoneInfo("UTC"))
    assert found is not None and found.date().isoformat() == "2026-01-05"
