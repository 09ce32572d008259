"""What `brain habits` prints, what a question asks for, and how habits stand in an overview."""

from datetime import UTC, date, datetime

import pytest

from brain_retrieval.knowledge.stories.habit_cards import HabitCard, Occurrence, habit_cards, kinds_asked
from brain_retrieval.query.overview import Overview, _habits
from brain_retrieval.serve.habits_cli import print_habits


def occurrences(count: int) -> tuple[Occurrence, ...]:
    return tuple(
        Occurrence(f"s{n}", f"inbox:note/{n}.md", (0, 8), datetime(2026, 3, 1 + n, tzinfo=UTC), f"Fencing {n}", None)
        for n in range(count)
    )


def habit(
    name: str, kind: str = "weekly", times: int = 5, *, is_open: bool = True, steps: tuple[str, ...] = ()
) -> HabitCard:
    found = occurrences(times)
    return HabitCard(name, kind, name, steps, times, found[0].at, found[-1].at, is_open, found)


FENCING = habit("Fencing, on Mondays", times=6)
RULE = habit("Always salute.", "rule", 1)
DRILL = habit("Lunge … Bow", "procedure", 2, steps=("Lunge", "Parry", "Bow"))
ENDED = habit("Rowing, on Fridays", is_open=False)
ALL = [FENCING, RULE, DRILL, ENDED]


def test_habits_are_printed_by_kind_with_the_newest_three_times(capsys: pytest.CaptureFixture[str]) -> None:
    print_habits([RULE, FENCING, DRILL])
    printed = capsys.readouterr().out
    titles = ("Every week or month", "Standing instructions", "Procedures")
    assert [line for line in printed.splitlines() if line in titles] == list(titles)
    assert "Fencing, on Mondays  6 times, 2026-03-01 – 2026-03-06" in printed
    assert printed.count("“Fencing") == 3 + 1 + 2
    assert "    2. Parry" in printed
    print_habits([FENCING], every_time=True)
    assert capsys.readouterr().out.count("“Fencing") == 6


def test_no_habits_say_what_it_takes(capsys: pytest.CaptureFixture[str]) -> None:
    print_habits([])
    assert "no habits" in capsys.readouterr().out


def test_a_habit_in_one_line() -> None:
    assert FENCING.text == "Fencing, on Mondays (6 times, 2026-03-01 – 2026-03-06)"
    assert RULE.text == "Always salute (2026-03-01)"
    assert DRILL.text == "Lunge → Parry → Bow (2 times, 2026-03-01 – 2026-03-02)"
    assert ENDED.text.endswith("no longer)")


@pytest.mark.parametrize(
    ("question", "names"),
    [
        ("What are my habits?", ["Fencing, on Mondays", "Rowing, on Fridays"]),
        ("Was mache ich jede Woche?", ["Fencing, on Mondays", "Rowing, on Fridays"]),
        ("Which rules have I set?", ["Always salute."]),
        ("¿Qué procedimientos hay?", ["Lunge … Bow"]),
        ("When do I go rowing?", ["Rowing, on Fridays"]),
        ("Who is Ada?", []),
        (None, ["Fencing, on Mondays", "Lunge … Bow", "Always salute.", "Rowing, on Fridays"]),
    ],
)
def test_the_habits_that_a_question_is_about(question: str | None, names: list[str]) -> None:
    assert [card.name for card in _habits(ALL, question)] == names


def test_a_question_may_ask_for_a_kind_of_habit() -> None:
    assert kinds_asked("What should I do about the roof?") == frozenset()
    assert kinds_asked("¿Cuáles son mis costumbres?") >= {"weekly", "stated"}


def test_an_overview_cites_the_newest_time_of_a_habit() -> None:
    found = Overview("2026-03-09", None, (), (("s5", "inbox:note/5.md", (0, 8)),), habits=((FENCING, 1),))
    assert found.text == "Habits:\n- Fencing, on Mondays (6 times, 2026-03-01 – 2026-03-06) [1]"
    (listed,) = found.to_json()["habits"]
    assert (listed["citation"], listed["times"], listed["started_at"][:10]) == (1, 6, str(date(2026, 3, 1)))


def test_cards_of_rows_have_the_places_of_their_sources() -> None:
    at = datetime(2026, 3, 1, tzinfo=UTC)
    one = {"source_id": "s0", "start": 0, "end": 9, "at": at, "text": "Fencing 0", "memory_id": None}
    times = {"times": 1, "open": True, "started_at": at, "last_at": at, "occurrences": [one]}
    (card,) = habit_cards(
        [{"habit_id": "h", "kind": "weekly", "name": "Fencing", "steps": [], **times}], {"s0": "inbox:0"}
    )
    assert (card.id, card.occurrences[0].uri, card.occurrences[0].span) == ("h", "inbox:0", (0, 9))
