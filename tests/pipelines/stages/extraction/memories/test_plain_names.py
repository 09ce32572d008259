"""Names in texts without a parse: persons, places and large words, without nouns and words large by their place."""

import pytest

from brain_pipelines.stages.extraction.local.language import known_language, language_of_block
from brain_pipelines.stages.extraction.memories.declension import as_called
from brain_pipelines.stages.extraction.memories.unparsed.plain_names import plain_names
from brain_pipelines.stages.extraction.memories.unparsed.plain_verbs import has_no_verb
from brain_pipelines.stages.extractions_local import extract_document
from tests.pipelines.stages.extraction.local.documents import document


@pytest.mark.parametrize(
    ("language", "text", "names"),
    [
        ("fr", "Voir la mairie. Le Bureau remercie Solène et Anne-Marie Le Goff.", ["Solène", "Anne-Marie Le Goff"]),
        ("fr", "L'équipe de la Maison du Conte part à Quimper.", ["Maison du Conte", "Quimper"]),
        ("de", "Rücktritt Uwe als Vorsitzender, gemeldet an Birgit Sander.", ["Uwe", "Birgit Sander"]),
        ("de", "Jörg schickt Anke Unterlagen, eigene Unterlagen hat Frau Sellmann aus Kassel.", None),
        ("it", "Il Presidente ringrazia Alessandro Di Marzio. Care amiche, si parte.", ["Alessandro Di Marzio"]),
        ("es", "Fecha: lunes. Reunión con Joaquín García Lergo en Burgos.", ["Joaquín García Lergo", "Burgos"]),
        ("pt", "O Planejamento é de todos. Discutimos tudo com o Breno Fontes.", ["Breno Fontes"]),
        ("pl", "Potem Krakowa nie było. Wczoraj Anna pojechała.", ["Krakowa", "Anna"]),
        ("cs", "Potom Krakovem nikdo nejel. Včera Anna odjela.", ["Anna"]),
        ("tr", "Ayşe İstanbul'a taşındı.", ["Ayşe", "İstanbul"]),
        ("fr", "MINISTÈRE DE LA CULTURE ET DES ARTS", []),
    ],
)
def test_names_without_a_parse(language: str, text: str, names: list[str] | None) -> None:
    found = [name.text for name in plain_names(text, language)]
    expected = ["Jörg", "Anke", "Sellmann", "Kassel"] if names is None else names
    assert found == expected
    assert all(text[name.start : name.end] == name.text for name in plain_names(text, language))


@pytest.mark.parametrize(
    ("language", "text", "people"),
    [
        ("nl", "Aanwezig: Tom Greuter, Wobke Eising, Melcher Koch en Ydse Moss.", 4),
        ("nl", "Er zijn nog drie punten: Mobilism, Fronteers en Webstock.", 0),
        ("sv", "Närvarande: Samuel Ek (ordförande), Tekla Sjö och Jorun Holm", 3),
        ("pl", "Na szczyt weszli Tomek, Bolko i Zuzia.", 3),
        ("fr", "Présents : Jean Dupont, Maëlle Kerbrat et Gwendal Tanguy.", 3),
        ("es", "Fuimos a ver a Joaquín, Madrid y Toledo.", 1),
    ],
)
def test_who_is_listed_with_people_is_a_person(language: str, text: str, people: int) -> None:
    types = [name.type for name in plain_names(text, language)]
    assert types.count("Person") == people


def test_an_adjective_made_of_a_name_is_no_person() -> None:
    assert [one.type for one in plain_names("Het huis is Hester-vriendelijk, zegt Anna-Lena.", "nl")][-1] == "Person"
    assert "Hester-vriendelijk" not in [
        one.text for one in plain_names("Het huis is Hester-vriendelijk.", "nl") if one.type == "Person"
    ]


