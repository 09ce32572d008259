"""text: the raw row and bytes of an item to one cleaned text, its segments, title and language."""

import json
import re
from dataclasses import replace
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import Any

from brain_pipelines.landing.redaction.document import build_redactor, redact_document
from brain_pipelines.readers.contract import Issue, Reading
from brain_pipelines.sources.source import Source
from brain_pipelines.stages.normalise import clean, normalise
from brain_retrieval.errors import BadInputError

CODE_VERSION = "2"
MAX_TITLE = 200  # characters
MIN_LETTERS, SAMPLE_CHARS = 20, 4000
MIN_PROBABILITY = 0.6
_COPIED = ("source_id", "source", "uri", "day", "event_at", "received_at", "trust", "sensitivity", "parent_id")


def read_text(row: dict[str, Any], path: Path, source: Source, reading: Reading) -> tuple[dict[str, Any], list[Issue]]:
    """Return the DOCUMENT_TEXT row of an item (without code_version and config_hash) and what had to be corrected.

    Args:
        row: a row of schemas.RAW.
        path: the item's blob.
        source: its source type.
        reading: the settings, and a scratch directory of this item's own.

    Raises:
        BadInputError: the reason why it cannot be read.
    """
    result = source.read(row, path, reading)
    most = reading.limits.max_text_chars
    if len(result.text) > most:
        raise BadInputError(f"too long: {len(result.text)} characters, the limit is {most}")
    text, segments, anchors, repaired = normalise(result.text, result.segments, result.anchors)
    if not text:
        raise BadInputError("no text in the file")
    issues = list(result.issues)
    if repaired:
        reason = "characters restored that had been decoded with the wrong encoding"
        issues.append(Issue(row["source_id"], row["uri"], reason, "repaired"))
    document = {
        **{key: row[key] for key in _COPIED if key in row},
        "format": result.format,
        "title": _one_line(result.title) or "untitled",
        "language": result.language or language_of(text),
        "authors": [name for author in result.authors if (name := _one_line(author))],
        "participants": list(dict.fromkeys(name for one in result.participants if (name := _one_line(one)))),
        "url": row["url"] or result.url,
        "fetched_at": row["fetched_at"],
        "attributes": json.dumps(result.attributes, sort_keys=True, ensure_ascii=False, default=_plain),
        "text": text,
        "segments": segments,
        "anchors": anchors,
    }
    issues = [replace(issue, reason=_one_line(issue.reason, 500)) for issue in issues]
    if reading.settings.privacy.redact:
        return redact_document(document, issues, build_redactor(reading.settings))
    return document, issues


def _plain(value: Any) -> Any:
    return value.isoformat() if isinstance(value, datetime) else str(value)


def _one_line(text: str, most: int = MAX_TITLE) -> str:
    return " ".join(clean(text).split())[:most].strip()


def language_of(text: str) -> str | None:
    """Return the ISO 639-1 code of a text's language, None where there is too little to tell."""
    sample = re.sub(r"https?://\S+|[\d_|`#*<>{}\[\]]+", " ", text[:SAMPLE_CHARS])
    if sum(char.isalpha() for char in sample) < MIN_LETTERS:
        return None
    language, probability = _identifier().classify(sample)
    return language if probability >= MIN_PROBABILITY and len(language) == 2 else None  # "zxx": no language


@cache
def _identifier() -> Any:
    from py3langid.langid import MODEL_FILE, LanguageIdentifier

    return LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)
