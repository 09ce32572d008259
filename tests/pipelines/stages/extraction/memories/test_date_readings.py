"""Which day a date without its year, a weekday or a range means, in six languages, and what is no date."""

from dataclasses import replace

import pytest

from brain_pipelines.stages.extraction.memories.signals import read_signals
from tests.pipelines.stages.extraction.memories.reading import read_text
from tests.pipelines.stages.extraction.memories.sentences import SAID, sentence


def days_of(text: str, language: str = "en") -> list[str]:
    """Return the days of a sentence said on 18 June 2025, a Wednesday; an English one is parsed."""
    found = [replace(one, said_on=SAID) for one in read_text(text)] if language == "en" else [sentence(text, language)]
    return [each.iso for one in found for each in read_signals(one).dates]


@pytest.mark.parametrize(
    ("language", "text", "days"),
    [
        # The verb of the date's own clause decides.
        ("en", "I'm training for a triathlon on August 24th and I've recently completed a run.", ["2025-08-24"]),
        (
            "en",
            "Gas rose after regulators met in January, and the house will be sold in August.",
            ["2025-01", "2025-08"],
        ),
        ("en", "I remember getting it serviced on February 10th.", ["2025-02-10"]),
        ("en", "The revenues of March could be a problem for the owner.", ["2025-03"]),
        ("en", "I bought it because the shop closes in October.", ["2025-10"]),
        ("en", "Corley Baths agreed, 900 pounds a month, opens on 2 December.", ["2025-12-02"]),
        ("en", "Ann signed on 2 December, it is a good deal.", ["2024-12-02"]),
        ("en", "It is a magazine which I subscribed to in early February.", ["2025-02"]),
        ("en", "He is asking them to extend the April 26 order to the west.", ["2025-04-26"]),
        ("en", "Please note that I shall not be in the office on 17 June.", ["2025-06-17"]),
        ("de", "Der Sänger, der Ende August verstorben ist, war jung.", ["2024-08"]),
        ("es", "En el mes de enero tendré que hacer la mudanza.", ["2026-01"]),
        ("en", "Ann announced the July party.", ["2025-07"]),
        ("en", "He got more votes in the November election.", ["2024-11"]),
        ("en", "Ann landed there Monday night.", ["2025-06-16"]),
        # A season that something is for is the nearest one, whatever the tense.
        ("en", "Sold two ducks, five geese left for the autumn.", ["2025-09-01/2025-11-30"]),
        ("en", "We stacked the wood for the winter.", ["2025-12-01/2026-02-28"]),
        ("en", "They rented a boat for the spring.", ["2025-03-01/2025-05-31"]),
        ("en", "We have booked the hut for August.", ["2025-08"]),
        ("en", "We booked it for the last week of August.", ["2025-08"]),
        ("en", "They approved the accounts for March.", ["2025-03"]),
        # What is backdated counts from a day that has been.
        ("en", "Her allowance is 90 pounds a week, backdated to 14 September.", ["2024-09-14"]),
        ("de", "Die Zulage kommt rückwirkend zum 14. September.", ["2024-09-14"]),
        ("es", "La ayuda llega con efecto retroactivo desde el 14 de septiembre.", ["2024-09-14"]),
        # A blood pressure is no day.
        ("fr", "Ma tension est trop haute, 15/9.", []),
        ("pt", "A tensão está alta, 17/10.", []),
        ("fr", "Ma tension est trop haute, rendez-vous le 15/9.", ["2025-09-15"]),
        # Without a verb the nearest one is meant.
        ("en", "26th Jan Complaint of noise from the silo conveyors.", ["2025-01-26"]),
        ("en", "Mrs Smith, expenses of the quarter to end of March, 49 pounds.", ["2025-03"]),
        ("de", "Protokoll der Sitzung vom 7. März.", ["2025-03-07"]),
        ("fr", "Bilan du mois de mars.", ["2025-03"]),
        ("es", "Acta de la reunión del 7 de marzo.", ["2025-03-07"]),
        ("it", "Verbale della riunione del 7 marzo.", ["2025-03-07"]),
        ("pt", "Ata da reunião de 7 de março.", ["2025-03-07"]),
        # A date behind what it is of is not that of the verb of another part.
        ("en", "I got the job in Hull, start 1 Sept", ["2025-09-01"]),
        ("en", "Key day 29 August, they have all signed", ["2025-08-29"]),
        ("de", "Wohnung zugesagt, Einzug 1. September", ["2025-09-01"]),
        ("fr", "J'ai eu le poste, début 1er septembre", ["2025-09-01"]),
        ("it", "Ho avuto il posto, inizio 1 settembre", ["2025-09-01"]),
        # "Da" is since or from; what is moved from one day to another is near, whatever its participle says.
        ("it", "Affitto 650 da ottobre", ["2025-10"]),
        ("it", "Lavoro in banca da marzo", ["2025-03"]),
        ("it", "Lavorava qui da luglio", ["2024-07"]),
        ("it", "L'esame è stato spostato dal 25 luglio al 9 settembre", ["2025-07-25", "2025-09-09"]),
        # "A fine aprile" is at, or to, its end.
        ("it", "Greta è andata via a fine aprile", ["2025-04"]),
        ("it", "La festa è spostata a fine luglio", ["2025-07"]),
        ("es", "Se mudó a finales de abril", ["2025-04"]),
        # What is got, or settled, is to come, also where that is some months away.
        ("en", "We got tickets for 3 October!", ["2025-10-03"]),
        ("en", "I've signed up for the Hull 10k on 30 November.", ["2025-11-30"]),
        ("en", "I registered for the course on 3 June.", ["2025-06-03"]),
        ("de", "Ich habe mich für den Lauf am 30. November angemeldet.", ["2025-11-30"]),
        ("fr", "Je me suis inscrit à la course du 30 novembre.", ["2025-11-30"]),
        ("en", "They have approved 4 to 15 February.", ["2026-02-04", "2026-02-15"]),
        ("en", "They approved it on 10 April.", ["2025-04-10"]),
        ("en", "I handed my notice in, last day 3 October", ["2025-10-03"]),
        ("en", "They have let Bo go, last day was Friday", ["2025-06-13"]),
        ("de", "Zahnarzt am 9.7. abgesagt, neuer Termin 13.8. um 8:30", ["2025-07-09", "2025-08-13"]),
        ("pt", "Marquei o dentista para dia 8 de setembro", ["2025-09-08"]),
        # What has happened is not of the year of what comes next.
        ("en", "The test was passed on 3 June, next one June 2026", ["2025-06-03", "2026-06"]),
        # What is arranged is still to come, what was arranged then is not.
        ("de", "Die Messe am 9. September ist gesetzt", ["2025-09-09"]),
        ("it", "La fiera del 9 settembre è confermata", ["2025-09-09"]),
        ("de", "Der Preis wurde am 9. September gesetzt", ["2024-09-09"]),
        ("en", "March probably, the 13th if the barn is free", ["2026-03"]),
        ("de", "Wahrscheinlich März", ["2026-03"]),
        ("pt", "Provavelmente em março", ["2026-03"]),
        ("de", "Vermutlich war es im März", ["2025-03"]),
        # Forms of the past and of what may be.
        ("de", "Anfang August stand die Eröffnung der neuen Leinwand an.", ["2024-08"]),
        ("de", "Der 9. August sah den Beginn meines Unterrichts.", ["2024-08-09"]),
        ("de", "Das Fest könnte am 3. Mai stattfinden.", ["2026-05-03"]),
        ("fr", "Le festival pourrait avoir lieu le 3 mai.", ["2026-05-03"]),
        ("es", "La fiesta podría celebrarse el 3 de mayo.", ["2026-05-03"]),
        ("it", "La festa potrebbe essere il 3 maggio.", ["2026-05-03"]),
        ("pt", "A festa poderia ser no dia 3 de maio.", ["2026-05-03"]),
        # What leads to a date says whether it is to come.
        ("en", "Meeting held last Friday, next meeting Aug 23rd", ["2025-06-13", "2025-08-23"]),
        (
            "en",
            "The laptop arrived on June 10th after the expected arrival date of May 30th.",
            ["2025-06-10", "2025-05-30"],
        ),
        ("en", "It was lower than expected in February.", ["2025-02"]),
        ("de", "Nächste Sitzung: 4. November.", ["2025-11-04"]),
        ("fr", "Le départ est envisagé pour le 12 septembre.", ["2025-09-12"]),
        ("es", "Próxima reunión: 4 de noviembre.", ["2025-11-04"]),
        ("it", "Prossima riunione: 4 novembre.", ["2025-11-04"]),
        ("pt", "Próxima reunião: 4 de novembro.", ["2025-11-04"]),
    ],
)
def test_the_year_of_a_day_or_month(language: str, text: str, days: list[str]) -> None:
    assert days_of(text, language) == days


