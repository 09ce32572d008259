"""Reader of a file of Joplin's own export ("RAW"): the title, the note in Markdown, and its fields in the last lines.

The export has such a file for each notebook, tag and attachment, too; these hold no note and are refused by name.
"""

import re
from datetime import UTC, datetime, tzinfo
from pathlib import Path

from brain_pipelines.readers.dates import beginning
from brain_pipelines.readers.document.html_fragment import to_markdown
from brain_pipelines.readers.event_time import parse_time
from brain_pipelines.readers.extracted import Extracted
from brain_pipelines.readers.formats import Format
from brain_pipelines.readers.notes.note import Note, to_extracted
from brain_pipelines.readers.text_reader import TextReader
from brain_retrieval.errors import BadInputError

# The fields begin with the id and end with the type; what stands above them is the note.
_FIELDS = re.compile(
    r"(?:^|\n)id: [0-9a-f]{32}\n(?:[a-z_]{2,40}:[^\n]{0,4000}\n){1,60}?type_: (?P<type>\d{1,2})\s*\Z", re.DOTALL
)
_FIELD = re.compile(r"^([a-z_]{2,40}): ?(.*)$", re.MULTILINE)
_KINDS = {"2": "a notebook", "4": "the fields of an attachment", "5": "a tag", "6": "the tag of a note"}
_HTML = "2"  # the markup language of a note that was clipped from a page
_RESOURCE = re.compile(r"!?\[([^\]\n]{0,300})\]\(:/[0-9a-f]{32}[^()\n]{0,200}\)")


def read_note(text: str) -> Extracted:
    """Return the note of a decoded file.

    Raises:
        BadInputError: if it is a notebook, a tag or the like, in the bin, or encrypted.
    """
    text = text.replace("\r\n", "\n")
    found = _FIELDS.search(text)
    if found is None:
        raise BadInputError("a note of Joplin without its fields")
    fields = dict(_FIELD.findall(found[0]))
    if found["type"] != "1":
        raise BadInputError(f"{_KINDS.get(found['type'], 'a record')} of Joplin, not a note")
    if fields.get("encryption_applied") == "1":
        raise BadInputError("an encrypted note of Joplin; export it decrypted")
    if fields.get("deleted_time", "0") not in ("", "0"):
        raise BadInputError("a note in Joplin's bin; restore it there if it shall be read")
    title, _, body = text[: found.start()].partition("\n")
    address = fields.get("source_url", "").strip()
    body = to_markdown(body) if fields.get("markup_language") == _HTML else _RESOURCE.sub(r"\1", body)
    author = fields.get("author", "").strip()
    note = Note(
        text=body,
        title=title,
        time=_made(fields, UTC),
        authors=[author] if author else [],
        url=address if address.startswith(("http://", "https://")) else "",
        quoted=address.startswith(("http://", "https://")),
    )
    return to_extracted([note])


def _made(fields: dict[str, str], zone: tzinfo) -> datetime | None:
    found = (parse_time(fields.get(key), zone) for key in ("user_created_time", "created_time"))
    return next((time for time in found if time), None)


def made(path: Path, zone: tzinfo) -> datetime | None:
    """Return when a note was made."""
    found = _FIELDS.search(beginning(path).decode("utf-8", "replace").replace("\r\n", "\n"))
    return _made(dict(_FIELD.findall(found[0])), zone) if found else None


def _fits(start: bytes, complete: bool) -> bool:
    return (
        complete
        and b"type_: " in start[-200:]
        and _FIELDS.search(start.decode("utf-8", "replace").replace("\r\n", "\n")) is not None
    )


FORMAT = Format(
    "joplin",
    "text/markdown",
    "a record of Joplin's export",
    family="notes",
    suffixes=(".md",),
    promised=True,
    shape=_fits,
    read=TextReader(read_note),
    date_of=made,
    date_from="content",
)
