"""Who says what in a forwarded text that holds older mails."""

import pytest

from brain_pipelines.readers.email.eml import read_message
from brain_pipelines.readers.email.mail_message import parse_mail
from brain_retrieval.settings import Limits


def said(text: str, subject: str = "Fwd: The hall", headers: str = "") -> list[tuple[str | None, str]]:
    head = f"From: Anna Lee <anna@example.org>\nTo: tom@example.org\nSubject: {subject}\n{headers}"
    mail = f"{head}Date: Wed, 6 Jun 2001 10:00:00 +0000\nContent-Type: text/plain; charset=utf-8\n\n{text}"
    found = read_message(parse_mail(mail.encode(), Limits()), Limits(), "eml")
    return [(block.speaker, " ".join(block.text.split())) for block in found.blocks]


ORIGINAL = "-----Original Message-----\nFrom: Bo Berg\nSent: 5 June 2001\nTo: Anna Lee\nSubject: The hall\n\n"


@pytest.mark.parametrize(
    ("heading", "writer"),
    [
        ("On Sun, Jun 3, 2001 at 10:01 AM, Cleo Dahl <cleo@example.org> wrote:", "Cleo Dahl"),
        ("On 6/3/2001 12:31 PM, Cleo Dahl wrote:", "Cleo Dahl"),
        ("On Sun, Jun 3, 2001 at 10:01 AM, Cleo Dahl\n<cleo@example.org>wrote:", "Cleo Dahl"),
        ("Am 03.06.2001 um 10:11 schrieb Cleo Dahl:", "Cleo Dahl"),
        ("Am So., 3. Juni 2001 um 10:11 Uhr schrieb Cleo Dahl <cleo@example.org>:", "Cleo Dahl"),
        ("Le dim. 3 juin 2001 à 10:11, Cleo Dahl <cleo@example.org> a écrit :", "Cleo Dahl"),
        ("El dom, 3 jun 2001 a las 10:11, Cleo Dahl (<cleo@example.org>) escribió:", "Cleo Dahl"),
        ("Em dom., 3 de jun. de 2001 às 10:11, Cleo Dahl <cleo@example.org> escreveu:", "Cleo Dahl"),
        ("Il giorno dom 3 giu 2001 alle ore 10:11 Cleo Dahl <cleo@example.org> ha scritto:", "Cleo Dahl"),
        ("On 3 June 2001 10:11, cleo.dahl@example.org wrote:", "Cleo Dahl"),
    ],
)
@pytest.mark.parametrize("mark", ["> ", ""])
def test_what_a_forwarded_mail_quotes_is_said_by_its_writer(heading: str, writer: str, mark: str) -> None:
    text = f"See below.\n\n{ORIGINAL}It closes in May.\n\n{heading}\n\n{mark}I have the key of the hall.\n"
    assert said(text) == [
        ("Anna Lee", "See below."),
        ("Bo Berg", "It closes in May."),
        (writer, "I have the key of the hall."),
    ]


def test_an_answer_between_quoted_lines_is_said_by_who_answers() -> None:
    quoted = (
        "On Sun, Jun 3, 2001 at 10:01 AM, Cleo Dahl wrote:\n> Who has the key?\nI have it.\n>> We lost it in May.\n"
    )
    assert said(f"See below.\n\n{ORIGINAL}{quoted}") == [
        ("Anna Lee", "See below."),
        ("Cleo Dahl", "Who has the key?"),
        ("Bo Berg", "I have it."),
        (None, "We lost it in May."),
    ]


def test_a_forwarded_mail_that_is_marked_as_a_whole() -> None:
    inside = f"{ORIGINAL}It closes in May, says the engineer of the county who has looked at\nthe roof.\n\n"
    inside += "On Sun, Jun 3, 2001 at 10:01 AM, Cleo Dahl wrote:\n> Who has the key?"
    marked = "\n".join(f"> {line}" for line in inside.split("\n")).replace("> the roof.", "the roof.")
    assert said(f"Forwarded message:\n{marked}\n")[-2:] == [
        ("Bo Berg", "It closes in May, says the engineer of the county who has looked at the roof."),
        ("Cleo Dahl", "Who has the key?"),
    ]


@pytest.mark.parametrize(
    ("sender", "speaker"),
    [
        ("garden-bounces at example.org\n[mailto:garden-bounces at\nexample.org] On Behalf Of Cleo Dahl", "Cleo Dahl"),
        ("office@example.org im Auftrag von Cleo Dahl", "Cleo Dahl"),
        ("garden-bounces@example.org", None),
        ("Cleo Dahl on 06/05/2001 11:30 AM", "Cleo Dahl"),
        ("Cleo Dahl", "Cleo Dahl"),
    ],
)
def test_the_sender_of_a_forwarded_mail(sender: str, speaker: str | None) -> None:
    head = ORIGINAL.replace("Bo Berg", sender)
    assert said(f"See below.\n\n{head}It closes in May.\n")[-1] == (speaker, "It closes in May.")


def test_a_heading_may_name_many_receivers() -> None:
    receivers = ",\n".join(f"Reader {n} <reader{n}@example.org>" for n in range(25))
    head = ORIGINAL.replace("To: Anna Lee", f"To: {receivers}")
    assert said(f"See below.\n\n{head}It closes in May.\n")[-1] == ("Bo Berg", "It closes in May.")


def test_headings_of_groupwise_and_of_notes_with_empty_lines() -> None:
    groupwise = '>>> "Berg, Bo" <bo@example.org> 06/05/01 10:08PM >>>\nIt closes in May.\n'
    notes = (
        "Bo Berg\n06/05/2001 09:44 AM\n\nTo: Anna Lee/HOU/ECT@ECT\n\ncc:\n\nSubject: The hall\n\nIt closes in May.\n"
    )
    for quoted in (groupwise, notes):
        assert said(f"I have the key.\n\n{quoted}", subject="Re: The hall") == [("Anna Lee", "I have the key.")]
        assert said(f"See below.\n\n{quoted}", subject="The hall")[1:] == [("Bo Berg", "It closes in May.")]


def test_addresses_as_archives_of_lists_write_them() -> None:
    quoted = "Le mercredi 6 juin 2001 à 15:02, Bo Berg (he, him) <bo at example.org> a écrit :\n\nIt closes in May.\n"
    assert said(f"I have the key.\n\n{quoted}", subject="Re: The hall") == [("Anna Lee", "I have the key.")]


def test_answers_between_marked_lines_below_headers_are_the_senders() -> None:
    quoted = "> It closes in May.\n\nThat is too early.\n\n> The roof leaks.\n\nOnly in the north.\n"
    assert said(f"Hello Bo,\n\n{ORIGINAL}{quoted}", subject="Re: The hall") == [
        ("Anna Lee", "Hello Bo, That is too early. Only in the north.")
    ]


def test_a_mail_that_answers_one_leaves_out_what_it_quotes() -> None:
    text = f"I have the key.\n\n{ORIGINAL}It closes in May.\n"
    assert said(text, subject="The hall", headers="In-Reply-To: <1@example.org>\n") == [("Anna Lee", "I have the key.")]
    assert len(said(text, subject="Fwd: The hall", headers="In-Reply-To: <1@example.org>\n")) == 2
    assert len(said(text, subject="The hall")) == 2
