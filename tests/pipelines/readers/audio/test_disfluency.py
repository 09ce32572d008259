"""Removal of disfluencies: what is removed, what is kept, and the times of the kept words."""

import pytest

from brain_pipelines.readers.audio.disfluency import without_disfluencies
from brain_pipelines.readers.audio.turns import speech_blocks
from brain_retrieval.models.speech.protocol import Transcript, Utterance, Word


def words(text: str, start: float = 0.0) -> tuple[Word, ...]:
    return tuple(Word(f" {w}", start + i, start + i + 0.5, 0.9) for i, w in enumerate(text.split()))


def cleaned(text: str, language: str | None = "en") -> str:
    return "".join(word.text for word in without_disfluencies(words(text), language)).strip()


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        ("Um, we should start.", "We should start."),
        ("We should, uh, start", "We should, start"),
        ("I I think so", "I think so"),
        ("I, I think so", "I think so"),
        ("we should we should ship it", "we should ship it"),
        ("the the the table", "the table"),
        ("It was, you know, late.", "It was, late."),
        ("Wha- what is it?", "What is it?"),
        ("It is done, um. Next one.", "It is done. Next one."),
        ("Um. Yes.", "Yes."),
        ("Uh um er", ""),
    ],
)
def test_disfluencies_are_removed(said: str, meant: str) -> None:
    assert cleaned(said) == meant


@pytest.mark.parametrize(
    "said",
    [
        "It is very, very good.",
        "No, no, no.",
        "Do you know, Bob?",
        "You know what I mean.",
        "He had had enough.",
        "It is what it is. It is late.",
        "He said I. I disagree.",
        "Bye bye",
        "A well-known re-run",
        "Mm-hmm.",
    ],
)
def test_intended_repetitions_are_kept(said: str) -> None:
    assert cleaned(said) == said


@pytest.mark.parametrize(
    ("language", "said", "meant"),
    [
        ("de", "Äh, ich ich komme, weißt du, am am Freitag.", "Ich komme, am Freitag."),
        ("es", "Eh, yo yo creo, o sea, que sí.", "Yo creo, que sí."),
        ("fr", "Euh, je je pense, tu vois, que oui.", "Je pense, que oui."),
        ("it", "Ehm, io io credo di sì.", "Io credo di sì."),
        ("pt", "Hum, eu eu acho que sim.", "Eu acho que sim."),
    ],
)
def test_disfluencies_of_other_languages(language: str, said: str, meant: str) -> None:
    assert cleaned(said, language) == meant


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("de", "Er ist um die Ecke, die Leute, die die Tür öffnen, und wir hoffen, dass sie sie sehen."),
        ("fr", "Nous nous levons tôt."),
        ("nl", "eh ik ik denk het"),
        (None, "um um"),
    ],
)
def test_what_a_language_repeats_and_languages_without_words_are_left_alone(language: str | None, said: str) -> None:
    assert cleaned(said, language) == said


def transcript(*utterances: tuple[str, str | None, float], language: str = "en") -> Transcript:
    made = []
    for text, speaker, start in utterances:
        own = words(text, start)
        made.append(Utterance(text, start, own[-1].end, own, speaker))
    return Transcript(language, tuple(made), 100.0, "test")


def test_turn_has_one_speaker_and_a_time_for_every_word() -> None:
    spoken = transcript(
        ("Um, hello Bob.", "Speaker 1", 0), ("How are you?", "Speaker 1", 3), ("I I am fine.", "Speaker 2", 6)
    )
    blocks = speech_blocks(spoken)
    assert [block.text for block in blocks] == ["Speaker 1: Hello Bob. How are you?", "Speaker 2: I am fine."]
    assert [(block.start_seconds, block.end_seconds) for block in blocks] == [(0, 5.5), (6, 9.5)]
    found = [(blocks[0].text[a.start : a.end], a.start_seconds) for a in blocks[0].anchors]
    assert found == [("Hello", 1.0), ("Bob.", 2.0), ("How", 3.0), ("are", 4.0), ("you?", 5.0)]
    assert [blocks[1].text[a.start : a.end] for a in blocks[1].anchors] == ["I", "am", "fine."]
    assert speech_blocks(spoken, clean=False)[0].text == "Speaker 1: Um, hello Bob. How are you?"


def test_single_speaker_has_no_label_and_pauses_end_a_turn() -> None:
    blocks = speech_blocks(
        transcript(("One two.", "Speaker 1", 0), ("Three.", "Speaker 1", 2), ("Four.", "Speaker 1", 20))
    )
    assert [block.text for block in blocks] == ["One two. Three.", "Four."]
    assert {block.speaker for block in blocks} == {"Speaker 1"}


def test_monologue_is_split_into_turns() -> None:
    long = transcript(*((f"This is sentence number {i}.", None, i * 5.0) for i in range(60)))
    blocks = speech_blocks(long)
    assert len(blocks) > 5
    assert all((b.end_seconds or 0) - (b.start_seconds or 0) <= 46 for b in blocks)


def test_chinese_has_no_spaces_and_utterance_without_word_times_has_one_anchor() -> None:
    chinese = Utterance("你好。", 1.0, 2.0, (Word("你", 1.0, 1.5, 1.0), Word("好。", 1.5, 2.0, 1.0)))
    (block,) = speech_blocks(Transcript("zh", (chinese, chinese), 4.0, "test"))
    assert block.text == "你好。你好。"
    (bare,) = speech_blocks(Transcript(None, (Utterance("no words known", 1.0, 2.0),), 4.0, "test"))
    assert [(a.start, a.end, a.start_seconds) for a in bare.anchors] == [(0, 14, 1.0)]
