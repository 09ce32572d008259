"""Pages of DiscordChatExporter are read as chats: who, when, what."""

from datetime import UTC, datetime

import pytest

from brain_pipelines.readers.chat.chat import read_sessions
from brain_pipelines.readers.chat.discord_html import is_discord_page, time_of
from brain_retrieval.errors import BadInputError

LATEST = datetime(2027, 1, 1, tzinfo=UTC)
OLD = """<!DOCTYPE html>
<html lang="en"><head><title>Club - boats</title><style>.chatlog__message-group { margin: 0 }</style></head><body>
<div class="chatlog__message-group"><div class="chatlog__messages">
 <span class="chatlog__author-name" title="ann#1234" data-user-id="1">ann</span>
 <span class="chatlog__timestamp">27-May-18 04:03 AM</span>
 <div class="chatlog__message" data-message-id="11"><div class="chatlog__content">
  <span class="markdown">I sold the boat &amp; the van<br>to <em>Ida</em> <img alt="\U0001f600" src="x"></span>
 </div></div>
 <div class="chatlog__message" data-message-id="12"><div class="chatlog__content"><div>It was cheap.</div></div></div>
</div></div>
<div class="chatlog__message-group"><div class="chatlog__messages">
 <span class="chatlog__author-name" title="bo#1">bo</span><span class="chatlog__timestamp">28-May-18 05:00 PM</span>
 <div class="chatlog__message"><div class="chatlog__content"></div></div>
 <div class="chatlog__message"><div class="chatlog__content">Good.</div></div>
</div></div></body></html>"""
NEW = """<!DOCTYPE html><html lang=en><head><title>Club - boats</title><style>.chatlog__message-group{}</style></head>
<div class=chatlog><div class=chatlog__message-group><div class=chatlog__message><div class=chatlog__message-primary>
<div class=chatlog__header><span class=chatlog__author title=ann1 data-user-id=1>Ann Lee</span>
<span class=chatlog__timestamp title="Sunday, May 27, 2018 4:03 AM"><a href=#m>5/27/2018 4:03 AM</a></span></div>
<div class="chatlog__content chatlog__markdown"><span class=chatlog__markdown-preserve>I sold the boat.</span></div>
</div></div></div></div></html>"""


def said(page: str) -> list[tuple[str, datetime | None, str]]:
    return [(m.speaker, m.time, m.text) for s in read_sessions(page, UTC, latest=LATEST) for m in s.messages]


def test_messages_have_the_author_and_the_time_of_their_group() -> None:
    first, second = datetime(2018, 5, 27, 4, 3, tzinfo=UTC), datetime(2018, 5, 28, 17, tzinfo=UTC)
    assert said(OLD) == [
        ("ann", first, "I sold the boat & the van\nto Ida \U0001f600"),
        ("ann", first, "It was cheap."),
        ("bo", second, "Good."),
    ]


def test_attributes_without_quotes_are_read() -> None:
    assert said(NEW) == [("Ann Lee", datetime(2018, 5, 27, 4, 3, tzinfo=UTC), "I sold the boat.")]


@pytest.mark.parametrize(
    ("text", "time"),
    [
        ("27-May-18 04:03 AM", "2018-05-27T04:03:00"),
        ("5/27/2018 4:03\u202fAM", "2018-05-27T04:03:00"),
        ("27.05.2018 16:03", "2018-05-27T16:03:00"),
        ("2018-05-27 16:03", "2018-05-27T16:03:00"),
        ("yesterday", None),
    ],
)
def test_times_of_the_exporter(text: str, time: str | None) -> None:
    assert time_of(text) == time


def test_other_pages_are_no_chats() -> None:
    assert not is_discord_page("<!doctype html><html><p>chat</p></html>")
    assert not is_discord_page(f"We speak of chatlog__message-group in {OLD[:20]}")


def test_a_page_without_messages_is_refused_in_plain_words() -> None:
    empty = OLD[: OLD.index('<div class="chatlog__message-group">')] + "</body></html>"
    assert is_discord_page(empty)
    with pytest.raises(BadInputError, match="no message with words on the page"):
        said(empty)


def test_what_lies_very_deep_is_read_as_what_it_lies_in() -> None:
    """Elements that are never closed must not make every end of an element slower."""
    deep = OLD.replace("It was cheap.", "<b>" * 5_000 + "It was cheap." + "</i>" * 5_000)
    assert said(deep)[1][2] == "It was cheap."
