"""Reader of contact cards (.vcf, vCard 2.1 to 4.0): a block a card, its fields as lines `key: value`.

Pictures, sounds and keys are left out, as are fields that only programs use.
"""

import quopri
import re
from collections.abc import Iterator

from brain_pipelines.readers.encoding import decode
from brain_pipelines.readers.extracted import Block, Extracted
from brain_pipelines.readers.formats import Format
from brain_pipelines.readers.text_reader import TextReader

_CARD = re.compile(r"^BEGIN:VCARD[ \t]*\r{0,3}$(.*?)^END:VCARD", re.MULTILINE | re.DOTALL | re.IGNORECASE)
_FIELD = re.compile(r"(?:[\w-]{1,40}\.)?(?P<name>[A-Za-z-]{1,40})(?P<parameters>(?:;[^:]{0,300})?):(?P<value>.*)")
_LABELS = {
    "TEL": "phone",
    "EMAIL": "e-mail",
    "ADR": "address",
    "ORG": "organisation",
    "TITLE": "title",
    "ROLE": "role",
    "NICKNAME": "nickname",
    "BDAY": "birthday",
    "ANNIVERSARY": "anniversary",
    "URL": "web",
    "NOTE": "note",
}
_KIND = re.compile(r"(?:^|;)(?:TYPE=)?\"?(cell|home|work|fax|pager|mobile)\b", re.IGNORECASE)
_COMPACT_DAY = re.compile(r"(\d{4})(\d{2})(\d{2})")
_ESCAPED = re.compile(r"\\(.)")
MOST_TITLES = 3  # names in the title of a file


def read_cards(text: str) -> Extracted:
    """Return the cards of a decoded file; without a whole card, the text as it is."""
    blocks, names = [], []
    for match in _CARD.finditer(text):
        fields = list(_fields(match[1]))
        name = _name(fields)
        lines = [f"name: {name}"] if name else []
        lines += [f"{_label(key, kind)}: {_value(key, value)}" for key, kind, value in fields if key in _LABELS]
        if lines:
            names.append(name)
            blocks.append(Block("\n".join(lines), "section", match.start(), match.end(), name or None))
    if not blocks:
        body = text.strip()
        start = text.find(body)
        return Extracted("vcf", [Block(body, "body", start, start + len(body))] if body else [], "")
    known = [name for name in names if name]
    title = ", ".join(known[:MOST_TITLES])
    return Extracted("vcf", blocks, title if len(blocks) <= MOST_TITLES else f"{len(blocks)} contacts: {title} …")


def _fields(card: str) -> Iterator[tuple[str, str, str]]:
    """Yield name, parameters and value of each field that has one."""
    for line in _unfolded(card):
        match = _FIELD.fullmatch(line)
        if match is None:
            continue
        parameters, value = match["parameters"].upper(), match["value"].strip()
        if "QUOTED-PRINTABLE" in parameters:
            value = decode(quopri.decodestring(value.encode("utf-8", "replace")) or b" ").text
        if value.strip(";, "):
            yield match["name"].upper(), match["parameters"], value


def _unfolded(card: str) -> list[str]:
    """Return the lines of a card; one that begins with a blank, or follows a "=" at the end, belongs to that before."""
    lines: list[str] = []
    for line in filter(None, card.splitlines()):  # a line may end twice, after a transfer: "\r\r\n"
        soft = bool(lines) and lines[-1].endswith("=") and "QUOTED-PRINTABLE" in lines[-1].upper()
        if soft:
            lines[-1] = lines[-1][:-1] + line
        elif line[:1] in (" ", "\t") and lines:
            lines[-1] += line[1:]
        else:
            lines.append(line)
    return lines


def _name(fields: list[tuple[str, str, str]]) -> str:
    for wanted in ("FN", "N", "ORG"):
        for key, _, value in fields:
            if key == wanted:
                parts = [_plain(part) for part in value.split(";")]
                ordered = [*parts[1:3], parts[0]] if key == "N" else parts
                return " ".join(part for part in ordered if part)
    return ""


def _label(key: str, parameters: str) -> str:
    kind = _KIND.search(parameters)
    return f"{_LABELS[key]} ({kind[1].lower()})" if kind else _LABELS[key]


def _value(key: str, value: str) -> str:
    if key in ("ADR", "ORG"):
        return ", ".join(part for part in map(_plain, re.split(r"(?<!\\);", value)) if part)
    if key in ("BDAY", "ANNIVERSARY") and (day := _COMPACT_DAY.fullmatch(value)):
        return "-".join(day.groups())
    return _plain(value.removeprefix("tel:"))


def _plain(value: str) -> str:
    return " ".join(_ESCAPED.sub(lambda match: " " if match[1] in "nN" else match[1], value).split())


FORMAT = Format(
    "vcf",
    "text/vcard",
    "a contact card (.vcf)",
    family="contact",
    suffixes=(".vcf",),
    as_text=True,
    opening=(b"BEGIN:VCARD",),
    read=TextReader(read_cards),
)
