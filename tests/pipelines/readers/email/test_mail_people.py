"""Whose words a mail holds: senders without a display name, headers of Lotus Notes, mails in forwarded mails."""

import pytest

from brain_pipelines.readers.email.eml import read_message
from brain_pipelines.readers.email.mail_message import parse_mail
from brain_pipelines.readers.email.mail_people import name_of_address, name_of_field
from brain_pipelines.readers.email.mail_reply import split_reply
from brain_retrieval.settings import Limits

LIMITS = Limits()


def said(body: str, subject: str = "Plans", head: str = "") -> list[tuple[str | None, str]]:
    """Return who says what in a mail of ann.lee@example.com."""
    data = f"From: ann.lee@example.com\nTo: bob.roe@example.com\nSubject: {subject}\n{head}\n{body}"
    return [
        (block.speaker, block.text) for block in read_message(parse_mail(data.encode(), LIMITS), LIMITS, "eml").blocks
    ]


@pytest.mark.parametrize(
    ("address", "name"),
    [
        ("ann.lee@example.com", "Ann Lee"),
        ("josé.muñoz@example.com", "José Muñoz"),
        ("ann.m.lee@example.com", "Ann M Lee"),
        ("a.lee@example.com", ""),
        ("alee@example.com", ""),
        ("no.reply@example.com", ""),
        ("nicht.antworten@example.com", ""),
        ("ne.pas.repondre@example.com", ""),
        ("customer.service@example.com", ""),
        ("non.rispondere@example.com", ""),
        ("contacto.ventas@example.com", ""),
        ("contato.suporte@example.com", ""),
    ],
)
def test_an_address_of_first_and_last_name_says_the_name(address: str, name: str) -> None:
    assert name_of_address(address) == name


@pytest.mark.parametrize(
    ("field", "name"),
    [
        ('"Lee, Ann M." <alee@m.example>', "Ann M. Lee"),
        ("Ann M Lee/HOU/ECT@ECT", "Ann M Lee"),
        ("Ann Lee @ ENRON COMMUNICATIONS", "Ann Lee"),
        ('"Ann Lee" <ann@x.example>@x.example', "Ann Lee"),
        ("info@x.example", "info@x.example"),
    ],
)
def test_a_written_sender_is_read(field: str, name: str) -> None:
    assert name_of_field(field) == name


def test_a_sender_without_a_display_name_has_the_name_of_the_export_or_the_address() -> None:
    assert said("I moved to Kiel.")[0][0] == "Ann Lee"
    assert said("I moved to Kiel.", head="X-From: Lee, Ann Marie </O=X/CN=ALEE>\n")[0][0] == "Ann Marie Lee"
    mail = parse_mail(b"From: ann.lee@example.com\nTo: bob.roe@example.com, x9@example.com\n\nHi there", LIMITS)
    assert read_message(mail, LIMITS, "eml").participants == ["Ann Lee", "Bob Roe", "x9@example.com"]


NOTES = """\
See below.

---------------------- Forwarded by Ann Lee/HOU/ECT on 08/02/2001
05:09 PM ---------------------------

"Kim, Amy" <AKim@m.example> on 08/02/2001 05:06:14 PM
Please respond to AKim@m.example
To: <list@n.example>
cc:

Subject: revisions

I will be in Kiel on 1 June.

\tBob Roe@ECT
\t07/31/2001 09:00 AM

\t\t To: Amy Kim/HOU/ECT@ECT
\t\t cc:
\t\t Subject: question

I own the boat.
"""


def test_mails_in_a_forwarded_mail_are_the_words_of_their_writers() -> None:
    assert said(NOTES) == [
        ("Ann Lee", "See below."),
        ("Amy Kim", "I will be in Kiel on 1 June."),
        ("Bob Roe", "I own the boat."),
    ]


def test_a_header_of_notes_in_a_reply_begins_a_quote() -> None:
    head = "Amy Kim@ECT\n08/02/2000 09:30 PM\nTo: Ann Lee/HOU/ECT@ECT\ncc: Bo Day@ECT,\nIda May@ECT\nSubject: the boat"
    body = f"I am interested.\n\n{head}\n\nI sell it.\n"
    assert said(body, subject="Re: the boat") == [("Ann Lee", "I am interested.")]
    assert said(body, subject="the boat") == [("Ann Lee", "I am interested."), ("Amy Kim", "I sell it.")]


def test_a_forwarded_mail_whose_writer_is_not_named_is_said_by_no_one() -> None:
    found = said("FYI\n\n---------- Forwarded message ---------\n\nI sold the boat.\n", subject="Fwd: boat")
    assert found == [("Ann Lee", "FYI"), (None, "I sold the boat.")]
    assert said("> I sold the boat.\n> In Kiel.\n") == [(None, "I sold the boat.\nIn Kiel.")]


@pytest.mark.parametrize(
    "quote",
    [
        "On 3 May 2026 at 10:00, Bob Roe <bob@x.example> wrote:\n\nI sold the boat.",
        "Am 03.05.2026 um 10:00 schrieb Bob Roe <bob@x.example>:\n\nI sold the boat.",
        "Le 3 mai 2026 à 10:00, Bob Roe <bob@x.example> a écrit :\n\nI sold the boat.",
        "El 3 may 2026, a las 10:00, Bob Roe <bob@x.example> escribió:\n\nI sold the boat.",
        "Il giorno 3 mag 2026 alle 10:00 Bob Roe <bob@x.example> ha scritto:\n\nI sold the boat.",
        "Em 3 de mai. de 2026, às 10:00, Bob Roe <bob@x.example> escreveu:\n\nI sold the boat.",
        "-----Original Message-----\nFrom: Bob Roe\nSent: Monday\nTo: Ann\nSubject: boat\n\nI sold the boat.",
        "-----Ursprüngliche Nachricht-----\nVon: Bob Roe\nGesendet: Montag\nAn: Ann\nBetreff: boat\n\nI sold the boat.",
    ],
)
def test_quoted_mails_are_not_the_words_of_the_one_who_answers(quote: str) -> None:
    assert said(f"That is good news.\n\n{quote}\n", subject="Re: boat") == [("Ann Lee", "That is good news.")]


def test_prose_about_receivers_is_no_header() -> None:
    text = "The form has three fields.\n\nTo: the name\nNotes: what you want\n\nSubject: none is needed."
    assert split_reply(text).own == text
