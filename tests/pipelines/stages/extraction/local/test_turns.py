"""Who says what, and who "I" is."""

import pytest

from brain_pipelines.stages.extraction.local.names.speakers import OWNER, turns_of
from tests.pipelines.stages.extraction.local.documents import document


def spoken(source: str, *parts: tuple[str | None, str]) -> dict:
    text, segments = "", []
    for speaker, words in parts:
        if speaker is not None:
            end = len(text) + len(words)
            segments.append({"start": len(text), "end": end, "kind": "speech", "speaker": speaker})
        text += words + "\n"
    return document(text, source=source, segments=segments)


def test_the_only_voice_of_a_memo_is_its_owner() -> None:
    (turn,) = turns_of(spoken("voice-memo", ("Speaker 1", "I called Priya.")))
    assert turn.speaker == OWNER and turn.first_person == OWNER and not turn.names_person


def test_numbered_speakers_of_a_meeting_are_not_persons() -> None:
    turns = turns_of(spoken("meeting", ("Speaker 1", "I own it."), ("Speaker 2", "Fine.")))
    assert [(t.speaker, t.first_person, t.names_person) for t in turns] == [
        ("Speaker 1", None, False),
        ("Speaker 2", None, False),
    ]


def test_what_lies_between_turns_is_read_too() -> None:
    row = spoken("video", (None, "A slide says Phoenix."), ("Ann", "I agree."), (None, "The end."))
    assert [(row["text"][t.start : t.end].strip(), t.speaker) for t in turns_of(row)] == [
        ("A slide says Phoenix.", None),
        ("I agree.", "Ann"),
        ("The end.", None),
    ]


@pytest.mark.parametrize("speaker", ["tool Bash", "assistant", "system"])
def test_a_machine_has_no_first_person(speaker: str) -> None:
    (turn,) = turns_of(spoken("agent-output", (speaker, "I ran it.")))
    assert turn.first_person is None and not turn.names_person
