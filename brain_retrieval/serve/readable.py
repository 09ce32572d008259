"""Markdown and HTML of a passage as text for a terminal: words of links, no marks of emphasis, dots between cells.

For reading only: offsets, JSON and contexts keep the text as it is stored.
"""

import re

_IMAGE = re.compile(r"!\[([^\[\]\n]{0,300})\](?:\([^()\n]{0,1000}\)|\[[^\[\]\n]{0,100}\])?(?:\{[^{}\n]{0,200}\})?")
_TARGET = r"\((?=[^()\s]{0,999}[/#.:])[^()\s]{1,1000}(?: \"[^\"\n]{0,200}\")?\)"
_LINK = re.compile(rf"\[([^\[\]\n]{{1,300}})\](?:{_TARGET}|\[[^\[\]\n]{{0,100}}\])|\[(?=\])\]{_TARGET}")
_WIKI = re.compile(r"!?\[\[(?:[^\[\]|\n]{1,200}\|)?([^\[\]|\n]{1,200})\]\]")
_STRONG = re.compile(r"(\*{1,3})(?=[^\s*])([^*\n]{1,500}?)(?<=[^\s*])\1")
_SLANTED = re.compile(r"(?<![\w_])_(?=[^\s_])([^_\n]{1,500}?)(?<=[^\s_])_(?![\w_])")
_TAG = re.compile(r"</?[a-zA-Z][a-zA-Z0-9]{0,15}(?:\s[^<>\n]{0,300})?/?>")
_LEFT = re.compile(r"\{\{[^{}\n]{0,200}\}\}|\{#[\w-]{1,100}\}|\\\\?$|^:::.{0,100}$")
_HEADING = re.compile(r"^ {0,3}#{1,6} ")
_RULE = re.compile(r"^[\s|:-]{3,}$")


def readable(text: str) -> str:
    """Return the lines of a passage without markup; lines that held nothing else are left out.

    >>> readable("- **Lead:** [Ann](https://example.org)\\n| a | b |\\n|---|---|")
    '- Lead: Ann\\na · b'
    """
    lines = (_plain(line) for line in text.splitlines() if not _RULE.match(line))
    return "\n".join(line for line in lines if line.strip(" *_·…") or line.strip() == "…")


def opens_with(text: str, title: str) -> bool:
    """Return whether a text begins with its title: a note without one is called by its first line."""
    return " ".join(text.split()).startswith(" ".join(readable(title).split()))


def _plain(line: str) -> str:
    for pattern in (_IMAGE, _WIKI, _LINK):
        line = pattern.sub(lambda match: match[1] or "", line)
    line = _LEFT.sub("", _TAG.sub("", _HEADING.sub("", line)))
    line = _SLANTED.sub(r"\1", _STRONG.sub(r"\2", _STRONG.sub(r"\2", line)))
    bare = line.strip(" …")
    if bare.startswith("|") and bare.endswith("|") and len(bare) > 1:
        return " · ".join(cell.strip() for cell in bare[1:-1].split("|") if cell.strip())
    return line.rstrip()
