"""Cleaning keeps words and segments, and is done once and for all."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from brain_pipelines.stages.normalise import clean, normalise


@pytest.mark.parametrize(
    ("dirty", "expected"),
    [
        ("a\r\nb\rc", "a\nb\nc"),
        ("a\u00a0b\u2003c", "a b c"),
        ("a  b\tc", "a b c"),
        ("  indented\n\tcode", "  indented\n\tcode"),
        ("a   \nb", "a\nb"),
        ("a\n\n\n\n\nb", "a\n\nb"),
        ("\x00a\x07\u200b\ufeffb\u00ad", "ab"),
        ("\x1b[31mred\x1b[0m", "red"),
        ("e\u0301", "é"),
        ("\u202egnp.exe", "gnp.exe"),
        ("\ud800", "\ufffd"),
        ("👩\u200d💻", "👩\u200d💻"),
    ],
)
def test_cleaning(dirty: str, expected: str) -> None:
    assert clean(dirty) == expected


@given(st.text())
def test_cleaning_twice_is_cleaning_once(text: str) -> None:
    assert clean(clean(text)) == clean(text)
    assert clean(text).encode("utf-8").decode() == clean(text)


@given(st.lists(st.text(alphabet="ab \n\t\u200bé\r", max_size=12), max_size=8), st.sampled_from(["\n", "\n\n", " "]))
def test_segments_move_with_their_text(pieces: list[str], separator: str) -> None:
    segments, position = [], 0
    for piece in pieces:
        segments.append({"start": position, "end": position + len(piece), "raw_start": position, "section": "A\u200b"})
        position += len(piece) + len(separator)
    original = separator.join(pieces)
    text, moved, _, _ = normalise(original, segments)
    end = 0
    for segment in moved:
        shown = text[segment["start"] : segment["end"]]
        before = next(s for s in segments if s["raw_start"] == segment["raw_start"] and s["end"] > s["start"])
        assert shown.split() == clean(original[before["start"] : before["end"]]).split() != []
        assert segment["start"] >= end and segment["section"] == "A"
        end = segment["end"]
    assert end == len(text)
    assert len(moved) == sum(bool(clean(piece).strip()) for piece in pieces)


@given(st.lists(st.text(alphabet="ab \u200bé\u00a0", max_size=8), min_size=1, max_size=10))
def test_anchors_stay_at_their_words(words: list[str]) -> None:
    segment, anchors, text = {"section": None}, [], ""
    for number, word in enumerate(words):
        anchors.append({"start": len(text), "end": len(text) + len(word), "page": number})
        text += word + "\n\n"
    cleaned, _, placed, _ = normalise(text, [{**segment, "start": 0, "end": len(text)}], anchors)
    visible = {n: clean(word).split() for n, word in enumerate(words) if clean(word).split()}
    assert {a["page"]: cleaned[a["start"] : a["end"]].split() for a in placed} == visible
    assert placed == sorted(placed, key=lambda a: a["start"])


def test_an_anchor_survives_a_repair_that_changes_its_length() -> None:
    text = "CafÃ© Lisbon is open"
    words = [(0, 5), (6, 12), (13, 15), (16, 20)]
    anchors = [{"start": start, "end": end, "page": n} for n, (start, end) in enumerate(words)]
    cleaned, _, placed, repaired = normalise(text, [{"start": 0, "end": len(text)}], anchors)
    assert repaired and cleaned == "Café Lisbon is open"
    assert [cleaned[a["start"] : a["end"]] for a in placed][1:3] == ["Lisbon", "is"]
