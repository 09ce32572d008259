"""Passages on the page of an answer are shown without markup."""

import pytest

from brain_retrieval.serve.readable import opens_with, readable


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("- **Lead:** [Ann](https://example.org/a)\n", "- Lead: Ann"),
        ("![A photo](/images/a.jpg){width=250px height=100px}\nWe swam.", "A photo\nWe swam."),
        ("![](a.png)\nWe swam.", "We swam."),
        ("See [[Café Lua|the café]] and [[Ines]].", "See the café and Ines."),
        ("| Jour | Heure |\n|:--|--:|\n| Mardi | 19h |", "Jour · Heure\nMardi · 19h"),
        ("## Plan {#plan}\n*location:* **Lecce**\\\\\n\\\\\n", "Plan\nlocation: Lecce"),
        ("::: info\n2026-03-08 · {{ $frontmatter.authors[0].name }}\n:::", "2026-03-08 ·"),
        ('<p align="justify">Esse artefato</p>', "Esse artefato"),
        ("a * b * c, snake_case_name, __init__ and x[0](y z)", "a * b * c, snake_case_name, __init__ and x[0](y z)"),
        ("calls[i](args) and Beta:[v2](https://a.b/c_(d))", "calls[i](args) and Beta:[v2](https://a.b/c_(d))"),
        ("if a < b and c > d: _go_", "if a < b and c > d: go"),
        (
            "… | 2024 | Élu | …\n[](images/a.png)\n*Il corso e' **gratuito** e aperto*",
            "2024 · Élu\nIl corso e' gratuito e aperto",
        ),
        ("… cut\n…", "… cut\n…"),
    ],
)
def test_markup_is_left_out(text: str, shown: str) -> None:
    assert readable(text) == shown


def test_a_title_that_is_the_first_line_is_known() -> None:
    assert opens_with("8/5 Rom. Hotel\nVesuvio. Am Meer.", "8/5 Rom. Hotel Vesuvio")
    assert opens_with("Plan\nFirst we paint.", "**Plan**")
    assert not opens_with("First we paint.", "Plan")
