"""Registry of all source types. To add one, write a module beside this, a sample in data/samples, and a line here."""

from brain_pipelines.sources import (
    agent_note,
    agent_output,
    calendar,
    conversation,
    document,
    email,
    image,
    meeting,
    message,
    note,
    screenshot,
    slack_thread,
    video,
    voice_memo,
    web_crawl,
    web_page,
)
from brain_pipelines.sources.source import Source

SOURCES: tuple[Source, ...] = (
    note.SOURCE,
    document.SOURCE,
    conversation.SOURCE,
    slack_thread.SOURCE,
    agent_output.SOURCE,
    message.SOURCE,
    agent_note.SOURCE,
    email.SOURCE,
    calendar.SOURCE,
    voice_memo.SOURCE,
    meeting.SOURCE,
    video.SOURCE,
    image.SOURCE,
    screenshot.SOURCE,
    web_page.SOURCE,
    web_crawl.SOURCE,
)
SOURCES_BY_NAME: dict[str, Source] = {source.name: source for source in SOURCES}
SOURCES_BY_NAME |= {alias: source for source in SOURCES for alias in source.aliases}
