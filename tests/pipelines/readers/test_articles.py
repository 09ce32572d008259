"""Press articles that someone has copied into a mail or a note, between their own words."""

import pytest

from brain_pipelines.readers.email.eml import read_message
from brain_pipelines.readers.email.mail_message import parse_mail
from brain_pipelines.readers.quoted import ARTICLE
from brain_pipelines.readers.quoted.articles import articles
from brain_pipelines.readers.quoted.press_lines import marks_of
from brain_retrieval.settings import Limits

BODY = {
    "en": """The city council voted on Tuesday to close the old swimming hall in Ashby at the end of the season,
after an engineer found cracks in the roof.

"The hall has served three generations," said Mayor Ellen Brandt. "It cannot be repaired for less than a new one."

Opponents announced a petition. The hall was opened in 1961 and is visited by 40,000 people a year, according to the
operator.""",
    "de": """Der Stadtrat hat am Dienstag beschlossen, das alte Hallenbad in Aschberg zum Ende der Saison zu
schließen. Ein Gutachter hatte Risse im Dach gefunden.

„Das Bad hat drei Generationen gedient“, sagte Bürgermeisterin Ellen Brandt. „Eine Sanierung ist teurer als ein Neubau.“

Gegner kündigten ein Bürgerbegehren an. Das Bad wurde 1961 eröffnet und zählt laut Betreiber 40.000 Gäste im Jahr.""",
    "fr": """Le conseil municipal a décidé mardi de fermer l'ancienne piscine d'Aubry à la fin de la saison, après la
découverte de fissures dans le toit par un expert.

« La piscine a servi trois générations », a déclaré la maire Hélène Brand. « Une réparation coûterait plus cher. »

Les opposants annoncent une pétition. Ouverte en 1961, elle accueille 40 000 personnes par an selon l'exploitant.""",
    "es": """El ayuntamiento decidió el martes cerrar la antigua piscina de Arbós al final de la temporada, después de
que un perito encontrara grietas en el techo.

«La piscina ha servido a tres generaciones», dijo la alcaldesa Elena Brando. «Repararla cuesta más que una nueva.»

Los opositores anunciaron una petición. Abierta en 1961, recibe 40.000 visitas al año según la empresa gestora.""",
    "pt": """A câmara decidiu na terça-feira fechar a antiga piscina de Aveleda no fim da época, depois de um perito ter
encontrado fendas no telhado do edifício.

"A piscina serviu três gerações", disse a presidente Helena Brandão. "Reparar custa mais do que construir outra."

Os opositores anunciaram uma petição. Aberta em 1961, recebe 40 mil visitas por ano, segundo a empresa gestora.""",
    "it": """Il consiglio comunale ha deciso martedì di chiudere la vecchia piscina di Arbora alla fine della
stagione, dopo che un perito aveva trovato crepe nel tetto.

«La piscina ha servito tre generazioni», ha detto la sindaca Elena Brandi. «Ripararla costa più di una nuova.»

Gli oppositori annunciano una petizione. Aperta nel 1961, accoglie 40.000 persone all'anno secondo il gestore.""",
}
HEADS = {
    "en": "Council to close swimming hall\nBy Craig D. Rosen\nSTAFF WRITER\n\nJune 6, 2001\nAshby Chronicle\nPage A4\n",
    "de": "Aus für das Hallenbad\nVon Markus Seidel\n\nAschberger Zeitung, 6. Juni 2001, Seite 3\n",
    "fr": "La piscine va fermer\nPar Jeanne Morel, envoyée spéciale\nOuest-France, 6 juin 2001\n",
    "es": "Cierra la piscina\nPor Marta Ruiz Sala\nEl País, 6 de junio de 2001\n",
    "pt": "Piscina vai fechar\nPor Rita Lopes\nDiário de Notícias, 6 de junho de 2001\n",
    "it": "La piscina chiude\ndi Marco Belli\nCorriere della Sera, 6 giugno 2001\n",
}
ABOVE = {
    "en": "Hi Tom,\n\nI swam there as a child. Our club meets about it on Friday, will you come?\n",
    "de": "Hallo Tom,\n\nich war als Kind oft dort. Unser Verein trifft sich am Freitag dazu, kommst du?\n",
    "fr": "Salut Tom,\n\nJ'y allais enfant. Notre club se réunit vendredi, tu viens ?\n",
    "es": "Hola Tom:\n\nYo iba de niña. Nuestro club se reúne el viernes, ¿vienes?\n",
    "pt": "Olá Tom,\n\nEu ia lá em criança. O nosso clube reúne na sexta-feira, vens?\n",
    "it": "Ciao Tom,\n\nIo ci andavo da bambina. Il nostro club si riunisce venerdì, vieni?\n",
}
BELOW = {
    "en": "What do you think? I can pick you up at six.\n\nAnna",
    "de": "Was meinst du, soll ich dich um sechs abholen?\n\nAnna",
    "fr": "Qu'en penses-tu ? Je passe te prendre à six heures.\n\nAnna",
    "es": "¿Tú qué piensas? Yo paso a las seis.\n\nAnna",
    "pt": "Tu que achas? Eu passo às seis.\n\nAnna",
    "it": "Tu cosa pensi? Io passo alle sei.\n\nAnna",
}
LANGUAGES = sorted(BODY)


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_sender_keeps_what_stands_above_and_below_an_article(language: str) -> None:
    head, body = HEADS[language], BODY[language]
    text = f"{ABOVE[language]}\n{head}\n{body}\n\n{BELOW[language]}\n"
    ((start, end),) = articles(text)
    assert text[start:end].strip() == f"{head}\n{body}"


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_message_without_the_marks_of_a_newspaper_stays_its_senders(language: str) -> None:
    assert articles(f"{ABOVE[language]}\n{BODY[language]}\n\n{BELOW[language]}\n") == []


