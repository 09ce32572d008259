"""What a mail, a note or a message quotes is said by its writer or by nobody, and is reported, not asserted."""

from typing import Any

import pytest

from brain_pipelines.readers.quoted import ARTICLE
from brain_pipelines.stages.extraction.local.names.speakers import turns_of
from brain_pipelines.stages.extractions_local import extract_document
from brain_retrieval.knowledge.memories.shown.display import worth_showing
from tests.pipelines.stages.extraction.local.documents import document

OWN = "I saw Pam Fuller in Ashby on 4 June 2001 and paid her 300 euros for the boat."
ARTICLE_TEXT = """Council to close swimming hall
By Craig D. Rosen
STAFF WRITER
June 6, 2001
Ashby Chronicle

The city council voted on Tuesday to close the old swimming hall in Ashby at the end of the season, after an
engineer found cracks in the roof of the building.

Ellen Brandt earned a master of arts degree in Leeds in 1984 and has been mayor of Ashby since 1999. "I moved to York
in 2001," said Craig Taylor, who was paid 2,000 euros for the plans of the new hall. "My daughter works there."
"""


def segments(*parts: tuple[str, str | None, str]) -> tuple[str, list[dict[str, Any]]]:
    text, found = "", []
    for kind, speaker, words in parts:
        found.append({"start": len(text), "end": len(text) + len(words), "kind": kind, "speaker": speaker})
        text += words + "\n\n"
    return text, found


def test_an_article_in_a_mail_is_reported_by_nobody() -> None:
    text, parts = segments(("message", "Anna Lee", OWN), (ARTICLE, None, ARTICLE_TEXT))
    row = document(text, source="email", segments=parts, authors=["Anna Lee"], participants=["Anna Lee", "Tom Berg"])
    found = extract_document(row)
    own, other = ([m for m in found.memories if (m["start"] < len(OWN)) is mine] for mine in (True, False))
    assert {m["speaker"] for m in own} == {"Anna Lee"} and any(worth_showing(m) for m in own)
    assert any("degree" in m["text"] for m in other) and any("moved to York" in m["text"] for m in other)
    assert {(m["speaker"], m["listener"], m["modality"]) for m in other} == {(None, None, "reported")}
    assert not any("Anna" in m["text"] for m in other) and not any(worth_showing(m) for m in other)
    stated = {fact["modality"] for fact in found.facts if fact["start"] > len(OWN)}
    assert "reported" in stated and "asserted" not in stated


def test_a_mail_that_is_only_an_article_is_not_said_by_its_sender() -> None:
    text, parts = segments((ARTICLE, None, ARTICLE_TEXT))
    row = document(text, source="email", segments=parts, authors=["Anna Lee"], participants=["Anna Lee", "Tom Berg"])
    assert {(turn.speaker, turn.quoted) for turn in turns_of(row)} == {(None, True)}
    assert {m["speaker"] for m in extract_document(row).memories} == {None}


@pytest.mark.parametrize("source", ["note", "voice-memo"])
def test_an_article_in_a_note_is_not_said_by_the_owner(source: str) -> None:
    row = document(f"{OWN}\n\n{ARTICLE_TEXT}", source=source)
    found = extract_document(row).memories
    assert {(m["speaker"], m["modality"]) for m in found if m["start"] > len(OWN)} == {(None, "reported")}
    assert {m["speaker"] for m in found if m["start"] < len(OWN)} == {"user"}


def test_a_quotation_in_a_note_is_said_by_its_writer() -> None:
    quoted = "> I moved from Leeds to York in May 1986 and sold the house for 90,000 euros.\n> — Richard Hamming"
    found = extract_document(
        document(f"{OWN}\n\n{quoted}\n\nI met Tom Berg in Hull on 5 June 2001.", source="note")
    ).memories
    said = {(m["speaker"], m["listener"], m["modality"]) for m in found if "York" in m["text"]}
    assert said == {("Richard Hamming", None, "reported")}
    assert {m["speaker"] for m in found if "Hull" in m["text"] or "boat" in m["text"]} == {"user"}
    assert not any(worth_showing(m) for m in found if "York" in m["text"])


def test_a_block_quote_without_a_source_is_the_owners() -> None:
    found = extract_document(document(f"> {OWN}", source="note")).memories
    assert {(m["speaker"], m["modality"]) for m in found} == {("user", "asserted")}


def test_an_article_in_a_message_of_a_chat_is_not_said_by_who_sends_it() -> None:
    text, parts = segments(
        ("message", "Anna Lee", f"{OWN}\n\n{ARTICLE_TEXT}"), ("message", "Tom Berg", "I moved to Hull.")
    )
    turns = turns_of(document(text, source="conversation", segments=parts))
    assert [(turn.speaker, turn.quoted) for turn in turns] == [("Anna Lee", False), (None, True), ("Tom Berg", False)]
