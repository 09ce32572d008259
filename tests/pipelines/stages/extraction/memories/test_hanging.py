"""Sentences that are only understood with the one before them, or with what a text shows beside them."""

from dataclasses import replace

import pytest

from brain_pipelines.stages.extraction.memories.rewriting.hanging import hangs
from brain_pipelines.stages.extraction.memories.rewriting.rewriting import rewrite
from brain_pipelines.stages.extraction.memories.sentence import Name
from brain_pipelines.stages.extraction.memories.signals import read_signals
from tests.pipelines.stages.extraction.memories.reading import read_text
from tests.pipelines.stages.extraction.memories.sentences import sentence


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("en", "Also note that the kiln in Oban is broken."),
        ("de", "D.h. ich verkaufe den Ofen in Plön."),
        ("en", "Instead Ida had some thoughts about it."),
        ("en", "I glazed 4 bowls and did so again on Friday."),
        ("en", "The feature in question is the timer."),
        ("en", "Sadly the last two books that Ida lists say nothing."),
        ("de", "Dazu habe ich die Übungen von Ida ausprobiert."),
        ("de", "Lediglich Ida hat mich überzeugt."),
        ("de", "Ich habe dieses Werkzeug gekauft."),
        ("de", "Gestern hat er mir das Boot gezeigt."),
        ("de", "Ich sitze am Rechner und erreiche Ida über einen"),
        ("fr", "Et j'ai quitté Lyon en mai."),
        ("fr", "Voici donc ce que j'ai mis en place."),
        ("fr", "J'ai arrêté ce projet en mai."),
        ("fr", "J'y suis allé avec Ida."),
        ("es", "Además he vendido el barco."),
        ("es", "Compré este barco en Cádiz."),
        ("it", "Inoltre ho venduto la barca."),
        ("pt", "Em maio ele vendeu o barco."),
        ("it", "L'ho venduta a Ida per 500 euro."),
        ("fr", "Je l'ai vendue à Ida pour 500 euros."),
        ("pt", "Vendi-o a Ida por 500 euros."),
    ],
)
def test_a_sentence_hangs_on_another_one(language: str, text: str) -> None:
    assert hangs(sentence(text, language))


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("en", "Instead of tea I drink coffee now."),
        ("en", "Ida sold the kiln on Friday."),
        ("de", "Da ich weniger lese, habe ich diese Woche zwei Filme gesehen."),
        ("de", "Ich glaube daran, dass Ida das Boot kauft."),
        ("fr", "Il y a deux ans, j'ai vendu le bateau."),
        ("fr", "J'ai vendu le bateau cette année."),
        ("es", "Vendí el barco este verano."),
        ("pt", "Vendi o barco esta semana."),
        ("pt", "Mudei-me para o Porto em janeiro."),
        ("it", "La barca è vecchia e l'ho venduta."),
        ("fr", "Le four est mort et je l'ai vendu."),
    ],
)
def test_a_sentence_stands_by_itself(language: str, text: str) -> None:
    assert not hangs(sentence(text, language))


def test_a_pronoun_behind_the_name_of_a_person_means_that_person() -> None:
    said = sentence("Ida sagt, dass ihr Bruder kommt und ich ihn abhole.", "de")
    assert hangs(said)
    assert not hangs(replace(said, names=(Name(0, 3, "Ida", "Person"),)))


@pytest.mark.parametrize(("text", "whole"), [("I sold this kiln to Ida.", False), ("I sold the kiln this week.", True)])
def test_a_thing_that_is_shown_is_not_named(text: str, whole: bool) -> None:
    (said,) = read_text(text)
    assert rewrite(said, read_signals(said), ()).self_contained is whole


@pytest.mark.parametrize(
    ("text", "alone"),
    [
        ("Das Sommerfest ist am 3. Mai 2026 in Plön.", True),
        ("Dem Antrag von Ida wird am 3. Mai 2026 zugestimmt.", True),
        ("Das ist am 3. Mai 2026 in Plön.", False),
        ("Das hat Ida am 3. Mai 2026 in Plön gesagt.", False),
    ],
)
def test_an_article_before_a_noun_points_to_nothing(text: str, alone: bool) -> None:
    assert [rewrite(one, read_signals(one), ()).self_contained for one in read_text(text, language="de")] == [alone]
