"""Published dialogues, mails and letters are written as the files that a user would have, and read as such."""

import hashlib
import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from benchmarks.shown_forms import first_lines, first_turns, mails_of
from benchmarks.shown_homes import git, written
from benchmarks.shown_letters import edited, letter_pages, letters, months
from benchmarks.shown_talks import DIGITS, assistant_sessions, dialogues, scenes, server_export, spoken, threads
from brain_pipelines.readers.chat.chat_log import read_log

TURNS = [{"role": "user", "content": "I sold the boat\nfor 90 €"}, {"role": "assistant", "content": "Fine"}]
DIGEST = hashlib.md5(json.dumps(TURNS).encode(), usedforsecurity=False).hexdigest()[:DIGITS]
PROMPT = f"""### Session 1:
Session Date: 2023/05/20 (Sat) 02:21
Session Content:

{json.dumps(TURNS)}

### Session 2:
Session Date: 2023/05/21 (Sun) 02:21
Session Content:

[{{"role": "user", "content": "cut o"""


def rows(content: bytes) -> list[dict[str, str]]:
    return [json.loads(line) for line in content.decode().splitlines()]


@pytest.mark.parametrize(
    ("name", "content"),
    [("notes.md", PROMPT), ("log.jsonl", json.dumps({"id": 1, "prompt": PROMPT, "answer": "90 €"}) + "\n")],
)
def test_a_session_is_found_by_its_digest_where_it_is_quoted(name: str, content: str) -> None:
    ((path, made, changed),) = assistant_sessions([(name, content.encode(), 0.0)], [DIGEST])
    assert path == f"2023-05-20-{DIGEST}.jsonl"
    assert [(row["role"], row["content"]) for row in rows(made)] == [(each["role"], each["content"]) for each in TURNS]
    assert [row["timestamp"] for row in rows(made)] == ["2023-05-20T02:21:00Z", "2023-05-20T02:22:00Z"]
    assert datetime.fromtimestamp(changed, UTC) == datetime(2023, 5, 20, 2, 21, tzinfo=UTC)
    with pytest.raises(KeyError):
        assistant_sessions([(name, content.encode(), 0.0)], ["0" * DIGITS])


def chats() -> bytes:
    """Return two rows; the owner begins the sessions before, and is named in the last one."""
    before = {"dialog": [{"text": "I have a boat "}, {"text": "Nice"}], "time_back": "1 week 2 days 3 hours"}
    last = [{"id": "Speaker 2", "text": "And the boat?"}, {"id": "Speaker 1", "text": "Sold"}]
    row = {"previous_dialogs": [before], "dialog": last}
    other = {"previous_dialogs": [], "dialog": last}
    return "\n".join(json.dumps(each) for each in (other, row)).encode()


def test_a_dialogue_of_several_sessions_is_a_file_each() -> None:
    made = dialogues(chats(), [1, 0], "Ann", ["Bo", "Cy"], datetime(2023, 3, 20, 18, tzinfo=UTC), 3, "")
    assert [name for name, _, _ in made] == ["2023-03-11 Bo 0.jsonl", "2023-03-20 Bo 1.jsonl", "2023-03-23 Cy 0.jsonl"]
    said = [[(row["speaker"], row["content"]) for row in rows(content)] for _, content, _ in made]
    assert said == [
        [("Ann", "I have a boat"), ("Bo", "Nice")],
        [("Bo", "And the boat?"), ("Ann", "Sold")],
        [("Cy", "And the boat?"), ("Ann", "Sold")],
    ]


def test_a_dialogue_of_several_sessions_is_one_export_of_a_phone() -> None:
    ((name, content, _),) = dialogues(chats(), [1], "Ann", ["Bo"], datetime(2023, 3, 20, 18, tzinfo=UTC), 3, "android")
    said = read_log(content.decode(), UTC, None)
    assert name == "WhatsApp Chat with Bo.txt"
    assert [(one.speaker, one.text) for one in said] == [
        ("Ann", "I have a boat"),
        ("Bo", "Nice"),
        ("Bo", "And the boat?"),
        ("Ann", "Sold"),
    ]
    assert [f"{one.time:%m-%d %H:%M}" for one in said if one.time] == [
        "03-11 15:00",
        "03-11 15:01",
        "03-20 18:00",
        "03-20 18:01",
    ]


