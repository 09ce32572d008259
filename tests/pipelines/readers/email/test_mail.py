"""Parsing of mails from bytes: headers, encodings, alternatives, attachments, HTML, hostile input."""

from datetime import UTC, datetime
from email.message import EmailMessage
from zoneinfo import ZoneInfo

import pytest

from brain_pipelines.readers.email.eml import read_message
from brain_pipelines.readers.email.mail_date import date_of
from brain_pipelines.readers.email.mail_html import html_to_text
from brain_pipelines.readers.email.mail_message import addresses, decoded, header, parse_mail, to_text
from brain_pipelines.readers.email.mail_parts import parts_of
from brain_pipelines.readers.email.mail_thread import bare_subject, thread_id
from brain_pipelines.readers.extracted import Extracted
from brain_retrieval.errors import BadInputError
from brain_retrieval.settings import Limits

LIMITS = Limits()
HEAD = b"From: Ann <ann@example.com>\nTo: bob@example.com\nSubject: Plans\nMIME-Version: 1.0\n"
RECEIVED = datetime(2026, 3, 1, tzinfo=UTC)


def read(data: bytes) -> Extracted:
    return read_message(parse_mail(data, LIMITS), LIMITS, "eml")


@pytest.mark.parametrize(
    ("raw", "text"),
    [
        ("=?utf-8?q?caf=C3=A9?= menu", "café menu"),
        ("=?iso-8859-1?b?4ek=?=", "áé"),
        ("=?utf-8?q?one?= =?utf-8?q?_two?=", "one two"),
        ("=?no-such-table?q?plain?=", "plain"),
        ("one\r\n two\r\nBcc: evil@example.com", "one two Bcc: evil@example.com"),
        ("caf\udcc3\udca9", "café"),
        ("=?utf-8?q?a=0D=0ABcc:_evil?=", "a Bcc: evil"),
    ],
)
def test_headers_are_decoded_to_one_line(raw: str, text: str) -> None:
    assert decoded(raw) == text


@pytest.mark.parametrize(
    ("data", "charset", "text"),
    [
        ("é".encode("cp1252"), "iso-8859-1", "é"),
        ("é".encode(), "iso-8859-1x", "é"),
        ("é".encode(), None, "é"),
        ("日本".encode("iso-2022-jp"), "iso-2022-jp", "日本"),
        ("中".encode("gb18030"), "gb2312", "中"),
        (b"a-b", "punycode", "a-b"),
        (b"\\u0041", "unicode_escape", "\\u0041"),
    ],
)
def test_text_is_decoded_with_the_stated_or_likeliest_charset(data: bytes, charset: str | None, text: str) -> None:
    assert to_text(data, charset) == text


MOVED = "Received: by y; Fri, 5 Jul 2019 09:00:00 +0000\nReceived: by x; Tue, 3 Apr 2012 16:00:00 +0000"


