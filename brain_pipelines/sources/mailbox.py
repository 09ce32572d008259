"""Items of a mail or a mailbox: messages, attachments and attached messages, with limits on number and depth."""

import hashlib
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, tzinfo
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory

from brain_pipelines.readers.contract import Delivery, Item
from brain_pipelines.readers.email import outlook
from brain_pipelines.readers.email.mail_date import date_of
from brain_pipelines.readers.email.mail_message import MailPart, header, parse_mail
from brain_pipelines.readers.email.mail_parts import Attachment, parts_of
from brain_pipelines.readers.email.mail_thread import message_id
from brain_pipelines.readers.email.mbox import mailbox_messages
from brain_pipelines.readers.encoding import check_size
from brain_pipelines.readers.event_time import from_outside, parse_time
from brain_pipelines.readers.parts import LEFT_OUT
from brain_pipelines.sources.conversation import fragment_of
from brain_retrieval.errors import BadInputError
from brain_retrieval.ids import stable_hash
from brain_retrieval.settings import Limits

MAX_MESSAGES = 100_000  # of one mailbox
MAX_NESTED = 5  # nesting of attached messages up to which attachments become items
MAILS = ("message/rfc822", "message/global")


@dataclass
class _Landing:
    """State shared by the items of one file: the ids seen so far and the remaining budget."""

    delivery: Delivery
    zone: tzinfo
    limits: Limits
    bytes_left: int = 0
    attachments_left: int = 0  # not taken, because bytes_left was used up
    seen: dict[str, str] = field(default_factory=dict)  # fragment -> hash of the message

    def __post_init__(self) -> None:
        self.bytes_left = self.limits.max_archive_bytes


def items_of_mail(data: bytes, delivery: Delivery, zone: tzinfo, limits: Limits) -> list[Item]:
    """Return the item of a file that is one message, and its children.

    Raises:
        BadInputError: if it has too many parts, or is nested too deeply.
    """
    landing = _Landing(delivery, zone, limits)
    mail = parse_mail(data, limits)
    at, origin = _time(mail, landing, "")
    items = [Item("", at, origin), *_children(mail, landing, delivery.uri, "part-", at, origin, 0)]
    return [*items, *_left_out(landing, 0)]


def items_of_mailbox(delivery: Delivery, zone: tzinfo, limits: Limits) -> list[Item]:
    """Return the items of a mailbox: each message with its own bytes, and its children.

    Raises:
        BadInputError: if the mailbox is larger than `limits.max_archive_bytes`.
    """
    check_size(delivery.path, limits.max_archive_bytes)
    landing = _Landing(delivery, zone, limits)
    items: list[Item] = []
    messages = mailbox_messages(delivery.path, limits)
    for envelope, data in islice(messages, MAX_MESSAGES):
        try:
            items += _of_message(envelope, data, landing)
        except BadInputError:  # the reader reports what is wrong with it
            fragment = _hash(data)
            items.append(Item(fragment, *from_outside(delivery, zone), content=data, name="message.eml"))
    return [*items, *_left_out(landing, sum(1 for _ in messages))]


def _left_out(landing: _Landing, mails: int) -> Iterator[Item]:
    """Yield an item that the reader refuses with the number of mails and attachments that were not taken, if any."""
    reasons = [f"{mails:,} mails after the first {MAX_MESSAGES:,} are left out; split the mailbox"] if mails else []
    if landing.attachments_left:
        room = landing.limits.max_archive_bytes / (1 << 20)
        reasons.append(f"{landing.attachments_left:,} attachments beyond {room:,.1f} MB together are left out")
    if reasons:
        reason = "; ".join(reasons)
        at, origin = from_outside(landing.delivery, landing.zone)
        yield Item(LEFT_OUT, at, origin, digest=stable_hash(reason), meta={LEFT_OUT: reason})


def _of_message(envelope: str, data: bytes, landing: _Landing) -> Iterator[Item]:
    mail = parse_mail(data, landing.limits)
    digest = _hash(data)
    fragment = fragment_of(message_id(mail) or digest)
    if landing.seen.get(fragment, digest) != digest:  # a second version under the same id
        fragment = f"{fragment[:100]}~{digest}"
    if fragment in landing.seen:  # a duplicate: Gmail exports a message once per label
        return
    landing.seen[fragment] = digest
    at, origin = _time(mail, landing, envelope)
    name = f"{_file_name(header(mail, 'subject')) or 'message'}.eml"
    yield Item(fragment, at, origin, content=data, name=name)
    base = f"{fragment}.part-" if len(fragment) <= 100 else f"{stable_hash(fragment)}.part-"
    yield from _children(mail, landing, f"{landing.delivery.uri}#{fragment}", base, at, origin, 0)


def _children(
    mail: MailPart, landing: _Landing, parent: str, base: str, at: datetime, origin: str, depth: int
) -> Iterator[Item]:
    for one in parts_of(mail).attachments[: landing.limits.max_parts]:
        if len(one.content) > landing.bytes_left:
            landing.attachments_left += 1
            continue
        landing.bytes_left -= len(one.content)
        fragment = f"{base}{one.number}"
        inner, name = _inner_mail(one, landing.limits), one.name
        if inner is not None and inner[0] == "opened":
            name = f"{_file_name(header(inner[1], 'subject')) or name.removesuffix('.eml')}.eml"
        meta = {"part": fragment.rpartition("part-")[2], "declared": one.mime}
        meta |= {"content_id": one.content_id} if one.content_id else {}
        yield Item(fragment, at, origin, content=one.content, name=name, parent=parent, meta=meta)
        if inner is not None and depth < MAX_NESTED:
            uri = f"{landing.delivery.uri}#{fragment}"
            yield from _children(inner[1], landing, uri, f"{fragment}.", at, origin, depth + 1)


def _inner_mail(one: Attachment, limits: Limits) -> tuple[str, MailPart] | None:
    """Return an attached message, parsed, and its format; None for other attachments."""
    name = one.name.lower()
    try:
        if one.mime in MAILS or name.endswith(".eml"):
            return "opened", parse_mail(one.content, limits)
        if name.endswith(".msg"):
            with TemporaryDirectory(prefix="brain-msg-") as directory:
                path = Path(directory) / "attached.msg"
                path.write_bytes(one.content)
                return "outlook", parse_mail(outlook_bytes(path, limits), limits)
    except BadInputError:  # it still becomes an item, and its reader reports what is wrong
        return None
    return None


def outlook_bytes(path: Path, limits: Limits) -> bytes:
    """Return an Outlook message converted to the bytes of a mail (RFC 5322), in the sandbox.

    Raises:
        BadInputError: if it is damaged.
    """
    with TemporaryDirectory(prefix="brain-msg-") as directory:
        made = Path(directory) / outlook.MESSAGE_FILE
        try:
            outlook.READ(path, limits, made.parent)
        except BadInputError:
            if not made.exists():  # else it is only without text
                raise
        return made.read_bytes()


def _time(mail: MailPart, landing: _Landing, envelope: str) -> tuple[datetime, str]:
    delivery = landing.delivery
    if delivery.event_time is not None:
        return delivery.event_time.astimezone(UTC), "given"
    if found := date_of(mail, landing.zone, delivery.received_at):
        return found, "content"
    found = parse_time(envelope.partition(" ")[2].strip(), UTC) if envelope else None
    return (found, "metadata") if found else from_outside(delivery, landing.zone)


def _hash(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()[:16]


def _file_name(subject: str) -> str:
    return " ".join(re.sub(r'[/\\<>:"|?*\x00-\x1f]+', " ", subject).split())[:100].strip(". ")
