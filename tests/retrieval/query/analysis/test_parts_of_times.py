"""Parts of months and years, weeks by number or day, and where an event ends, in six languages."""

from datetime import UTC, date, datetime

import pytest

from brain_retrieval.query.analysis.question import Question
from brain_retrieval.query.analysis.rules import analyse

NOW = datetime(2026, 11, 28, 12, tzinfo=UTC)  # a Saturday


def read(text: str, language: str = "en") -> Question:
    return analyse(text, max_characters=2000, language=language, now=NOW)


def days(text: str, language: str = "en") -> str:
    time = read(text, language).time
    return "" if time is None or time.event else f"{time.start or ''}..{time.end or ''}"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("what was paid in the first week of June", "2026-06-01..2026-06-07"),
        ("the last week of February 2024", "2024-02-23..2024-02-29"),
        ("notes from early May 2025", "2025-05-01..2025-05-10"),
        ("what broke in mid-March?", "2026-03-11..2026-03-20"),
        ("the garden at the end of August 2025", "2025-08-21..2025-08-31"),
        ("between early March and late May 2024", "2024-03-01..2024-05-31"),
        ("what was planned in late 2024", "2024-09-01..2024-12-31"),
        ("until the end of May", "..2026-05-31"),
        ("who came on the weekend of 18 October 2024", "2024-10-18..2024-10-20"),
        ("what happened in the week of 9 June", "2026-06-08..2026-06-14"),
        ("orders in calendar week 46 of 2025", "2025-11-10..2025-11-16"),
        ("what did we plant two summers ago", "2025-06-01..2025-08-31"),
        ("two weekends ago", "2026-11-14..2026-11-15"),
        ("was wurde in der KW 46 besprochen?", "2026-11-09..2026-11-15"),
        ("was war in der ersten Woche im Juni 2025 los?", "2025-06-01..2025-06-07"),
        ("wer war am Wochenende vom 18. Oktober 2024 da?", "2024-10-18..2024-10-20"),
        ("was haben wir vor zwei Sommern gebaut?", "2025-06-01..2025-08-31"),
        ("que s'est-il passé à la mi-mai 2025 ?", "2025-05-11..2025-05-20"),
        ("qui est venu le week-end du 18 octobre 2024 ?", "2024-10-18..2024-10-20"),
        ("¿qué pasó a finales de agosto de 2025?", "2025-08-21..2025-08-31"),
        ("¿quién vino el 18 de octubre de 2024?", "2024-10-18..2024-10-18"),
        ("o que aconteceu no início de maio de 2025?", "2025-05-01..2025-05-10"),
        ("chi è venuto nella prima settimana di giugno?", "2026-06-01..2026-06-07"),
        ("cosa è successo due estati fa?", "2025-06-01..2025-08-31"),
    ],
)
def test_days_of_a_part(text: str, expected: str) -> None:
    assert days(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "ideas for a late breakfast",
        "the end of the story",
        "what did we learn in week 3 of the course?",
        "mid range lens",
    ],
)
def test_what_is_no_time(text: str) -> None:
    assert read(text).time is None


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("Ende Mai 2024", "de"),
        ("Mitte März", "de"),
        ("début juin", "fr"),
        ("il y a deux étés", "fr"),
        ("entre agosto y octubre de 2026", "es"),
        ("la primera semana de junio", "es"),
        ("na última semana de junho", "pt"),
        ("a fine maggio 2024", "it"),
    ],
)
def test_a_few_words_for_a_time_tell_their_language(text: str, language: str) -> None:
    assert read(text).language == language
    assert read(text).time is not None


@pytest.mark.parametrize("text", ["March invoices", "Marco Polo", "Sol Garcia", "Mai Nguyen", "fall 2024"])
def test_one_word_that_is_also_a_time_elsewhere_stays_in_the_language_of_the_user(text: str) -> None:
    assert read(text).language == "en"


@pytest.mark.parametrize(
    ("text", "language", "kind", "event"),
    [
        ("who was treasurer while Ottilie was abroad?", "en", "during", "Ottilie was abroad"),
        ("what did we decide before the launch about the seals", "en", "before", "the launch"),
        ("how much was the rent before the move to Bergen?", "en", "before", "the move to Bergen"),
        ("Was war vor dem Umzug die Miete?", "de", "before", "dem Umzug"),
        ("Was kostete vor der Reise in die Berge das Zelt?", "de", "before", "der Reise in die Berge"),
        ("Wer hütet Jonne, seit Ottilie wieder arbeitet?", "de", "since", "Ottilie wieder arbeitet"),
        ("Seit Ottilies Umzug: was fehlt?", "de", "since", "Ottilies Umzug"),
        ("Prima del trasloco dove abitavo?", "it", "before", "trasloco"),
        ("Cosa è cambiato da quando si è trasferita?", "it", "since", "si è trasferita"),
    ],
)
def test_where_an_event_begins_and_ends(text: str, language: str, kind: str, event: str) -> None:
    time = read(text, language).time
    assert time is not None
    assert (time.kind, time.event) == (kind, event)


@pytest.mark.parametrize("text", ["seit Jahren Schmerzen im Knie", "fahren wir nach Bergen oder Oslo?", "da quando?"])
def test_what_is_no_event(text: str) -> None:
    time = read(text, "de").time
    assert time is None or not time.event


def test_the_ends_of_the_calendar_are_days_like_others() -> None:
    after, before = (read(text).time for text in ("notes after 9999-12-31", "notes before 0001-01-01"))
    assert after is not None and after.start == date.max
    assert before is not None and before.end == date.min


def test_a_day_to_come_is_meant_by_what_one_has_got_on_it() -> None:
    assert days("what have I got on 3 December") == "2026-12-03..2026-12-03"
    assert days("do I have notes from June") == "2026-06-01..2026-06-30"
    assert read("orders in calendar week 46 of 2025").sources == ()
