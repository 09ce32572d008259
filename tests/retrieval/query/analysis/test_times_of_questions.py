"""Times in questions: what they mean on a day in the user's zone, and events that they refer to."""

from datetime import UTC, date, datetime
from zoneinfo import ZoneInfo

import pytest

from brain_retrieval.query.analysis import Question, QuestionTime, analyse

NOW = datetime(2026, 3, 18, 10, 0, tzinfo=UTC)  # a Wednesday


def asked(text: str, language: str = "en") -> Question:
    return analyse(text, max_characters=1000, language=language, now=NOW)


@pytest.mark.parametrize(
    ("text", "start", "end", "kind"),
    [
        ("what happened yesterday", "2026-03-17", "2026-03-17", "relative"),
        ("what happened last Friday", "2026-03-13", "2026-03-13", "relative"),
        ("what happened last weekend", "2026-03-14", "2026-03-15", "relative"),
        ("what happened in the last two weeks", "2026-03-04", "2026-03-18", "relative"),
        ("what happened a month ago", "2026-02-01", "2026-02-28", "relative"),
        ("what happened in winter", "2025-12-01", "2026-02-28", "season"),
        ("what happened in May", "2025-05-01", "2025-05-31", "absolute"),
        ("what will happen in May", "2026-05-01", "2026-05-31", "absolute"),
        ("what happened in May 2024", "2024-05-01", "2024-05-31", "absolute"),
        ("what happened before 2 May 2024", None, "2024-05-01", "before"),
        ("what happened until May 2024", None, "2024-05-31", "before"),
        ("what happened after 2024", "2025-01-01", None, "after"),
        ("what happened since June", "2025-06-01", None, "since"),
        ("what happened between November 2024 and January 2025", "2024-11-01", "2025-01-31", "absolute"),
        ("what happened between November and January 2025", "2024-11-01", "2025-01-31", "absolute"),
        ("what happened in the 1990s", "1990-01-01", "1999-12-31", "absolute"),
        ("was geschah vor drei Monaten", "2025-12-01", "2025-12-31", "relative"),
        ("qué pasó en los últimos tres meses", "2025-12-18", "2026-03-18", "relative"),
        ("que s'est-il passé avant-hier", "2026-03-16", "2026-03-16", "relative"),
        ("o que aconteceu no mês passado", "2026-02-01", "2026-02-28", "relative"),
        ("che cosa è successo due settimane fa", "2026-03-02", "2026-03-08", "relative"),
        ("what happened last quarter", "2025-10-01", "2025-12-31", "relative"),
        ("what happened last year", "2025-01-01", "2025-12-31", "relative"),
        ("what happened in February 2024", "2024-02-01", "2024-02-29", "absolute"),
        ("what happened on 29 February", "2024-02-29", "2024-02-29", "absolute"),  # of the last leap year
        ("what happened last Wednesday", "2026-03-11", "2026-03-11", "relative"),  # today is one
        ("what will happen next Wednesday", "2026-03-25", "2026-03-25", "relative"),
        ("what will happen next Friday", "2026-03-20", "2026-03-20", "relative"),
        ("what happened this Monday", "2026-03-16", "2026-03-16", "relative"),
        ("what will we do next weekend", "2026-03-28", "2026-03-29", "relative"),
        ("what happened last March", "2025-03-01", "2025-03-31", "relative"),  # not the one that goes on
        ("what will happen next March", "2027-03-01", "2027-03-31", "relative"),
        ("what happened this May", "2026-05-01", "2026-05-31", "relative"),
        ("what will happen next winter", "2026-12-01", "2027-02-28", "season"),
        ("what happened at Christmas", "2025-12-24", "2025-12-26", "absolute"),
        ("what happened in Q4 2024", "2024-10-01", "2024-12-31", "absolute"),
        ("what happened in the 20s", "2020-01-01", "2029-12-31", "absolute"),
        ("what happened in the 30s", "1930-01-01", "1939-12-31", "absolute"),
        ("what happened between November and January", "2025-11-01", "2026-01-31", "absolute"),
        ("what happened between May and May 2024", "2024-05-01", "2024-05-31", "absolute"),
        ("what happened between last spring and last summer", "2025-03-01", "2025-08-31", "absolute"),
        ("what happened at Christmas 2024", "2024-12-24", "2024-12-26", "absolute"),
        ("what happened on Monday", "2026-03-16", "2026-03-16", "relative"),
        ("what will happen on Monday", "2026-03-23", "2026-03-23", "relative"),
        ("Bob's plans 2023?", "2023-01-01", "2023-12-31", "absolute"),
        ("what must be done by May 2026", None, "2026-05-31", "before"),
    ],
)
def test_days_of_an_expression(text: str, start: str | None, end: str | None, kind: str) -> None:
    time = asked(text).time
    assert time is not None
    assert (time.start and time.start.isoformat(), time.end and time.end.isoformat(), time.kind) == (start, end, kind)
    assert time.restricts


