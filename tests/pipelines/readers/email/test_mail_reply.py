"""Separation of own text, forwards, quotes and signatures in mails of many programs."""

import time

import pytest

from brain_pipelines.readers.email.mail_reply import split_reply

QUOTES = {
    "apple": "On Apr 3, 2012, at 4:19 PM, bob wrote:\n\n> Hi",
    "gmail": "On Thu, Jun 26, 2014 at 2:14 PM Ann Lee\n<ann@example.com>\nwrote:\n\nOld text",
    "german": "Am 25.06.2014 um 10:02 schrieb Hans Meier <h@example.de>:\n\n> alt",
    "french": "Le 23 juin 2014 à 10:02, Jean <j@example.fr> a écrit :\n\n> vieux",
    "russian": '02.04.2012 14:20 пользователь "bob" <\nbob@example.com> написал:\n\n> старый',
    "address": '26.06.2014, 14:41, "Ann" <ann@example.com>:\nold',
    "original": "-----Original Message-----\n\nOld text",
    "outlook": "________________\nFrom: Ann [ann@example.com]\nSent: Friday\nTo: Bob\nSubject: x\n\nOld",
    "starred": "*From:* Ann [mailto:a@example.com]\n*Sent:* Friday\n*To:* Bob\n*Subject:* x\n\nOld",
    "french block": "De : Jean <j@example.fr>\nEnvoyé : lundi\nÀ : Paul\nObjet : RE: x\n\nvieux",
    "named": "Jim> Can it read\n  Jim>> old files\nJim> at all?",
    "initials": ">>>>> Jim writes:\n\n  JL> Can it read old files?",
    "marked headers": "> Subject: Test\n> From: a@example.com\n>\n> Hi",
}


@pytest.mark.parametrize("quote", QUOTES.values(), ids=QUOTES)
def test_a_quote_is_left_out(quote: str) -> None:
    parted = split_reply(f"The new text.\n\n{quote}\n")
    assert parted.own == "The new text." and parted.quoted and not parted.forwarded


@pytest.mark.parametrize(
    "text",
    [
        "On your remote host you can run:\n\n    telnet 127.0.0.1 52698\n\nIt works.",
        "Flight:\n\nFrom: Zurich\nTo: Lisbon\nDate: 3 March\n\nIs that right?",
        ">>> import os\n>>> os.getcwd()",
        "The options are:\n\n----\nA. call +41 44 123 45 67\n----\nB. write\n\nWhich one?",
        "Another one\n\nSent from my desk, is much easier then my mobile phone.",
        "A list\n\n- first\n- Second",
        "Thanks",
        "Best,\nAnn",
    ],
)
def test_text_similar_to_a_quote_or_signature_is_kept(text: str) -> None:
    assert split_reply(text).own == text


@pytest.mark.parametrize(
    "signature",
    [
        "-- \nAnn Lee\nHead of design\n+41 44 123 45 67",
        "Best regards,\nAnn Lee",
        "Mit freundlichen Grüßen\nAnn Lee",
        "С уважением,\nАнна",
        "Sent from my iPhone",
        "Ann Lee\nann@example.com\n(555) 346-9947\nwww.example.com",
        "-Ann Lee",
        "Ann",
        "_______________________________________________\nriak-users mailing list\nriak-users@lists.example.com",
        "—\nYou are receiving this because you are subscribed to this thread.",
        "This e-mail is confidential and intended only for the addressee. If you got it by mistake, delete it.",
    ],
)
def test_a_signature_is_left_out(signature: str) -> None:
    parted = split_reply(f"The text of the mail.\n\n{signature}\n", sender="Ann Lee")
    assert parted.own == "The text of the mail." and parted.signature


def test_inline_answers_are_kept() -> None:
    text = (
        "On Mon, 3 Mar 2014 at 10:00, Bob <b@example.com> wrote:\n> one?\n\nYes.\n\n> two?\n\nNo.\n\n> bye\n\n--\nAnn\n"
    )
    parted = split_reply(text)
    assert parted.own.split() == ["Yes.", "No."]


def test_forwarded_text_is_kept() -> None:
    text = (
        "FYI\n\n---------- Forwarded message ---------\nFrom: Bob <b@example.com>\nDate: Tue\nSubject: Hi\n\nThe text\n"
    )
    parted = split_reply(text)
    assert (parted.own, parted.forwarded, parted.forwarded_from) == ("FYI", "The text", "Bob")
    block = "FYI\n\nFrom: Bob <b@example.com>\nSent: Monday\nSubject: Hi\n\nThe text\n"
    assert split_reply(block, subject="FW: Hi").forwarded == "The text"
    assert split_reply(block, subject="Re: Hi").forwarded == ""


def test_the_footer_of_a_list_is_a_signature() -> None:
    rule = "-.-.-.-.-.-.-.-.-.-.-.-.-.-.-.-"
    address = "Ann Lee <ann at uni.example>\nInstitute of Statistics\nhttp://www.uni.example/~ann/"
    mail = f"It reads old files.\n\n{address}\n{rule}\nstat-help list -- http://uni.example/faq\n{rule}\n"
    assert split_reply(mail, sender="Ann Lee").own == "It reads old files."


def test_a_quote_alone_is_kept() -> None:
    assert split_reply("> only\n> a quote").own == "only\na quote"
    parted = split_reply("Sent from my iPhone\n\n> On Tuesday we meet")
    assert parted.own == "On Tuesday we meet" and parted.kept_quote


@pytest.mark.parametrize(
    "text",
    [
        "x" * 5_000_000,
        "> q\ntext\n" * 50_000,
        "On Mon, 3 Mar 2014 at 10:00, a@b.c wrote:\n> x\nmine\n" * 20_000,
        "From: x\n" * 50_000,
        "a" * 300 + "@" * 1_000_000,
        ("confidential " * 300 + "\n") * 100,
        "- " * 1_000_000,
    ],
    ids=["one line", "alternating", "attributions", "headers", "at signs", "disclaimers", "dashes"],
)
def test_hostile_texts_take_linear_time(text: str) -> None:
    began = time.process_time()
    split_reply(text)
    assert time.process_time() - began < 5