def test_a_chat_with_a_persona_is_one_session_that_the_friend_begins() -> None:
    table = json.dumps([{"persona": ["I have a boat"], "dialogue": [["Hi", "I have a boat"], ["Nice"]]}]).encode()
    ((name, content, _),) = dialogues(table, [0], "Ann", ["Bo"], datetime(2023, 3, 20, 18, tzinfo=UTC), 3, "")
    assert name == "2023-03-20 Bo 0.jsonl"
    assert [(row["speaker"], row["content"]) for row in rows(content)] == [
        ("Bo", "Hi"),
        ("Ann", "I have a boat"),
        ("Bo", "Nice"),
    ]


def test_talks_with_an_assistant_are_days_apart() -> None:
    table = "\n".join(json.dumps({"messages": turns}) for turns in (TURNS, TURNS[:1], TURNS)).encode()
    made = threads(table, [1, 2], datetime(2023, 3, 20, 18, tzinfo=UTC), 3)
    assert [(name, [row["role"] for row in rows(content)]) for name, content, _ in made] == [
        ("2023-03-17-1.jsonl", ["user"]),
        ("2023-03-20-2.jsonl", ["user", "assistant"]),
    ]


def test_lines_of_one_speaker_are_one_turn_of_a_transcript() -> None:
    page = b"B1\tIs the\nB1\tboat sold?\n???\tmh\nA1\tSold\nB1\tFine\n"
    made = spoken([("x/T1.txt", page, 0.0), ("x/T2.txt", b"A1\tHi", 0.0)], 2, datetime(2023, 3, 20, tzinfo=UTC), 7)
    assert [name for name, _, _ in made] == ["2023-03-13 T1.jsonl", "2023-03-20 T2.jsonl"]
    assert [(row["speaker"], row["content"]) for row in rows(made[0][1])] == [
        ("B1", "Is the boat sold?"),
        ("A1", "Sold"),
    ]


def test_a_scene_has_what_its_persons_say() -> None:
    said = [
        {"speakers": ["#NOTE#"], "utterance": "( They sit . )"},
        {"speakers": ["Ann Lee"], "utterance": "I ca n't , `` no '' !"},
        {"speakers": [], "utterance": "Hm"},
    ]
    data = json.dumps({"data": [{"title": "s02_e03_c01", "paragraphs": [{"utterances:": said}]}]}).encode()
    ((name, content, _),) = scenes(data, ["s02_e03_c01"])
    assert name == "1995-10-04 s02_e03_c01.jsonl"
    assert [(row["speaker"], row["content"]) for row in rows(content)] == [("Ann Lee", 'I can\'t, "no"!')]


def test_a_page_of_a_chat_server_becomes_its_export() -> None:
    def group(user: int, name: str, *texts: str) -> str:
        said = [
            f'<div data-message-id="{user}{n}"><div class="chatlog__content">{x}</div>' for n, x in enumerate(texts)
        ]
        head = f'<span class="chatlog__author-name" title="{name}#1" data-user-id="{user}">{name}</span>'
        time = '<span class="chatlog__timestamp">02-Mar-18 05:06 PM</span>'
        return f'<div class="chatlog__message-group">{head}{time}{"".join(said)}'

    page = "<html>" + group(7, "Ann &amp; Co", "A <b>boat</b><br>is sold", "") + group(8, "Bo", 'Fine <img alt=":)">')
    empty = ("boats/sold/2.html", b"<html>", 0.0)
    ((name, content, _),) = server_export([("x/boats/sold/1.html", page.encode(), 0.0), empty], "Harbour")
    assert name == "Harbour - boats - sold [1].json"
    made = json.loads(content)
    assert made["messageCount"] == 2 and made["guild"]["name"] == "Harbour"
    assert [(each["author"]["name"], each["content"], each["timestamp"]) for each in made["messages"]] == [
        ("Ann & Co", "A boat\nis sold", "2018-03-02T17:06:00+00:00"),
        ("Bo", "Fine :)", "2018-03-02T17:06:00+00:00"),
    ]


def test_mails_of_a_box_are_named_by_their_day() -> None:
    mail = b"Date: Tue, 5 Mar 2002 10:00:00 -0800\nX-Origin: Lee-A\n\nThe boat is sold."
    other = mail.replace(b"Lee-A", b"Poe-B")
    assert mails_of([("1/17.txt", mail, 0.0), ("2/18.txt", other, 0.0)], "lee-a") == [
        ("2002-03-05-17.eml", mail, datetime(2002, 3, 5, 18, tzinfo=UTC).timestamp())
    ]


