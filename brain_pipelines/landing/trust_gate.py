"""The gate of trust in the landing record: each item's state, and the record of decisions, which is only added to.

An item that is not trusted has its state in the landing record, as part of what is hashed of its day. So a decision
enters the days it touches in the queue of dirty days, and no others; the stages then store its text apart. The record
knows under which decisions and settings the states were found (table `trust`): where they have changed, opening it
finds the states again, whatever made the change and whenever it was interrupted.

A part of a file or page (an attachment, a picture of a page) is never trusted more than what it is a part of.
"""

import json
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import cast

from brain_pipelines.landing.landing_store import LandedItem, LandingStore
from brain_retrieval.home import Space
from brain_retrieval.ids import stable_hash
from brain_retrieval.stores.durable import make_folder, sync_folder, write_bytes
from brain_retrieval.stores.locking import writer_lock
from brain_retrieval.stores.trust_book import (
    FILE,
    PENDING,
    TRUSTED,
    UNTRUSTED,
    Decision,
    Origin,
    State,
    Subject,
    TrustBook,
    parse_subject,
    plain_address,
    read_decisions,
)

FORGOTTEN = "inbox:forgotten/"  # subject of decisions about what was forgotten, with a hash
PART = "part"  # field of a fetched file that belongs to the page that it names as its parent
ORIGIN = "origin"  # field of a fetched page: how Brain came to it
_ORIGINS: tuple[Origin, ...] = ("named", "followed", "online", "agent")
_SEVERITY = {TRUSTED: 0, PENDING: 1, UNTRUSTED: 2}


@dataclass(frozen=True)
class Moved:
    """An item whose state has changed; `day` is its partition."""

    item: LandedItem
    day: str
    before: State
    after: State


def record(space: Space, decision: Decision) -> None:
    """Add a decision to the user's record; it is on disk when this returns."""
    path, line = _file(space.create()), _line(decision)
    with writer_lock(space):
        make_folder(path.parent)
        with open(path, "ab+", opener=lambda name, flags: os.open(name, flags, 0o600)) as file:
            file.seek(0)
            whole = file.read()
            if whole and not whole.endswith(b"\n"):  # the last line was cut short, and never acknowledged
                file.truncate(whole.rfind(b"\n") + 1)
            file.write(line)
            file.flush()
            os.fsync(file.fileno())
        sync_folder(path.parent)


def kept_decisions(space: Space, names: Iterable[str]) -> list[Decision]:
    """Return the decisions of a user without those about sources or addresses of these names."""
    gone = _subjects(names)
    return [one for one in read_decisions(space) if parse_subject(one.subject) not in gone]


def forget_decisions(space: Space, names: Iterable[str]) -> int:
    """Take the words out of the decisions about these sources and addresses; return how many there were.

    When one was made, who made it and what it was stay: the record is otherwise only added to. Decisions about domains
    stay as they are.
    """
    gone, decisions = _subjects(names), read_decisions(space)
    blank = [_blank(one) if parse_subject(one.subject) in gone else one for one in decisions]
    if blank != decisions:
        with writer_lock(space):
            write_bytes(_file(space), b"".join(_line(one) for one in blank))
    return sum(one not in decisions for one in blank)


def _blank(one: Decision) -> Decision:
    return replace(one, subject=f"{FORGOTTEN}{stable_hash(one.subject)}", reason="")


def _subjects(names: Iterable[str]) -> set[Subject]:
    found = set[Subject]()
    for name in names:
        if name.startswith("inbox:"):
            found.add(Subject("source", name))
        elif address := plain_address(name):
            found.add(Subject("address", address))
    return found


def _file(space: Space) -> Path:
    return space.landing.parent / FILE


def _line(decision: Decision) -> bytes:
    return json.dumps(decision.to_json(), ensure_ascii=False, sort_keys=True).encode() + b"\n"


