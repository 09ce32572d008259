"""Remarks on the talk and comments on what was said, which go only where a whole sentence is left."""

import pytest

from brain_pipelines.stages.extraction.memories.rewriting.rewriting import rewrite
from brain_pipelines.stages.extraction.memories.signals import read_signals
from tests.pipelines.stages.extraction.local.documents import document
from tests.pipelines.stages.extraction.memories.reading import read
from tests.pipelines.stages.extraction.memories.test_rewriting import said


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("I climbed the Eiger in May 2025 and it was so intense!", "Martha climbed the Eiger in May 2025."),
        ("I started a course at the mill, it's been super relaxing.", "Martha started a course at the mill."),
        ("We adopted an old greyhound – that was a wonderful moment.", "Martha: We adopted an old greyhound."),
        ("I sing in the chapel choir now - what a lovely bunch of people!", "Martha sings in the chapel choir now."),
        ("Not much going on since we last met - I sold the boat to Ida.", "Martha sold the boat to Ida."),
        ("A quick update — I passed the exam in Kiel!", "Martha passed the exam in Kiel!"),
        ("So guess what - my brother bought a farm and it's a great experience!", "Martha's brother bought a farm."),
    ],
)  # fmt: skip
def test_asides_of_talk_are_left_out(text: str, expected: str) -> None:
    found = said(text)
    assert (found.text, found.self_contained) == (expected, True)


@pytest.mark.parametrize(
    "text",
    [
        "I rented the hall in Kiel and it was 300 euros, a great price.",  # a number
        "I joined the choir in Kiel and it was a nice idea of Ida's.",  # a name
        "I joined the choir in Kiel and it was great, so I stayed.",  # what someone did
        "I had the scan in Kiel and it was negative.",  # no judgement
        "I loved the dog and it's sad and hard that he does not live here any more.",  # a sentence of its own
        "I wrote a book and it was lovely that the town printed it.",
        "The old house - it was great.",  # no sentence is left
        "Since we last met - the boat.",
        "I sold the boat since we last met in Kiel - Ida wept.",  # the boat is no remark on the talk
    ],
)
def test_what_tells_more_stays(text: str) -> None:
    kept = said(text).text.removeprefix("Martha: ").split()
    assert kept[-1] == text.split()[-1]
    assert len(kept) >= len(text.split()) - 1


def test_comments_stay_where_no_parse_shows_that_the_rest_is_whole() -> None:
    found = said("Ich habe in Kiel eine Jolle gekauft und es war toll.", language="de")
    assert found.text.endswith("und es war toll.")


def test_the_notes_of_a_writer_stay_as_they_are() -> None:
    row = document("I joined a choir in Kiel and it was great.", source="note")
    only = read(row)[0]
    assert rewrite(only, read_signals(only), []).text.endswith("and it was great.")