@pytest.mark.parametrize(
    ("language", "text", "days"),
    [
        ("en", "The office closes on 3 May last year.", ["2024-05-03", "2024"]),
        ("en", "The party is next June 3 in Rome.", ["2026-06-03"]),
        ("en", "We opened it on November 28th, so about seven months ago.", ["2024-11-28", "2024-11"]),
        ("en", "We released it by accident on June 6th, so about twelve days ago.", ["2025-06-06", "2025-06-06"]),
        ("de", "Am 3. September letzten Jahres eröffnet der Laden.", ["2024-09-03", "2024"]),
        ("de", "Der Umzug am kommenden 3. Mai ist geplant.", ["2026-05-03"]),
        ("de", "Die Sache vom letzten Oktober ist offen.", ["2024-10"]),
        ("fr", "Rupture conventionnelle, départ au 31 août dernier.", ["2024-08-31"]),
        ("fr", "Les artistes sont disponibles le 3 mai prochain.", ["2026-05-03"]),
        ("es", "La reunión del 31 de agosto pasado está resumida.", ["2024-08-31"]),
        ("es", "El próximo 3 de mayo es la boda.", ["2026-05-03"]),
        ("it", "La riunione del 31 agosto scorso è qui.", ["2024-08-31"]),
        ("it", "Il 3 maggio prossimo c'è la festa.", ["2026-05-03"]),
        ("pt", "A reunião de 31 de agosto passado está aqui.", ["2024-08-31"]),
        ("pt", "No próximo 3 de maio é a festa.", ["2026-05-03"]),
    ],
)
def test_words_beside_a_day_decide_its_year(language: str, text: str, days: list[str]) -> None:
    assert days_of(text, language) == days