def follow_trust(landing: LandingStore, book: TrustBook, *, force: bool = False) -> list[Moved]:
    """Find the states of all items again if decisions or settings have changed, and mark the days that differ.

    Args:
        force: also if they have not changed, for a record whose items came from elsewhere.
    """
    if not force and trust_digest(landing) == book.digest:
        return []
    with landing.transaction() as connection:
        moved = _settle(landing, book, landing.all_items())
        connection.executemany("UPDATE item SET state = ? WHERE source_id = ?", _columns(moved))
        for source, day in sorted({(one.item.source, one.day) for one in moved}):
            landing.mark(connection, source, {day: landing.content(source, day)})
        connection.execute("DELETE FROM trust")
        connection.execute("INSERT INTO trust VALUES (?)", (book.digest,))
    return moved


def settle_file(landing: LandingStore, book: TrustBook, file: str) -> set[tuple[str, str]]:
    """Find the states of the items of a file that was just landed, and of their parts, inside a transaction.

    Returns:
        (source, day) of parts in other files whose state has changed.
    """
    own = {item.source_id: item for item in landing.items_of(file)}
    parts = {one.source_id: one for source_id in own for one in parts_of(landing, source_id)}
    moved = _settle(landing, book, list({**parts, **own}.values()))
    for state, source_id in _columns(moved):
        landing.rows("UPDATE item SET state = ? WHERE source_id = ?", (state, source_id))
    return {(one.item.source, one.day) for one in moved if one.item.file != file}


def trust_digest(landing: LandingStore) -> str:
    """Return the digest of the decisions and settings under which the states were found, "" for none."""
    rows = landing.rows("SELECT digest FROM trust")
    return rows[0][0] if rows else ""


def preview(landing: LandingStore, book: TrustBook) -> list[Moved]:
    """Return the items whose state would change under a book; nothing is changed."""
    return _settle(landing, book, landing.all_items())


def own_state(book: TrustBook, item: LandedItem) -> State:
    """Return the state of an item regardless of what it is a part of."""
    address, uri = item.meta.get("url"), item.uri
    return book.state(address, uri=uri, origin=origin_of(item.source, item.meta))


def origin_of(source: str, meta: Mapping[str, str]) -> Origin:
    """Return how Brain came to an item."""
    if not source.startswith("web-"):
        return "own"
    said = meta.get(ORIGIN, "named")
    return cast("Origin", said) if said in _ORIGINS else "followed"


def parts_of(landing: LandingStore, source_id: str) -> list[LandedItem]:
    """Return the items that are parts of an item, and their parts, in any file."""
    found, queue = dict[str, LandedItem](), [source_id]
    while queue:
        for child in landing.children_of(queue.pop()):
            if child.source_id not in found and _is_part(child):
                found[child.source_id] = child
                queue.append(child.source_id)
    return list(found.values())


def _is_part(item: LandedItem) -> bool:
    return bool(item.parent_id) and ("url" not in item.meta or PART in item.meta)


def _settle(landing: LandingStore, book: TrustBook, items: Sequence[LandedItem]) -> list[Moved]:
    """Return the items whose state differs from the stored one, in the order of their ids."""
    by_id, found = {item.source_id: item for item in items}, dict[str, State]()

    def state_of(item: LandedItem, seen: frozenset[str]) -> State:
        if item.source_id in found:
            return found[item.source_id]
        state = own_state(book, item)
        parent = item.parent_id if _is_part(item) else None
        if parent and parent not in seen:
            above = by_id.get(parent)
            theirs = state_of(above, seen | {item.source_id}) if above else landing.state_of(parent)
            state = theirs if _SEVERITY[theirs] > _SEVERITY[state] else state
        found[item.source_id] = state
        return state

    moved = []
    for item in sorted(items, key=lambda one: one.source_id):
        before, after = cast("State", item.state or TRUSTED), state_of(item, frozenset({item.source_id}))
        if before != after:
            moved.append(Moved(item, landing.partition_of(item.source_id), before, after))
    return moved


def _columns(moved: Iterable[Moved]) -> list[tuple[str, str]]:
    return [("" if one.after == TRUSTED else one.after, one.item.source_id) for one in moved]
