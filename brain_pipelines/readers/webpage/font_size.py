"""Sizes of letters: a text is too small to be seen where the nearest size declared above it is nothing.

An element without a size of its own has its parent's, and a share of it ("em", "%") is nothing where that is.
Newsletters set the columns of a mail to nothing, against gaps between them, and each text in them to a size that can be
read.
"""

import re
from functools import lru_cache

_DECLARED = re.compile(r"(?<![\w-])font(?P<long>-size)?\s*+:(?P<value>[^;!}]*)", re.I)
_TINY = re.compile(r"\s*+0*+\.?[01]?(?:px|pt|em|rem|%)?\s*+", re.I)
_TINY_SHORT = re.compile(r"(?:^|\s)0(?:px|pt|em)?\s*+(?:/|\s|$)", re.I)  # "font: 0/0 a", put in place of a text
_RELATIVE = re.compile(r"(?:[\d.]+(?:em|%|ex|ch)|smaller|larger|inherit|unset)\s*+$", re.I)
_SHORT_SIZE = re.compile(r"(?:^|\s)(?:[\d.]+(?:px|pt|rem|mm|cm|vw)|(?:xx?-)?(?:small|large)|medium)", re.I)


@lru_cache(maxsize=4096)  # styles repeat
def is_tiny(style: str) -> bool | None:
    """Return whether the declarations of a style make letters too small to be seen.

    None if they declare no size, or one by that of the parent. Of several the last one holds.
    """
    found: bool | None = None
    for match in _DECLARED.finditer(style) if "font" in style.lower() else ():
        value = match["value"].strip()
        if match["long"]:
            if _TINY.fullmatch(value):
                found = True
            elif value and not _RELATIVE.match(value):
                found = False
        elif _TINY_SHORT.search(value):
            found = True
        elif _SHORT_SIZE.search(value):
            found = False
    return found