def test_a_place_named_after_a_person_is_a_place() -> None:
    found = plain_names("O papai quer ir para São Paulo, e em São José dos Campos mora a vovó Marta.", "pt")
    assert [(name.text, name.type) for name in found] == [
        ("São Paulo", "Location"),
        ("São José dos Campos", "Location"),
        ("Marta", "Person"),
    ]


@pytest.mark.parametrize(
    ("language", "text", "fragment"),
    [
        ("de", "Bericht der Kassenprüfer für 2025 (Katrin und René)", True),
        ("de", "12:52 Uhr: Kurt verlässt die Versammlung", False),
        ("fr", "Rapport financier 2024 (Anaël et Quentin)", True),
        ("fr", "Lionel est lié à la maison par un contrat", False),
        ("es", "Políticas, ramas y versiones (Aitor)", True),
        ("es", "Rocío lleva la contabilidad", False),
        ("it", "Partecipanti esterni: Andrea Dorigo, Fabio Pallaro", True),
        ("pt", "Tomé deixou o clube", False),
        ("pl", "Lista obecności: Anna, Marek", False),  # a language without a list
    ],
)
def test_a_line_without_a_verb_is_a_fragment(language: str, text: str, *, fragment: bool) -> None:
    assert has_no_verb(text, language) is fragment


def test_a_short_text_has_the_language_of_its_words() -> None:
    assert known_language(None, "O treinador do clube é Valdemar Pinto.") == "pt"
    assert known_language(None, "Abito a Cremona con mia cugina Nives.") == "it"
    assert known_language("de", "Abito a Cremona con mia cugina Nives.") == "de"
    assert known_language(None, "Okay 17!") is None
    assert known_language(None, "Optiker Abel, Termin am 7. Februar um 10:15.") == "de"  # "am" is English, too
    assert language_of_block("de", "We have moved the launch to the week that is after the fair.") == "en"
    assert language_of_block("de", "Das Meeting ist am Montag, wie wir es gesagt haben.") == "de"


@pytest.mark.parametrize(
    "text",
    [
        "Fine, come in",
        "Lee has come",
        "son won a car",
        "nun in the war",
        "ad hoc, per se",
        "use vi, no nano",
        "Du's car",
        "Tour de France on TV",
        "Ask Maria de la Cruz",
        "die casting costs",
    ],
)
def test_short_english_is_no_other_language(text: str) -> None:
    assert known_language(None, text) in (None, "en")


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("de", "Das ist gut"),
        ("de", "Er hat abgesagt"),
        ("es", "La reunión es el lunes"),
        ("fr", "C'est bon"),
        ("fr", "La voiture est au garage"),
        ("pt", "Estou em casa"),
        ("it", "L'auto è dal meccanico"),
    ],
)
def test_a_short_line_has_the_language_of_words_that_english_has_not(language: str, text: str) -> None:
    assert known_language(None, text) == language


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("de", "Miete 840 warm."),
        ("de", "Oma zieht um."),
        ("de", "Heizung: 19 Grad."),
        ("de", "Termin beim Notar 14 Uhr"),
        ("es", "Nuevo alquiler: 930 euros"),
        ("fr", "Loyer 840 euros"),
        ("it", "affitto 900 euro"),
    ],
)
def test_a_note_without_words_of_grammar_has_the_language_of_its_matters(language: str, text: str) -> None:
    assert known_language(None, text) == language


@pytest.mark.parametrize(
    "text", ["Code Garage 4417", "Rent 840", "Gift for Ann", "Milk, eggs, bread", "Hotel Bristol 8 pm", "Chef moved it"]
)
def test_english_notes_and_names_have_no_matters_of_another_language(text: str) -> None:
    assert known_language(None, text) in (None, "en")


def test_names_and_words_of_english_do_not_make_a_paragraph_foreign() -> None:
    names = "Ludwig von Mises and Charles de Gaulle met Maria de la Cruz in Rio de la Plata."
    assert language_of_block("en", names) == "en"
    assert language_of_block("en", "Die casting: son, car, sale, court, part, plus, pour, sans, sort") == "en"
    assert language_of_block("en", "La voiture est au garage pour une semaine, on part donc en train par Lyon.") == "fr"


