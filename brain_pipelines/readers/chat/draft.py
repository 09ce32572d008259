"""A conversation as it stands in an export, before its messages have times and days."""

from dataclasses import dataclass, field
from datetime import datetime

from brain_pipelines.readers.chat.chat_message import Message


@dataclass(frozen=True)
class Draft:
    """A conversation as exported. `key` is its id within the file, "" if it has none."""

    key: str
    title: str
    messages: list[Message]
    start: datetime | None
    digest: str
    problems: list[str] = field(default_factory=list)
