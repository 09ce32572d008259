"""Classification of the parts of a mail: text, attachments, and neither (signatures, tracking pixels, logos)."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from email.generator import BytesGenerator
from email.message import Message
from io import BytesIO

from brain_pipelines.readers.email.mail_message import decoded, header, to_text

MIN_WORDS = 8  # a shorter plain text is a stub if the HTML alternative is much longer
STUB_SHARE = 0.2
SMALL_PICTURE = 4 << 10  # bytes; a smaller inline picture is a logo or a tracking pixel
SMALL_LOGO = 24 << 10  # bytes, if its name is typical of one
LOW = 64  # pixels; a PNG or GIF of at most this height or width is a line, an icon or a tracking pixel

_LOGO = re.compile(
    r"(?:image\d{3}|.*(?:logo|icon|banner|spacer|signature|facebook|twitter|linkedin|instagram|pixel).*)\.\w+", re.I
)
_SIGNATURES = ("application/pgp-signature", "application/pkcs7-signature", "application/x-pkcs7-signature")
_KEYS = ("application/pgp-keys", "application/pgp-encrypted")
_SKIPPED = (*_SIGNATURES, *_KEYS, "text/x-amp-html", "message/delivery-status", "text/rfc822-headers")
_SKIPPED += ("message/disposition-notification", "message/feedback-report")
_TNEF = ("application/ms-tnef", "application/vnd.ms-tnef")
_PKCS7 = ("application/pkcs7-mime", "application/x-pkcs7-mime")
_ARMOUR = "-----BEGIN PGP MESSAGE-----"
_SUFFIXES = {"text/calendar": ".ics", "text/html": ".html", "text/plain": ".txt", "message/rfc822": ".eml"}
_SUFFIXES |= {"image/png": ".png", "image/jpeg": ".jpg", "image/gif": ".gif", "application/pdf": ".pdf"}


@dataclass(frozen=True)
class Attachment:
    """A file attached to a mail. `number` counts from 1 in the order of the parts."""

    number: int
    name: str
    mime: str
    content: bytes
    inline: bool = False
    content_id: str = ""


@dataclass
class MailParts:
    """The texts of a mail as (subtype, text), its attachments, the omitted pictures, and remarks."""

    texts: list[tuple[str, str]] = field(default_factory=list)
    attachments: list[Attachment] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)
    encrypted: str = ""  # with what


def parts_of(mail: Message) -> MailParts:
    """Return the classified parts of a parsed mail; of alternative texts one is chosen."""
    found = MailParts()
    kind = mail.get_content_type()
    if kind in ("text/plain", "text/html") and (text := to_text(_bytes(mail), mail.get_content_charset())).strip():
        found.texts.append((kind.removeprefix("text/"), _flowed(mail, text)))  # whatever name it has
    else:
        _visit(mail, found)
    if len(found.texts) == 1 and _ARMOUR in found.texts[0][1][:2000]:
        found.encrypted = "PGP"
    return found


def _visit(part: Message, found: MailParts) -> None:
    kind = part.get_content_type()
    if kind == "multipart/encrypted":
        found.encrypted = "PGP"
    elif kind == "message/partial":
        found.remarks.append(_partial(part))
    elif kind == "multipart/alternative" and part.is_multipart():
        _choose(part, found)
    elif kind.startswith("multipart/") and part.is_multipart():
        for child in _children(part):
            _visit(child, found)
    elif not _without_text(part, kind, found):
        _leaf(part, kind, found)


def _children(part: Message) -> Iterator[Message]:
    payload = part.get_payload()
    if isinstance(payload, list):
        yield from (child for child in payload if isinstance(child, Message))


def _choose(part: Message, found: MailParts) -> None:
    """Choose the plain text of alternatives unless it is a stub for the HTML; keep the attachments among them."""
    plain, rich = MailParts(), MailParts()
    for child in _children(part):
        _visit(child, plain if child.get_content_type() == "text/plain" else rich)
    chosen = rich if rich.texts and _is_stub(plain.texts, rich.texts) else plain
    found.texts += chosen.texts or rich.texts
    for side in (plain, rich):
        for one in side.attachments:
            _add(found, one)
        found.left_out += side.left_out
        found.remarks += side.remarks
        found.encrypted = found.encrypted or side.encrypted


def _is_stub(plain: list[tuple[str, str]], rich: list[tuple[str, str]]) -> bool:
    words = sum(len(text.split()) for _, text in plain)
    if not words:
        return True
    shown = sum(
        len(re.sub(r"<(?:style|script)\b.*?(?:</|\Z)|<[^<>]*>", " ", text[:500_000], flags=re.S).split())
        for _, text in rich
    )
    return words < MIN_WORDS < shown and words < shown * STUB_SHARE


def _without_text(part: Message, kind: str, found: MailParts) -> bool:
    """Handle signatures, delivery reports and encrypted parts, which are neither text nor attachment."""
    name = name_of(part).lower()
    if kind in _TNEF or name == "winmail.dat":
        found.remarks.append(
            "the attachments are sealed in winmail.dat (TNEF), which is not opened; ask for a plain mail"
        )
    elif kind in _PKCS7 or name.endswith(".p7m"):
        if "signed" in str(part.get_param("smime-type", "")):
            found.remarks.append("signed with S/MIME in a form that hides the content; it is not opened")
        else:
            found.encrypted = "S/MIME"
    return kind in (*_SKIPPED, *_TNEF, *_PKCS7) or name in ("winmail.dat", "smime.p7s", "smime.p7m")


def _partial(part: Message) -> str:
    """Return the remark on one piece of a mail that was sent in several (RFC 2046, 5.2.2): its body is not a text."""
    number, total = (str(part.get_param(key, "?"))[:10] for key in ("number", "total"))
    return f"piece {number} of {total} of a mail that was sent in pieces; they are not put together"


def _leaf(part: Message, kind: str, found: MailParts) -> None:
    disposition, name = part.get_content_disposition(), name_of(part)
    if kind in ("text/plain", "text/html", "text/enriched") and disposition != "attachment" and not name:
        if text := to_text(_bytes(part), part.get_content_charset()).strip("\ufeff\0"):
            found.texts.append((kind.removeprefix("text/"), _flowed(part, text)))
        return
    content = _embedded(part) if part.is_multipart() else _bytes(part)
    content_id = header(part, "content-id").strip("<> ")
    inline = disposition == "inline" or (bool(content_id) and disposition != "attachment")
    if not content.strip():
        return
    if kind.startswith("image/") and inline and _is_decoration(name, content):
        found.left_out.append(name or kind)
        return
    if not name and kind.startswith("message/"):
        name = "message.eml"
    _add(found, Attachment(0, name, kind, content, inline, content_id))


def _add(found: MailParts, one: Attachment) -> None:
    number = len(found.attachments) + 1
    name = one.name or f"attachment-{number}{_SUFFIXES.get(one.mime, '')}"
    found.attachments.append(Attachment(number, name, one.mime, one.content, one.inline, one.content_id))


def name_of(part: Message) -> str:
    """Return the file name of a part without folders, "" if it has none."""
    try:
        name = decoded(part.get_filename() or "")
    except Exception:  # inconsistent RFC 2231 continuations
        name = ""
    return re.split(r"[/\\]", name)[-1].strip(". ")[:150]


def _bytes(part: Message) -> bytes:
    try:
        payload = part.get_payload(decode=True)
    except Exception:  # the declared transfer encoding is wrong
        payload = None
    if isinstance(payload, bytes):
        return payload
    return str(part.get_payload()).encode("utf-8", "surrogateescape")


def _embedded(part: Message) -> bytes:
    """Return the original bytes of an embedded message."""
    children = list(_children(part))
    if not children:
        return b""
    out = BytesIO()
    try:
        BytesGenerator(out, mangle_from_=False, maxheaderlen=0).flatten(children[0])
    except Exception:  # a header that cannot be written again
        return b""
    return out.getvalue()


def _flowed(part: Message, text: str) -> str:
    """Join the soft line breaks of format=flowed (RFC 3676, 4.2), which cut sentences anywhere."""
    if str(part.get_param("format", "")).lower() != "flowed":
        return text
    lines: list[str] = []
    joins = False
    spaces = 1 if str(part.get_param("delsp", "")).lower() == "yes" else 0
    for raw in text.splitlines():
        quoted = raw.startswith(">")
        line = raw if quoted else raw.removeprefix(" ")
        if joins and not quoted and line != "-- ":
            lines[-1] = lines[-1][: len(lines[-1]) - spaces] + line
        else:
            lines.append(line)
        joins = not quoted and line.endswith(" ") and line != "-- "
    return "\n".join(lines)


def _is_decoration(name: str, content: bytes) -> bool:
    if len(content) < SMALL_PICTURE or (len(content) < SMALL_LOGO and _LOGO.fullmatch(name)):
        return True
    if content[:4] == b"\x89PNG":
        return min(int.from_bytes(content[16:20], "big"), int.from_bytes(content[20:24], "big")) <= LOW
    if content[:4] == b"GIF8":
        return min(int.from_bytes(content[6:8], "little"), int.from_bytes(content[8:10], "little")) <= LOW
    return False