@pytest.mark.parametrize(
    ("text", "kind", "event"),
    [
        ("What did we think before the launch?", "before", "the launch"),
        ("After lunch with Petra, what did we agree?", "after", "lunch with Petra"),
        ("What has changed since she moved?", "since", "she moved"),
        ("Was war vor dem Umzug geplant?", "before", "dem Umzug geplant"),
        ("What broke during the storm?", "during", "the storm"),
        ("During the storm, what broke?", "during", "the storm"),
        ("What did we do before the launch on 3 May 2024?", "before", "the launch on 3 May 2024"),
        ("¿Qué pasó después de la boda?", "after", "la boda"),
    ],
)
def test_an_event_is_kept_for_the_caller_to_look_up(text: str, kind: str, event: str) -> None:
    time = asked(text).time
    assert time is not None
    assert (time.kind, time.event, time.restricts) == (kind, event, False)


@pytest.mark.parametrize(
    "text",
    [
        "Who looks after the cat?",
        "Since when does Bob work here?",
        "What is in the 2023 report?",
        "Palo Alto (2013 Film)",
        "Was mag ich mehr als Tee?",
        "When does school start?",
        "During the storm what broke?",  # where the event ends is not written
        "Did the 2023 report say it?",
    ],
)
def test_what_is_no_time(text: str) -> None:
    assert asked(text).time is None


def test_today_is_that_of_the_users_zone() -> None:
    late = datetime(2026, 3, 18, 23, 30, tzinfo=UTC)
    there = analyse("what happened today", max_characters=99, now=late, zone=ZoneInfo("Asia/Tokyo"))
    assert there.time == QuestionTime(date(2026, 3, 19), date(2026, 3, 19), "relative")


def test_a_past_state_is_asked_for() -> None:
    assert asked("Where did Bob work in 2023?").asks_then
    assert asked("Who used to run the club?").asks_then
    assert asked("Where did Bob work before?").asks_then
    assert asked("Dove lavorava Bob prima?").asks_then
    assert not asked("Who spoke before Bob?").asks_then
    assert not asked("Where does Bob work?").asks_then
    assert not asked("What did Bob say in 2023?").asks_then


@pytest.mark.parametrize(
    ("text", "then"),
    [
        ("Where did Anna live yesterday?", True),
        ("Where did Anna live before the wedding?", True),
        ("Where does Anna live today?", False),
        ("Where has Anna lived since 2019?", False),
        ("Where did Anna live after the wedding?", False),
    ],
)
def test_a_past_state_is_asked_for_only_with_a_time_that_has_passed(text: str, *, then: bool) -> None:
    assert asked(text).asks_then is then


def test_the_day_of_a_question_is_that_of_the_user() -> None:
    def day(now: datetime, zone: str | None) -> date:
        time = analyse("what happened today", max_characters=99, now=now, zone=ZoneInfo(zone) if zone else None).time
        assert time is not None
        assert time.start is not None
        return time.start

    late = datetime(2026, 3, 18, 22, 0, tzinfo=UTC)
    assert day(late, "Asia/Tokyo") == date(2026, 3, 19)
    assert day(late, None) == date(2026, 3, 18)
    assert day(late.replace(tzinfo=None), "Asia/Tokyo") == date(2026, 3, 18)  # a time without a zone is the user's own
