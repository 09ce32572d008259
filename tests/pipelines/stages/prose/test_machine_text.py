"""What a program wrote or reads has no sentences; what a person writes in a similar form has."""

import time

import pytest

from brain_pipelines.stages.prose.kinds import Kind
from brain_pipelines.stages.prose.machine_text import machine_parts
from tests.pipelines.stages.extraction.memories.reading import read_text

SENTENCE = "Ann moved to Jena in May."
DATA = [
    "title: The kitchen in May\ndate: 2025-05-03\nauthor: Ann Weber",
    "Title: The kitchen in May\nDate: 2025-05-03",
    "Metadata-Version: 2.4\nName: kitchen\nSummary: Moves shelves to a new flat\nHome-page: none",
    "[1].text: Ann moves the shelves to the new flat in Jena\n[1].metadata.page_number: 1",
    "name: build the kitchen\non: push\njobs:\n  build:\n    runs-on: linux\n    steps:\n      - uses: kitchen/move@v4",
    '[tool.kitchen]\nline-length = 120\nselect = ["moves", "shelves"]\nsrc = \'the new flat\'',
    "#MOVE_ALL=yes\nSHELVES_DIR /srv/the/new/flat",
    "2025-05-03 14:22:10 moved the shelves to the new flat",
    "May  3 14:22:10 flat mover[311]: moved the shelves to Jena",
    "[INFO] the shelves are moved to the new flat",
    "Unpacking the-shelves:amd64 (2.36-9+deb12u10) ...\nMoving the shelves ... 35 %",
    'Traceback (most recent call last):\n  File "/srv/move.py", line 3, in move',
    "$ move install --all the shelves",
    "def move(shelves):\n    return sell(shelves)\nclass Flat(Home):",
    "`move install the shelves`",
    "![Ann moves the shelves to the new flat](pictures/3.png)",
    ".. image:: Ann moves the shelves",
    ".. title: Ann moves the shelves",
    "collapsed:: true\n  CLOCK: [2025-05-03 Sat 10:43:11]--[2025-05-03 Sat 11:58:16] =>  01:15:05\n:LOGBOOK:",
    "- id:: ann-moves-the-shelves",
    '<img src="3.png" alt="Ann moves the shelves to the new flat">',
    "- [Moving the shelves](#moving)\n- [Selling the piano](#selling)",
    "1 Moving the shelves 3\n1.1 Selling the piano 4\n2 Painting the flat 17\n3 Letting the garage 20",
    "SPEAKER one 1 1.440 MEE009 shelf\nSPEAKER one 1 13.152 MEE012 shelf\nSPEAKER two 1 18.064 MEE012 shelf",
    "name: kitchen version: 2.4 description: moves shelves to the new flat",
    "moved --all ./shelves /srv/new/flat kitchen_of_ann to 7/tcp",
]
WRITTEN = [
    "Rent: 840 euros a month\nLandlord: Mrs Weber from Jena",
    "rent: 840 euros a month\ndeposit: 1,680 euros to Mrs Weber",
    "Anna-Lena: moved to Jena in May\nKarl-Heinz: stays in Ulm",
    "[2025-05-03, 14:22:10] Ann: I moved to Jena today.",
    "At 14:22 we met Ann at the bank in Jena.",
    "ben_k: I moved to Jena in May.",
    "@ben: we moved the launch to 3 May.",
    "Mon/Tue: I work from home in Jena",
    "Flight LH1234 to Jena leaves at 7:40 from gate B22.",
    "$30 for lunch with Ann in Jena",
    "The rent is 840 euros;\nthe deposit is 1,680 euros;",
    "I shared [the plan](https://example.org/plan) with Ann in Jena.",
    "Room 12 is for Ann.\nRoom 14 is for Ben.\nRoom 15 is for Ida.\nRoom 17 is for Jo.",
    "ERROR: I paid the rent twice in May.",
    "We use `pg_dump` and keep 14 days of backups in Jena.",
]


@pytest.mark.parametrize("text", DATA)
@pytest.mark.parametrize("language", ["en", "it"])
def test_data_has_no_sentences(text: str, language: str) -> None:
    assert [s.text for s in read_text(f"{text}\n\n{SENTENCE}", source="note", language=language)] == [SENTENCE]


@pytest.mark.parametrize("text", WRITTEN)
def test_what_people_write_is_kept(text: str) -> None:
    assert machine_parts(text) == []
    assert len(read_text(f"{text}\n\n{SENTENCE}", source="note")) > 1


def test_comments_belong_to_settings_and_not_to_notes() -> None:
    settings = "# Move the shelves to the new flat.\nmax_shelves = 3\nflat_of = 'Ann'\n"
    assert read_text(settings, source="document") == []
    note = f"I sold the piano in May.\n\n{settings}\nI like Jena.\nI met Ann."
    assert [s.text for s in read_text(note)] == ["I sold the piano in May.", "I like Jena.", "I met Ann."]


def test_a_remark_between_logs_is_kept() -> None:
    log = "2025-05-03 14:22:10 moved\n2025-05-03 14:22:11 sold\n"
    remark = "This failed after I moved the server to Jena."
    assert [s.text for s in read_text(f"{log}\n{remark}\n\n{log}", source="note")] == [remark]


@pytest.mark.parametrize("name", ["json", "jsonl", "xml", "vcf"])
def test_entries_of_data_files_have_no_sentences(name: str) -> None:
    assert read_text(f"content: {SENTENCE}\n{SENTENCE}", format=name) == []


def test_messages_of_a_chat_in_json_are_prose() -> None:
    segments = [{"start": 0, "end": len(SENTENCE), "kind": "message", "time": None, "speaker": "Ann"}]
    assert len(read_text(SENTENCE, format="json", segments=segments)) == 1


@pytest.mark.parametrize(
    "odd", ["a " * 5000, "a: " * 3000, "(" * 9000, "x=" * 4000, "[" * 9000, "1.1 " * 3000, "-" * 9000]
)
def test_long_odd_lines_take_no_time(odd: str) -> None:
    start = time.process_time()
    machine_parts(f"{odd}\n{odd}")
    assert time.process_time() - start < 5


def test_templates_comments_and_tags_alone_on_their_line_are_code() -> None:
    text = '<div class="a">\nWe met. {{< figure title="Pier" >}}\n</div>\n<!-- later -->\nPrices: a < b, c > d.'
    code = {text[part.start : part.end] for part in machine_parts(text) if part.kind is Kind.CODE}
    assert {'<div class="a">', '{{< figure title="Pier" >}}', "</div>", "<!-- later -->"} <= code
    assert not any("Prices" in part for part in code)


def test_a_day_before_a_line_is_no_key_of_a_program() -> None:
    assert machine_parts("16.10.23: Abschlag 84 Euro\n12.11.24: Abschlag 79 Euro\n") == []
    assert machine_parts("metadata.page: 84 Euro\n")
