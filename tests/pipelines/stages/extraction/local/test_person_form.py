"""Names of people as mail programs write them, and names borne before."""

import pytest

from brain_pipelines.stages.extraction.local.names.person_form import bare_person, former_names
from brain_pipelines.stages.extractions_local import extract_document
from tests.pipelines.stages.extraction.local.documents import conversation, document


@pytest.mark.parametrize(
    ("written", "name"),
    [
        ("Jane Doe/HQ/Acme@ACME", "Jane Doe"),
        ("CN=Jane Doe/OU=HQ/O=Acme", "Jane Doe"),
        ("Jane Doe@ACME", "Jane Doe"),
        ("Jane Doe@acme.com", "Jane Doe"),
        ("Jane Doe@ACME 03/23/2001", "Jane Doe"),
        ("jane.doe@acme.com", "jane.doe@acme.com"),
        ("Jane Doe jane@acme.com", "Jane Doe jane@acme.com"),
        ("Doe, Jane (Chair, CPC) via Lists", "Doe, Jane"),
        ("Jane Doe on behalf of the board", "Jane Doe"),
        ("Jane Doe <jane@acme.com>", "Jane Doe"),
        ("@Jane Doe", "Jane Doe"),
        ("jane@acme.com", "jane@acme.com"),
        ("Alice/Bob", "Alice/Bob"),
        ("(CPC)", "(CPC)"),
    ],
)
def test_bare_person(written: str, name: str) -> None:
    assert bare_person(written) == name


def test_former_names() -> None:
    assert list(former_names("We met Anna Schmidt (née Weber) and Joan Roe, formerly Joan Poe, there.")) == [
        ("Anna Schmidt", "Anna Weber"),
        ("Joan Roe", "Joan Poe"),
    ]


def test_notes_users_of_a_forwarded_mail_are_people() -> None:
    found = extract_document(document("From: Jane Doe/HQ/Acme@ACME To: Phillip K Allen/HOU/ECT@ECT and/or others"))
    assert {e["name"] for e in found.entities if e["type"] == "Person"} == {"Jane Doe", "Phillip K Allen"}


def test_speaker_is_a_person_wherever_the_text_names_them() -> None:
    turns = [("Quynh Tran (Sales)", "Here is the list."), ("Alice", "The list of Quynh is long, Quynh Tran made it.")]
    people = {e["name"]: e["aliases"] for e in extract_document(conversation(turns)).entities if e["type"] == "Person"}
    assert people == {"Quynh Tran": ["Quynh"], "Alice": []}