@pytest.mark.parametrize(
    ("stamp", "expected"),
    [
        ("Date: Tue, 3 Apr 2012 16:55:26 +0400", "2012-04-03T12:55:26+00:00"),
        ("Date: Tue, 3 Apr 2012 16:55:26", "2012-04-03T14:55:26+00:00"),
        ("Date: Tue, 3 Apr 2012 16:55:26 -0000", "2012-04-03T16:55:26+00:00"),
        (
            "Date: Tue, 3 Apr 2040 16:55:26 +0000\nReceived: by x; Tue, 3 Apr 2012 16:00:00 +0000",
            "2012-04-03T16:00:00+00:00",
        ),
        ("Date: nonsense\nReceived: by x; Tue, 3 Apr 2012 16:00:00 +0000 (UTC)", "2012-04-03T16:00:00+00:00"),
        ("Date: Thu, 1 Jan 1970 00:00:00 +0000", None),
        ("Date: Mon, 31 Dec 1979 16:00:00 -0800", None),
        (
            "Date: Mon, 31 Dec 1979 16:00:00 -0800\nReceived: by x; Tue, 3 Apr 2012 16:00:00 +0000",
            "2012-04-03T16:00:00+00:00",
        ),
        (
            "Date: Sat, 1 Jan 2000 00:03:00 +0000\n" + MOVED,
            "2012-04-03T16:00:00+00:00",
        ),
        (  # moved to another server years later
            "Date: Tue, 3 Apr 2012 16:55:26 +0000\n" + MOVED,
            "2012-04-03T16:55:26+00:00",
        ),
        ("X: y", None),
    ],
)
def test_time_is_the_date_header_if_valid(stamp: str, expected: str | None) -> None:
    found = date_of(parse_mail(stamp.encode() + b"\n\nx", LIMITS), ZoneInfo("Europe/Berlin"), RECEIVED)
    assert (found.isoformat() if found else None) == expected


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("Done.\n\nFrom: Ann\nSent: Friday, May 18, 2001 1:25 PM\nTo: Bo\n\nHello", "2001-05-18T11:25:00+00:00"),
        ("\tAnn Lee <ann@example.com>\n\t05/18/2001 01:25 PM\n\t\t To: Bo\n\nHello", "2001-05-18T11:25:00+00:00"),
        ("Ja.\n\nVon: Ann\nGesendet: Freitag, 18. Mai 2001 13:25\nAn: Bo\n\nHallo", "2001-05-18T10:00:00+00:00"),
        ("Oui.\n\nDe : Ann\nEnvoyé : vendredi 18 mai 2001 13:25\nÀ : Bo\n\nSalut", "2001-05-18T10:00:00+00:00"),
        ("Sí.\n\nDe: Ann\nEnviado: viernes, 18 de mayo de 2001 13:25\nPara: Bo\n\nHola", "2001-05-18T10:00:00+00:00"),
        ("Sì.\n\nDa: Ann\nInviato: venerdì 18 maggio 2001 13:25\nA: Bo\n\nCiao", "2001-05-18T10:00:00+00:00"),
        ("Sim.\n\nDe: Ann\nData: sexta-feira, 18 de maio de 2001\nPara: Bo\n\nOlá", "2001-05-18T10:00:00+00:00"),
        ("On Friday we met.", None),
    ],
)
def test_a_mail_without_a_time_is_of_the_day_of_the_last_mail_it_quotes(body: str, expected: str | None) -> None:
    mail = f"Date: Tue, 1 Jan 1980 00:00:00 +0000\nContent-Type: text/plain; charset=utf-8\n\n{body}"
    found = date_of(parse_mail(mail.encode(), LIMITS), ZoneInfo("Europe/Berlin"), RECEIVED)
    assert (found.isoformat() if found else None) == expected
    dated = mail.replace("Tue, 1 Jan 1980", "Tue, 3 Apr 2012")
    sent = date_of(parse_mail(dated.encode(), LIMITS), ZoneInfo("Europe/Berlin"), RECEIVED)
    assert sent is not None and sent.year == 2012


def test_quoted_commas_in_addresses() -> None:
    mail = parse_mail(
        b'From: "Lee, Ann" <ann@example.com>\nTo: =?utf-8?q?M=C3=BCller=2C_Bo?= <bo@example.com>, c@d.e\n\n', LIMITS
    )
    assert addresses(mail, "from") == [("Lee, Ann", "ann@example.com")]
    assert addresses(mail, "to") == [("Müller, Bo", "bo@example.com"), ("", "c@d.e")]


def test_html_is_preferred_to_a_plain_text_stub() -> None:
    html = "<p>" + "The whole text of the newsletter is here. " * 10 + "</p>"
    for plain, chosen in (
        ("View online", "The whole"),
        ("All of it is said in this plain text as well, so it stays.", "All of it"),
    ):
        mail = EmailMessage()
        mail["Subject"] = "x"
        mail.set_content(plain)
        mail.add_alternative(html, subtype="html")
        assert read(mail.as_bytes()).blocks[0].text.startswith(chosen)


