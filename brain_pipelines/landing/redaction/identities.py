"""Recogniser of national identity numbers, papers and accounts. python-stdnum holds the check digits.

A format that is rare elsewhere counts when its check digits hold; any other number needs a word beside it.
"""

import re
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from typing import Any

from brain_pipelines.landing.redaction.cues import Cue, cue_before
from brain_pipelines.landing.redaction.found import Found, digits_of

_SSN = re.compile(r"\d(?<![\w-]\d)(?<!9)(?<!0(?=00))(?<!6(?=66))\d\d([- ])(?!00)\d{2}\1(?!0000)\d{4}(?![\w-])")
# Formats with the module of python-stdnum that checks them; None for those without check digits.
FORMATS = (
    (
        re.compile(r"[A-Z](?<!\w[A-Z])[A-Z]{2} ?[A-Z]{3} ?\d\d[A-EHLMPRST]\d\d ?[A-Z]\d{3} ?[A-Z](?!\w)"),
        "it.codicefiscale",
    ),
    (re.compile(r"\d(?<![\w.-]\d)(?:\d{7}|\d\.\d{3}\.\d{3})[- ]?[A-Z](?![\w-])"), "es.dni"),
    (re.compile(r"[XYZ](?<![\w-][XYZ])-?\d{7}-?[A-Z](?![\w-])"), "es.nie"),
    (re.compile(r"\d(?<![\w.-]\d)\d\d\.\d{3}\.\d{3}-\d\d(?![\w-])"), "br.cpf"),
    (re.compile(r"\d(?<![\w-]\d)\d{7} ?\d ?[A-Z]{2}\d(?![\w-])"), "pt.cc"),
    (re.compile(r"7(?<![\w.-]7)56\.\d{4}\.\d{4}\.\d\d(?![\w-])"), "ch.ssn"),
    (re.compile(r"\d(?<![\w.-]\d)\d\.\d\d\.\d\d-\d{3}\.\d\d(?![\w-])"), "be.nn"),
    (re.compile(r"\d(?<![\w.-]\d)(?:\d\d)?\d{5}[-+]\d{4}(?![\w-])"), "se.personnummer"),
    (re.compile(r"9(?<![\w.-]9)\d\d-[5-9]\d-\d{4}(?![\w-])"), "us.itin"),
    (re.compile(r"[12](?<![\w.-][12]) \d\d \d\d \d[\dAB] \d{3} \d{3}(?: \d\d)?(?![\w-])"), "fr.nir"),
    (re.compile(r"[A-CEGHJ-TW-Z](?<!\w[A-Z])[A-CEGHJ-NP-TW-Z] \d\d \d\d \d\d ?[A-D](?!\w)"), None),
)
_NUMBER = re.compile(r"\d(?<![\w,:/@#+-]\d)(?:[ ./\u00a0-]?\d){5,19}(?![\w-])(?!,\d)")
_SHORT = re.compile(r"\d(?<![\w.,:/-]\d)(?:\d{3,4}-\d|\d-\d\d-\d\d)(?![\w-])")
_PAPER = re.compile(r"\d(?<!\d\d)(?:\d{5,8}|\d ?\d{6} ?[A-Z] ?\d{3}|[A-Za-z\d]{1,17})(?![\w-])")
LETTERS_FIRST = 6  # letters before the first digit of a paper's number, as in "MORGA657054"
_DIGITS_TWICE = re.compile(r"\d\D{0,17}\d")
ACCOUNT_DIGITS = range(5, 19)


def find_identities(text: str) -> Iterator[Found]:
    """Yield identity numbers, papers and account numbers of a text."""
    for match in _SSN.finditer(text):
        yield Found(match.start(), match.end(), "SSN", digits_of(match[0]))
    for pattern, module in FORMATS:
        for match in pattern.finditer(text):
            if module is None or _holds(module, match[0]):
                yield _found(text, *match.span(), "ID")
    for match in _NUMBER.finditer(text):
        cue = cue_before(text, match.start())
        kind = _kind_of(cue, match[0]) if cue is not None and cue.is_beside else None
        if kind:
            yield _found(text, *match.span(), kind)
    for match in _SHORT.finditer(text):
        cue = cue_before(text, match.start())
        if cue is not None and cue.kind == "ACCOUNT" and cue.is_beside:
            yield _found(text, *match.span(), "ACCOUNT")
    yield from _papers(text)


def _papers(text: str) -> Iterator[Found]:
    """Yield numbers with letters after "passport" and the like, found by their first digit."""
    for match in _PAPER.finditer(text):
        start = match.start()
        while start > match.start() - LETTERS_FIRST and start > 0 and text[start - 1].isalpha():
            start -= 1
        before = text[start - 1 : start]
        value = text[start : match.end()]
        if before.isalnum() or before in ("-", "_") or len(value) < 6 or not _DIGITS_TWICE.search(value):
            continue
        cue = cue_before(text, start)
        if cue is None or not cue.is_beside:
            continue
        if cue.kind == "DOCUMENT" or ("." in cue.kind and cue.kind != "us.rtn" and _holds(cue.kind, value)):
            yield _found(text, start, match.end(), "ID")


def _found(text: str, start: int, end: int, kind: str) -> Found:
    return Found(start, end, kind, "".join(char for char in text[start:end] if char.isalnum()).upper())


def _kind_of(cue: Cue, value: str) -> str | None:
    """Return what a number beside a word is, None if it cannot be what the word says."""
    digits = digits_of(value)
    if cue.kind == "SSN":
        return "SSN" if len(digits) == 9 else None
    if cue.kind == "ACCOUNT":
        return "ACCOUNT" if len(digits) in ACCOUNT_DIGITS else None
    if cue.kind == "DOCUMENT":
        return "ID" if len(digits) >= 6 else None
    if "." in cue.kind:
        return ("ACCOUNT" if cue.kind == "us.rtn" else "ID") if _holds(cue.kind, digits) else None
    return None


def _holds(module: str, value: str) -> bool:
    """Return whether python-stdnum accepts the value; the marks that people write are removed first."""
    return _validator(module).is_valid("".join(char for char in value if char.isalnum() or char in "+-"))


@cache
def _validator(module: str) -> Any:
    return import_module(f"stdnum.{module}")
