"""Words that tell how something came out, in six languages."""

import pytest

from brain_retrieval.language.outcomes import OPEN, REACHED, outcome


@pytest.mark.parametrize(
    ("language", "text", "expected"),
    [
        ("en", "The loft is finished.", REACHED),
        ("en", "One window is still missing.", OPEN),
        ("en", "The loft has two windows.", 0.0),
        ("de", "Die Haube ist eingebaut, damit ist alles fertig.", REACHED),
        ("de", "Es fehlt nur noch die Leiste.", OPEN),
        ("es", "La reforma está terminada.", REACHED),
        ("fr", "Le toit est terminé.", REACHED),
        ("it", "La mansarda è finita.", REACHED),
        ("pt", "A obra está concluída.", REACHED),
        (None, "Die Haube ist eingebaut.", REACHED),
    ],
)
def test_how_much_a_sentence_says_of_a_state(language: str | None, text: str, expected: float) -> None:
    assert outcome(text, language) == expected
