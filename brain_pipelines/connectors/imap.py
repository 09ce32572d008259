"""IMAP connector: copies the messages of a mail account into an inbox, each once, by UID (RFC 3501, section 2.3.1.1).

Mailboxes are opened for reading only and messages are peeked at, so nothing changes on the server. What is deleted
there stays here.
"""

import re
from collections.abc import Iterator
from datetime import UTC, datetime
from imaplib import IMAP4, Internaldate2tuple
from ssl import SSLError
from time import mktime, monotonic
from typing import Any

from brain_pipelines.connectors.connector import ConnectorError, Look
from brain_pipelines.connectors.delivery import safe_name, write_into_inbox
from brain_pipelines.connectors.imap_session import connect, encode_mailbox
from brain_retrieval.settings.connectors import ImapSettings

WINDOW = 500  # UIDs asked for at once
_UID = re.compile(rb"\bUID (\d+)")
_SIZE = re.compile(rb"\bRFC822\.SIZE (\d+)")


def look(found: Look, name: str, settings: ImapSettings) -> None:
    """Take the messages that came since the last look, of every configured mailbox.

    Raises:
        ConnectorError: the server cannot be reached or refuses the login.
    """
    most = min(settings.max_message_bytes, found.max_bytes)
    seconds = max(0.0, found.until - monotonic()) + 2 * settings.timeout_seconds
    with connect(name, settings, most, seconds) as session:
        for mailbox in settings.mailboxes:
            if found.time_is_up() or found.taken >= settings.messages_a_look:
                found.more = True
                return
            try:
                _look_into(found, name, settings, session, mailbox, most)
            except (IMAP4.abort, ConnectionError, TimeoutError, SSLError) as error:
                kind = type(error).__name__
                raise ConnectorError(f"imap {name}: the connection broke in {mailbox!r} ({kind})") from None
            except (IMAP4.error, ValueError):
                found.failed(f"{mailbox}: it cannot be read")


def _look_into(found: Look, name: str, settings: ImapSettings, session: IMAP4, mailbox: str, most: int) -> None:
    status, _ = session.select(encode_mailbox(mailbox), readonly=True)
    if status != "OK":
        found.failed(f"{mailbox}: no such mailbox, or not allowed")
        return
    validity, following = _number(session, "UIDVALIDITY"), _number(session, "UIDNEXT")
    cursor = found.state.setdefault("mailboxes", {}).get(mailbox, {})
    if cursor.get("uidvalidity") != validity:
        cursor = {"uidvalidity": validity, "uid": 0}  # the server has numbered anew
    found.state["mailboxes"][mailbox] = cursor
    for uid, size in _waiting(session, cursor, following):
        if found.taken >= settings.messages_a_look or found.time_is_up():
            found.more = True
            return
        if size > most:
            found.failed(f"{mailbox}, UID {uid}: {size} bytes, the limit is {most}")
        else:
            _take(found, name, settings, session, mailbox, cursor["uidvalidity"], uid, most)
        cursor["uid"] = uid
        found.took(files=0)


def _number(session: IMAP4, code: str) -> int:
    _, values = session.response(code)
    value = values[0] if values else None
    return int(value) if isinstance(value, bytes | str) and value.isdigit() else 0


def _waiting(session: IMAP4, cursor: dict[str, int], following: int) -> Iterator[tuple[int, int]]:
    """Yield UID and size of what is new, ascending; the cursor passes windows that are empty."""
    while not following or cursor["uid"] + 1 < following:
        first = cursor["uid"] + 1
        last = first + WINDOW - 1
        asked = f"{first}:{last}" if following else f"{first}:*"
        status, answer = session.uid("FETCH", asked, "(UID RFC822.SIZE)")
        if status != "OK":
            raise IMAP4.error("not listed")
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
    found: Look, name: str, settings: ImapSettings, session: IMAP4, mailbox: str, validity: int, uid: int, most: int
) -> None:
    status, answer = session.uid("FETCH", str(uid), "(UID INTERNALDATE BODY.PEEK[])")
    if status != "OK":
        raise IMAP4.error("not given")  # the cursor stays before it
    parts = [part for part in answer if isinstance(part, tuple)]
    if not parts or not _is_of(parts[0][0], answer, uid):
        return  # deleted since it was listed
    header, content = parts[0]
    folder = safe_name(mailbox.lstrip(".")) or "mailbox"
    target = f"{name}/{folder}/{validity}-{uid}.eml"
    write_into_inbox(found.space, settings.source, target, [content], most=most, mtime=_received(header))
    found.took()


def _is_of(header: bytes, answer: list[Any], uid: int) -> bool:
    """Tell whether an answer is to what was asked; the UID may stand before or after the message."""
    rest = b" ".join([header, *(part for part in answer if isinstance(part, bytes))])
    match = _UID.search(rest)
    return match is not None and int(match[1]) == uid


def _received(header: bytes) -> float | None:
    parsed = Internaldate2tuple(header)
    return datetime.fromtimestamp(mktime(parsed), UTC).timestamp() if parsed else None
