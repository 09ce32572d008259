"""Reader of XML in an unknown vocabulary: the text of elements, without attributes. Runs in the sandbox's child."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from brain_pipelines.readers.document.ooxml import parse_xml
from brain_pipelines.readers.encoding import check_size, read_decoded
from brain_pipelines.readers.extracted import Block, Extracted
from brain_pipelines.readers.formats import Format
from brain_pipelines.readers.sandbox import Isolated
from brain_pipelines.readers.text_shape import names_vocabulary
from brain_retrieval.errors import BadInputError
from brain_retrieval.settings import Limits

_TITLES = ("title", "name", "subject")


def read_file(path: Path, limits: Limits, _scratch: Path | None) -> Extracted:
    """Return one line `element: text` per element that holds only text; mixed content is kept as running text.

    Raises:
        BadInputError: if it is an entity bomb, or without text.
    """
    check_size(path, limits.max_file_bytes)
    try:
        root = parse_xml(path.read_bytes())
    except BadInputError as error:
        if "entity" in str(error):
            raise
        decoded = read_decoded(path, limits)
        return Extracted("xml", [Block(decoded.text)], repairs=[*decoded.repairs, f"{error}; read as plain text"])
    lines = [line for line in _lines(root) if line]
    if not lines:
        raise BadInputError("no text in the file")
    title = next((_flat(e) for e in root.iter() if _name(e).lower() in _TITLES and _flat(e)), "")
    return Extracted("xml", [Block("\n".join(lines), "data")], title[:200])


def _lines(root: Any) -> Iterator[str]:
    stack = [root]
    while stack:
        element = stack.pop()
        children = [child for child in element if isinstance(child.tag, str)]
        if (element.text or "").strip() and children:
            yield _flat(element)  # mixed content: running text with inline elements
        elif children:
            stack += reversed(children)
        elif text := _flat(element):
            yield f"{_name(element)}: {text}"


def _flat(element: Any) -> str:
    return " ".join("".join(element.itertext()).split())


def _name(element: Any) -> str:
    return element.tag.rpartition("}")[2] if isinstance(element.tag, str) else ""


FORMAT = Format(
    "xml",
    "application/xml",
    "XML",
    family="data",
    suffixes=(".xml",),
    as_text=True,
    shape=lambda start, _complete: start[:5] == b"<?xml" or names_vocabulary(start),
    read=Isolated(read_file, ("lxml.etree", "charset_normalizer")),
)
