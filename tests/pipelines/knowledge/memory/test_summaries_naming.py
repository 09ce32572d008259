"""Detection of sentences about an anchor, in single sentences and in conversations."""

import polars as pl
import pytest

from brain_pipelines.knowledge.memory.naming import Names
from brain_pipelines.knowledge.memory.passages import Library, Source
from tests.pipelines.knowledge.memory.history import day, enrichments


@pytest.mark.parametrize(
    ("sentence", "about"),
    [
        ("Yesterday Bob painted the door.", True),
        ("We met with Priya and Bob.", True),
        ("Bob's door is green.", True),
        ("Thanks, Bob!", False),
        ("Hey Bob, nice to see you.", False),
        ("That sounds good, Bob.", False),
        ("Bob, look at this!", False),
        ("Bob, I told Bob Smith's boss.", True),
        ("Bobby painted the door.", False),
        ("It rained.", False),
        ("Robert Smith (bob@x.example) called.", True),
    ],
)
def test_addressing_the_anchor_is_not_mentioning_it(sentence: str, about: bool) -> None:
    assert Names(["Bob", "Robert Smith"]).mentioned_in(sentence) is about


def test_names_are_matched_literally() -> None:
    assert Names(["C++ (club)"]).mentioned_in("The C++ (club) met today.")
    assert not Names([" "]).mentioned_in("Anything at all.")
    assert (
        Names(["Bob"]).match_speaker("bob ")
        and not Names(["Bob"]).match_speaker("Bob Smith")
        and not Names(["Bob"]).match_speaker(None)
    )


def test_speech_of_the_anchor_counts_as_about_the_anchor() -> None:
    turns = ["Bob: I finally repaired the old piano of my aunt.", "Ann: Wow, Bob, that is really something to hear!"]
    text = "\n".join(turns)
    segments = [
        {"start": 0, "end": len(turns[0]), "kind": "message", "speaker": "Bob"},
        {"start": len(turns[0]) + 1, "end": len(text), "kind": "message", "speaker": "Ann"},
    ]
    texts = pl.DataFrame([{"source_id": "s", "text": text, "segments": segments}])
    library = Library(texts, enrichments([]), ["s"])
    (passage,) = library.passages(Source("s", "conversation", day(0)), Names(["Bob"]))
    assert passage.text == "I finally repaired the old piano of my aunt." and passage.about
    assert text[passage.start : passage.end] == passage.text


def test_sentences_about_the_listener_are_used_last() -> None:
    stated = "My new job at the harbour museum began on the first of May."
    addressed = "You must be so tired after the long night at the hospital with your son."

    def passages(said: str) -> list[str]:
        segment = {"start": 0, "end": len(said), "kind": "message", "speaker": "Bob"}
        texts = pl.DataFrame([{"source_id": "s", "text": said, "segments": [segment]}])
        library = Library(texts, enrichments([]), ["s"])
        return [p.text for p in library.passages(Source("s", "conversation", day(0)), Names(["Bob"]))]

    assert passages(f"{addressed} {stated}") == [stated]
    assert passages(addressed) == [addressed]
    assert passages(f"Sounds like an incredible trip through the mountains of Norway. {stated}") == [stated]
