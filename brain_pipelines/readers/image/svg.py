"""Reader of SVG drawings: title, description, text elements; without rendering. Runs in the sandbox's child."""

import re
from pathlib import Path
from typing import Any

from brain_pipelines.readers.encoding import check_size
from brain_pipelines.readers.extracted import Block, Extracted
from brain_pipelines.readers.formats import Format
from brain_pipelines.readers.sandbox import Isolated
from brain_pipelines.readers.text_shape import after_prolog
from brain_retrieval.errors import BadInputError
from brain_retrieval.settings import Limits

_ROOT = re.compile(rb"<(?:svg:)?svg\b", re.I)
_WORDS = ("title", "desc", "text")


def read_file(path: Path, limits: Limits, _scratch: Path | None) -> Extracted:
    """Return one block with a line for each text element, in the order of the file.

    Raises:
        BadInputError: if it is not well-formed, too large, or without text.
    """
    from lxml import etree  # pyright: ignore[reportAttributeAccessIssue]

    check_size(path, limits.max_file_bytes)
    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False, recover=False)
    try:
        root = etree.fromstring(path.read_bytes(), parser)
    except (etree.XMLSyntaxError, ValueError) as error:
        raise BadInputError(f"damaged drawing (SVG): {str(error)[:120]}") from None
    lines: list[str] = []
    title = ""
    for element in root.iter():
        name = _local(element)
        text = " ".join(" ".join(element.itertext()).split()) if name in _WORDS else ""
        if text:
            lines.append(text)
        if name == "title" and not title and element.getparent() is root:
            title = text
    if not lines:
        raise BadInputError("no words in the drawing (SVG); shapes are not read")
    sizes = {key: root.get(key) for key in ("width", "height", "viewBox") if root.get(key)}
    return Extracted("svg", [Block("\n".join(lines), "image")], title, attributes=sizes)


def _local(element: Any) -> str:
    return element.tag.rpartition("}")[2] if isinstance(element.tag, str) else ""


FORMAT = Format(
    "svg",
    "image/svg+xml",
    "a drawing (SVG)",
    family="image",
    suffixes=(".svg",),
    as_text=True,
    shape=lambda start, _complete: _ROOT.match(start, after_prolog(start)) is not None,
    read=Isolated(read_file, ("lxml.etree",)),
)
