"""Who says what, and who "I" is."""

import pytest

from brain_pipelines.stages.extraction.local.names.speakers import OWNER, turns_of
from brain_pipelines.stages.extractions_local import extract_document
from tests.pipelines.stages.extraction.local.documents import conversation, document


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


def test_lines_of_irc_have_speakers_and_a_note_around_them_its_owner() -> None:
    chat = "[27.08 19:10] < ann> I moved the shed\n[27.08 19:11] <@bo> nice\n[27.08 19:12] <ann> yes\n"
    turns = turns_of(document(f"We talked about the garden.\n{chat}", source="note"))
    assert [turn.speaker for turn in turns] == [OWNER, "ann", "bo", "ann"]
    assert turns_of(document("<b> is a tag\n<i> is one, too\n", source="note"))[0].speaker == OWNER


def test_a_log_of_irc_gives_memories_of_who_spoke() -> None:
    log = (
        "2026-03-02T09:15:00  *** ann <ann!~a@example.org> has joined #garden\n"
        "2026-03-02T09:16:00  <ann> I ordered 40 tulip bulbs from Peter's nursery yesterday\n"
        "2026-03-02T09:17:00  <bo> nice\n2026-03-02T09:18:00  <ann> see you\n"
    )
    memories = extract_document(document(log, source="note")).memories
    assert [row["text"] for row in memories if row["keep"] > 0.6] == [
        "Ann ordered 40 tulip bulbs from Peter's nursery yesterday [2026-03-01]"
    ]


def test_initials_that_recur_in_minutes_are_speakers_up_to_a_heading() -> None:
    minutes = "## Kiln\nIR: I checked it.\n**BO**: I agree.\n- IR: Done.\nBO: Yes.\n\n## Rest\nI left early."
    said = [(t.speaker, minutes[t.start : t.end].strip()) for t in turns_of(document(minutes, source="note"))]
    assert said == [
        (OWNER, "## Kiln"),
        ("IR", "I checked it."),
        ("BO", "I agree."),
        ("IR", "Done."),
        ("BO", "Yes."),
        (OWNER, "## Rest\nI left early."),
    ]


@pytest.mark.parametrize(
    ("text", "speakers"),
    [
        ("Nina: One.\nCarol: Two.\nDeepti: Three.\nNina: Four.\nDeepti: Five.", {"Nina", "Carol", "Deepti"}),
        ("Nina: One note.\nCarol: Two.\nNote: Three.\nNote: Four.", {"Nina", "Carol", OWNER}),
        ("NB: One.\nNB: Two.", {OWNER}),
    ],
)
def test_a_label_beside_speakers_is_one_if_it_recurs_and_is_no_word(text: str, speakers: set[str]) -> None:
    assert {turn.speaker for turn in turns_of(document(text, source="note"))} == speakers


def test_a_letter_before_a_question_is_no_speaker() -> None:
    text = "Ann: Hello all.\nBen: Hello Ann.\nQ: Is the hall free?\nAnn: Yes.\nQ: On Monday?\nBen: Yes."
    assert {turn.speaker for turn in turns_of(document(text, source="note")) if turn.label} == {"Ann", "Ben"}


def test_a_name_in_front_of_a_message_calls_another_speaker() -> None:
    def said(*parts: tuple[str, str]) -> list[str]:
        text, segments = "", []
        for speaker, words in parts:
            line = f"{speaker}: {words}\n"
            segments.append({"start": len(text), "end": len(text) + len(line), "kind": "message", "speaker": speaker})
            text += line
        row = document(text, source="conversation", segments=segments)
        return [text[turn.start : turn.end].strip() for turn in turns_of(row)]

    assert said(("ann", "the hall is let"), ("bo", "ann: I sold the boat")) == ["the hall is let", "I sold the boat"]
    two = [("Ann", "Hull is far"), ("Bo", "Ann, Hull is near")]
    assert said(*two)[1] == "Ann, Hull is near"  # of two it is a word of the sentence
    assert said(*two, ("Cy", "Bo, I moved to Hull"))[2] == "I moved to Hull"
    assert said(("ann", "today: the hall is let"), ("bo", "note: it is"))[1] == "note: it is"


