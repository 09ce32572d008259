"""Which sentences a reader would want back, with the weights as shipped."""

import pytest

from brain_pipelines.stages.extraction.memories.selection import CONSTANT, features, keep_probability, weight_sets
from brain_pipelines.stages.extraction.memories.sentence import Sentence, Signals
from tests.pipelines.stages.extraction.local.documents import conversation
from tests.pipelines.stages.extraction.memories.reading import read

STATED = [
    "Salim borrowed 350 euros from me last Friday.",
    "My sister Ida works at the harbour office in Kiel.",
    "I sold the blue caravan to Mr Okafor in March.",
    "We finished the drainage behind the barn with Tomas.",
]
SAID = ["That sounds so lovely!", "Thanks a lot, Mira.", "How are you doing?", "It was really amazing.", "Let me know!"]
STATED_ELSEWHERE = {
    "de": "Meine Schwester Ida arbeitet seit 2021 bei der Hafenbehörde in Kiel.",
    "es": "Mi hermana Marta trabaja desde 2021 en el puerto de Vigo.",
    "fr": "Ma sœur Claire travaille depuis 2021 au port de Brest.",
    "it": "Mia sorella Giulia lavora dal 2021 al porto di Genova.",
    "pt": "A minha irmã Rita trabalha desde 2021 no porto de Aveiro.",
}
SAID_ELSEWHERE = {
    "de": "Oh ja, das klingt echt super!",
    "es": "¡Ay sí, eso suena genial!",
    "fr": "Oh oui, ça a l'air vraiment génial !",
    "it": "Oh sì, che bella cosa davvero!",
    "pt": "Ah sim, isso é mesmo fixe!",
}


def only(text: str, language: str = "en") -> Sentence:
    row = conversation([("Jonas", text), ("Mira", "Fine.")], language=language)
    return max((s for s in read(row) if s.speaker == "Jonas"), key=lambda s: len(s.text))


@pytest.mark.parametrize("text", STATED)
def test_what_is_stated_is_likely_to_be_wanted(text: str) -> None:
    assert keep_probability(only(text), Signals(), ()) > 0.6


@pytest.mark.parametrize("text", SAID)
def test_small_talk_is_not(text: str) -> None:
    assert keep_probability(only(text), Signals(), ()) < 0.1


@pytest.mark.parametrize("language", STATED_ELSEWHERE)
def test_other_languages_are_weighed_by_their_words(language: str) -> None:
    stated = keep_probability(only(STATED_ELSEWHERE[language], language), Signals(), ())
    said = keep_probability(only(SAID_ELSEWHERE[language], language), Signals(), ())
    assert said < 0.2 < 0.5 < stated


def test_an_answer_is_more_likely_than_the_same_sentence_unasked() -> None:
    row = conversation([("Mira", "What is your shoe size?"), ("Jonas", "It is 43.")])
    question, answer = read(row)
    assert keep_probability(answer, Signals(), [question]) > keep_probability(answer, Signals(), [])


def test_every_weight_is_of_a_feature() -> None:
    texts = [*STATED, *SAID, "Ida and I moved there in the spring, but she hates it and he doesn't."]
    known = {name for text in texts for name in features(only(text), Signals(), ())}
    assert {name for weights in weight_sets().values() for name in weights} - known <= {CONSTANT}
