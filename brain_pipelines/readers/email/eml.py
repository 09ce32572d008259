"""Reader of e-mails (.eml): the text written by the sender, and forwarded text. Runs in the sandbox's child.

Quotes of earlier mails, signatures and disclaimers are left out of the text; a press article that was copied into it is
a block of its own, without a speaker. Attachments are separate items, of which only the names are listed here.
"""

import re
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from email.message import Message
from pathlib import Path
from typing import Any

from brain_pipelines.readers.email.mail_date import date_of
from brain_pipelines.readers.email.mail_html import html_to_text
from brain_pipelines.readers.email.mail_message import addresses, header, headers, parse_mail
from brain_pipelines.readers.email.mail_parts import MailParts, parts_of
from brain_pipelines.readers.email.mail_people import people_of, sender_of
from brain_pipelines.readers.email.mail_shape import header_names, is_mail
from brain_pipelines.readers.email.mail_thread import message_id, reply_to, thread_id
from brain_pipelines.readers.email.mass_mail import is_mass_mail
from brain_pipelines.readers.encoding import check_size
from brain_pipelines.readers.extracted import Block, Extracted
from brain_pipelines.readers.formats import Format
from brain_pipelines.readers.quoted import ARTICLE
from brain_pipelines.readers.sandbox import Isolated
from brain_retrieval.errors import BadInputError
from brain_retrieval.settings import Limits

MAX_PEOPLE = 100
MAX_NAMES = 200  # of attachments, in the attributes
FAR = datetime(2200, 1, 1, tzinfo=UTC)
_ENRICHED = re.compile(r"<[^<>\n]{1,80}>")
_PGP_SIGNED = re.compile(
    r"\A-----BEGIN PGP SIGNED MESSAGE-----\n(?:\w+: .*\n)*\n|\n-----BEGIN PGP SIGNATURE-----[\s\S]*\Z"
)


def read_file(path: Path, limits: Limits, _scratch: Path | None) -> Extracted:
    """Return the message of a file.

    Raises:
        BadInputError: if it is too large, encrypted, has too many parts, or is not a mail.
    """
    check_size(path, limits.max_file_bytes)
    return read_message(parse_mail(path.read_bytes(), limits), limits, "eml")


def read_message(mail: Message, limits: Limits, form: str) -> Extracted:
    """Return the text, people and attributes of a parsed mail.

    Raises:
        BadInputError: if it is encrypted, or has neither headers nor text.
    """
    from brain_pipelines.readers.email.mail_chain import forwarded_parts
    from brain_pipelines.readers.email.mail_reply import split_reply

    parts = parts_of(mail)
    subject, sender = header(mail, "subject"), sender_of(mail)
    whole = "\n\n".join(filter(None, (_plain(kind, one) for kind, one in parts.texts)))
    if parts.encrypted:
        raise BadInputError(f"the mail is encrypted with {parts.encrypted}; save it decrypted, Brain has no key")
    named = "" if "@" in sender else sender
    answers = bool(header(mail, "in-reply-to"))
    split = split_reply(whole, subject=subject, sender=named, cleaning=limits.cleaning, answers=answers)
    time = date_of(mail, UTC, FAR)
    identity = message_id(mail) or None
    own = split.own if split.own.strip() else "" if split.forwarded else _replacement_text(subject, parts)
    writer = sender if sender and not split.kept_quote else None
    said = [Block(own, "message", message_id=identity, speaker=writer, time=time)] if own else []
    for name, text in forwarded_parts(split, limits.cleaning):
        said.append(Block(text, "message", section="forwarded", message_id=identity, speaker=name or None, time=time))
    blocks = [part for block in said for part in _with_articles(block)]
    if not blocks:
        raise BadInputError("a mail without subject, text and attachment")
    return Extracted(
        form,
        blocks,
        title=subject,
        authors=[sender] if sender else [],
        repairs=_remarks(parts, limits),
        participants=_participants(mail),
        attributes=_attributes(mail, parts)
        | {
            key: value
            for key, value in {
                "forwarded_from": split.forwarded_from,
                "quoted_lines": split.quoted,
                "signature_lines": split.signature,
                "only_quote": split.kept_quote,
                "mass_mail": is_mass_mail(mail, whole),
            }.items()
            if value
        },
    )


def _with_articles(block: Block) -> Iterator[Block]:
    """Yield the words of a sender, and apart from them the articles that they hold."""
    from brain_pipelines.readers.quoted.articles import articles

    position = 0
    for start, end in articles(block.text, unmarked=True):
        if own := block.text[position:start].strip():
            yield replace(block, text=own)
        yield replace(block, text=block.text[start:end].strip(), kind=ARTICLE, speaker=None)
        position = end
    if own := block.text[position:].strip():
        yield replace(block, text=own)


def _plain(kind: str, text: str) -> str:
    if kind == "html":
        return html_to_text(text)
    if kind == "enriched":
        return _ENRICHED.sub("", text)
    text = text.replace("\r\n", "\n")
    return _PGP_SIGNED.sub("", text) if text.startswith("-----BEGIN PGP SIGNED") else text


def _replacement_text(subject: str, parts: MailParts) -> str:
    """Return a replacement for the missing text of a mail: its subject, or the names of its attachments."""
    names = ", ".join(one.name for one in parts.attachments[:20])
    return subject or (f"Attached: {names}" if names else "")


def _remarks(parts: MailParts, limits: Limits) -> list[str]:
    remarks = list(dict.fromkeys(parts.remarks))
    if len(parts.attachments) > limits.max_parts:
        remarks.append(f"{len(parts.attachments)} attachments; the first {limits.max_parts} are taken")
    return remarks


def _participants(mail: Message) -> list[str]:
    return list(dict.fromkeys(filter(None, (sender_of(mail), *people_of(mail, "to", "cc")))))[:MAX_PEOPLE]


def _shown(name: str, address: str) -> str:
    return f"{name} <{address}>" if name and address and name != address else name or address


def _attributes(mail: Message, parts: MailParts) -> dict[str, Any]:
    found: dict[str, Any] = {
        key: [_shown(name, address) for name, address in addresses(mail, key)][:MAX_PEOPLE]
        for key in ("from", "to", "cc", "bcc", "reply-to")
    }
    found["message_id"], found["thread_id"] = message_id(mail), thread_id(mail)
    found["in_reply_to"], found["references"] = reply_to(mail)
    found |= {key: header(mail, key) for key in ("subject", "date", "list-id", "importance", "auto-submitted")}
    found["list-id"] = found["list-id"].rpartition("<")[2].strip("<> ")
    found["importance"] = found["importance"] or header(mail, "x-priority")
    labels = ",".join([*headers(mail, "x-gmail-labels"), *headers(mail, "x-keywords"), *headers(mail, "keywords")])
    found["labels"] = [label for one in labels.split(",") if (label := one.strip(" \"'"))][:MAX_NAMES]
    found["attachments"] = [one.name for one in parts.attachments][:MAX_NAMES]
    found["pictures_left_out"] = parts.left_out[:MAX_NAMES]
    return {key.replace("-", "_"): value for key, value in found.items() if value}


READ = Isolated(read_file, ("lxml.html", "mailparser_reply", "charset_normalizer"))
FORMAT = Format(
    "eml",
    "message/rfc822",
    "an e-mail",
    family="email",
    suffixes=(".eml",),
    as_text=True,
    shape=lambda start, _complete: is_mail(header_names(start)),
    read=READ,
)
