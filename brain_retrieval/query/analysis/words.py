"""Normalisation of a question, and its content words."""

import re
import unicodedata

from brain_retrieval.language.stop_words import question_words


def clean(text: str) -> str:
    """Return `text` in NFC without control characters or lone surrogates, white space runs as one blank."""
    valid = text.encode("utf-8", "replace").decode("utf-8")
    visible = "".join(" " if unicodedata.category(c) in ("Cc", "Zl", "Zp") else c for c in valid)
    return " ".join(unicodedata.normalize("NFC", visible).split())


def content_words(text: str, language: str | None = None) -> str:
    """Return `text` without question words and function words; unchanged if nothing would be left.

    Question words and auxiliaries ("what did … do") match everywhere and cost 5 points of recall@5 on
    conversations; the index itself removes only articles and prepositions.
    """
    stop = question_words(language)
    words = re.findall(r"\w+(?:['’]\w+)?", text)
    kept = [word for place, word in enumerate(words) if not _is_stop_word(word, stop, first=place == 0)]
    return " ".join(kept or words)


def _is_stop_word(word: str, stop: frozenset[str], *, first: bool) -> bool:
    # "May" and "Will" inside a sentence are names.
    name = word.istitle() and len(word) > 1 and not first
    return not name and re.sub(r"['’]s$", "", word.lower()) in stop
