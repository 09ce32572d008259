"""Newsletters and advertisements, apart from letters, lists of members and answers."""

import pytest

from tests.pipelines.readers.email.test_mail import HEAD, read


@pytest.mark.parametrize(
    ("headers", "body", "expected"),
    [
        (b"List-Unsubscribe: <mailto:stop@example.com>\n", "I baked bread.", True),
        (b"", "I baked bread.\n\nBest,\nAnn\n\nUnsubscribe | Privacy", True),
        (b"", "Ich habe Brot gebacken.\n\nHier können Sie den Newsletter abbestellen.", True),
        (b"", "J'ai fait du pain.\n\nPour vous désabonner, cliquez ici.", True),
        (b"", "He hecho pan.\n\nSi quieres darte de baja, pulsa aquí.", True),
        (b"", "Ho fatto il pane.\n\nPer disiscriverti clicca qui.", True),
        (b"", "Fiz pão.\n\nPara cancelar a inscrição, clique aqui.", True),
        (b"", "I baked bread.\n\nBest,\nAnn", False),
        (b"", "You can unsubscribe from it.\n\n" + "I baked bread again today. " * 80, False),
        (b"In-Reply-To: <1@example.com>\n", "Did you unsubscribe?", False),
        (b"Cc: ida@example.com\n", "Did you unsubscribe?", False),
        (b"List-Unsubscribe: <mailto:x@example.com>\nList-Post: <mailto:club@example.com>\n", "I baked bread.", False),
    ],
)
def test_mails_to_many(headers: bytes, body: str, expected: bool) -> None:
    content = b"Content-Type: text/plain; charset=utf-8\n\n" + body.encode()
    assert ("mass_mail" in read(HEAD + headers + content).attributes) is expected
