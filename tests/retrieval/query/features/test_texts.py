"""Search of many words in texts: what `in` finds, whatever the length of the word and the script."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from brain_retrieval.query.features.texts import Texts

LETTERS = st.sampled_from("aab é\nß東😀\ud800")


@given(st.lists(st.text(LETTERS, max_size=12), max_size=8), st.text(LETTERS, min_size=1, max_size=7))
def test_a_word_is_found_where_in_finds_it(texts: list[str], word: str) -> None:
    word = word.replace("\n", "a")
    assert Texts(texts).holding(word) == [number for number, text in enumerate(texts) if word in text]


@pytest.mark.parametrize("word", ["b", "bo", "boa", "boat", "boathouse", "é", "aé", "東京", "a boathouse"])
def test_a_word_of_any_length_is_found_at_both_ends_and_inside(word: str) -> None:
    texts = ["", word, f"{word} x", f"x {word}", f"y{word}y{word}", word[:-1], word[1:]]
    assert Texts(texts).holding(word) == [1, 2, 3, 4]


def test_no_word_reaches_from_one_text_into_the_next() -> None:
    assert Texts(["a boat", "house"]).holding("boathouse") == []
    assert Texts([]).holding("boat") == []
