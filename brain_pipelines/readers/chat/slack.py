"""Slack messages to threads: what is left out, the latest of every edit, replies under the message they answer.

A thread is one item, whatever days it covers; messages outside of threads are one item a channel and day of the user.
Files and archives are opened in `slack_export.py`, one message is rendered in `slack_text.py`.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, tzinfo
from typing import Any

from brain_pipelines.readers.chat.chat_message import MAX_SPEAKER, SPEAKER_KEYS, TEXT_KEYS, TIME_KEYS
from brain_pipelines.readers.chat.slack_text import (
    Directory,
    file_names,
    list_of,
    mapping_of,
    message_text,
    person_name,
    text_of,
)
from brain_pipelines.readers.event_time import parse_time
from brain_retrieval.ids import stable_hash

# What Slack itself reports, and what is gone. Topics and purposes are words of a person and stay.
NOISE = frozenset(
    "channel_join channel_leave channel_archive channel_unarchive channel_convert_to_private channel_name "
    "channel_posting_permissions group_join group_leave group_archive group_unarchive group_name bot_add bot_remove "
    "bot_enable bot_disable pinned_item unpinned_item reminder_add ekm_access_denied app_conversation_join "
    "sh_room_created huddle_thread reply_broadcast message_replied tombstone message_deleted joiner_notification "
    "slackbot_response file_mention tabbed_canvas_updated".split()
)
TITLE_CHARS = 80
_TS = re.compile(r"\d{9,12}(\.\d{1,9})?")


@dataclass(frozen=True)
class Channel:
    """A channel with its raw messages. `label` is what people call it: "#general", or the people of a direct message.

    `thread` names the thread that messages of no thread belong to, where the file is one thread.
    """

    channel_id: str
    name: str
    label: str
    messages: list[Any]
    workspace: str = ""
    thread: str | None = None
    problems: list[str] = field(default_factory=list)

    @property
    def key(self) -> str:
        return "~".join(part for part in (self.channel_id, self.name if self.name != self.channel_id else "") if part)


@dataclass(frozen=True)
class Post:
    """One message as shown. `ts` is Slack's id of it within its channel, "" in other exports."""

    ts: str
    time: datetime | None  # aware UTC
    speaker: str
    text: str
    thread: str | None
    edited: bool
    files: tuple[str, ...]
    permalink: str
    team: str


@dataclass
class Thread:
    """One item: a thread (`thread_ts`), or the other messages of a day (`thread_ts` None)."""

    key: str
    channel: Channel
    thread_ts: str | None
    title: str
    posts: list[Post]
    problems: list[str] = field(default_factory=list)

    @property
    def event_at(self) -> datetime | None:
        """Return when the first message was written."""
        return next((post.time for post in self.posts if post.time), None)

    @property
    def digest(self) -> str:
        """Return the hash of all that the item shows: an export that changes nothing of it leaves it as it is."""
        return stable_hash([self.title, self.attributes, [vars(post) for post in self.posts], self.problems])

    @property
    def attributes(self) -> dict[str, Any]:
        """Return what is known of the item beside its text; keys without a value are left out."""
        posts = self.posts
        found = {
            "channel": self.channel.label,
            "channel_id": self.channel.channel_id,
            "workspace": self.channel.workspace or next((post.team for post in posts if post.team), ""),
            "thread_ts": self.thread_ts,
            "permalink": next((post.permalink for post in posts if post.permalink), ""),
            "messages": len(posts),
            "edited": [post.ts for post in posts if post.edited],
            "files": [name for post in posts for name in post.files],
        }
        return {key: value for key, value in found.items() if value}


def read_threads(channels: Iterable[Channel], names: Directory, zone: tzinfo, latest: datetime) -> list[Thread]:
    """Return the threads and days of channels, each with its messages in order of time.

    Args:
        channels: with raw messages in any order.
        names: who <@U…> is.
        zone: the user's, for days.
        latest: later times are wrong and count as missing.
    """
    threads: dict[str, Thread] = {}
    for channel in channels:
        posts = [post for raw in _latest(channel.messages) if (post := _post(raw, names, zone, latest))]
        found = _group(channel, posts, zone)
        for thread in found:
            if thread.key in threads:  # one channel in two lists of the export
                threads[thread.key].posts = _in_order([*threads[thread.key].posts, *thread.posts])
            else:
                threads[thread.key] = thread
        if found and channel.problems:
            found[0].problems.extend(channel.problems)
    return list(threads.values())


def _latest(messages: list[Any]) -> list[Mapping[str, Any]]:
    """Return messages in their latest version, once each, without those that were deleted."""
    kept: dict[str, Mapping[str, Any]] = {}
    gone: set[str] = set()
    for number, raw in enumerate(messages):
        message = mapping_of(raw)
        subtype = message.get("subtype")
        if subtype == "message_deleted":
            gone.add(str(message.get("deleted_ts")))
            continue
        if subtype == "message_changed":
            message = mapping_of(message.get("message"))
            message = {"edited": True, **message} if message else message
        ts = _ts(message) or f"#{number}"
        if ts not in kept or _version(message) >= _version(kept[ts]):
            kept[ts] = message
    return [message for ts, message in kept.items() if ts not in gone]


