"""Days of a month that stand without it: "on the 17th", in six languages, and numbers that are none."""

import pytest

from tests.pipelines.stages.extraction.memories.test_date_readings import days_of


@pytest.mark.parametrize(
    ("language", "text", "days"),
    [  # said on 18 June 2025
        ("en", "Dentist on the 27th at 8:15, with Dr Moor", ["2025-06-27"]),
        ("en", "The viewing has been put back to the 4th.", ["2025-07-04"]),
        ("en", "It's the 30th for the dentist.", ["2025-06-30"]),
        ("en", "Tom arrives on the 23rd, leaves on the 2nd.", ["2025-06-23", "2025-07-02"]),
        ("en", "We met the surveyor on the 12th.", ["2025-06-12"]),
        ("en", "I have been on the tablets since the 20th.", ["2025-05-20"]),
        ("en", "Closed from 3 July until the 17th.", ["2025-07-03", "2025-07-17"]),
        ("en", "The delivery comes on the 20th, not the 19th.", ["2025-06-20", "2025-06-19"]),
        ("de", "Der Termin ist jetzt am 27. um 8:15 und nicht am 25.", ["2025-06-27", "2025-06-25"]),
        ("de", "Übergabe vom 22. auf den 25. verschoben", ["2025-06-22", "2025-06-25"]),
        ("de", "Wir waren am 3. in Köln.", ["2025-06-03"]),
        ("de", "Wir sind vom 4. bis 12. Oktober in Köln.", ["2025-10-04", "2025-10-12"]),
        ("en", "We are in Hull from the 3rd to the 9th of September.", ["2025-09-03", "2025-09-09"]),
        ("fr", "Dentiste le 27 à 8h15", ["2025-06-27"]),
        ("fr", "La réunion est reportée au 24.", ["2025-06-24"]),
        ("es", "Dentista el 27 a las 8:15", ["2025-06-27"]),
        ("pt", "A reunião passou para o dia 24.", ["2025-06-24"]),
        ("it", "Ci vediamo il 23 da Anna", ["2025-06-23"]),
    ],
)
def test_a_day_alone_is_one_that_is_near(language: str, text: str, days: list[str]) -> None:
    assert days_of(text, language) == days


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("en", "There is a leak on the 3rd floor."),
        ("en", "She is the 5th."),
        ("en", "He came 3rd."),
        ("en", "Rent is due on the 3rd."),
        ("en", "They take 68 euros a month, on the 15th."),
        ("en", "We met on the 19th and it went well."),  # a month ago: too long for a day without its month
        ("de", "Am 3. Tag war alles anders."),
        ("de", "Die Miete geht am 15. ab."),
        ("fr", "Le 12 rue des Lilas est vendu."),
        ("fr", "Le loyer part le 5."),
        ("es", "El 20% de la clase estuvo enferma."),
        ("pt", "Ela come duas vezes por dia 2 maçãs."),
        ("it", "Il 3 piano è vuoto."),
    ],
)
def test_other_numbers_are_no_days(language: str, text: str) -> None:
    assert days_of(text, language) == []
