"""What counts as a table or the like, and what does not, in several languages."""

import pytest

from brain_retrieval.query.features.tabular import is_tabular

PROSE = {
    "en": "I moved to the flat behind the station in May, and the rent is 840 euros.",
    "de": "Ich bin im Mai in die Wohnung hinter dem Bahnhof gezogen, und sie kostet 840 Euro.",
    "es": "En mayo me mudé al piso que está detrás de la estación y pago 840 euros.",
    "fr": "En mai, je me suis installé dans l'appartement qui est derrière la gare.",
    "it": "A maggio mi sono trasferito nella casa che è dietro la stazione.",
    "pt": "Em maio mudei-me para a casa que fica atrás da estação.",
    "heading": "# Virginia",
    "nothing": "",
    "talk": "Rosa: are you coming with us to the lake? Ben: yes, if it is not raining",
}
OTHER = {
    "table": "Component | Owner | Status | Issues | Target\nTable | Bob Smith | ready | 2 | 2026-02-06",
    "ticket": "Passenger: Alice Chen\nLisboa Oriente - Porto Campanha\nCoach 4, seat 52\n20 March 2026, 31.90 EUR",
    "keys": "parts[0].name: DatePicker\nparts[0].version: 2.9\nparts[0].status: late\nparts[1].name: Table",
    "numbers": "0.933 0.933 0.215 0.216\n1.148 1.148 0.575 1.240",
}


@pytest.mark.parametrize("name", PROSE)
def test_sentences_and_headings_are_no_table(name: str) -> None:
    assert not is_tabular(PROSE[name])


@pytest.mark.parametrize("name", OTHER)
def test_tables_tickets_and_keys_are(name: str) -> None:
    assert is_tabular(OTHER[name])
