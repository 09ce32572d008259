"""What the user of ChatGPT has written into its settings: about themselves, and how it should answer.

An export repeats these texts in front of every conversation, as a message that was never shown. They are read once,
as said by the user at the beginning of the first conversation that has them.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from brain_pipelines.readers.chat.chat_message import Message
from brain_pipelines.readers.chat.draft import Draft
from brain_retrieval.ids import stable_hash

USER = "user"
_KIND = "user_editable_context"
_METADATA = "user_context_message_data"
_STATED = ("about_user_message", "about_model_message")  # in the metadata
_SHOWN = ("user_profile", "user_instructions")  # in the content, between fences
_FENCED = re.compile(r"```(?P<text>.*?)```", re.DOTALL)
_MARK = "instructions"  # in the ids of such messages


def with_instructions(draft: Draft, path: Sequence[Mapping[str, Any]]) -> Draft:
    """Return a conversation with the settings in front that its messages come with.

    Args:
        draft: the conversation.
        path: its messages as exported.
    """
    texts = dict.fromkeys(text for entry in path for text in _instructions(entry))
    times = [message.time for message in draft.messages if message.time]
    start = min(times) if times else draft.start
    first = [Message(USER, text, start, f"{_MARK}-{stable_hash(text)}") for text in texts]
    return replace(draft, messages=[*first, *draft.messages]) if draft.messages else draft


def said_once(drafts: Sequence[Draft]) -> list[Draft]:
    """Return the conversations, in their order, with each text of the settings in the first one alone that has it.

    The digest of that one covers it, so that it is read again when an earlier one has gone.
    """
    seen: set[str] = set()
    once: dict[int, Draft] = {}
    for place in sorted(range(len(drafts)), key=lambda number: _begin(drafts[number])):
        draft = drafts[place]
        kept = [one for one in draft.messages if not _is_instruction(one) or one.text not in seen]
        new = [one.text for one in kept if _is_instruction(one)]
        seen.update(new)
        digest = stable_hash([draft.digest, new]) if new else draft.digest
        once[place] = replace(draft, messages=kept, digest=digest)
    return [once[place] for place in range(len(drafts))]


def _begin(draft: Draft) -> tuple[bool, Any, str]:
    times = [message.time for message in draft.messages if message.time]
    return (False, min(times), draft.key) if times else (True, 0, draft.key)


def _is_instruction(message: Message) -> bool:
    return (message.message_id or "").startswith(f"{_MARK}-")


def _instructions(entry: Mapping[str, Any]) -> Iterator[str]:
    metadata = entry.get("metadata")
    stated = metadata.get(_METADATA) if isinstance(metadata, Mapping) else None
    if isinstance(stated, Mapping):  # until 2024 the message is one of the system, and empty
        yield from (text.strip() for key in _STATED if isinstance(text := stated.get(key), str) and text.strip())
        return
    content = entry.get("content")
    if not isinstance(content, Mapping) or content.get("content_type") != _KIND:
        return
    for key in _SHOWN:
        found = _FENCED.search(content[key]) if isinstance(content.get(key), str) else None
        if found and found["text"].strip():
            yield found["text"].strip()