@pytest.mark.parametrize(
    ("language", "text", "days"),
    [
        ("en", "Ida told us she was moving to Oban in October.", ["2025-10"]),
        ("en", "Bo said that he was leaving in March.", ["2025-03"]),
        ("en", "Ida told us she was living in Oban in October.", ["2024-10"]),
        ("fr", "Bo a annoncé qu'il partait vivre à Gand en octobre.", ["2025-10"]),
        ("es", "Ida nos dijo que se mudaba a León en octubre.", ["2025-10"]),
        ("it", "Ida ci ha detto che partiva per Roma a ottobre.", ["2025-10"]),
        ("pt", "A Ida disse que ia para Braga em outubro.", ["2025-10"]),
    ],
)
def test_what_somebody_was_said_to_be_going_to_do_may_be_to_come(language: str, text: str, days: list[str]) -> None:
    assert days_of(text, language) == days


@pytest.mark.parametrize(
    ("text", "days"),
    [
        ("The cost rose during the last quarter of 2001.", ["2001-10-01/2001-12-31"]),
        ("Trading grew a hundredfold from 1996 to 2000.", ["1996", "2000"]),
        ("It rains in the last week of July.", ["2025-07"]),
        ("Discussion around 2024 OpenJS World event - June 7", ["2024", "2024-06-07"]),
        ("The decisions are postponed till late August - early September.", ["2025-08", "2025-09"]),
        ("The festival is 1 to 4 January in the meadow.", ["2026-01-01", "2026-01-04"]),
        ("The festival was from 12 May to 14 May in the meadow.", ["2025-05-12", "2025-05-14"]),
        ("Ann has handed in her notice, her last day at Lumen is 30 July.", ["2025-07-30"]),
        ("The stand is there on 20 December and 5 January.", ["2025-12-20", "2026-01-05"]),
        ("The value is based on prices as of Friday, June 12.", ["2025-06-12"]),  # it was a Thursday
    ],
)
def test_a_year_that_is_stated_or_shared(text: str, days: list[str]) -> None:
    assert days_of(text) == days