def test_in_a_transcript_all_labels_that_recur_are_speakers() -> None:
    lines = [("Project Manager", "we meet on Friday."), ("User Interface", "I drew the menu.")] * 4
    text = "\n".join(f"{who}: {words}" for who, words in lines)
    turns = turns_of(document(text, source="note"))
    assert [turn.speaker for turn in turns] == [who for who, _ in lines]
    named = text + "\nHon. Ann Lee (Hull, Lib.): I asked for a report.\nSee also: the report."
    turns = turns_of(document(named, source="note"))[-2:]
    assert [turn.speaker for turn in turns] == ["Hon. Ann Lee", None]
    listed = "\n".join(f"Item {n}: a chair\nThe chair is old.\nIt was given to us." for n in "ABCDEFGH" * 2)
    assert {turn.speaker for turn in turns_of(document(listed, source="note"))} == {OWNER}


def test_labels_in_bold_make_a_transcript_too() -> None:
    lines = [("Ann Lee", "welcome back."), ("Pia Zorzi", "I moved into politics.")] * 4
    for form in ("**{}:** {}", "**{}**: {}"):
        text = "\n\n".join(form.format(who, words) for who, words in lines)
        turns = turns_of(document(text, source="note"))
        assert [(turn.speaker, text[turn.start : turn.end].strip()) for turn in turns] == lines


def test_a_bridge_passes_on_the_words_of_others() -> None:
    row = conversation(
        [
            ("Gateway", "[discord] <un Haiduc> I sold the boat."),
            ("Gateway", "[dscrd-chips] <jl777c> I bought it."),
            ("Bo", "<b> is a tag"),
        ]
    )
    said = [(turn.speaker, row["text"][turn.start : turn.end].strip()) for turn in turns_of(row) if turn.speaker]
    assert said == [("un Haiduc", "I sold the boat."), ("jl777c", "I bought it."), ("Bo", "<b> is a tag")]


@pytest.mark.parametrize("label", ["TODO", "Note", "Antrag", "Decisión", "Décision", "Decisione", "Decisão"])
def test_labels_of_minutes_are_no_speakers(label: str) -> None:
    text = f"Ann: One.\nBob: Two.\n{label}: Three is due.\n{label}: Four is due.\nAnn: Five."
    said = [(turn.speaker, text[turn.start : turn.end].strip()) for turn in turns_of(document(text, source="note"))]
    assert said[:3] == [("Ann", "One."), ("Bob", "Two."), (OWNER, f"{label}: Three is due.")]


def test_the_words_of_a_label_in_a_list_end_with_its_item() -> None:
    text = "* reuse\n  * Matteo: on the agenda\n    because it breaks.\n  * It lands on Monday.\n  * James: fine.\n"
    said = [
        (turn.speaker, text[turn.start : turn.end].strip(" *\n")) for turn in turns_of(document(text, source="note"))
    ]
    assert said == [
        (OWNER, "reuse"),
        ("Matteo", "on the agenda\n    because it breaks."),
        (OWNER, "It lands on Monday."),
        ("James", "fine."),
    ]


@pytest.mark.parametrize(
    ("language", "rest", "speaker"),
    [
        ("en", "The hall is booked.", OWNER),
        ("en", "I booked the hall.", "Ann"),
        ("de", "Der Saal ist gebucht.", OWNER),
        ("de", "Ich habe den Saal gebucht.", "Ann"),
        ("fr", "La salle est réservée.", OWNER),
        ("es", "La sala está reservada.", OWNER),
        ("it", "La sala è prenotata.", OWNER),
        ("pt", "A sala está reservada.", OWNER),
    ],
)
def test_the_words_of_a_label_end_with_its_paragraph(language: str, rest: str, speaker: str) -> None:
    text = f"Bob: One.\n\nAnn: Two.\n\n{rest}"
    turns = turns_of(document(text, source="note", language=language))
    assert [turn.speaker for turn in turns if rest in text[turn.start : turn.end]] == [speaker]


ROLL = (
    "# Daily\n\n**Nora**: Fixes the login.\n**Devon**: Out on Friday.\n**{}**: {}\n**Lena**: Reviews.\n**Tom**: Idle\n"
)


def test_a_rarer_given_name_between_speakers_is_a_speaker() -> None:
    text = ROLL.format("Blockers", "The vault is closed.")
    turns = {turn.speaker: text[turn.start : turn.end].strip() for turn in turns_of(document(text, source="note"))}
    assert turns["Devon"] == "Out on Friday." and "Blockers" not in turns and turns["Tom"] == "Idle"


def test_it_is_none_where_most_labels_are_no_names() -> None:
    text = "**Nora**: Fixes the login.\n**Devon**: Sea.\n**Exmoor**: Hops.\n**Tyne**: Coal.\n**Lena**: Reviews.\n"
    assert "Devon" not in {turn.speaker for turn in turns_of(document(text, source="note"))}
