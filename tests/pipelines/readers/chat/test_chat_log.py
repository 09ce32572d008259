"""Chats written as text: what is a message, who says it and when."""

from datetime import UTC, date, datetime

import pytest

from brain_pipelines.readers.chat.chat import read_sessions
from brain_pipelines.readers.chat.chat_log import is_chat_log, read_log

LATEST = datetime(2027, 1, 1, tzinfo=UTC)
ANDROID = """\
12/07/24, 19:44 - Messages and calls are end-to-end encrypted. No one can read them.
12/07/24, 19:44 - Bo created group "Boat: summer"
12/07/24, 19:45 - Bo: The boat is at the yard
until Friday.
12/07/24, 19:46 - Ann Lee: <Media omitted>
13/07/24, 08:01 - +44 20 7946 0018: I paid 40 pounds: half of it
14/07/24, 08:02 - Ann Lee: Thanks
"""
PHONE = """\
[7/13/24, 7:44:03\u202fPM] Ann: \u200eMessages and calls are end-to-end encrypted.
[7/13/24, 7:44:03\u202fPM] Ann: Good evening
\u200e[7/13/24, 7:45:03\u202fPM] Bo: \u200eimage omitted
[7/13/24, 11:59:59\u202fPM] ~\u202fBo: See you
[7/14/24, 12:00:05\u202fAM] Ann: Bye
"""
IRC = """\
[23:50:42] *** Quits: cy (~cy@) (Quit: Lost terminal)
[23:51:16] <ann> The build is red
[23:52:17] <@bo> I broke it with the parser
[00:04:19] <ann> Good night
[00:05:00] * bo is asleep
[00:06:00] -builds- 1 new commit to master
"""
SERVER = """\
Guild: Club
Channel: general

[12-Jul-24 07:44 PM] ann#1234
We meet on Monday.
At eight.

{Attachments}
https://example.org/a.png

[12-Jul-24 07:50 PM] bo
Fine

[13-Jul-24 09:00 AM] ann#1234
Bring the key
"""


def said(text: str, day: date | None = None) -> list[tuple[str, str, str]]:
    messages = read_log(text, UTC, day)
    return [(one.speaker, one.text, f"{one.time:%Y-%m-%d %H:%M}" if one.time else "") for one in messages]


def test_messages_of_a_phone_have_their_lines_and_not_what_the_program_says() -> None:
    assert said(ANDROID) == [
        ("Bo", "The boat is at the yard\nuntil Friday.", "2024-07-12 19:45"),
        ("+44 20 7946 0018", "I paid 40 pounds: half of it", "2024-07-13 08:01"),
        ("Ann Lee", "Thanks", "2024-07-14 08:02"),
    ]


def test_marks_that_nobody_sees_and_the_order_of_the_month() -> None:
    assert said(PHONE) == [
        ("Ann", "Good evening", "2024-07-13 19:44"),
        ("Bo", "See you", "2024-07-13 23:59"),
        ("Ann", "Bye", "2024-07-14 00:00"),
    ]


def test_names_have_no_ornaments_and_texts_no_names_of_attached_files() -> None:
    log = """\
[16/2/2026, 12:33:47 pm] ~\u202f~Kate Frank~: This is Maisie. \u200e<attached: 0034-PHOTO-2026-02-16.jpg>
[16/2/2026, 12:35:23 pm] ~\u202fGus 🐔: We are <b> and x: y.
[16/2/2026, 12:36:00 pm] ~\u202f🐔: Hello
[16/2/2026, 12:37:00 pm] Cy 4️⃣0️⃣ Lund 💫 Ink: Hi
17/2/2026, 09:10 - Ann L.: IMG-20260217-WA0003.jpg (archivo adjunto)
17/2/2026, 09:11 - Ann L.: The invoice <adjunto: a 3.pdf> is right
"""
    assert [message[:2] for message in said(log)] == [
        ("Kate Frank", "This is Maisie."),
        ("Gus", "We are <b> and x: y."),
        ("🐔", "Hello"),
        ("Cy Lund Ink", "Hi"),
        ("Ann L.", "The invoice is right"),
    ]


def test_what_a_phone_adds_behind_the_words_is_not_said() -> None:
    text = (
        "[30.05.24, 19:08:00] Ann: We meet at nine \u200e<Diese Nachricht wurde bearbeitet.>\n"
        "\u200e[30.05.24, 19:09:00] Bo: The boat is ready \u200eBild weggelassen\n"
        "\u200e[30.05.24, 19:10:00] Ann: \u200eimage omitted\n"
        "\u200e[30.05.24, 19:11:00] Bo: Two lines\nof words \u200eVideo weggelassen\n"
        "[30.05.24, 19:12:00] Ann: שלום \u200e5 עכשיו\n"
        "[30.05.24, 19:13:00] Bo: \u200eDu hast diese Nachricht gelöscht.\n"
    )
    assert [(who, words) for who, words, _ in said(text)] == [
        ("Ann", "We meet at nine"),
        ("Bo", "The boat is ready"),
        ("Bo", "Two lines\nof words"),
        ("Ann", "שלום 5 עכשיו"),
    ]


