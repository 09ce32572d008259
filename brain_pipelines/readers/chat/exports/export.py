"""The `Export` record: a chat in a form of its own, which is brought into the form that all chats are read in."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, tzinfo
from typing import Any

# {"speaker": …, "content": …, "timestamp": …, "id": …}; the last two may be missing.
Said = dict[str, Any]
# {"id": …, "title": …, "messages": [Said, …]}
Chat = dict[str, Any]


@dataclass(frozen=True)
class Export:
    """A form in which a program writes chats.

    `fits` knows it by the beginning of a text, `chats` returns what a text holds; its other arguments are the user's
    zone and the day of a file that states only the clock, None if that is not known.
    """

    name: str
    fits: Callable[[str], bool]
    chats: Callable[[str, tzinfo, date | None], list[Chat]]
