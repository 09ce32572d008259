"""Markdown that a block leaves out: marks of lists, and the targets of links by reference."""

import pytest

from brain_pipelines.stages.extraction.local.blocks import blocks_of


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("We launched the [Blue Badge service][bb] today.", "We launched the Blue Badge service today."),
        ("It follows [BIP9][] since May.", "It follows BIP9 since May."),
        ("[Ida] and [Noé] came [1].\n\n[Ida]: https://example.org/ida", "Ida and [Noé] came [1]."),
        ("We moved [[Home|the house]] to [[Oban]].", "We moved the house to Oban."),
        ("Stylo\n: Ida wrote the guide for us.", "Stylo"),
    ],
)
def test_links_by_reference_keep_their_words(text: str, expected: str) -> None:
    first = next(blocks_of(text))
    assert first.text == expected
    assert all(text[place] == char for char, place in zip(first.text, first.offsets, strict=True) if char != " ")


def test_the_mark_of_a_definition_is_no_word() -> None:
    assert [block.text for block in blocks_of("Stylo\n\n: Ida wrote the guide.")] == ["Stylo", "Ida wrote the guide."]
