"""Rendering of one Slack message as text: mentions (<@U…>), links (<url|label>), blocks, attachments, file names.

Links to files are omitted, because those of an export contain an access token.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

MAX_DEPTH = 20  # nesting of blocks
MAX_LISTED_FILES = 50
_TOKEN = re.compile(r"<([^<>\n]{1,3000})>")
_ENTITIES = (("&lt;", "<"), ("&gt;", ">"), ("&amp;", "&"))  # Slack escapes only these three characters, & first
_NAME_KEYS = ("real_name", "display_name", "name")


@dataclass(frozen=True)
class Directory:
    """Names by id, from the lists in the export."""

    users: Mapping[str, str] = field(default_factory=dict)
    channels: Mapping[str, str] = field(default_factory=dict)


def text_of(value: Any) -> str:
    """Return `value` if it is a text of more than white space, else ""."""
    return value.strip() if isinstance(value, str) else ""


def mapping_of(value: Any) -> Mapping[str, Any]:
    """Return `value` if it is an object, else an empty one."""
    return value if isinstance(value, Mapping) else {}


def list_of(value: Any) -> list[Any]:
    """Return `value` if it is a list, else an empty one."""
    return value if isinstance(value, list) else []


def person_name(user: Mapping[str, Any]) -> str:
    """Return a user's full name, else the display name, else the handle."""
    profile = mapping_of(user.get("profile"))
    found = (text_of(place.get(key)) for key in _NAME_KEYS for place in (profile, user))
    return " ".join(next((name for name in found if name), "").split())


def render(text: str, names: Directory) -> str:
    """Return Slack's markup as displayed; emphasis and :emoji: stay as typed."""
    return _unescape(_TOKEN.sub(lambda match: _token(match[1], names), text))


def message_text(message: Mapping[str, Any], names: Directory) -> str:
    """Return the text of a message, else of its blocks, else of its attachments; then the names of its files."""
    text = render(text_of(message.get("text")), names)
    text = text or "\n".join(_blocks(list_of(message.get("blocks")), names))
    text = text or "\n".join(filter(None, (_attachment(a, names) for a in list_of(message.get("attachments")))))
    return "\n".join(filter(None, [text.strip(), *(f"[file: {name}]" for name in file_names(message))]))


def file_names(message: Mapping[str, Any]) -> list[str]:
    """Return the title and name of each file of a message that has not been deleted."""
    files = list_of(message.get("files")) or [message.get("file")]
    names = [_file_name(mapping_of(file)) for file in files[:MAX_LISTED_FILES]]
    return [name for name in names if name]


def _file_name(file: Mapping[str, Any]) -> str:
    name, title = text_of(file.get("name")), text_of(file.get("title"))
    if file.get("mode") == "tombstone" or not (name or title):
        return ""
    shown = f"{title} ({name})" if title and name and title != name else title or name
    return _unescape(" ".join(shown.split())[:300])


def _unescape(text: str) -> str:
    for entity, char in _ENTITIES:
        text = text.replace(entity, char)
    return text


def _token(inner: str, names: Directory) -> str:
    target, _, label = inner.partition("|")
    if target.startswith("@"):
        return f"@{names.users.get(target[1:]) or label or target[1:]}"
    if target.startswith("#"):
        return f"#{label or names.channels.get(target[1:]) or target[1:]}"
    if target.startswith("!"):
        return _special(target[1:], label)
    target = target.removeprefix("mailto:").removeprefix("tel:")
    if not label or label in (target, target.split("://", 1)[-1]):
        return target
    return f"{label} ({target})"


def _special(command: str, label: str) -> str:
    name = command.split("^", 1)[0]
    if name in ("here", "channel", "everyone"):
        return f"@{name}"
    return label or f"@{name}"  # dates and user groups carry their own label


def _blocks(blocks: list[Any], names: Directory, depth: int = 0) -> Iterator[str]:
    """Yield the lines of Block Kit blocks; the inline elements of a section form one line."""
    for block in blocks if depth < MAX_DEPTH else []:
        block = mapping_of(block)
        inner = block.get("text")
        own = text_of(inner) or text_of(mapping_of(inner).get("text"))
        if own:
            yield render(own, names)
        for entry in list_of(block.get("fields")):
            if line := text_of(mapping_of(entry).get("text")):
                yield render(line, names)
        elements = list_of(block.get("elements"))
        if any(mapping_of(e).get("type") in _INLINE for e in elements):
            yield "".join(_inline(mapping_of(element), names) for element in elements).strip()
        else:
            yield from _blocks(elements, names, depth + 1)


_INLINE = ("text", "link", "user", "usergroup", "channel", "emoji", "broadcast", "date")


def _inline(element: Mapping[str, Any], names: Directory) -> str:
    kind, text = element.get("type"), element.get("text")
    text = text if isinstance(text, str) else ""
    if kind == "user":
        return _token(f"@{element.get('user_id')}", names)
    if kind == "channel":
        return _token(f"#{element.get('channel_id')}", names)
    if kind == "broadcast":
        return f"@{element.get('range')}"
    if kind == "emoji":
        return f":{element.get('name')}:"
    if kind == "link":
        return _token(f"{element.get('url')}|{text}", names)
    return text or text_of(element.get("fallback"))


def _attachment(value: Any, names: Directory) -> str:
    attachment = mapping_of(value)
    parts = [text_of(attachment.get(key)) for key in ("pretext", "title", "text")]
    for entry in map(mapping_of, list_of(attachment.get("fields"))):
        parts.append(": ".join(filter(None, (text_of(entry.get("title")), text_of(entry.get("value"))))))
    lines = [render(part, names) for part in parts if part]
    lines = lines or list(_blocks(list_of(attachment.get("blocks")), names))
    return "\n".join(lines or [render(text_of(attachment.get("fallback")), names)])