def test_entities_come_from_texts_without_a_parse() -> None:
    text = "Au conseil, Solène présente le budget. Le budget est voté par Solène et Bastien Roche."
    found = extract_document(document(text, language="fr"))
    assert [(row["name"], row["type"]) for row in found.entities] == [("Bastien Roche", "Person"), ("Solène", "Person")]
    assert all(text[row["start"] : row["end"]] == row["text"] for row in found.mentions)


def test_a_paragraph_in_another_language_is_not_parsed_as_english() -> None:
    german = "Der Vorstand hat am Montag mit Birgit Sander über die Miete gesprochen und sie ist jetzt bezahlt."
    text = f"The board met on Monday and it was a good meeting.\n\n{german}"
    names = {row["name"] for row in extract_document(document(text, language="en")).entities}
    assert "Birgit Sander" in names
    assert not names & {"Vorstand", "Miete", "Der Vorstand"}


@pytest.mark.parametrize(
    ("language", "text", "name", "kind"),
    [
        ("es", "Por la tarde subimos a la Torre Eiffel con los niños.", "Torre Eiffel", "Location"),
        ("fr", "Le stage a lieu à la Halle des Sports ce samedi.", "Halle des Sports", "Location"),
        (
            "fr",
            "Une lettre de la Fédération Française de Karaté est arrivée.",
            "Fédération Française de Karaté",
            "Organization",
        ),
        ("it", "Ci vediamo in Via Vecchia Frigole alle nove.", "Via Vecchia Frigole", "Location"),
        ("pt", "Ela estuda na Universidade do Porto desde março.", "Universidade do Porto", "Organization"),
        ("es", "Caminamos hasta Logan Square por la mañana.", "Logan Square", "Location"),
        ("de", "Am Abend fuhren wir nach Bagnoli.", "Bagnoli", "Location"),
        ("de", "Am Abend gingen wir nach Hause.", "Hause", None),
        ("pt", "Entrega em Janeiro, revisão em Janeiro.", "Janeiro", None),
        ("de", "Mittags waren wir bei Mama, mit Hrn. und Frau Dr. H. aus Wien.", "Mama", "Person"),
        ("de", "Mittags waren wir bei Mama, mit Frau Dr. H. aus Wien.", "H", None),
        ("de", "Mittags waren wir bei Mama, mit Frau Dr. H. aus Wien.", "Dr", None),
        ("it", "Scrive l'Amministrazione Regionale e tace.", "Amministrazione Regionale", "Concept"),
    ],
)
def test_the_first_word_or_a_preposition_tells_the_type(language: str, text: str, name: str, kind: str | None) -> None:
    found = {one.text: one.type for one in plain_names(text, language)}
    assert found.get(name) == kind


def test_a_name_keeps_its_first_word_where_it_begins_a_sentence() -> None:
    text = "Le club Arts Martiaux Genas enseigne les arts martiaux. Arts Martiaux Genas recrute. Voir Genas demain."
    assert [one.text for one in plain_names(text, "fr")][:2] == ["Arts Martiaux Genas", "Arts Martiaux Genas"]
    assert "Voir Genas" not in [one.text for one in plain_names(text, "fr")]


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Wczoraj rozmawiałem z Kasią o ogrodzie.", "Kasia"),
        ("To jest rower Marka.", "Marek"),
        ("Byliśmy u Pawła i potem w kinie.", "Paweł"),
        ("Książka jest dla Anny Kowalskiej.", "Anna Kowalska"),
        ("Jechaliśmy z Janem Nowakiem do lasu.", "Jan Nowak"),
        ("Spotkałem Michała Wiśniewskiego w sklepie.", "Michał Wiśniewski"),
    ],
)
def test_a_person_has_the_name_in_the_nominative(text: str, name: str) -> None:
    (found,) = plain_names(text, "pl")
    assert (found.text, found.type) == (name, "Person")
    assert text[found.start : found.end] != name


