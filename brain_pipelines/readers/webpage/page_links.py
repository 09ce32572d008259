"""Data of a page for the crawler: links, canonical URL, robots directives, and a digest of its words.

Runs in the sandbox's child, once for every fetched page; the main text is extracted later in `html.py`.
"""

import hashlib
import re
from pathlib import Path

from brain_pipelines.readers.encoding import read_decoded
from brain_pipelines.readers.extracted import Extracted
from brain_pipelines.readers.sandbox import Isolated
from brain_pipelines.readers.webpage.html import declared_encoding, parse_tree, visible_text
from brain_pipelines.readers.webpage.page_facts import page_facts
from brain_retrieval.settings import Limits

KEPT = ("canonical", "base", "robots", "links", "media")


def read_file(path: Path, limits: Limits, _scratch: Path | None) -> Extracted:
    """Return no text, and as attributes: canonical, base, robots, links, media, words, digest (of its words, hex).

    Raises:
        BadInputError: if it is not text, too large, or not a page.
    """
    decoded = read_decoded(path, limits, declared=declared_encoding(path))
    tree = parse_tree(decoded.text)
    facts = {key: value for key, value in page_facts(tree).items() if key in KEPT}
    words = re.findall(r"\w+", visible_text(tree).lower())
    digest = hashlib.blake2b(" ".join(words).encode("utf-8", "replace"), digest_size=16).hexdigest()
    return Extracted("html", [], attributes={**facts, "words": len(words), "digest": digest})


PAGE_LINKS = Isolated(read_file, ("lxml.html", "charset_normalizer"))
