"""The titles above the lines of a note, and which of them names the subject of what stands there."""

import pytest

from brain_pipelines.stages.prose.outline import clean_title, outline_of, topic_of

MINUTES = """\
---
title: Board
---
# Board of the choir, 3 May 2024

## Updates

3. [Organ](https://example.org/organ) #12
\t- Ann calls the builder
\t\t- He is away
- Bo resigned.
  - Next year

**Summer concert**
Ida books the hall.

Rent
----
It rises.

[Stylo]
: Ida wrote the guide.

```
# no heading
```
Last line
"""


@pytest.mark.parametrize(
    ("line", "titles"),
    [
        ("Ann calls", ("Board of the choir, 3 May 2024", "Updates", "Organ")),
        ("He is away", ("Board of the choir, 3 May 2024", "Updates", "Organ", "Ann calls the builder")),
        ("Next year", ("Board of the choir, 3 May 2024", "Updates")),  # below a sentence
        ("Ida books", ("Board of the choir, 3 May 2024", "Updates", "Summer concert")),
        ("It rises", ("Board of the choir, 3 May 2024", "Rent")),
        (": Ida wrote", ("Board of the choir, 3 May 2024", "Rent", "Stylo")),
        ("Last line", ("Board of the choir, 3 May 2024", "Rent", "Stylo")),
    ],
)
def test_titles_above_a_line(line: str, titles: tuple[str, ...]) -> None:
    assert outline_of(MINUTES).above(MINUTES.index(line)) == titles


@pytest.mark.parametrize(
    ("titles", "topic"),
    [
        (("Board of the choir, 3 May 2024", "Updates", "Organ"), "Organ"),
        (("3. Organ", "Next steps"), "Organ"),
        (("TOP 3 Miete",), "Miete"),
        (("1\\. Budget",), "Budget"),
        (("3D printer",), None),  # a figure may be of a day
        (("Updates", "Sonstiges"), None),
        (("Chorale", "Septembre"), "Chorale"),
        (("Marzo",), None),
        (("Ordre du jour",), None),
        (("3 May 2024",), None),
        (("Tue",), None),
        (("Thurs",), None),
        (("Kids", "Mo."), "Kids"),
        (("owner/repository",), None),
        (("Organ", "Dear neighbours and friends,"), "Organ"),
        (("A title that goes on and on for many more words than a subject has",), None),
        ((), None),
    ],
)
def test_the_topic_is_the_innermost_title_that_names_a_subject(titles: tuple[str, ...], topic: str | None) -> None:
    assert topic_of(titles) == topic


@pytest.mark.parametrize(
    ("title", "expected"),
    [
        ('<a href="#un"></a> 1\\. Budget', "1\\. Budget"),
        ("**Organ** [#12](https://example.org/12):", "Organ"),
        ("3 May 2024", "3 May 2024"),
    ],
)
def test_a_title_loses_its_links_and_marks(title: str, expected: str) -> None:
    assert clean_title(title) == expected
