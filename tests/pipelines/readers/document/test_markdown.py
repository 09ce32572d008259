"""Markdown: front matter, heading paths, spans in the decoded original."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from brain_pipelines.readers.detect import detect_format
from brain_pipelines.readers.document.markdown import front_matter, read_markdown

TEXT = """---
title: "Kick-off: notes"
date: 2026-01-05
tags: [ui, plan]
authors:
  - Ann
  - Bob
---
Before any heading.

# Plan

Intro.

## Dates

Monday.

```python
# not a heading
```

### Late

More.

Second
======

End.
"""


def test_front_matter_is_removed_and_used() -> None:
    found = read_markdown(TEXT)
    assert (found.title, found.authors) == ("Kick-off: notes", ["Ann", "Bob"])
    assert found.blocks[0].text == "Tags: ui, plan"
    assert not any("date:" in block.text for block in found.blocks)


def test_sections_are_heading_paths() -> None:
    assert [block.section for block in read_markdown(TEXT).blocks if block.text] == [
        None,
        None,
        "Plan",
        "Plan > Dates",
        "Plan > Dates > Late",
        "Second",
    ]


def test_a_heading_opens_its_own_section_and_code_stays_whole() -> None:
    blocks = {block.section: block.text for block in read_markdown(TEXT).blocks}
    assert blocks["Plan > Dates"].startswith("## Dates") and "# not a heading" in blocks["Plan > Dates"]


@pytest.mark.parametrize(
    "text",
    [
        "---\nno end\ntext",
        "--- \n\n---\n",
        "text\n---\ntitle: x\n---\n",
        "----\ntitle: x\n----\n",
        "---\njust words\n---\n",
    ],
)
def test_horizontal_rule_is_not_front_matter(text: str) -> None:
    assert front_matter(text).end == 0


def test_a_table_and_a_rule_make_no_heading() -> None:
    text = "a | b\n--- | ---\n1 | 2\n\nA paragraph.\n\n---\n\n> quoted\n---\n"
    assert [block.section for block in read_markdown(text).blocks] == [None]


@given(
    st.lists(st.sampled_from(["# A", "## B", "text", "", "```", "Title", "===", "- x", "  ", "#", "\r"]), max_size=30)
)
def test_spans_are_sorted_slices_of_the_text(lines: list[str]) -> None:
    text = "\n".join(lines)
    position = 0
    for block in read_markdown(text).blocks:
        assert block.raw_start is not None and block.raw_end is not None
        assert block.text == text[block.raw_start : block.raw_end]
        assert block.raw_start >= position
        position = block.raw_end


@given(st.text())
def test_no_text_is_lost(text: str) -> None:
    found = read_markdown(text)
    if not front_matter(text).end:
        joined = "".join("".join(block.text.split()) for block in found.blocks)
        assert joined == "".join(text.split())


NESTED = """---
title: "Review: a kite"
tags:
  - toys
attachments:
  - url: https://example.org/kite.mp4
    alt: null
note: said
  over two lines
---
Calm winds are enough for it.
"""


@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_nested_front_matter_makes_a_text_markdown(tmp_path: Path, mark: str) -> None:
    path = tmp_path / "blob"
    path.write_text(mark + NESTED, "utf-8")
    found = read_markdown(NESTED)
    assert detect_format(path).name == "markdown"
    assert (found.title, found.blocks[-1].text) == ("Review: a kite", "Calm winds are enough for it.")


@pytest.mark.parametrize(
    ("heading", "title"),
    [
        ("# **Planning**", "Planning"),
        ("_Planning_\n===", "Planning"),
        ("# [2014](2014/) Meetings", "2014 Meetings"),
        ("# **Ann** and **Bob**", "**Ann** and **Bob**"),
        ("# snake_case_names", "snake_case_names"),
    ],
)
def test_a_title_has_no_markup_around_it(heading: str, title: str) -> None:
    assert read_markdown(f"{heading}\n\nWe met on Monday.\n").title == title


def test_a_note_of_properties_alone_has_them_as_its_text() -> None:
    text = "---\ntitle: Ines Prado\nphone: 912 000 111\ntags: [people, roof]\nrole:\n---\n\n"
    [block] = read_markdown(text).blocks
    assert block.text == "title: Ines Prado\nphone: 912 000 111\ntags: people, roof" and block.kind == "data"
    assert (block.raw_start, block.raw_end) == (0, len(text) - 1)


def test_authors_with_fields_are_their_names() -> None:
    text = "---\nauthors:\n  - name: Equipe AMG\n    url: https://example.org\n  - 'Jo Finch'\n---\nText.\n"
    assert read_markdown(text).authors == ["Equipe AMG", "Jo Finch"]


def test_front_matter_values_go_on_in_indented_lines() -> None:
    text = (
        "---\npub_date: '\n\n\n  July 15th, 2021'\ntitle: >-\n  The long\n  way round\nsummary: one\n  two\n"
        "author:\n  name: Jo\ntags:\n  - a\n    b\n---\nText.\n"
    )
    values = front_matter(text).values
    assert values["pub_date"] == "July 15th, 2021" and values["title"] == "The long way round"
    assert values["summary"] == "one two" and values["author"] == "" and values["tags"] == ["a"]


def test_references_to_characters_are_decoded() -> None:
    text = "# Caf&eacute;\n\nI didn&#8217;t go &amp; stayed, 2 &lt; 3.\n"
    (block,) = [block for block in read_markdown(text).blocks if block.text]
    assert block.text == "# Café\n\nI didn’t go & stayed, 2 &lt; 3."
    assert (block.section, text[block.raw_start : block.raw_end]) == ("Café", text.strip())
