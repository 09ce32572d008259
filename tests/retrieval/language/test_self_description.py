"""Sentences in which people say what stays true of themselves, and sentences that only look like it."""

import pytest

from brain_retrieval.language.self_description import describes_speaker, names_contact

SAID = """
I'm allergic to peanuts.
My name is Emily.
Hello, my name is Ken.
I really enjoy painting, playing piano and tea tasting.
I don't like cilantro.
I usually prefer window seats.
I'm a nurse at St. Mary's.
My wife's birthday is on 3 May.
My brother Tom lives in Leeds.
I have a dog named Max.
I've been working at Bosch since 2019.
I graduated with a degree in Business Administration.
The door code is 4471.
Please remember that I don't eat pork.
From now on, answer in French.
Ich heiße Mara und wohne in Graz.
Ich bin Vegetarierin.
Ich habe zwei Kinder.
Merk dir, dass die Müllabfuhr dienstags kommt.
Me llamo Lucía y vivo en Sevilla.
Soy alérgica a las nueces.
Tengo dos gatos.
Je m'appelle Paul et j'habite à Lyon.
J'adore le jazz.
J'ai deux enfants, Léa et Hugo.
Eu gosto de samba.
Moro em Recife.
Sou vegetariana.
Mi chiamo Luca.
Sono allergico alle noci.
Ho due figli.
""".strip().splitlines()

NOT_SAID = """
I like that idea.
I love it!
Do you like jazz?
I'm a bit confused today.
I would like to know more.
I like to hear that.
I love how you put it.
I'm working on it.
I have a small question to ask you.
The code is not ready.
The address is wrong.
The code is in the repository.
Note that this changes the interface.
I enjoyed the talk.
Those are all great suggestions.
Ich mag das.
Ich bin müde.
Me gusta la idea.
Soy consciente.
J'aime ça.
Je suis content.
Sono stanco.
Estou cansada.
""".strip().splitlines()


@pytest.mark.parametrize("text", SAID)
def test_what_stays_true_of_its_speaker(text: str) -> None:
    assert describes_speaker(text)


@pytest.mark.parametrize("text", NOT_SAID)
def test_what_is_of_the_moment(text: str) -> None:
    assert not describes_speaker(text)


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("Vet is Wanda at the mill.", True),
        ("Our new teacher is called Ms Ode.", True),
        ("the teacher is called away", False),
        ("The dentist is closed on Mondays.", False),
        ("Makler ist Herr Ott von der Sparkasse.", True),
        ("Il mio dentista si chiama Rossi.", True),
        ("Notre notaire est Mme Roy.", True),
        ("Directors are Ann and Bo.", False),
    ],
)
def test_a_person_that_one_deals_with_is_named(text: str, *, named: bool) -> None:
    assert names_contact(text) == named


@pytest.mark.parametrize(
    "text",
    [
        "Answer briefly.",
        "Please be shorter in future.",
        "Please no more tables.",
        "Never use emojis in a reply.",
        "In this repo always use yarn.",
        "Don't add comments again.",
        "Use metric units.",
        "Bitte keine Tabellen mehr.",
        "Antworte kurz.",
        "Responde brevemente.",
        "Réponds brièvement.",
        "Rispondi brevemente.",
        "Responda de forma breve.",
    ],
)
def test_how_an_assistant_is_to_answer_counts_where_it_is_told_so(text: str) -> None:
    assert describes_speaker(text, to_program=True)


@pytest.mark.parametrize("text", ["Keep it short.", "Never mind.", "Always good to see you.", "Answer the phone."])
def test_what_is_asked_for_once_is_no_instruction(text: str) -> None:
    assert not describes_speaker(text, to_program=True)