def test_flowed_lines_are_joined() -> None:
    head = HEAD + b"Content-Type: text/plain; format=flowed%s\n\n"
    assert read(head % b"" + b"One \ntwo.\n>q \nThree").blocks[0].text == "One two.\n\nThree"
    assert read(head % b"; delsp=yes" + b"One \ntwo.").blocks[0].text == "Onetwo."


def test_html_of_a_mail_gives_its_visible_text() -> None:
    html = (
        "<html><head><title>t</title><style>p{}</style></head><body><div style='display:none'>preview</div>"
        "<p>Hello&nbsp;<b>Ann</b>,</p><table><tr><td>a</td><td>b</td></tr></table><ul><li>one</li></ul>"
        "<!-- c -->tail<blockquote><p>old</p><blockquote>older</blockquote></blockquote></body></html>"
    )
    lines = [line for line in html_to_text(html).split("\n") if line.strip("> ")]
    assert lines == ["Hello Ann,", "a b", "- one", "tail", "> old", "> > older"]
    assert (
        html_to_text("<p style='font-size:0px'>a</p><p style='opacity:0;'>b</p><p style='font-size:0.9em'>c</p>") == "c"
    )
    column = "<td style='font-size:0px;padding:9px'><div style='font-size:13px'>Doors at 7</div></td>"
    assert html_to_text(f"<table role='presentation' style='font-size:0'><tr>{column}</tr></table>") == "Doors at 7"
    bill = (
        "<tr><td><p>Hosting, March</p></td><td><div><p>19.99</p></div></td></tr><tr><td>Total</td><td>19.99</td></tr>"
    )
    assert [line for line in html_to_text(f"<table>{bill}</table>").split("\n") if line] == [
        "Hosting, March 19.99",
        "Total 19.99",
    ]
    columns = "<tr><td><p>Left.</p><p>Below.</p></td><td><p>Right.</p></td></tr>"
    assert html_to_text(f"<table>{columns}</table>").split("\n\n") == ["Left.", "Below.", "Right."]
    assert html_to_text("<img alt='Sale of chairs'><img src=x>") == "Sale of chairs"
    assert html_to_text("") == html_to_text("<br>") == ""


def test_parts_are_classified() -> None:
    mail = EmailMessage()
    mail["Subject"] = "x"
    mail.set_content("See attached.")
    mail.add_attachment(b"%PDF-1.4 x", maintype="application", subtype="pdf", filename="../../a/plan é.pdf")
    mail.add_attachment(b"GIF89a\1\0\1\0" + b"x" * 9000, "image", "gif", disposition="inline", filename="t.gif")
    mail.add_attachment(b"\x89PNG" + b"x" * 9000, "image", "png", disposition="inline", filename="image001.png")
    mail.add_attachment(b"\x89PNG" + b"x" * 50_000, "image", "png", disposition="inline", cid="<shot>")
    mail.add_attachment(b"\x89PNG" + b"x" * 100, "image", "png", filename="small.png")
    mail.add_attachment(b"sig", "application", "pgp-signature", filename="signature.asc")
    mail.add_attachment(b"tnef", "application", "ms-tnef", filename="winmail.dat")
    parts = parts_of(parse_mail(mail.as_bytes(), LIMITS))
    assert [one.name for one in parts.attachments] == ["plan é.pdf", "attachment-2.png", "small.png"]
    assert parts.left_out == ["t.gif", "image001.png"]
    assert "winmail.dat" in read(mail.as_bytes()).repairs[0]


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        (b"Content-Type: multipart/encrypted; boundary=b\n\n--b\n\nVersion: 1\n--b--", "encrypted with PGP"),
        (b"Content-Type: text/plain\n\n-----BEGIN PGP MESSAGE-----\nabc\n", "encrypted with PGP"),
        (
            b"Content-Type: application/pkcs7-mime; smime-type=enveloped-data; name=smime.p7m\n\nxx",
            "encrypted with S/MIME",
        ),
        (
            b"Content-Type: multipart/mixed; boundary=b\n\n" + b"--b\nContent-Type: text/plain\n\nx\n" * 10_000,
            "more than 2050 parts",
        ),
        (b"Content-Type: message/rfc822\n\n" * 3000, "nested"),
        (
            b"".join(b"Content-Type: multipart/mixed; boundary=b%d\n\n--b%d\n" % (n, n) for n in range(500)),
            "nested more than 30 deep",
        ),
    ],
    ids=["pgp", "pgp in text", "smime", "parts", "messages", "depth"],
)
def test_encrypted_and_oversized_mails_are_refused_with_a_reason(body: bytes, reason: str) -> None:
    with pytest.raises(BadInputError, match=reason):
        read(HEAD + body)


