"""What the words of a sentence state, in six languages, and that no text takes long to read."""

import time
from datetime import date, timedelta

import pytest

from brain_pipelines.stages.extraction.memories.clauses import clauses_of
from brain_pipelines.stages.extraction.memories.signals import read_signals
from tests.pipelines.stages.extraction.memories.reading import read_text
from tests.pipelines.stages.extraction.memories.sentences import sentence


@pytest.mark.parametrize(
    ("language", "text", "begins", "ends"),
    [
        ("en", "Hugo left the aquarium on 31 March.", date(2025, 3, 31), None),
        ("en", "The bakery closes on 31 July.", date(2025, 7, 31), None),
        ("en", "Farid is our temp until 30 August.", None, date(2025, 8, 31)),
        ("en", "Mei is in Turin from 1 September 2025 to 28 February 2026.", date(2025, 9, 1), date(2026, 3, 1)),
        ("en", "The concert is on 17 July.", None, None),
        ("en", "The meeting was moved to 30 June.", None, None),
        ("de", "Die Miete beträgt ab 1. November 870 Euro.", date(2025, 11, 1), None),
        ("de", "Er wohnt seit März in Bonn.", date(2025, 3, 1), None),
        ("es", "Trabajo en la librería desde enero.", date(2025, 1, 1), None),
        ("es", "El piso es suyo hasta el 3 de julio.", None, date(2025, 7, 4)),
        ("fr", "Il est à Nantes du 3 juillet au 5 août 2025.", date(2025, 7, 3), date(2025, 8, 6)),
        ("pt", "Moro aqui desde 2020.", date(2020, 1, 1), None),
        ("it", "Lavora qui dal 3 maggio 2024.", date(2024, 5, 3), None),
        # Of the time that goes on it is not said since which day.
        ("fr", "Cette année le judo est le jeudi.", None, None),
    ],
)
def test_validity(language: str, text: str, begins: date | None, ends: date | None) -> None:
    signals = read_signals(sentence(text, language))
    assert (signals.effective_from, signals.valid_to) == (begins, ends)


@pytest.mark.parametrize(
    ("language", "text", "day"),
    [
        ("en", "Priya booked the lab for Friday, 27 June.", "2025-06-27"),
        ("en", "Priya booked the lab for 2 July.", "2025-07-02"),
        ("en", "We met on Thursday, 10 July.", "2025-07-10"),  # the weekday is of this year: no day of the past
        ("en", "We married on 10 July.", "2024-07-10"),
        ("en", "Everybody knows the result of the test of 2 June.", "2025-06-02"),
        ("en", "The concert will be on 2 June.", "2026-06-02"),
        ("de", "Sie hat den Saal für den 2. Juli gebucht.", "2025-07-02"),
        ("fr", "Elle a réservé la salle pour le 2 juillet.", "2025-07-02"),
        ("es", "Reservó la sala para el viernes, 27 de junio.", "2025-06-27"),
        ("de", "Im August ist leider unser Hund Billy verstorben.", "2024-08"),
        ("de", "Im August ist hier nichts zu vergeben.", "2025-08"),
        ("de", "Leon telefoniert am 20.06. mit dem Verein.", "2025-06-20"),  # no form of the past
        ("de", "Der Termin ist am Freitag, 11.07.25 um zehn.", "2025-07-11"),
        ("de", "Anna bringt am Montag die Liste.", "2025-06-23"),  # "Liste" is no verb
        ("es", "Nos vemos el domingo 29/06 en casa.", "2025-06-29"),
        ("en", "We agreed to rent the hall on 3 October.", "2025-10-03"),
        ("en", "No, we got an extension because of the flu, 12 July", "2025-07-12"),
        ("en", "Called, they have put me on 12 July 11:00", "2025-07-12"),
        ("en", "I am leaving the day after tomorrow evening.", "2025-06-20"),
        ("en", "She came the day before yesterday.", "2025-06-16"),
        ("de", "Ich nehme übermorgen die Fähre.", "2025-06-20"),
        ("fr", "Elle est venue avant-hier.", "2025-06-16"),
        ("es", "Salimos pasado mañana.", "2025-06-20"),
        ("pt", "Chegou anteontem.", "2025-06-16"),
        ("fr", "Ida, qui remplaçait Noé, part le 25 juin.", "2025-06-25"),  # a week ahead, whatever was before
    ],
)
def test_a_day_without_its_year(language: str, text: str, day: str) -> None:
    found = sentence(text, language)
    assert [each.iso for each in read_signals(found).dates] == [day]


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("en", "We landed in Madrid on a Tuesday morning."),
        ("en", "The office closes early every Friday."),
        ("de", "Sie kam an einem Montag."),
        ("de", "Ich habe den ganzen Morgen gelesen."),
        ("fr", "Elles se réunissent un mercredi."),
        ("es", "Llegamos un lunes."),
    ],
)
def test_some_day_is_no_date(language: str, text: str) -> None:
    assert not read_signals(sentence(text, language)).dates


