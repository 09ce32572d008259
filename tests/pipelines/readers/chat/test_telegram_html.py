"""Pages of a chat that Telegram exported are read as chats: who, when, what."""

from datetime import UTC, datetime, timedelta, timezone

import pytest

from brain_pipelines.readers.chat.chat import read_sessions
from brain_pipelines.readers.chat.telegram_html import is_telegram_page, time_of
from brain_retrieval.errors import BadInputError

LATEST = datetime(2027, 1, 1, tzinfo=UTC)


def message(words: str, when: str, name: str = "") -> str:
    author = f'<div class="from_name">\n{name}\n</div>' if name else ""
    return (
        f'<div class="message default clearfix{"" if name else " joined"}"><div class="body">'
        f'<div class="pull_right date details" title="{when}">12:00</div>{author}{words}</div></div>'
    )


def page(*messages: str) -> str:
    return (
        "<!DOCTYPE html>\n<html><head><title>Exported Data</title></head><body><div class='page_wrap'>"
        '<div class="page_header"><div class="content"><div class="text bold">\nRowing club\n</div></div></div>'
        '<div class="page_body chat_page"><div class="history">'
        '<div class="message service"><div class="body details">3 May 2025</div></div>'
        f"{''.join(messages)}</div></div></div></body></html>"
    )


DAY = "03.05.2025 12:0{}:00 UTC+02:00"
SOLD = '<div class="text">\nThe boat is <strong>sold</strong>.<br>Ask Ida &amp; Bo.</div>'
PRICE = '<div class="reply_to details">In reply to a message</div><div class="text">For 900 euros.</div>'
PHOTO = '<div class="media_wrap"><div class="title bold">Photo</div></div>'
PASSED_ON = (
    '<div class="forwarded body"><div class="from_name">Harbour office <span class="date details" '
    'title="01.05.2025 09:00:00 UTC+02:00">01.05.2025</span></div><div class="text">Berth 7 is free.</div></div>'
)
CHAT = page(
    message(SOLD, DAY.format(0), "Ann Lee"),
    message(PRICE, DAY.format(1)),
    message(PHOTO, DAY.format(2), "Bo"),
    message(PASSED_ON, DAY.format(3), "Bo"),
)


def said(text: str) -> list[tuple[str, datetime | None, str]]:
    return [(m.speaker, m.time, m.text) for s in read_sessions(text, UTC, latest=LATEST) for m in s.messages]


def test_messages_have_author_time_and_words() -> None:
    zone = timezone(timedelta(hours=2))
    assert said(CHAT) == [
        ("Ann Lee", datetime(2025, 5, 3, 12, 0, tzinfo=zone), "The boat is sold.\nAsk Ida & Bo."),
        ("Ann Lee", datetime(2025, 5, 3, 12, 1, tzinfo=zone), "For 900 euros."),
        ("Bo", datetime(2025, 5, 3, 12, 3, tzinfo=zone), "Berth 7 is free."),
    ]
    assert {session.title for session in read_sessions(CHAT, UTC, latest=LATEST)} == {"Rowing club"}


def test_a_page_without_words_is_refused_and_other_pages_are_none() -> None:
    with pytest.raises(BadInputError, match="no message with words"):
        read_sessions(page(), UTC, latest=LATEST)
    assert is_telegram_page(CHAT)
    assert not is_telegram_page("<html><body><div class='message'>Hi</div></body></html>")
    assert not is_telegram_page(f"My page: {CHAT}")


@pytest.mark.parametrize(
    ("text", "time"),
    [
        ("03.05.2025 12:00:01 UTC+02:00", "2025-05-03T12:00:01+02:00"),
        ("03.05.2025 12:00:01", "2025-05-03T12:00:01"),
        ("31.02.2025 12:00:01", None),
        ("", None),
    ],
)
def test_times_are_read_with_their_offset_if_they_have_one(text: str, time: str | None) -> None:
    assert time_of(text) == time