@pytest.mark.parametrize(
    "data",
    [
        b"X: y\n" * 50_000 + HEAD + b"\nThe text",
        HEAD + b"Cc: " + b"(" * 30_000 + b"\n\nThe text",
        HEAD + b"Cc: " + b"a@b.c,\n " * 50_000 + b"\n\nThe text",
        HEAD + b"References: " + b"<" * 30_000 + b"\n\nThe text",
        HEAD + b'Content-Type: text/plain; charset="\xff"\n\nThe text',
        HEAD + b"Content-Transfer-Encoding: base64\n\nThe text",
        b"\xef\xbb\xbf" + HEAD + b"\nThe text",
        (HEAD + b"\nThe text").decode().encode("utf-16"),
        b"\r\n\r\n" + HEAD.replace(b"\n", b"\r\n") + b"\r\nThe text",
    ],
    ids=["headers", "comments", "addresses", "references", "charset", "not base64", "mark", "utf-16", "crlf"],
)
def test_broken_mails_are_read_as_far_as_possible(data: bytes) -> None:
    found = read(data)
    assert found.title == "Plans" and found.blocks
    assert found.attributes["from"] == ["Ann <ann@example.com>"] and len(found.participants) <= 100


def test_subject_is_the_text_of_an_empty_mail() -> None:
    assert read(HEAD + b"\n\n").blocks[0].text == "Plans"
    with pytest.raises(BadInputError, match="without subject"):
        read(b"From: a@b.c\n\n")


def test_mails_of_one_thread_share_its_id() -> None:
    def mail(text: str) -> str:
        return thread_id(parse_mail(f"{text}\n\nx".encode(), LIMITS))

    root = mail("Message-ID: <1@x>\nSubject: Plans")
    assert root == "1@x"
    assert mail("Message-ID: <3@x>\nSubject: Re: Plans\nIn-Reply-To: <2@x>\nReferences: <1@x>\n <2@x>") == root
    assert mail("Message-ID: <2@x>\nSubject: Re: Plans\nIn-Reply-To: <1@x>") == root
    assert mail("Message-ID: <5@x>\nSubject: Re: Plans") == mail("Subject: AW: RE: plans") != root
    assert bare_subject("Re: [team] Fwd: AW: Plans  for May") == "plans for may" and bare_subject("Re:") == "re:"


def test_header_names_are_case_insensitive() -> None:
    assert header(parse_mail(b"SUBJECT: a\nsubject: b\n\n", LIMITS), "subject") == "a"


def test_compressed_rich_text_of_outlook_is_decompressed() -> None:
    """The examples of MS-OXRTFCP, section 4: a text, and a copy whose source and target overlap."""
    from brain_pipelines.readers.email.outlook_rtf import rich_text, unpacked

    simple = bytes.fromhex(
        "2d0000002b0000004c5a4675f1c5c7a703000a007263706731323542320af32068656c090020627705b06c647d0a800fa0"
    )
    assert unpacked(simple, 1000) == b"{\\rtf1\\ansi\\ansicpg1252\\pard hello world}\r\n"
    assert rich_text(simple, 1000) == "hello world"
    overlapping = bytes.fromhex("1a0000001c0000004c5a4675e2d44b51410004205758595a0d6e7d010eb0")
    assert unpacked(overlapping, 1000) == b"{\\rtf1 WXYZWXYZWXYZWXYZWXYZ}"
    assert unpacked(b"junk" * 9, 1000) == b"" and rich_text(b"", 9) == "" and len(unpacked(simple, 5)) < 40
