"""Whether a JSON file is a list of what people said: messages with a speaker and a time, or a transcript.

Lists of other things have authors and texts, too (quotes, posts with a title), so a speaker is not enough.
"""

import json
import re
from collections.abc import Mapping
from typing import Any

from brain_pipelines.readers.chat.chat_message import TEXT_KEYS, TIME_KEYS

LEAST, LOOKED_AT = 2, 3  # messages
_SENDERS = ("from", "sender", "author", "user", "username")
_OF_POSTS = ("title", "subject", "url", "headline", "link")
_SPACE = re.compile(r"[\s,\[]*")
# "transcript": [{"start": 0.0, "speaker": …
_TRANSCRIPT = re.compile(
    r'"(?:transcript|utterances|segments|dialogue?|conversation)"\s{0,9}:\s{0,9}\[\s{0,99}\{[^{}]{0,2000}?"speaker"\s{0,9}:'
)


def is_message_list(head: bytes) -> bool:
    """Return whether a JSON value that begins with `head` is a list of messages, or has a transcript by speaker."""
    text = head.decode("utf-8", "ignore").removeprefix("\ufeff").lstrip()
    if not text.startswith("["):
        return _TRANSCRIPT.search(text) is not None
    found = _first_entries(text)
    return len(found) >= LEAST and all(map(_is_said, found))


def _first_entries(text: str) -> list[Any]:
    """Return the first entries of a list whose end may be missing."""
    decoder, found, place = json.JSONDecoder(), [], 1
    while len(found) < LOOKED_AT:
        space = _SPACE.match(text, place)
        try:
            value, place = decoder.raw_decode(text, space.end() if space else place)
        except (ValueError, RecursionError):
            break
        found.append(value)
    return found


def _is_said(value: Any) -> bool:
    """Return whether a value has a speaker, a text, and a time unless its key is "speaker", and is no post."""
    if not isinstance(value, Mapping) or any(key in value for key in _OF_POSTS):
        return False
    text = any(isinstance(value.get(key), str) for key in TEXT_KEYS)
    named, timed = any(value.get(key) for key in _SENDERS), any(value.get(key) for key in TIME_KEYS)
    return text and (value.get("speaker") is not None or (named and timed))
