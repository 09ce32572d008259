"""Plain text: one body block over the whole of the decoded original."""

from brain_pipelines.readers.extracted import Block, Extracted


def read_plain(text: str) -> Extracted:
    """Return a decoded text as one block; its first line is the title if it reads like one."""
    body = text.strip()
    start = text.find(body) if body else 0
    first, _, rest = body.partition("\n")
    is_title = bool(rest) and 3 <= len(first.strip()) <= 80 and first.strip()[-1] not in ".,;:!?"
    title = first.strip() if is_title else ""
    return Extracted("text", [Block(body, "body", start, start + len(body))], title)
