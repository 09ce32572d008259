"""Word lists are searched without patterns, with the result that patterns give."""

import pytest

from brain_retrieval.language.lexicon import SHARED
from brain_retrieval.language.plain import lowered, word_pattern
from brain_retrieval.language.word_search import WordSearch

LISTS = {
    "home": ["wohn*", "lives in", "flat"],
    "no more": ["kein* .. mehr", "n't", "*ward"],
    "prices": ["€", "self-employed", "l'euro", "co*worker"],
}
TEXTS = {
    "": set(),
    "er wohnt dort": {"home"},
    "wohn" + "x" * 16: {"home"},
    "wohn" + "x" * 17: set(),
    "gewohnt": set(),
    "she lives  in Rome": {"home"},
    "she lives   in Rome": set(),
    "she lives\nin Rome, relives in": {"home"},
    "relives in rome": set(),
    "flats": set(),
    "(flat)": {"home"},
    "keinen Kaffee heute mehr": {"no more"},
    "keinen " + "so " * 9 + "mehr": set(),
    "I don't": set(),
    "he can n't": {"no more"},
    "5 € more": {"prices"},
    "unself-employed": set(),
    "self-employed.": {"prices"},
    "l'euro": {"prices"},
    "all'euro": set(),
    "coworker": {"prices"},
    "co" + "x" * 16 + "worker": {"prices"},
    "co-worker": set(),
}


@pytest.mark.parametrize("text", TEXTS)
def test_an_entry_is_found_as_whole_words(text: str) -> None:
    found = WordSearch(LISTS).keys_in(lowered(text))
    assert found == {key for key, entries in LISTS.items() if word_pattern(entries).search(lowered(text))}
    assert found == TEXTS[text]


@pytest.mark.parametrize("language", SHARED.languages("concepts"))
def test_every_list_of_concepts_is_searched_as_its_pattern(language: str) -> None:
    lexicon = SHARED.read("concepts", language)
    lists = {key: lexicon.listed(key) for key in lexicon.keys}
    patterns, search = {key: word_pattern(entries) for key, entries in lists.items()}, WordSearch(lists)
    for entries in lists.values():
        for entry in entries[::5]:
            for filled in (entry.replace("*", "").replace(" .. ", " a b "), entry.replace("*", "xyz"), f"{entry}s"):
                for text in (lowered(f"So: {filled}, he said"), lowered(f"un{filled}")):
                    assert search.keys_in(text) == {key for key, one in patterns.items() if one.search(text)}, text