def test_a_season_in_a_name_is_no_date() -> None:
    (line,) = read_text("I finished the Spring Sprint Triathlon with Ann.")
    assert not read_signals(line).dates


def test_an_adjective_may_stand_before_some_day() -> None:
    (line,) = read_text("We landed in Madrid on a cold Tuesday morning.")
    assert not read_signals(line).dates


@pytest.mark.parametrize(
    ("language", "text", "days"),
    [
        ("en", "In October 2019, in November, the group met.", ["2019-10", "2019-11"]),
        ("fr", "Les changements codés entre mai et octobre 2021.", ["2021-05", "2021-10"]),
        ("de", "Vom November bis Februar 2021 war zu.", ["2020-11", "2021-02"]),
        ("en", "In 2019 we moved to Jena, and the new school opened in May.", ["2019", "2025-05"]),
    ],
)
def test_a_date_has_the_year_of_the_one_beside_it(language: str, text: str, days: list[str]) -> None:
    assert [each.iso for each in read_signals(sentence(text, language)).dates] == days


@pytest.mark.parametrize(
    ("language", "text", "days"),
    [
        ("it", "Linux Day 2014 a Torino, sabato 25 Ottobre.", ["2014-10-25"]),
        ("en", "PyCon 2016 took place on 3 May in Portland.", ["2016-05-03"]),
        ("de", "Das Stadtfest 2023 war am 12. Mai.", ["2023-05-12"]),
        ("fr", "Le Salon 2026 ouvre le 4 juillet.", ["2026-07-04"]),
        ("en", "Office 2019 was installed on 3 May.", ["2025-05-03"]),
        ("en", "The Peugeot 2008 gets new tyres on 3 July.", ["2025-07-03"]),
        ("en", "The Blade Festival 2049 is shown on 3 July.", ["2025-07-03"]),
        ("en", "Festival 2019 and Festival 2020 began on 3 May.", ["2025-05-03"]),
    ],
)
def test_a_day_of_an_event_is_in_the_year_of_its_name(language: str, text: str, days: list[str]) -> None:
    assert [each.iso for each in read_signals(sentence(text, language)).dates] == days


def test_a_participle_beside_a_verb_of_the_present_is_no_past() -> None:
    (plan,) = read_text("The release is scheduled for around August.")
    (left,) = read_text("Ida left for Rome in August.")
    said = plan.said_on.year
    assert [read_signals(one).dates[0].iso for one in (plan, left)] == [f"{said}-08", f"{said - 1}-08"]


@pytest.mark.parametrize("text", ["Der Server läuft mit Version 4.2.", "Wir nutzen Python 3.11.", "Siehe Kapitel 3.1."])
def test_a_version_at_the_end_of_a_sentence_is_no_day(text: str) -> None:
    assert not read_signals(sentence(text, "de")).dates


