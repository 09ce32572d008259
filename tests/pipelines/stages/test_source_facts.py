"""Context, end and provenance of sources, from what their readers found."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from brain_pipelines.readers.contract import ReadResult
from brain_pipelines.sources.registry import SOURCES_BY_NAME
from brain_pipelines.stages.source_facts import source_facts

AT = datetime(2026, 3, 2, 9, tzinfo=UTC)


@pytest.mark.parametrize(
    ("source", "found", "expected"),
    [
        ("note", {}, ("note", None, "file", 1.0)),
        (
            "voice-memo",
            {
                "segments": [{"time": AT, "end_seconds": 90.0}],
                "attributes": {"speech": {"model": "whisper-base", "word_probability": 0.91}},
            },
            ("dictation", AT + timedelta(seconds=90), "whisper-base", 0.91),
        ),
        (
            "conversation",
            {"segments": [{"time": AT}, {"time": AT + timedelta(minutes=4)}]},
            ("conversation", AT + timedelta(minutes=4), "file", 1.0),
        ),
        (
            "calendar",
            {"format": "ics", "attributes": {"end": "2026-03-02T10:30:00+00:00"}},
            ("event", AT + timedelta(minutes=90), "file", 1.0),
        ),
        ("web-page", {"attributes": {"description": "On breadcrumbs"}}, ("web", None, "file", 1.0)),
        ("image", {"attributes": {"text_confidence": 0.97}}, ("picture", None, "recognised text", 0.97)),
        ("image", {"attributes": {"description": {"describer": "eye-1"}}}, ("picture", None, "eye-1", None)),
    ],
)
def test_facts_of_sources(source: str, found: dict[str, Any], expected: tuple[Any, ...]) -> None:
    result = ReadResult(**{"title": "", "text": "", "format": "text", "segments": [], **found})
    facts = source_facts({"event_at": AT}, result, SOURCES_BY_NAME[source])
    context, ended, origin, confidence = expected
    assert facts["context_type"] == context and facts.get("ended_at") == (ended.isoformat() if ended else None)
    assert facts["provenance"] == {"origin": origin, "confidence": confidence}
