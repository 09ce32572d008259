"""IMAP connector: copies each message of a mail account into an inbox once, by UID (RFC 3501, section 2.3.1.1).

Mailboxes are opened read-only and messages fetched with PEEK, so nothing changes on the server. A message deleted on
the server keeps its copy in the inbox.
"""

import re
from collections.abc import Iterator
from datetime import UTC, datetime
from imaplib import IMAP4, Internaldate2tuple
from ssl import SSLError
from time import mktime, monotonic
from typing import Any

from brain_pipelines.connectors.connector import ConnectorError, PollRun
from brain_pipelines.connectors.delivery import safe_name, write_into_inbox
from brain_pipelines.connectors.imap_session import connect, encode_mailbox
from brain_retrieval.settings.connectors import ImapSettings

WINDOW = 500  # UIDs per request
_UID = re.compile(rb"\bUID (\d+)")
_SIZE = re.compile(rb"\bRFC822\.SIZE (\d+)")


def poll(run: PollRun, name: str, settings: ImapSettings) -> None:
    """Copy the messages that arrived since the last poll, from every configured mailbox.

    Raises:
        ConnectorError: the server cannot be reached or refuses the login.
    """
    most = min(settings.max_message_bytes, run.max_bytes)
    seconds = max(0.0, run.until - monotonic()) + 2 * settings.timeout_seconds
    with connect(name, settings, most, seconds) as session:
        for mailbox in settings.mailboxes:
            if run.time_is_up() or run.taken >= settings.messages_a_look:
                run.more = True
                return
            try:
                _poll_mailbox(run, name, settings, session, mailbox, most)
            except (IMAP4.abort, ConnectionError, TimeoutError, SSLError) as error:
                kind = type(error).__name__
                raise ConnectorError(f"imap {name}: the connection broke in {mailbox!r} ({kind})") from None
            except (IMAP4.error, ValueError):
                run.add_failure(f"{mailbox}: it cannot be read")


def _poll_mailbox(run: PollRun, name: str, settings: ImapSettings, session: IMAP4, mailbox: str, most: int) -> None:
    status, _ = session.select(encode_mailbox(mailbox), readonly=True)
    if status != "OK":
        run.add_failure(f"{mailbox}: no such mailbox, or not allowed")
        return
    validity, following = _number(session, "UIDVALIDITY"), _number(session, "UIDNEXT")
    cursor = run.state.setdefault("mailboxes", {}).get(mailbox, {})
    if cursor.get("uidvalidity") != validity:
        cursor = {"uidvalidity": validity, "uid": 0}  # a new UIDVALIDITY means that all UIDs have changed
    run.state["mailboxes"][mailbox] = cursor
    for uid, size in _waiting(session, cursor, following):
        if run.taken >= settings.messages_a_look or run.time_is_up():
            run.more = True
            return
        if size > most:
            run.add_failure(f"{mailbox}, UID {uid}: {size} bytes, the limit is {most}")
        else:
            _take(run, name, settings, session, mailbox, cursor["uidvalidity"], uid, most)
        cursor["uid"] = uid
        run.count_taken(files=0)


def _number(session: IMAP4, code: str) -> int:
    _, values = session.response(code)
    value = values[0] if values else None
    return int(value) if isinstance(value, bytes | str) and value.isdigit() else 0


def _waiting(session: IMAP4, cursor: dict[str, int], following: int) -> Iterator[tuple[int, int]]:
    """Yield (UID, size) of new messages in ascending order; moves the cursor past empty windows."""
    while not following or cursor["uid"] + 1 < following:
        first = cursor["uid"] + 1
        last = first + WINDOW - 1
        asked = f"{first}:{last}" if following else f"{first}:*"
        status, answer = session.uid("FETCH", asked, "(UID RFC822.SIZE)")
        if status != "OK":
            raise IMAP4.error("not listed")
        # "n:*" always returns the last message, even if its UID is below n (RFC 3501, section 6.4.8)
        sizes = dict(pair for line in answer if (pair := _uid_and_size(line)) and pair[0] >= first)
        yield from sorted(sizes.items())
        if not following:
            return
        cursor["uid"] = max(cursor["uid"], min(last, following - 1))


def _uid_and_size(line: Any) -> tuple[int, int] | None:
    text = line[0] if isinstance(line, tuple) else line
    if not isinstance(text, bytes):
        return None
    uid, size = _UID.search(text), _SIZE.search(text)
    return (int(uid[1]), int(size[1])) if uid and size else None


def _take(
    run: PollRun, name: str, settings: ImapSettings, session: IMAP4, mailbox: str, validity: int, uid: int, most: int
) -> None:
    status, answer = session.uid("FETCH", str(uid), "(UID INTERNALDATE BODY.PEEK[])")
    if status != "OK":
        raise IMAP4.error("not given")  # the cursor is not advanced, so the message is retried
    parts = [part for part in answer if isinstance(part, tuple)]
    if not parts or not _is_of(parts[0][0], answer, uid):
        return  # expunged since it was listed
    header, content = parts[0]
    folder = safe_name(mailbox.lstrip(".")) or "mailbox"
    target = f"{name}/{folder}/{validity}-{uid}.eml"
    write_into_inbox(run.space, settings.source, target, [content], most=most, mtime=_received(header))
    run.count_taken()


def _is_of(header: bytes, answer: list[Any], uid: int) -> bool:
    """Return whether a response belongs to the requested UID, which may come before or after the message."""
    rest = b" ".join([header, *(part for part in answer if isinstance(part, bytes))])
    match = _UID.search(rest)
    return match is not None and int(match[1]) == uid


def _received(header: bytes) -> float | None:
    parsed = Internaldate2tuple(header)
    return datetime.fromtimestamp(mktime(parsed), UTC).timestamp() if parsed else None