def test_the_beginning_of_a_file_ends_with_a_line_or_before_a_turn() -> None:
    assert first_lines(("a.txt", b"1\n2\n3\n", 0.0), 2, "b.txt") == ("b.txt", b"1\n2\n", 0.0)
    talk = "**Ann:** The boät\n\nis sold.\n\n**Bo:** Fine\n"
    assert first_turns(("a.md", talk.encode(), 0.0), 10)[1].decode() == "**Ann:** The boät\n\nis sold.\n\n"
    assert first_turns(("a.md", talk.encode(), 0.0), 100)[1].decode() == talk


def test_letters_and_months_are_files_each() -> None:
    page = b'<p>Dear<span class="fn">A\nnote</span></p>'
    assert letter_pages([("letters/19170102.php", page, 0.0)], "from Ann")[0][:2] == (
        "1917-01-02 from Ann.html",
        b"<html><body>\n<p>Dear</p>\n</body></html>",
    )
    book = b"# Book\n\n#### [1924-05-14, To Bo Lee]\n\nThe boat.\n\n#### [1924-06-01?, To Cy]\n\nSold.\n\n## End\n"
    assert letters(("book.md", book, 0.0), ["1924-06-01 To Cy"]) == [
        ("1924-06-01 Letter To Cy.md", b"# Letter To Cy, 1924-06-01\n\nSold.\n", 0.0)
    ]
    diary = b"# 1942\n\n### Preface\nx\n### MAR.\n1 The boat^[A note].\n22 Sold.\n# 1943\n\n### Jan\n\n3 Rain.\n"
    assert [(name, content.decode()) for name, content, _ in months(("d.md", diary, 0.0))] == [
        ("1942-03 Journal.md", "# Journal of March 1942\n\nMarch 1: The boat.\nMarch 22: Sold.\n"),
        ("1943-01 Journal.md", "# Journal of January 1943\n\nJanuary 3: Rain.\n"),
    ]


def test_a_recipe_with_a_form_is_written_from_a_repository(tmp_path: Path) -> None:
    repository = tmp_path / "ann+boats"
    repository.mkdir()
    (repository / "chats.txt").write_bytes(chats())
    (repository / "other.txt").write_text("x")
    who = ["-c", "user.name=Ann", "-c", "user.email=ann@example.org"]
    for command in (["init", "-q"], ["add", "."], [*who, "commit", "-q", "-m", "All"]):
        git(repository, *command)
    recipe = {
        "repository": "ann/boats", "commit": git(repository, "rev-parse", "HEAD").decode().strip(),
        "paths": ["chats.txt"], "most": 1, "rows": [1], "owner": "Ann", "friends": ["Bo"],
        "last": datetime(2023, 3, 20, 18, tzinfo=UTC), "apart": 3,
    }  # fmt: skip
    assert written(recipe, tmp_path / "files", tmp_path, None) == ""
    assert sorted(path.name for path in (tmp_path / "files").iterdir()) == [
        "2023-03-11 Bo 0.jsonl",
        "2023-03-20 Bo 1.jsonl",
    ]
    assert written({**recipe, "phone": "android", "source": "note"}, tmp_path / "phone", tmp_path, None) == "note"
    assert [path.name for path in (tmp_path / "phone").iterdir()] == ["WhatsApp Chat with Bo.txt"]


def test_a_letter_of_an_edition_is_a_note_without_the_notes_of_the_editor() -> None:
    head = '<title type="iso-date" n="1">1905-02-10</title><title level="a">Ann an Bo, 10. 2. 1905</title>'
    body = '<body n="1"><p>Das <rs>Boot</rs><note>A ship</note><space unit="chars"/>ist &amp; bleibt</p><p/><p>x</p>'
    page = f"<TEI>{head}<text>{body}</body></text></TEI>".encode()
    assert edited([("L1.xml", page, 1.0)], "") == [
        ("1905-02-10 Ann an Bo.md", b"# Ann an Bo, 10. 2. 1905\n\nDas Boot ist & bleibt\n\nx\n", 1.0)
    ]
    assert edited([("L1.xml", page, 1.0)], "Diary")[0][0] == "1905-02-10 Diary.md"
    with pytest.raises(ValueError, match=r"L2.xml"):
        edited([("L2.xml", b"<TEI/>", 1.0)], "")
