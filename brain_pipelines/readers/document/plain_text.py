"""Reader of plain text and formats read as such: one body block over the whole decoded original.

Only surrounding white space is left out.
"""

from brain_pipelines.readers.document.markdown import text_date
from brain_pipelines.readers.extracted import Block, Extracted
from brain_pipelines.readers.formats import Format
from brain_pipelines.readers.notes.entry_lines import begins_with_entry
from brain_pipelines.readers.text_reader import TextReader


def read_plain(text: str) -> Extracted:
    """Return a decoded text as one block; its first line is the title if it reads like one, and begins with no day."""
    body = text.strip()
    start = text.find(body) if body else 0
    first, _, rest = body.partition("\n")
    is_title = bool(rest) and 3 <= len(first.strip()) <= 80 and first.strip()[-1] not in ".,;:!?"
    is_title = is_title and not begins_with_entry(body)
    title = first.strip() if is_title else ""
    return Extracted("text", [Block(body, "body", start, start + len(body))], title)


FORMAT = Format(
    "text",
    "text/plain",
    "plain text",
    family="text",
    suffixes=(".txt",),
    as_text=True,
    read=TextReader(read_plain),
    date_of=text_date,
    date_from="content",
)
