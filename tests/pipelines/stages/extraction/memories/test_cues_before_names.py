"""Words before a name tell what it is in texts without a parse: heads, providers, work, and prepositions of places."""

import pytest

from brain_pipelines.stages.extraction.local.language import known_language
from brain_pipelines.stages.extraction.memories.unparsed.plain_names import plain_names


def named(text: str, language: str) -> dict[str, str]:
    return {name.text: name.type for name in plain_names(text, language)}


@pytest.mark.parametrize(
    ("text", "language", "name"),
    [
        ("Repris la voiture au garage Martel, 890 €", "fr", "garage Martel"),
        ("Dossier à déposer à la mairie de Corvier avant mardi", "fr", "mairie de Corvier"),
        ("Assurance maison MVRL", "fr", "MVRL"),
        ("Théo bosse à la VRTF depuis mai", "fr", "VRTF"),
        ("Tornillos en Ferretería Lobera, 12 €", "es", "Ferretería Lobera"),
        ("Cita en el centro de salud de Olmeda", "es", "centro de salud de Olmeda"),
        ("El seguro de la furgoneta con Verlan, 610 al año", "es", "Verlan"),
        ("Iscrizione di Anna al liceo Morandini", "it", "liceo Morandini"),
        ("Da maggio lavora alla Lumetta", "it", "Lumetta"),
        ("O Rui trabalha na Galpex", "pt", "Galpex"),
        ("Comprámos pão na padaria Trigo Novo", "pt", "Trigo Novo"),
        ("Praxis Dr. Hasler, Prophylaxe 95 €", "de", "Praxis Dr. Hasler"),
        ("Elektro Gutmann 07123 4471", "de", "Elektro Gutmann"),
        ("Angebot Zelte Morber 2.300 €", "de", "Zelte Morber"),
        ("Timo fängt im Herbst bei Tronex an", "de", "Tronex"),
    ],
)
def test_organisations(text: str, language: str, name: str) -> None:
    assert named(text, language).get(name) == "Organization"


@pytest.mark.parametrize(
    ("text", "language", "name"),
    [
        ("Ils habitent à Kerlouan, rue des Ajoncs", "fr", "Kerlouan"),
        ("Ils habitent à Kerlouan, rue des Ajoncs", "fr", "rue des Ajoncs"),
        ("Comida con los suegros en Azkarate", "es", "Azkarate"),
        ("Se ha comprado un piso en Azkarate", "es", "Azkarate"),
        ("Doce cocinas en el barrio de Olmeda", "es", "barrio de Olmeda"),
        ("Siamo andati a Varigotta in treno", "it", "Varigotta"),
        ("Lo studio sta in via Cibrera 40", "it", "via Cibrera"),
        ("Moram em Olivalinho há um ano", "pt", "Olivalinho"),
        ("A família muda-se para Olivalinho em março", "pt", "Olivalinho"),
    ],
)
def test_places(text: str, language: str, name: str) -> None:
    assert named(text, language).get(name) == "Location"


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("Dispute à l'école de Noé", "fr"),
        ("Demander à Soazig pour samedi", "fr"),
        ("Classe de CE2, réunion en CE2", "fr"),
        ("Vacaciones en Navidad", "es"),
        ("Ho chiesto a Sandrino", "it"),
        ("Riunione via Zoom", "it"),
        ("Bei Regen fällt die Arbeit aus", "de"),
        ("Elektro Anschluss fehlt noch", "de"),
    ],
)
def test_what_is_no_place_and_no_organisation(text: str, language: str) -> None:
    assert not {"Location", "Organization"} & set(named(text, language).values())


def test_a_list_of_firms_has_the_language_of_their_trades() -> None:
    assert known_language(None, "Ferretería Lobera 943 22 10") == "es"
    assert known_language(None, "Garage code 4471") != "fr"
