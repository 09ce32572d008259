"""slack-thread: Slack messages, from a workspace's export archive or as JSON.

A thread is an item, on the day it began; the other messages of a channel form one item per day. The fragment is
`<channel id>~<name>/<thread_ts>` or `…/<day>`. An item's digest covers its own messages only, so a newer export under
the same name reprocesses only the days with new or changed messages.
"""

import zipfile
from datetime import UTC, datetime, tzinfo
from functools import lru_cache
from pathlib import Path
from typing import Any

from brain_pipelines.readers.chat.same_file import SameFile, file_of
from brain_pipelines.readers.chat.slack import Post, Thread, read_threads
from brain_pipelines.readers.chat.slack_export import read_slack
from brain_pipelines.readers.contract import Delivery, Issue, Item, Reading, ReadResult
from brain_pipelines.readers.event_time import FUTURE_SLACK, file_name, from_outside
from brain_pipelines.readers.extracted import Block, Extracted
from brain_pipelines.sources.conversation import MAX_AUTHORS, fragment_of
from brain_pipelines.sources.result import to_result
from brain_pipelines.sources.source import Source
from brain_retrieval.errors import BadInputError
from brain_retrieval.ids import content_id
from brain_retrieval.settings import ChunkingConfig, Limits


def locate(delivery: Delivery, zone: tzinfo, limits: Limits) -> list[Item]:
    """Return one item per thread and one per channel and day; the whole file as one item if it cannot be read."""
    outside = from_outside(delivery, zone)
    given = delivery.event_time.astimezone(UTC) if delivery.event_time else None
    try:
        threads = _threads(delivery.path, zone, delivery.received_at, limits, file_name(delivery.uri))
    except Exception:  # the file still lands; the read stage reports what is wrong with it
        return [Item("", given, "given")] if given else [Item("", *outside)]
    items = []
    for fragment, thread in threads.items():
        content = (thread.event_at, "content") if thread.event_at else outside
        event_at, origin = (given, "given") if given else content
        items.append(Item(fragment, event_at, origin, thread.digest))
    return items


def _threads(path: Path, zone: tzinfo, received_at: datetime, limits: Limits, name: str) -> dict[str, Thread]:
    try:
        channels, names = read_slack(path, limits, name)
        threads = read_threads(channels, names, zone, received_at + FUTURE_SLACK)
    except RecursionError:
        raise BadInputError("JSON nested too deeply") from None
    if not threads:
        raise BadInputError("no message in it that a person or an app wrote")
    return {fragment_of(thread.key.encode("utf-8", "replace").decode()): thread for thread in threads}


@lru_cache(maxsize=1)
def _threads_once(file: SameFile, zone: tzinfo, received_at: datetime, limits: Limits, name: str) -> dict[str, Thread]:
    # The items of one file are read one after the other, so the export is parsed only once.
    return _threads(file.path, zone, received_at, limits, name)


def read(raw_row: dict[str, Any], path: Path, reading: Reading) -> ReadResult:
    """Return the messages of one thread or day in order of time, one "Speaker: text" each.

    Raises:
        BadInputError: if the file is neither an export nor messages, is unsafe to open, or lacks the thread.
    """
    file, name = file_of(raw_row, path), file_name(raw_row["uri"])
    threads = _threads_once(file, reading.zone, raw_row["received_at"], reading.limits, name)
    thread = threads.get(raw_row["item"])
    if thread is None:
        raise BadInputError(f"the thread {raw_row['item']!r} is not in the file any more; land it again")
    result = to_result(raw_row, _extract(thread, raw_row), separator="\n")
    result.issues.extend(Issue(raw_row["source_id"], raw_row["uri"], p, "rejected") for p in thread.problems)
    return result


def _extract(thread: Thread, raw_row: dict[str, Any]) -> Extracted:
    time = thread.event_at or raw_row["event_at"]
    blocks: list[Block] = []
    for number, post in enumerate(thread.posts):
        time = post.time or time
        message_id = post.ts or content_id("message", thread.key, number, post.speaker, post.text)
        blocks.append(_block(post, message_id, time))
    speakers = list(dict.fromkeys(post.speaker for post in thread.posts))[:MAX_AUTHORS]
    missing = sum(1 for post in thread.posts if post.time is None)
    repairs = [f"{missing} messages without a time that can be right; the time before is used"] if missing else []
    return Extracted(
        raw_row["format"],
        blocks,
        thread.title,
        speakers,
        repairs=repairs,
        participants=speakers,
        attributes=thread.attributes,
        url=thread.attributes.get("permalink"),
    )


def _block(post: Post, message_id: str, time: datetime) -> Block:
    return Block(f"{post.speaker}: {post.text}", "message", message_id=message_id, speaker=post.speaker, time=time)


def _is_export(path: Path, detected: str, _head: bytes) -> bool:
    if detected != "zip":
        return False
    try:
        with zipfile.ZipFile(path) as archive:
            names = set(archive.namelist()[:10_000])
    except Exception:  # zipfile passes on the errors of four compression libraries
        return False
    return "users.json" in names and bool(names & {"channels.json", "groups.json", "dms.json", "mpims.json"})


SOURCE = Source(
    name="slack-thread",
    context_type="conversation",
    description="Threads and channel days of Slack, from a workspace export or as JSON.",
    suffixes=(".zip", ".json"),
    formats=("zip", "json", "jsonl"),
    locate=locate,
    read=read,
    chunking=ChunkingConfig(strategy="semantic", max_size=512, overlap=50, min_size=100),
    json_types=("slack-thread", "slack_thread"),
    claims=_is_export,
    aliases=("slack", "slack_thread"),
)