def test_a_poll_is_said_with_its_options() -> None:
    text = (
        "[30.05.24, 19:09:55] Ann: \u200eABSTIMMUNG:\nWhen do we sail?\n"
        "\u200eOPTION: Friday (3 Stimmen)\n\u200eOPTION: Sunday (1 Stimme)\n"
        "[30.05.24, 19:10:55] Bo: Friday\n[30.05.24, 19:11:55] Ann: Good\n"
    )
    poll = "ABSTIMMUNG:\nWhen do we sail?\nOPTION: Friday (3 Stimmen)\nOPTION: Sunday (1 Stimme)"
    assert [words for _, words, _ in said(text)] == [poll, "Friday", "Good"]


def test_a_mention_ends_before_a_large_word() -> None:
    said = [
        "@\u2068Ida Moe\u2069 Safe trip",
        "@\u2068Ida Moe\u2069 is here",
        "thanks @\u2068~Bo\u2069!",
        "@\u2068Ida Moe\u2069 3 more",
    ]
    text = "".join(f"[12/07/24, 19:44:0{number}] Ann: {line}\n" for number, line in enumerate(said))
    text += "and @\u2068Ida Moe\u2069 Ask her\n"
    words = [message.text for message in read_log(text, UTC, None)]
    assert words == [
        "@Ida Moe, Safe trip",
        "@Ida Moe is here",
        "thanks @~Bo!",
        "@Ida Moe 3 more\nand @Ida Moe, Ask her",
    ]


def test_clock_alone_is_of_the_day_of_the_file_and_goes_on_after_midnight() -> None:
    assert said(IRC, date(2016, 11, 3)) == [
        ("ann", "The build is red", "2016-11-03 23:51"),
        ("bo", "I broke it with the parser", "2016-11-03 23:52"),
        ("ann", "Good night", "2016-11-04 00:04"),
    ]
    assert [session.key for session in read_sessions(IRC, UTC, latest=LATEST, day=date(2016, 11, 3))] == ["2016-11-03"]


def test_words_below_a_header_are_said_by_whom_it_names() -> None:
    assert said(SERVER) == [
        ("ann#1234", "We meet on Monday.\nAt eight.", "2024-07-12 19:44"),
        ("bo", "Fine", "2024-07-12 19:50"),
        ("ann#1234", "Bring the key", "2024-07-13 09:00"),
    ]


@pytest.mark.parametrize(
    ("days", "expected"),
    [
        (("03/04/24", "05/04/24", "09/04/24"), "2024-04-03"),  # six days rather than half a year
        (("04/03/24", "04/05/24", "04/09/24"), "2024-04-03"),
        (("03/04/24", "28/04/24", "02/05/24"), "2024-04-03"),
        (("03.04.24", "03.05.24", "03.06.24"), "2024-04-03"),
        (("2024-04-03", "2024-04-05", "2024-04-09"), "2024-04-03"),
    ],
)
def test_order_of_day_and_month_is_that_of_a_calendar(days: tuple[str, ...], expected: str) -> None:
    text = "\n".join(f"{day}, 09:15 - Ann: hello" for day in days)
    assert said(text)[0][2] == f"{expected} 09:15"


def test_sessions_are_the_days_of_the_log_and_messages_lie_in_their_lines() -> None:
    sessions = read_sessions(ANDROID, UTC, latest=LATEST)
    assert [session.key for session in sessions] == ["2024-07-12", "2024-07-13", "2024-07-14"]
    first = sessions[0].messages[0]
    assert ANDROID[first.raw_start : first.raw_end] == "12/07/24, 19:45 - Bo: The boat is at the yard\nuntil Friday."


@pytest.mark.parametrize("text", [ANDROID, PHONE, IRC, SERVER])
def test_logs_are_known_by_their_lines(text: str) -> None:
    assert is_chat_log(text.encode(), complete=True)


def test_an_export_may_have_few_and_long_messages() -> None:
    advice = "".join(f"\n* beach {number}, where the children swam" for number in range(40))
    text = (
        f"[12/07/24, 19:44:03] Ann: Places:{advice}\n[12/07/24, 19:50:00] Bo: Thanks\n[13/07/24, 08:00:00] Ann: Yes\n"
    )
    assert is_chat_log(text.encode(), complete=True)
    assert not is_chat_log(f"Places{advice}\n{text}".encode(), complete=True)


@pytest.mark.parametrize(
    "text",
    [
        "Meeting of 12/07/24, 19:44\n\nAnn: we start\nBo: yes\nAnn: good\n",
        "[2024-07-12 10:00:01] INFO: started\n[2024-07-12 10:00:02] ann: x\n[2024-07-12 10:00:03] ann: y\n" * 3,
        "[12/07/24, 10:00:01] ERROR: no disk\n[12/07/24, 10:00:02] WARN: x\n[12/07/24, 10:00:03] INFO: y\n",
        "10:00 breakfast\n11:00 we leave\n12:00 lunch: soup\n13:00 nap\n",
        "# Notes\n\n[09:15] <ann> hello\n\nThat is what she said.\nAnd more.\nAnd more.\nAnd more.\n",
    ],
)
def test_other_texts_with_times_are_no_logs(text: str) -> None:
    assert not is_chat_log(text.encode(), complete=True)
