"""Posts of Twitter's archive (tweets.js); what the owner only passed on is quoted. The posts of a day are one note."""

import html
from collections.abc import Iterator
from datetime import UTC, datetime, tzinfo
from typing import Any

from brain_pipelines.readers.json_values import listed, text_of
from brain_pipelines.readers.notes.apps.app import App, Found
from brain_pipelines.readers.notes.note import Note


def _notes(value: Any, _zone: tzinfo) -> Iterator[Found]:
    for entry in value if isinstance(value, list) else ():
        post = entry.get("tweet", entry) if isinstance(entry, dict) else None
        if not isinstance(post, dict):
            continue
        text = html.unescape(text_of(post, "full_text") or text_of(post, "text"))
        for link in listed(post, "entities", "urls"):
            text = text.replace(text_of(link, "url") or "\0", text_of(link, "expanded_url") or text_of(link, "url"))
        for picture in listed(post, "entities", "media"):
            text = text.replace(text_of(picture, "url") or "\0", "").strip()
        named = {text_of(one, "screen_name"): text_of(one, "name") for one in listed(post, "entities", "user_mentions")}
        for account, name in named.items():
            text = text.replace(f"@{account}", f"@{account} ({name})" if name and name != account else f"@{account}")
        passed_on = text.startswith("RT @")
        yield (
            Note(text=text, key=text_of(post, "id_str"), time=_time(post), quoted=passed_on),
            entry,
        )


def _time(post: dict[str, Any]) -> datetime | None:
    try:
        found = datetime.strptime(text_of(post, "created_at"), "%a %b %d %H:%M:%S %z %Y")
    except ValueError:
        return None
    return found.astimezone(UTC)


APP = App("Twitter", b"[", (b'"full_text"', b'"created_at"', b'"id_str"'), _notes, lambda _value: list, by_day=True)