@pytest.mark.parametrize(
    ("language", "text", "days"),
    [
        ("en", "Following up on our conversation Friday, we have advised the office.", ["2025-06-13"]),
        ("en", "Finish the deployment document, and set up a meeting for it on Thursday.", ["2025-06-19"]),
        ("en", "We stayed in Ohio through Monday to see the sun.", ["2025-06-16"]),
        ("en", "The deadline was moved to Monday.", ["2025-06-23"]),
        ("en", "The retreat ran Sunday to Tuesday.", ["2025-06-15", "2025-06-17"]),
        ("en", "Greg is here for dinner Thursday night, August 14, at Stanford.", ["2025-08-14", "2025-08-14"]),
        (
            "en",
            "The dates are set, December 8 and 9 (Monday and Tuesday).",
            ["2025-12-08", "2025-12-09", "2025-12-08", "2025-12-09"],
        ),
        ("en", "16th May Noise from the mill on Sunday.", ["2025-05-16", "2025-05-11"]),
        ("en", "29th May Very noisy on Tuesday 27th, doors left open.", ["2025-05-29", "2025-05-27"]),
        ("es", "El pasado miércoles 11 se reunió el grupo.", ["2025-06-11"]),
        ("de", "Am letzten Mittwoch, dem 11., traf sich die Gruppe.", ["2025-06-11"]),
        ("fr", "Le mercredi 11 le groupe s'est réuni.", ["2025-06-11"]),
        ("it", "Lo scorso mercoledì 11 il gruppo si è riunito.", ["2025-06-11"]),
        ("pt", "Na passada quarta-feira 11 o grupo reuniu.", ["2025-06-11"]),
    ],
)
def test_weekdays(language: str, text: str, days: list[str]) -> None:
    assert days_of(text, language) == days


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("en", "This may include a committee for the values."),
        ("en", "May need additional requirements to disclose the owner."),
        ("en", "It feels like just yesterday that I put this dress on."),
        ("en", "Our calendar begins on Monday."),
        ("en", "The fall is Grace's favorite season by far."),
        ("en", "The weather is much nicer in the fall."),
        ("en", "I can never take vacation in the summer."),
        ("de", "Die Woche beginnt am Montag."),
        ("de", "Es kommt mir vor, als wäre es gestern."),
        ("de", "Das Büro liegt am Platz des 3. Oktober."),
        ("fr", "Sept modifications du texte sont proposées."),
        ("en", "Ann rode through Tomorrow Land with Bo."),
        ("en", "Bo works for Ireland Today Radio."),
        ("fr", "C'est comme si c'était hier."),
        ("fr", "La semaine commence le lundi."),
        ("fr", "Elle habite rue du 8 mai."),
        ("es", "Tomamos un café por la mañana en casa."),
        ("es", "Una luminosa mañana de septiembre de 1693."),
        ("es", "Es como si fuera ayer."),
        ("es", "La semana empieza el lunes."),
        ("es", "La reunión es en la calle 25 de Mayo."),
        ("it", "È come se fosse ieri."),
        ("it", "La settimana inizia di lunedì."),
        ("it", "Abita in via 25 aprile."),
        ("pt", "É como se fosse ontem."),
        ("pt", "A semana começa na segunda-feira."),
        ("pt", "Mora na rua 25 de abril."),
        # A day that recurs.
        ("en", "The riders meet on the last Wednesday of each month at the square."),
        ("en", "Ann pays the insurance on 3 May every year."),
        ("de", "Der Verein trifft sich am letzten Mittwoch jeden Monats in Jena."),
        ("fr", "Le club se réunit le dernier mercredi de chaque mois à Lyon."),
        ("es", "La marcha tiene lugar el último miércoles de cada mes en la plaza."),
        ("pt", "O clube paga a renda no dia 3 de maio de cada ano."),
        ("it", "I soci pagano la quota entro il 30 settembre di ogni anno."),
    ],
)
def test_what_is_no_date(language: str, text: str) -> None:
    assert not [day for day in days_of(text, language) if not day.startswith("1693")]


