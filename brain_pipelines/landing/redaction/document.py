"""Redaction of a DOCUMENT_TEXT row: its text and all free-text fields. The settings choose the redactor."""

import json
from dataclasses import replace
from typing import Any

from brain_pipelines.landing.redaction.redactor import Redactor
from brain_pipelines.landing.redaction.spans import redact_spans
from brain_pipelines.readers.contract import Issue
from brain_retrieval.settings import Settings


def build_redactor(settings: Settings) -> Redactor:
    """Return a redactor for one source; placeholders are numbered per redactor."""
    if settings.privacy.detector == "presidio":
        from brain_pipelines.landing.redaction.names import NameRedactor

        return NameRedactor()
    return Redactor()


def redact_document(
    document: dict[str, Any], issues: list[Issue], redactor: Redactor
) -> tuple[dict[str, Any], list[Issue]]:
    """Return the row and the issues without personal data; values are numbered in the order of the text first."""
    text, segments, anchors = redact_spans(redactor, document["text"], document["segments"], document["anchors"])
    clean = {
        **document,
        "text": text,
        "segments": segments,
        "anchors": anchors,
        "title": redactor.text(document["title"]),
        "authors": [redactor.name(name) for name in document["authors"]],
        "participants": [redactor.name(name) for name in document["participants"]],
        "url": redactor.url(document["url"]),
        "attributes": json.dumps(
            redactor.value(json.loads(document["attributes"])), sort_keys=True, ensure_ascii=False
        ),
    }
    clean_issues = [replace(i, reason=redactor.text(i.reason), detail=redactor.text(i.detail)) for i in issues]
    return clean, clean_issues
