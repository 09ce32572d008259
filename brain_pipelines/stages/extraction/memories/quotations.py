"""Words between quotation marks: words of another, or a title, whoever writes them down."""

import re

_MARK = re.compile(r"[\"“”„«»]")
_CLOSED_BY = {'"': '"', "“": '”"', "„": '“”"', "«": "»", "»": "«"}
_ANY = '"”“»'  # what may close a quotation that began before the text

Span = tuple[int, int]


def quotations(text: str, *, opened: bool = False) -> list[Span]:
    """Return the spans between quotation marks, with the marks: straight ones, “…”, „…“, «…» and »…«.

    Args:
        text: of any language. What is opened and never closed goes on to the end; the mark behind a number opens
            nothing, since it may be inches.
        opened: whether it begins inside a quotation.
    """
    found: list[Span] = []
    start, closing = 0, _ANY if opened else ""
    for match in _MARK.finditer(text):
        mark, place = match.group(), match.start()
        if closing:
            if mark in closing:
                found.append((start, match.end()))
                closing = ""
        elif mark == "”" or mark == "»" and "«" not in text[place:]:
            found.append((0, match.end()))  # it was opened before the text
        elif not (mark == '"' and text[max(0, place - 1) : place].isdigit()):
            start, closing = place, _CLOSED_BY[mark]
    return [*found, (start, len(text))] if closing else found


def opens_before(text: str, position: int) -> bool:
    """Return whether a character of a paragraph lies in a quotation that is opened before it and closed behind it."""
    if not _MARK.search(text, 0, position) or not _MARK.search(text, position):
        return False
    return any(start < position < end for start, end in quotations(text))


def is_quoted(spans: list[Span], position: int) -> bool:
    """Return whether a character lies in one of the spans."""
    return any(start <= position < end for start, end in spans)
