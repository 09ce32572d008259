"""Tags, signatures, menus and gaps of templates are no prose; what people write around them is."""

import pytest

from brain_pipelines.stages.prose.boilerplate import boilerplate_parts
from brain_pipelines.stages.prose.statements import is_statement

TEXT = """Tags: work, heron
We agreed to rent the hall.
#meeting #heron
tags:: #daily
Rent: 840 euros

Skip to content
Home | About | Contact
Copyright 2024 Northwind Ltd. All rights reserved.

Best regards,
Dr. Sarah Lindqvist
Senior Consultant
Phone: 030 1234567

The invoice of 450 euros was paid by Ben on Monday.
"""


def closed(text: str) -> list[str]:
    return [text[part.start : part.end] for part in boilerplate_parts(text)]


def test_lines_that_say_nothing_of_their_own_are_closed() -> None:
    left = [line for line in TEXT.splitlines() if line and line not in closed(TEXT)]
    assert left == [
        "We agreed to rent the hall.",
        "Rent: 840 euros",
        "The invoice of 450 euros was paid by Ben on Monday.",
    ]


@pytest.mark.parametrize(
    "text",
    [
        "Thanks!\nI moved to Lisbon in March.",  # no name below
        "Cheers\nthe rent is due on Friday",
        "Mit freundlichen Grüßen\nwir haben den Termin verschoben.",
    ],
)
def test_a_closing_without_a_name_closes_nothing(text: str) -> None:
    assert not closed(text)


@pytest.mark.parametrize(
    ("text", "is_one"),
    [
        ("[Responsable 2]: [Descripción de la tarea y fecha límite]", False),
        ("The hall [in Porto] costs 840 euros a month.", True),
        ("Senior Consultant | Northwind Labs", False),
        ("Club de Karaté · Saison 2025–26", False),
        ("We chose the red one | it was cheaper.", True),
    ],
)
def test_gaps_and_rows_of_titles_are_no_statements(text: str, is_one: bool) -> None:
    assert is_statement(text) is is_one