@pytest.mark.parametrize(
    ("language", "text", "expected"),
    [
        ("en", "Rent is 1,150 francs a month.", {("CHF/month", "1150")}),
        (
            "en",
            "Ferritin is 31 ng/ml, 14.2 kg, 3.4 percent.",
            {("ng/ml", "31"), ("kg", "14.2"), ("%", "3.4")},
        ),
        ("en", "Version 2.3 runs in room 204.", {("version", "2.3"), ("room", "204")}),
        ("en", "I drink four cups of coffee.", {("cup", "4")}),
        ("en", "He approves changes of more than 5,000 euros.", {("EUR limit", "5000")}),
        ("de", "Er zahlt höchstens 900 Euro im Monat.", {("EUR/monat limit", "900")}),
        ("en", "They climbed to second place at 9:00.", {("rank", "2"), ("time", "9:00")}),
        ("de", "31 Cent pro Kilowattstunde, um 19 Uhr.", {("cent/kWh", "31"), ("time", "19:00")}),
        ("fr", "Elle vaut 1 900 euros.", {("EUR", "1900")}),
        ("es", "Sube a 760 euros al mes.", {("EUR/mes", "760")}),
        ("it", "Costa 6.500 euro.", {("EUR", "6500")}),
        ("pt", "Pesa 3,5 quilos.", {("kg", "3.5")}),
    ],
)
def test_values(language: str, text: str, expected: set[tuple[str, str]]) -> None:
    values = read_signals(sentence(text, language)).values
    assert {(value.dimension, value.value) for value in values} == expected
    assert all(text[value.start : value.end].strip() for value in values)


@pytest.mark.parametrize(
    ("language", "text", "cue"),
    [
        ("en", "Ravi is no longer vegetarian.", "strong"),
        ("en", "I don't drink coffee any more.", "strong"),
        ("en", "Tomasz leads the team now.", "weak"),
        ("en", "Tomasz still leads the team now.", "none"),
        ("en", "The box is blue.", "none"),
        ("en", "Sheffield Transformed is a festival of left-wing politics.", "none"),
        ("de", "Er trinkt keinen Kaffee mehr.", "strong"),
        ("de", "Sie wohnt jetzt in Bonn.", "weak"),
        ("es", "Ya no trabaja aquí.", "strong"),
        ("fr", "Elle ne mange plus de viande.", "strong"),
        ("pt", "Ele já não mora aqui.", "strong"),
        ("it", "Non lavora più qui.", "strong"),
        ("en", "We get a discount for Performance.Now() next year.", "none"),
        ("nl", "Het now left raise bestaat niet.", "none"),  # English words in a language without a list
    ],
)
def test_cue(language: str, text: str, cue: str) -> None:
    assert read_signals(sentence(text, language)).cue == cue


@pytest.mark.parametrize(
    ("language", "text", "modality", "polarity"),
    [
        ("en", "I heard that Bruno is leaving.", "reported", "affirmed"),
        ("en", "Kim might move to Leeds.", "possible", "affirmed"),
        ("en", "Kim moved to Leeds.", "asserted", "affirmed"),
        ("en", "If it rains we stay.", "conditional", "affirmed"),
        ("en", "Does Kim live in Leeds?", "question", "affirmed"),
        ("en", "Bruno is not leaving.", "asserted", "negated"),
        ("en", "The name is Marko, not Mirko.", "asserted", "affirmed"),
        ("de", "Der Termin wurde verschoben.", "asserted", "affirmed"),
        ("de", "Er würde gern umziehen.", "possible", "affirmed"),
        ("es", "Se rumorea que cierran la tienda.", "reported", "affirmed"),
        ("fr", "Il paraît que la boulangerie ferme.", "reported", "affirmed"),
        ("pt", "Talvez a Ana viaje.", "possible", "affirmed"),
        ("it", "Non abita a Roma.", "asserted", "negated"),
    ],
)
def test_stance(language: str, text: str, modality: str, polarity: str) -> None:
    signals = read_signals(sentence(text, language))
    assert (signals.modality, signals.polarity) == (modality, polarity)


@pytest.mark.parametrize(
    ("language", "text", "slot"),
    [
        ("de", "Ich wohne jetzt in Kassel.", ("Katrin", "lives_in", "Kassel")),
        ("en", "Ingrid leads the billing team.", ("billing team", "leads", "Ingrid")),
        ("en", "Dario's manager is Luis Prat.", ("Dario's manager", "is", "Luis Prat")),
        ("es", "Lucía trabaja en el museo.", ("Lucía", "works_at", "el museo")),
        ("fr", "Notre médecin est le docteur Garrec.", ("médecin", "is", "le docteur Garrec")),
        ("it", "Sara abita a Torino.", ("Sara", "lives_in", "Torino")),
        ("pt", "O Tiago joga no Braga.", ("O Tiago", "plays_for", "Braga")),
        ("en", "Mei is in a good mood.", None),
        ("en", "Landlord: Mr Voss", ("Landlord", "is", "Mr Voss")),
        ("en", "Landlord: to be found", None),
        ("en", "Hana joined Acme", ("Hana", "works_at", "Acme")),
        ("en", "Hana met the club and joined online.", None),
    ],
)
def test_slot(language: str, text: str, slot: tuple[str, str, str] | None) -> None:
    found = read_signals(sentence(text, language, "Katrin")).slot
    assert (found and (found.subject, found.attribute, found.value)) == slot


