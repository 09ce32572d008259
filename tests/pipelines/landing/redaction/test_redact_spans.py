"""Offsets after redaction: segments and anchors still cover their own words."""

from hypothesis import given
from hypothesis import strategies as st

from brain_pipelines.landing.redaction.redactor import Redactor
from brain_pipelines.landing.redaction.spans import redact_spans

PIECES = st.sampled_from(["hello", "a@b.example", "call", "+351 912 345 678", "the", "203.0.113.77", "long-word", "é"])


def spans_of(blocks: list[list[str]]) -> tuple[str, list[dict], list[dict]]:
    """Return a text with one segment per block and one anchor per word."""
    text, segments, anchors = "", [], []
    for words in blocks:
        start = len(text) + 2 if text else 0
        text += "\n\n" if text else ""
        for n, word in enumerate(words):
            text += " " if n else ""
            anchors.append({"start": len(text), "end": len(text) + len(word), "end_seconds": float(len(anchors))})
            text += word
        segments.append({"start": start, "end": len(text), "kind": "speech", "speaker": "x@y.example"})
    return text, segments, anchors


@given(st.lists(st.lists(PIECES, min_size=1, max_size=6), min_size=1, max_size=5))
def test_each_segment_equals_its_redacted_text(blocks: list[list[str]]) -> None:
    text, segments, anchors = spans_of(blocks)
    clean, moved, placed = redact_spans(Redactor(), text, segments, anchors)
    redactor = Redactor()  # numbers in the same order
    for before, after in zip(segments, moved, strict=True):
        assert clean[after["start"] : after["end"]] == redactor.text(text[before["start"] : before["end"]])
    position = 0
    for anchor in placed:
        assert position <= anchor["start"] < anchor["end"] <= len(clean)
        position = anchor["end"]
    whole = {clean[a["start"] : a["end"]] for a in placed}
    assert "hello" in whole or not any("hello" in words for words in blocks)


def test_anchors_inside_one_placeholder_are_merged() -> None:
    text = "call +351 912 345 678 now"
    words = [(0, 4), (5, 9), (10, 13), (14, 17), (18, 21), (22, 25)]
    anchors = [{"start": a, "end": b, "start_seconds": n, "end_seconds": n + 1} for n, (a, b) in enumerate(words)]
    segments = [{"start": 0, "end": len(text), "speaker": "Bob", "section": "mail of a@b.example"}]
    clean, (segment,), placed = redact_spans(Redactor(), text, segments, anchors)
    assert clean == "call [PHONE_1] now"
    assert [clean[a["start"] : a["end"]] for a in placed] == ["call", "[PHONE_1]", "now"]
    assert (placed[1]["start_seconds"], placed[1]["end_seconds"]) == (1, 5)
    assert segment["section"] == "mail of [EMAIL_1]" and segment["speaker"] == "Bob"
