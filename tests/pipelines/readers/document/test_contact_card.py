"""Contact cards are read field by field, without pictures and what only programs use."""

from brain_pipelines.readers.document.contact_card import read_cards

INES = """BEGIN:VCARD
VERSION:3.0
PRODID:-//Example//
FN:Ines Prado
N:Prado;Ines;;;
item1.TEL;TYPE=cell,pref:+351 912 000 111
EMAIL;TYPE=INTERNET:ines@example.org
ADR;TYPE=home:;;Rua da Paz 4;Braga;;4700-001;Portugal
BDAY:19800517
NOTE:Likes tea\\, not coffee.\\nNeighbour
PHOTO;ENCODING=b;TYPE=JPEG:/9j/4AAQSkZJRgABAQ
 AAAQABAAD/2wBDAAMCAgICAgMCAgID
END:VCARD
"""
TOMAS = """BEGIN:VCARD
VERSION:2.1
N;CHARSET=UTF-8;ENCODING=QUOTED-PRINTABLE:Reis;Tom=C3=
=A1s;;;
ORG:Telhados Reis;
TEL;WORK:+351 912 000 222
END:VCARD
"""


def test_fields_are_lines_with_what_they_are() -> None:
    found = read_cards(INES)
    assert found.title == "Ines Prado" and found.format == "vcf"
    assert found.blocks[0].text.splitlines() == [
        "name: Ines Prado",
        "phone (cell): +351 912 000 111",
        "e-mail: ines@example.org",
        "address (home): Rua da Paz 4, Braga, 4700-001, Portugal",
        "birthday: 1980-05-17",
        "note: Likes tea, not coffee. Neighbour",
    ]


def test_each_card_is_a_block_at_its_place() -> None:
    text = INES + TOMAS.replace("\n", "\r\n")
    found = read_cards(text)
    assert [block.section for block in found.blocks] == ["Ines Prado", "Tomás Reis"]
    assert found.blocks[1].text == "name: Tomás Reis\norganisation: Telhados Reis\nphone (work): +351 912 000 222"
    block = found.blocks[1]
    assert text[block.raw_start : block.raw_end].startswith("BEGIN:VCARD\r\nVERSION:2.1")
    assert found.title == "Ines Prado, Tomás Reis"


def test_many_cards_have_a_short_title_and_a_torn_one_is_kept() -> None:
    assert read_cards(INES * 5).title == "5 contacts: Ines Prado, Ines Prado, Ines Prado …"
    torn = INES.replace("END:VCARD", "")
    assert read_cards(torn).blocks[0].text == torn.strip()


def test_line_ends_that_a_transfer_doubled_are_read() -> None:
    def fields(text: str) -> list[str]:
        return [block.text for block in read_cards(text).blocks]

    assert fields((INES + TOMAS).replace("\n", "\r\r\n")) == fields(INES + TOMAS)