def test_other_names_and_languages_are_not_declined() -> None:
    assert as_called("Kasią", "en") == "Kasią"
    assert [name.text for name in plain_names("Wczoraj pojechaliśmy do Krakowa.", "pl")] == ["Krakowa"]


def test_mentions_in_all_cases_are_one_person() -> None:
    text = "Kasia ma psa. Pies Kasi jest stary. Byłem z Kasią w lesie, a Kasię boli noga."
    found = extract_document(document(text) | {"language": "pl"}).entities
    assert [(one["name"], one["mention_count"]) for one in found if one["type"] == "Person"] == [("Kasia", 4)]


@pytest.mark.parametrize("text", ["Jajaja, vale.", "No sé, Hahaha.", "Kkkkk, foi bom.", "Vale, Okay."])
def test_laughter_and_interjections_are_no_names(text: str) -> None:
    assert plain_names(text, "es") == ()


@pytest.mark.parametrize(
    ("language", "text", "name"),
    [
        ("pt", "Chegamos a San Pedro de Atacama.", "San Pedro de Atacama"),
        ("de", "Wir waren in Saint Denis.", "Saint Denis"),
        ("pt", "Ela mora na Carolina do Norte.", "Carolina do Norte"),
    ],
)
def test_saints_and_regions_are_places(language: str, text: str, name: str) -> None:
    assert [(one.text, one.type) for one in plain_names(text, language)] == [(name, "Location")]


def test_words_that_a_language_shares_do_not_make_its_paragraph_english() -> None:
    assert language_of_block("pl", "Wieczorem do domu wrócił Marek z synem, a ja i on zjedliśmy późną kolację.") == "pl"
    assert language_of_block("pl", "We have moved the launch to the week that is after the fair.") == "en"


@pytest.mark.parametrize(
    ("language", "text", "name", "kind"),
    [
        ("de", "Morgen kommt Kathi mit Xandis Auto.", "Kathi", "Person"),
        ("de", "Meine Chefin ist die Annemarie Wastl.", "Annemarie Wastl", "Person"),
        ("de", "Die Architektin Frau Dipl.-Ing. Moosbauer war da.", "Moosbauer", "Person"),
        ("de", "Die Architektin Frau Dipl.-Ing. Moosbauer war da.", "Dipl.-Ing", None),
        ("de", "Er hat zwei Tore geschossen.", "Tore", None),
        ("de", "Elternabend in der Grundschule Eichdorf um acht.", "Grundschule Eichdorf", "Organization"),
        ("de", "Angebot vom Lagerhaus Rosenau über 80 Euro.", "Lagerhaus Rosenau", "Organization"),
        ("de", "Sie kommt aus Waldkirchen.", "Waldkirchen", "Location"),
        ("de", "Reha ab Februar in Bad Eichen.", "Bad Eichen", "Location"),
        ("fr", "Ma cheffe, Mme Delmas, a fait un discours.", "Delmas", "Person"),
        ("fr", "Leur fille Capucine marche déjà.", "Capucine", "Person"),
        ("fr", "Appel de maman ce matin.", "Maman", "Person"),
        ("fr", "La maman de Léa est malade.", "Maman", None),
        ("es", "Mi jefe es Vicent Ferrandis y su sustituto se llama Unai.", "Unai", "Person"),
        ("it", "Ieri mia cugina Noemi è partita.", "Noemi", "Person"),
        ("pt", "A minha vizinha Jandira trouxe bolo.", "Jandira", "Person"),
        ("pt", "Ontem chegou Evaristo Quintela com os papéis.", "Evaristo Quintela", "Person"),
        ("pt", "O comboio parou em Caldas da Rainha.", "Caldas da Rainha", "Location"),
    ],
)
def test_words_around_a_name_say_whose_it_is(language: str, text: str, name: str, kind: str | None) -> None:
    found = {one.text: one.type for one in plain_names(text, language)}
    assert found.get(name) == kind