@pytest.mark.parametrize(
    ("language", "text", "count"),
    [
        ("en", "She used to work at Siemens, but now she is at Bosch.", 2),
        ("en", "Hugo left the aquarium on 31 March and joined the police on 1 April.", 2),
        ("en", "Mrs. Lindqvist left; Bo's new teacher is Mr. Adeyemi.", 2),
        ("en", "Ingrid keeps the billing team and Tomasz now leads payments.", 2),
        ("en", "Anna was tired and went home.", 1),
        ("en", "Bread and butter, and milk.", 1),
        ("de", "Früher wohnte er in Köln, jetzt lebt er in Bonn.", 2),
        ("es", "Antes jugaba en el Betis y ahora juega en el Cádiz.", 2),
        ("fr", "Il a quitté Lyon et habite désormais à Nantes.", 2),
        ("pt", "Deixou o Porto e agora mora em Braga.", 2),
        ("it", "Prima lavorava alla Fiat, ora lavora da Bosch.", 2),
    ],
)
def test_clauses(language: str, text: str, count: int) -> None:
    whole = sentence(text, language)
    clauses = clauses_of(whole)
    assert len(clauses) == count
    assert all(text[clause.span[0] : clause.span[1]] == clause.text for clause in clauses)


def test_what_was_ends_when_what_is_is_said() -> None:
    was, now = clauses_of(sentence("She used to work at Siemens, but now she is at Bosch."))
    assert read_signals(was).valid_to == was.said_on
    assert read_signals(now).valid_to is None


@pytest.mark.parametrize("language", ["en", "de", "es", "fr", "pt", "it"])
@pytest.mark.parametrize(
    "pump", ["a", "1.", "1 000 ", ", ", "not ", "from 1 May to ", "Aa ", "ne a ", "and ", "€1", "\n"]
)
def test_no_text_takes_long(language: str, pump: str) -> None:
    text = (pump * 5000)[:10_000]
    read_signals(sentence("warm", language))
    began = time.process_time()
    clauses_of(sentence(text, language))
    read_signals(sentence(text, language))
    assert time.process_time() - began < 10


@pytest.mark.parametrize(
    ("language", "text", "days"),
    [
        ("de", "Ich bin heute Morgen nach Dresden gefahren.", ["2025-06-18"]),
        ("de", "Am Montag früh haben wir Anna besucht.", ["2025-06-16"]),
        ("fr", "Lundi 9, j'ai rencontré Claire à Rennes.", ["2025-06-09"]),
        ("fr", "Vendredi 20 à 18h, Paul présente son livre.", ["2025-06-20"]),
        ("fr", "Lundi 3 heures de réunion avec Paul.", ["2025-06-23"]),
    ],
)
def test_weekdays_with_a_number_or_a_part_of_the_day(language: str, text: str, days: list[str]) -> None:
    assert [day.iso for day in read_signals(sentence(text, language)).dates] == days


def test_a_german_verb_is_of_the_past_beside_a_helping_verb() -> None:
    now, then = (
        read_signals(sentence(text, "de"))
        for text in ("Am 5. Juni besucht sie uns.", "Am 5. Juni hat sie uns besucht.")
    )
    assert (now.effective_from, then.effective_from) == (None, date(2025, 6, 5))


