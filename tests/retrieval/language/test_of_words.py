"""A sentence whose language nothing tells is read in the language of its function words."""

import pytest

from brain_retrieval.language.of_words import language_by_words


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("Since March the rent has been higher", "en"),
        ("Die Miete ist seit März höher", "de"),
        ("El alquiler de la tienda ha subido desde marzo", "es"),
        ("Le loyer de la boutique est plus cher depuis mars", "fr"),
        ("L'affitto del negozio è più alto da marzo", "it"),
        ("A renda da loja está mais alta desde março", "pt"),
        ("Pier 7", "en"),
        ("", "en"),
    ],
)
def test_function_words_tell_the_language(text: str, language: str) -> None:
    assert language_by_words(text) == language
