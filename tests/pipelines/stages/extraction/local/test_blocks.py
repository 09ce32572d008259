"""Markdown that a block leaves out: marks of lists, and the targets of links by reference."""

import textwrap

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


def test_lines_that_their_writer_ended_are_blocks_of_their_own() -> None:
    """Lines are not joined where the next word would have fitted: a name would grow across them."""
    text = (
        "The pilot slips two weeks, the printers are still in Rotterdam\n"
        "Priti is not happy about it\n"
        "Colm has left and is at another firm since the middle of February, as nobody told us. Ines takes over\n"
    )
    assert [block.text for block in blocks_of(text)] == text.splitlines()


def test_a_wrapped_paragraph_is_one_block() -> None:
    text = (
        "We spent the whole of the first week on the printers, and then\n"
        "Priti asked us to wait until the new ones from the factory in\n"
        "Rotterdam had arrived, which took until the end of the month.\n"
    )
    assert len(list(blocks_of(text))) == 1
    german = (
        "Wir haben die ganze Woche über die Drucker geredet, weil der\n"
        "Einkauf keine neuen bestellen wollte, und am Ende hat uns die\n"
        "Chefin zugesagt, dass bis Ende Mai alle ersetzt werden\n"
    )
    assert len(list(blocks_of(german))) == 1


@pytest.mark.parametrize(
    "lines",
    [
        # Of a writer who begins no line with a capital, and with lines of equal length by chance.
        [
            "plan for the week, nothing big",
            "van is booked with the firm from Hull",
            "cancelled the paper, keeping the radio (8.99)",
        ],
        [
            "Pacht 410 im Jahr, an Frau Ode zu zahlen",
            "Ab Mai per Überweisung, IBAN folgt",
            "Zaun kostet 1.180, Karin zahlt die Hälfte",
        ],
        [
            "Renda 640, terceiro andar sem elevador",
            "a Rita sai da escola em junho, depois vai para a avó",
            "Deixei o ginásio (39€)",
        ],
        ["Bolletta 84 euro, pagata", "Badge 5512", "Corso di nuoto il martedì con Pina"],
    ],
)
def test_short_lines_of_a_note_are_blocks_of_their_own(lines: list[str]) -> None:
    assert [block.text for block in blocks_of("\n".join(lines))] == lines


def test_what_hangs_under_an_item_of_a_list_belongs_to_it() -> None:
    assert [block.text for block in blocks_of("- I moved\n  to Jena in May\n- 840 a month\n  Heating is extra")] == [
        "I moved to Jena in May",
        "840 a month Heating is extra",
    ]


def test_lines_of_a_jotting_are_blocks_of_their_own_also_in_small_letters() -> None:
    mixed = (
        "rent goes up from 1 may, the agent (Lorna at Quayside) says nothing to be done\n"
        "pays 610 at the moment\n"
        "Ivo's room is 480 a month\n"
        "sold the kayak to Neil for 350\n"
    )
    assert [block.text for block in blocks_of(mixed)][1:] == [
        "pays 610 at the moment", "Ivo's room is 480 a month", "sold the kayak to Neil for 350",
    ]  # fmt: skip
    long = (
        "the vet says Pepper needs the other food now, no chicken and no wheat, and a jab in april next year, "
        "at the old surgery\n"
        "nurse is called Wanda\n"
    )
    assert [block.text for block in blocks_of(long)][-1] == "nurse is called Wanda"
    small = "Otto home until the 20th\nher phone was in the\nblue bag all along\n"
    assert [block.text for block in blocks_of(small)] == [
        "Otto home until the 20th", "her phone was in the blue bag all along",
    ]  # fmt: skip


def test_a_short_mail_that_is_wrapped_keeps_its_sentences() -> None:
    mail = (
        "I have spoken with the people at the hall, and they would let us have it\n"
        "for the whole of Saturday if we pay half of the rent before Easter\n"
        "\n"
        "Could you ask Bettina whether she still has the key to the cupboard with\n"
        "Marek's tables in it?\n"
    )
    assert len(list(blocks_of(mail))) == 2


@pytest.mark.parametrize(
    "lines",
    [
        [
            "new bike is here!! blue Trek from the shop in Otley, two years old, serviced on 3 july, bell included",
            "lock = 4 digits",
            "shed key at Wendy's",
        ],
        ["plumber Amos Reed 01632 960412, came on the 14th, new valve in the hall 185 pounds", "good man", "card paid"],
    ],
)
def test_a_single_wide_line_of_a_jotting_ends_where_another_break_is_meant(lines: list[str]) -> None:
    assert [block.text for block in blocks_of("\n".join(lines))] == lines


def test_a_single_wide_line_goes_on_before_a_small_word() -> None:
    text = "new bike is here!! blue Trek from the shop in Otley, two years old and serviced\nby Wendy\nlock is 4 digits"
    assert len(list(blocks_of(text))) == 2


def test_long_lines_that_no_wrap_explains_are_a_list() -> None:
    lines = [
        "the boiler is serviced by Kowalski now, he comes in autumn and charges 120",
        "the car goes to Meier in the Hafenstrasse since the old garage closed",
        "mum has moved to the flat above the bakery and wants her piano there",
        "Leo has swimming lessons on thursdays from now on at half past four",
    ]
    assert [block.text for block in blocks_of("\n".join(lines))] == lines
    assert len(list(blocks_of(textwrap.fill(" ".join(lines), 72)))) == 1
    prose = [lines[0], lines[1], "and the insurance has been with Halder of Jena for years", lines[3]]
    assert len(list(blocks_of("\n".join(prose)))) == 1
