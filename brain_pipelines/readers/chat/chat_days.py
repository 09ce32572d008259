"""Chats of people that an app exports as one list, over months: one conversation for each day of the user.

A chat with an assistant is a session with a beginning and a subject, and stays whole. A chat of people goes on for
years; as one item it would be of its first day alone, and be read again as a whole with every message that is added.
"""

import itertools
from dataclasses import replace
from datetime import tzinfo

from brain_pipelines.readers.chat.chat_message import Message
from brain_pipelines.readers.chat.draft import Draft
from brain_retrieval.ids import stable_hash

ROLES = frozenset({"user", "assistant", "human", "system", "ai", "bot", "chatgpt", "claude", "model", "developer"})


def by_day(draft: Draft, zone: tzinfo) -> list[Draft]:
    """Return the days of a chat of people, each a draft; a chat of one day, or with an assistant, is returned as it is.

    A message without a time belongs to the day of the one before it. Reports of broken messages go with the first day.
    """
    messages = in_order(draft.messages)
    days: dict[str, list[Message]] = {}
    day = next((_day(one, zone) for one in messages if one.time), "")
    for message in messages:
        day = _day(message, zone) if message.time else day
        days.setdefault(day, []).append(message)
    if len(days) < 2 or _with_an_assistant(messages):
        return [replace(draft, messages=messages)]
    first = min(days)
    return [
        Draft(
            f"{draft.key}/{day}" if draft.key else day,
            draft.title,
            said,
            None,
            stable_hash([[one.speaker, one.text, str(one.time), one.message_id] for one in said]),
            draft.problems if day == first else [],
        )
        for day, said in sorted(days.items())
    ]


def in_order(messages: list[Message]) -> list[Message]:
    """Return the messages oldest first, if they are listed newest first throughout; else as they are."""
    times = [one.time for one in messages if one.time]
    backwards = all(earlier >= later for earlier, later in itertools.pairwise(times))
    return messages[::-1] if len(times) == len(messages) > 1 and backwards and times[0] > times[-1] else messages


def _day(message: Message, zone: tzinfo) -> str:
    return message.time.astimezone(zone).date().isoformat() if message.time else ""


def _with_an_assistant(messages: list[Message]) -> bool:
    return any(one.speaker.casefold() in ROLES or one.speaker.startswith("tool ") for one in messages)