def _version(message: Mapping[str, Any]) -> tuple[bool, str]:
    edited = message.get("edited")
    return bool(edited), text_of(mapping_of(edited).get("ts"))


def _ts(message: Mapping[str, Any], key: str = "ts") -> str:
    value = message.get(key)
    value = str(value) if isinstance(value, int | float) and not isinstance(value, bool) else text_of(value)
    return value if _TS.fullmatch(value) else ""


def _post(raw: Mapping[str, Any], names: Directory, zone: tzinfo, latest: datetime) -> Post | None:
    subtype = raw.get("subtype")
    if (isinstance(subtype, str) and subtype in NOISE) or raw.get("type") not in (None, "message"):
        return None
    text = message_text(raw, names)
    text = text or next((found for key in TEXT_KEYS if (found := text_of(raw.get(key)))), "")
    if not text:
        return None
    ts = _ts(raw)
    time = parse_time(ts, zone) or next((t for key in TIME_KEYS if (t := parse_time(raw.get(key), zone))), None)
    return Post(
        ts=ts,
        time=time if time is None or time <= latest else None,
        speaker=_speaker(raw, names),
        text=text,
        thread=_ts(raw, "thread_ts") or None,
        edited=bool(raw.get("edited")),
        files=tuple(file_names(raw)),
        permalink=text_of(raw.get("permalink")),
        team=text_of(raw.get("team")),
    )


def _speaker(raw: Mapping[str, Any], names: Directory) -> str:
    user = raw.get("user")
    known = names.users.get(user, "") if isinstance(user, str) else person_name(mapping_of(user))
    bot = text_of(raw.get("username")) or text_of(mapping_of(raw.get("bot_profile")).get("name"))
    known = bot if bot and raw.get("subtype") == "bot_message" else known  # an app posts under many names
    others = (text_of(raw.get(key)) for key in (*SPEAKER_KEYS, "bot_id"))
    found = known or person_name(mapping_of(raw.get("user_profile"))) or bot or next(filter(None, others), "unknown")
    return " ".join(found.split())[:MAX_SPEAKER]


def _group(channel: Channel, posts: list[Post], zone: tzinfo) -> list[Thread]:
    """Return the threads of a channel and its days, in the order of their beginning."""
    groups: dict[tuple[str | None, str], list[Post]] = {}
    day = ""
    for post in _in_order(posts):
        root = post.thread or channel.thread
        if post.time:
            day = post.time.astimezone(zone).date().isoformat()
        groups.setdefault((root, "" if root is not None else day), []).append(post)
    return [_thread(channel, root, day, members) for (root, day), members in groups.items()]


def _thread(channel: Channel, root: str | None, day: str, posts: list[Post]) -> Thread:
    key = "/".join(part for part in (channel.key, root or day) if part)
    first = " ".join(posts[0].text.split("\n", 1)[0].split())
    begins = first if len(first) <= TITLE_CHARS else first[:TITLE_CHARS].rsplit(" ", 1)[0] + " …"
    title = f"{channel.label}: {begins}" if root is not None else f"{channel.label} on {day}" if day else channel.label
    return Thread(key, channel, root or None, title.removeprefix(": "), posts)


def _in_order(posts: list[Post]) -> list[Post]:
    """Return posts by time, then by id; one without a time stays behind the one before it."""
    before: datetime | None = next((post.time for post in posts if post.time), None)
    placed: list[tuple[float, str, int, Post]] = []
    for number, post in enumerate(posts):
        before = post.time or before
        placed.append((before.timestamp() if before else 0.0, post.ts if post.time else "~", number, post))
    return [post for *_, post in sorted(placed, key=lambda row: row[:3])]


def channel_of(value: Any, names: Directory) -> tuple[str, str]:
    """Return (id, name) of a channel that is given as an id, a name or an object."""
    if isinstance(value, Mapping):
        return text_of(value.get("id")), text_of(value.get("name")).lstrip("#")
    text = text_of(value)
    if re.fullmatch(r"[CDG][A-Z0-9]{6,}", text):
        return text, names.channels.get(text, "")
    return "", text.lstrip("#")


def users_of(value: Any) -> dict[str, str]:
    """Return names by user id from a list of users, or from an object of names or users by id."""
    if isinstance(value, Mapping):
        pairs = (
            (key, person_name(user) if isinstance(user, Mapping) else text_of(user)) for key, user in value.items()
        )
        return {key: name for key, name in pairs if name}
    users = [mapping_of(user) for user in list_of(value)]
    return {text_of(user.get("id")): name for user in users if user.get("id") and (name := person_name(user))}