def test_nouns_that_and_joins_stay_in_one_clause() -> None:
    (whole,) = read_text("I also happen to think Fast and Furious is one of the best movies ever made.")
    assert clauses_of(whole) == [whole]
    (named,) = read_text("I've had my cat, Luna, for about 9 months now, and I've been trying to keep her active.")
    assert clauses_of(named)[0].text.startswith("I've had my cat, Luna, for about 9 months")


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("en", "The date of the fair hasn't changed."),
        ("en", "The fair has not been moved."),
        ("en", "Wrong, the fair stays on Monday."),
        ("en", "The smoke alarm fired twice."),
        ("de", "Das Datum wurde nicht geändert."),
        ("de", "Stimmt nicht, der Markt bleibt am Montag."),
        ("es", "La fecha no ha cambiado."),
        ("fr", "La date n'a pas changé."),
        ("pt", "A data não mudou."),
        ("it", "La data non è cambiata."),
    ],
)
def test_what_has_not_happened_is_no_change(language: str, text: str) -> None:
    assert read_signals(sentence(text, language)).cue == "none"


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("en", "The fair is no longer on Monday."),
        ("en", "The old manager was fired."),
        ("en", "Iris handed the keys to Omar."),
        ("en", "The new date of the fair is 3 July."),
        ("de", "Der Markt ist nicht mehr am Montag."),
        ("es", "La feria ya no es el lunes."),
        ("fr", "La foire n'est plus le lundi."),
        ("pt", "A feira foi adiada."),
        ("it", "La fiera è rimandata a giugno."),
    ],
)
def test_what_is_no_longer_so_is_a_change(language: str, text: str) -> None:
    assert read_signals(sentence(text, language)).cue == "strong"


@pytest.mark.parametrize(
    ("language", "text", "number"),
    [
        ("en", "We pay 910 since January.", "910"),
        ("en", "The rent is 840 warm.", "840"),
        ("en", "She lives at 14 Tanner Road.", "14"),
        ("de", "Die Miete ist 840 kalt.", "840"),
        ("es", "Pagamos 910 desde enero.", "910"),
        ("fr", "On paie 910 depuis janvier.", "910"),
        ("pt", "Pagamos 910 desde janeiro.", "910"),
        ("it", "Paghiamo 910 ormai, 840 prima.", "840"),
    ],
)
def test_a_word_behind_a_number_that_it_does_not_count_is_no_dimension(language: str, text: str, number: str) -> None:
    found = [value for value in read_signals(sentence(text, language)).values if value.dimension == "number"]
    assert number in [value.value for value in found]


def test_a_large_word_that_begins_a_german_sentence_is_no_verb() -> None:
    [stated] = read_signals(sentence("Gutachten Reiher: Abgabe 30. September", "de")).dates
    assert stated.iso == "2025-09-30"


@pytest.mark.parametrize(
    ("language", "text", "cue"),
    [
        ("en", "The rent is 900 now, the deposit stays the same.", "weak"),
        ("en", "The rent still is 900 now.", "none"),
        ("en", "Mum is on the blue tablets since Monday.", "weak"),
        ("en", "Mum lives there since 2009.", "none"),
        ("de", "Mama nimmt seit Montag die blauen Tabletten.", "weak"),
        ("es", "Mamá toma las pastillas azules desde el lunes.", "weak"),
        ("fr", "Maman prend les cachets bleus depuis lundi.", "weak"),
        ("pt", "A mãe toma os comprimidos azuis desde segunda-feira.", "weak"),
        ("it", "La mamma prende le pastiglie blu da lunedì.", "weak"),
    ],
)
def test_what_is_so_of_late_may_be_a_change(language: str, text: str, cue: str) -> None:
    assert read_signals(sentence(text, language)).cue == cue


def test_a_day_after_a_colon_is_near_whatever_the_verb_before_it() -> None:
    near = (read_text("The client gave us a month more: 14 February.")[0]).said_on
    (line,) = read_text(f"The client gave us a month more: {near + timedelta(days=20):%d %B}.")
    assert [each.iso for each in read_signals(line).dates] == [str(near + timedelta(days=20))]


def test_a_word_of_a_compound_is_marked_with_its_head_and_is_not_new_itself() -> None:
    (ferry,) = read_text("The new ferry captain of the island is Mr Penrose.")
    anchors = read_signals(ferry).anchors
    assert ":part:ferry:captai" in anchors
    assert ":new:captai" in anchors
    assert ":new:ferry" not in anchors
