"""Registry of all formats, in the order in which detection tests them. To add one, write its module and insert a line
here behind the formats that must be tested before it.

Importing this loads no parsing library, because detection runs at every landing.
"""

from collections.abc import Iterator

from brain_pipelines.readers.audio import audio, subtitle_file
from brain_pipelines.readers.calendar import calendar_file
from brain_pipelines.readers.chat import chat_log
from brain_pipelines.readers.chat.exports import registry as chat_exports
from brain_pipelines.readers.document import (
    contact_card,
    csv,
    docx,
    epub,
    json_text,
    markdown,
    opendocument,
    pdf,
    plain_text,
    pptx,
    rtf,
    spreadsheet,
    xml_text,
)
from brain_pipelines.readers.email import eml, mbox, outlook
from brain_pipelines.readers.formats import Format, Reader
from brain_pipelines.readers.image import image, svg
from brain_pipelines.readers.notes import (
    clippings,
    csv_notes,
    evernote,
    joplin,
    json_notes,
    logseq,
    outline,
    pages,
    wordpress,
)
from brain_pipelines.readers.unread import EMPTY, ENCRYPTED_OFFICE, OLD_OFFICE, UNREAD
from brain_pipelines.readers.video import video
from brain_pipelines.readers.webpage import feed, html, mhtml, warc

_ORDER: tuple[Format, ...] = (
    EMPTY,
    ENCRYPTED_OFFICE,
    pdf.FORMAT,
    *image.FORMATS,
    *audio.FORMATS,
    *video.FORMATS,
    rtf.FORMAT,
    outlook.FORMAT,
    *OLD_OFFICE,
    docx.FORMAT,
    *spreadsheet.FORMATS,
    pptx.FORMAT,
    *opendocument.FORMATS,
    epub.FORMAT,
    # Texts: what begins with words of its own comes before what has only a shape, and plain text is what is left.
    calendar_file.FORMAT,
    contact_card.FORMAT,
    warc.FORMAT,
    *subtitle_file.FORMATS,
    svg.FORMAT,
    chat_exports.FORMAT,
    evernote.FORMAT,
    wordpress.FORMAT,
    outline.FORMAT,
    pages.FORMAT,
    feed.FORMAT,
    html.FORMAT,
    xml_text.FORMAT,
    json_notes.FORMAT,
    clippings.FORMAT,
    joplin.FORMAT,
    logseq.FORMAT,
    csv_notes.FORMAT,
    chat_log.FORMAT,
    *json_text.FORMATS,
    mbox.FORMAT,
    mhtml.FORMAT,
    eml.FORMAT,
    markdown.FORMAT,
    *csv.FORMATS,
    plain_text.FORMAT,
    *UNREAD,
)
FORMATS: dict[str, Format] = {one.name: one for one in _ORDER}


def readable(*families: str) -> Iterator[Format]:
    """Yield the formats of some families, of all without an argument, that have a reader."""
    return (one for one in FORMATS.values() if one.read and (not families or one.family in families))


def readers_of(*families: str) -> dict[str, Reader]:
    """Return format -> reader for some families; without an argument for all."""
    return {one.name: one.read for one in readable(*families) if one.read}


def suffixes_of(*families: str) -> tuple[str, ...]:
    """Return the suffixes of the formats of some families."""
    return tuple(dict.fromkeys(suffix for one in readable(*families) for suffix in one.suffixes))


def text_formats() -> tuple[str, ...]:
    """Return the formats that people keep as texts."""
    return tuple(one.name for one in FORMATS.values() if one.as_text)