@pytest.mark.parametrize(
    ("line", "marks"),
    [
        ("Copyright 2001 The Washington Post Co. All Rights Reserved", {"rights"}),
        ("(Copyright (c) 2000, Dow Jones & Company, Inc.)", {"rights"}),
        ("SAN FRANCISCO, Feb 2 (Reuters) - Gov. Gray Davis on Friday blocked the exchange", {"wire"}),
        ("Berlin (dpa) - Die Bundesregierung will das Gesetz noch im Mai ändern", {"wire"}),
        ("HOUSTON, July 31 /PRNewswire/ -- Duke Energy today offered", {"wire"}),
        ("BY PEGGY NOONAN", {"byline"}),
        ("By Carrie Peyton and Dale Kasler", {"byline"}),
        ("Von Hans Müller", {"byline"}),
        ("The Wall Street Journal, 05/22/01", {"outlet", "day"}),
        ("Home Edition, Page C-1, 834 words", {"pages"}),
        ("By the way, Sue has called", set()),
        ("Von mir aus gern", set()),
        ("I read it in the Times on 3 May", set()),
        ("Copyright is a difficult matter", set()),
        ("See you at the Post office", set()),
    ],
)
def test_marks_of_a_line(line: str, marks: set[str]) -> None:
    assert marks_of(line) == marks


def test_minutes_with_their_writer_and_day_are_no_article() -> None:
    minutes = (
        "Minutes of the garden club\nBy Anna Lee\n3 May 2026\n\n"
        + 12 * "The hedge is cut in June. Tom buys two rakes.\n"
    )
    assert articles(minutes) == []


def test_a_cv_with_names_of_newspapers_is_no_article() -> None:
    lines = [f"Editor at the Ashby Times, 20{year}-20{year + 1}, head of three people." for year in range(10, 24)]
    assert articles("\n\n".join(lines)) == []


def test_a_notice_of_rights_below_text_that_reports_nothing_is_no_article() -> None:
    own = "The new pump runs. It has cost 300 euros and needs oil every month.\n\n"
    assert articles(10 * own + "Copyright 2026 Ashby Garden Ltd. All rights reserved.") == []


def test_paragraphs_that_report_what_others_said_are_an_article_without_any_mark() -> None:
    report = "\n\n".join(
        f'The mayor of {town} said on Monday that the county pays too little for its roads and bridges. "Nobody can '
        f'wait for another five years," she told reporters, and {count} drivers signed a letter to the governor.'
        for town, count in zip(
            ("Hull", "York", "Leeds", "Ripon", "Selby", "Goole", "Malton", "Filey"), range(300, 1100, 100), strict=True
        )
    )
    text = f"Tom, see below, we should answer.\n\n{report}\n"
    ((start, end),) = articles(text, unmarked=True)
    assert text[start:end].strip() == report
    assert articles(text) == []


def test_an_opinion_in_the_first_person_is_one_article() -> None:
    body = "\n\n".join(
        f"Last year I moved to town {n}, and I saw how our streets decay. You would not believe it." for n in range(8)
    )
    text = f"FYI\n\nThe State of Our Streets\nBy Ann Lee\nThe Ashby Times\nAugust 7, 2000\n\n{body}"
    ((_, end),) = articles(text)
    assert end == len(text)


def mail(text: str) -> list[tuple[str, str | None, str]]:
    head = "From: Anna Lee <anna@example.org>\nTo: tom@example.org\nSubject: The hall\n"
    head += "Date: Wed, 6 Jun 2001 10:00:00 +0000\n"
    found = read_message(
        parse_mail(f"{head}Content-Type: text/plain; charset=utf-8\n\n{text}".encode(), Limits()), Limits(), "eml"
    )
    return [(block.kind, block.speaker, block.text) for block in found.blocks]


def test_a_mail_gives_an_article_a_block_without_speaker() -> None:
    head, body = HEADS["en"], BODY["en"]
    assert mail(f"{ABOVE['en']}\n{head}\n{body}\n\nWhat do you think? I can pick you up at six.\n") == [
        ("message", "Anna Lee", ABOVE["en"].strip()),
        (ARTICLE, None, f"{head}\n{body}"),
        ("message", "Anna Lee", "What do you think? I can pick you up at six."),
    ]


def test_an_article_in_a_forwarded_mail_is_not_its_senders() -> None:
    head = "-----Original Message-----\nFrom: Bo Berg\nSent: 5 June 2001\nTo: Anna Lee\nSubject: hall\n\n"
    text = f"See below.\n\n{head}It closes.\n\n{HEADS['de']}\n{BODY['de']}\n"
    kinds = [(kind, who) for kind, who, _ in mail(text)]
    assert kinds == [("message", "Anna Lee"), ("message", "Bo Berg"), (ARTICLE, None)]
