"""Reader of Slack files: an export archive or one JSON value → channels with their raw messages.

Nothing is extracted to disk. Only the lists of channels and users and the daily files of channels are read.
"""

import re
import zipfile
from pathlib import Path, PurePosixPath
from typing import Any

from brain_pipelines.readers.chat.slack import Channel, channel_of, users_of
from brain_pipelines.readers.chat.slack_text import Directory, list_of, mapping_of, text_of
from brain_pipelines.readers.detect import detect_format
from brain_pipelines.readers.document.archive import check_archive
from brain_pipelines.readers.document.json_text import parse_json
from brain_pipelines.readers.encoding import check_size, decode, read_decoded
from brain_retrieval.errors import BadInputError
from brain_retrieval.settings import Limits

MAX_PROBLEMS = 20
_LISTS = ("channels.json", "groups.json", "mpims.json", "dms.json")
_USERS = ("users.json", "org_users.json")
_DAY = re.compile(r"\d{4}-\d{2}-\d{2}\.json")
_EXPORT_NAME = re.compile(r"(.+?) Slack export\b")


def read_slack(path: Path, limits: Limits, name: str) -> tuple[list[Channel], Directory]:
    """Return the channels of a file and the names of users and channels by id.

    Args:
        path: an export archive or JSON.
        limits: on the size of files and archives.
        name: file name, which contains the workspace of an export.

    Raises:
        BadInputError: if it is neither of both, unsafe to open, or damaged.
    """
    detected = detect_format(path)
    if detected.name == "empty":
        raise BadInputError("empty file (0 bytes)")
    if detected.name == "zip":
        return _Export(path, limits, name).read()
    if detected.name not in ("json", "jsonl", "text"):
        raise BadInputError(f"it is {detected.label}, not an export of Slack (zip) or its messages (JSON)")
    text = read_decoded(path, limits).text
    if detected.name == "jsonl":
        return read_value([parse_json(line) for line in text.splitlines() if line.strip()])
    return read_value(parse_json(text))


def read_value(value: Any) -> tuple[list[Channel], Directory]:
    """Return the channels in one JSON value: a list of messages, a thread, or a response of Slack's web API.

    Raises:
        BadInputError: if there is no list of messages, or the response is an error.
    """
    value = {"messages": value} if isinstance(value, list) else mapping_of(value)
    inner = value.get("raw_content")
    if isinstance(inner, str):
        inner = parse_json(inner)
    value = {**value, **mapping_of(inner)}
    if value.get("ok") is False:
        raise BadInputError(f"Slack answered with an error: {text_of(value.get('error'))[:80] or 'unknown'}")
    messages = value.get("messages")
    if isinstance(messages, dict):
        messages = messages.get("matches")  # response of search.messages
    if not isinstance(messages, list):
        raise BadInputError("no list of messages in it")
    names = Directory(users_of(value.get("users")), {})
    thread = _thread_of(value, messages) if value.get("type") in ("slack-thread", "slack_thread") else None
    cut = ["there is more in this channel than Slack answered at once (has_more)"] if value.get("has_more") else []
    workspace = text_of(value.get("workspace")) or text_of(value.get("team_domain"))
    channels = []
    for (channel_id, name), members in _by_channel(value.get("channel"), messages, names).items():
        label = f"#{name}" if name else channel_id or "Slack"
        channels.append(Channel(channel_id, name, label, members, workspace, thread, cut))
    return channels, names


def _thread_of(value: Any, messages: list[Any]) -> str:
    """Return the thread's id of a value that is one thread: as given, else that of its first message."""
    rows = [value, *(mapping_of(message) for message in messages)]
    found = (text_of(row.get(key)) for key in ("thread_ts", "ts") for row in rows)
    return next((ts for ts in found if ts), "")


def _by_channel(given: Any, messages: list[Any], names: Directory) -> dict[tuple[str, str], list[Any]]:
    whole = channel_of(given, names)
    found: dict[tuple[str, str], list[Any]] = {}
    for message in messages:
        own = mapping_of(message).get("channel")
        found.setdefault(channel_of(own, names) if own and not any(whole) else whole, []).append(message)
    return found


class _Export:
    """The zip archive of a workspace export: `<channel>/2026-01-05.json` and the lists of channels and users."""

    def __init__(self, path: Path, limits: Limits, name: str) -> None:
        check_size(path, limits.max_file_bytes)
        check_archive(path, limits)
        self.path = path
        named = _EXPORT_NAME.match(name)
        self.workspace = named[1].strip() if named else ""
        self.broken: dict[str, list[str]] = {}

    def read(self) -> tuple[list[Channel], Directory]:
        with zipfile.ZipFile(self.path) as archive:
            return self._read(archive)

    def _read(self, archive: zipfile.ZipFile) -> tuple[list[Channel], Directory]:
        members = {info.filename: info for info in archive.infolist() if not info.is_dir()}
        root = self._root(members)
        lists = {n: list_of(self._json(archive, members.get(root + n))) for n in (*_LISTS, *_USERS)}
        users = users_of([user for name in _USERS for user in lists[name]])
        known = [mapping_of(entry) for name in _LISTS for entry in lists[name]]
        names = Directory(users, {text_of(c.get("id")): text_of(c.get("name")) for c in known if c.get("name")})
        by_folder = {text_of(entry.get("name")) or text_of(entry.get("id")): entry for entry in known}
        days: dict[str, list[Any]] = {}
        for name in sorted(members):
            inside = PurePosixPath(name.removeprefix(root))
            if name.startswith(root) and len(inside.parts) == 2 and _DAY.fullmatch(inside.name):
                folder = inside.parts[0]
                days.setdefault(folder, []).extend(list_of(self._json(archive, members[name], folder)))
        if not days:
            raise BadInputError("no messages of Slack in the archive: no <channel>/<day>.json")
        return [self._channel(folder, mapping_of(by_folder.get(folder)), days[folder], users) for folder in days], names

    def _root(self, members: dict[str, Any]) -> str:
        """Return the common top folder, "" without one: people unpack an export and zip its folder again."""
        tops = [name.removesuffix(one) for name in members for one in (*_USERS, *_LISTS) if name.endswith("/" + one)]
        at_top = any(name in members for name in (*_USERS, *_LISTS))
        return "" if at_top or not tops else min(tops, key=lambda name: (len(name), name))

    def _json(self, archive: zipfile.ZipFile, member: zipfile.ZipInfo | None, folder: str = "") -> Any:
        if member is None:
            return None
        try:
            return parse_json(decode(archive.read(member)).text)
        except BadInputError as error:
            problems = self.broken.setdefault(folder, [])
            if len(problems) < MAX_PROBLEMS:
                problems.append(f"{PurePosixPath(member.filename).name[:100]} left out: {error}")
            return None

    def _channel(self, folder: str, entry: Any, messages: list[Any], users: dict[str, str]) -> Channel:
        people = [users.get(text_of(one)) or text_of(one) for one in list_of(entry.get("members"))]
        direct = folder.startswith("mpdm-") or re.fullmatch(r"D[A-Z0-9]{6,}", folder)
        label = ", ".join(filter(None, people)) if direct and people else f"#{folder}"
        problems = [*self.broken.get("", []), *self.broken.get(folder, [])]
        return Channel(text_of(entry.get("id")), folder, label[:200], messages, self.workspace, None, problems)