@pytest.mark.parametrize(
    ("language", "text", "days"),
    [
        ("en", "The shop closed in May.", ["2025-05"]),
        ("en", "We will start in the fall.", ["2025-09-01/2025-11-30"]),
        ("en", "The next one is in mid summer.", ["2025-06-01/2025-08-31"]),
        ("en", "I met Ann yesterday.", ["2025-06-17"]),
        ("en", "The package is built like it was three days ago.", ["2025-06-15"]),
        ("es", "Nos vemos mañana por la mañana.", ["2025-06-19"]),
        ("es", "La reunión de mañana es en casa.", ["2025-06-19"]),
        ("fr", "Le projet a commencé en sept.", ["2024-09"]),
        ("de", "Der Kurs beginnt am Montag.", ["2025-06-23"]),
    ],
)
def test_what_stays_a_date(language: str, text: str, days: list[str]) -> None:
    assert days_of(text, language) == days


@pytest.mark.parametrize(
    ("language", "text", "days"),
    [
        ("en", "The boiler is serviced every November.", []),
        ("en", "Every year in July we go to Jena.", []),
        ("en", "The rent is 800 every month until August.", ["2025-08"]),
        ("de", "Jedes Jahr im Juli fahren wir nach Jena.", []),
        ("de", "Jeden Monat ab August zahle ich 20 Euro.", ["2025-08"]),
        ("es", "Todos los años en julio vamos a Cádiz.", []),
        ("fr", "Tous les ans en août on va en Bretagne.", []),
        ("en", "Our anniversary is on the 2nd Sunday of August.", ["2025-08"]),
        ("de", "Am zweiten Sonntag im August grillen wir.", ["2025-08"]),
    ],
)
def test_a_month_of_every_year_and_one_of_several_weekdays_are_no_date(
    language: str, text: str, days: list[str]
) -> None:
    assert days_of(text, language) == days


@pytest.mark.parametrize(
    ("language", "text", "days"),
    [
        ("de", "Lea hat gekündigt und fängt am 1.9. bei den Werken an.", ["2025-09-01"]),
        ("de", "Lea hat gekündigt und ist am 1.9. ausgezogen.", ["2024-09-01"]),
        ("fr", "Léa a démissionné et commence le 1er septembre chez Ravoro.", ["2025-09-01"]),
        ("es", "Lea dejó el trabajo y empieza el 1 de septiembre en Ravoro.", ["2025-09-01"]),
        ("it", "Lea ha lasciato il lavoro e comincia il 1 settembre da Ravoro.", ["2025-09-01"]),
        ("pt", "A Lea despediu-se e começa a 1 de setembro na Ravoro.", ["2025-09-01"]),
    ],
)
def test_the_verb_of_its_own_clause_says_when_a_day_is(language: str, text: str, days: list[str]) -> None:
    assert days_of(text, language) == days