def test_a_possessive_before_a_relative_is_no_given_name() -> None:
    assert [name.text for name in plain_names("Mia cognata Ilaria arriva domani.", "it")] == ["Ilaria"]
    assert [name.text for name in plain_names("Mia arriva domani.", "it")] == ["Mia"]


@pytest.mark.parametrize(
    ("language", "text", "expected"),
    [
        (
            "de",
            "Malte und Levke kommen, Henrike nicht.",
            [("Malte", "Person"), ("Levke", "Person"), ("Henrike", "Person")],
        ),
        ("de", "Frauke fragt bei der Förde Sparkasse.", [("Frauke", "Person"), ("Förde Sparkasse", "Organization")]),
        (
            "de",
            "OP in der Imland Klinik, beim Edeka gewartet.",
            [("Imland Klinik", "Organization"), ("Edeka", "Organization")],
        ),
        ("de", "Die neue Klinik ist gut. Unsere Sparkasse auch.", []),
        ("de", "Wir fahren nach Konstanz.", [("Konstanz", "Location")]),
        ("fr", "On dîne avec Erwan à Durban.", [("Erwan", "Person"), ("Durban", "Location")]),
        ("es", "He hablado con Yolanda de Telefónica", [("Yolanda", "Person"), ("Telefónica", "Organization")]),
    ],
)
def test_given_names_towns_and_firms_of_lists(language: str, text: str, expected: list[tuple[str, str]]) -> None:
    assert [(name.text, name.type) for name in plain_names(text, language)] == expected


@pytest.mark.parametrize(
    ("language", "text", "names"),
    [
        ("es", "Ella llega el martes.", []),
        ("es", "Mira, Nuria ya tiene las llaves.", ["Nuria"]),
        ("es", "Mira Nuria, ya tengo las llaves.", ["Nuria"]),
        ("es", "Ella Fitzgerald canta en la radio.", ["Ella Fitzgerald"]),
        ("de", "Ella kommt am Dienstag.", ["Ella"]),
        ("de", "Allen geht es gut.", []),
        ("it", "Mia sorella arriva martedì.", []),
        ("pt", "Olha, a Inês chega na terça.", ["Inês"]),
    ],
)
def test_words_that_begin_sentences_are_no_given_names_of_other_languages(
    language: str, text: str, names: list[str]
) -> None:
    assert [name.text for name in plain_names(text, language)] == names


@pytest.mark.parametrize(
    ("language", "text", "names"),
    [
        ("es", "Firma aquí: Carmen Nombre y Apellidos", ["Carmen"]),
        ("pt", "Preencher: Beatriz Nome completo", ["Beatriz"]),
        ("fr", "À remplir : Camille Prénom", ["Camille"]),
    ],
)
def test_the_label_of_a_form_is_no_surname(language: str, text: str, names: list[str]) -> None:
    assert [name.text for name in plain_names(text, language) if name.type == "Person"] == names


@pytest.mark.parametrize(
    ("language", "text", "names"),
    [
        ("es", "Canal Interior", []),
        ("pt", "Link Oficial do grupo", []),
        ("es", "Ayer vino Canal Esteban a casa.", ["Canal Esteban"]),  # within a sentence it is large as a name
        ("es", "Nuria Vidal", ["Nuria Vidal"]),
        ("it", "Golden Tour parte domani", []),
        ("es", "Apaga la luz. Luz Serena se llama el disco.", []),
        ("es", "Luz Serena llega el martes.", ["Luz Serena"]),
    ],
)
def test_a_word_at_the_beginning_of_a_line_is_no_rare_given_name(language: str, text: str, names: list[str]) -> None:
    assert [name.text for name in plain_names(text, language) if name.type == "Person"] == names


def test_a_surname_that_is_a_word_tells_no_language() -> None:
    assert known_language(None, "Gretel Sommer lives in Bremen.") is None
    assert known_language(None, "Miete im Sommer 840.") == "de"
