"""Standing instructions: what a person tells a program to do always."""

from datetime import date

import pytest

from tests.pipelines.knowledge.memory.habits.written_texts import habits, talks

FIRST, SECOND, THIRD = date(2026, 9, 1), date(2026, 9, 8), date(2026, 9, 15)
ANSWER = ("assistant", "Done.")


def rules(entries, language="en"):
    return [habit for habit in habits(talks(entries, language)) if habit["kind"] == "rule"]


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("en", "Always squash the commits."),
        ("en", "Squash the commits, always!"),
        ("en", "And from now on, squash the commits."),
        ("de", "Ab jetzt die Commits zusammenfassen."),
        ("es", "A partir de ahora junta los commits."),
        ("fr", "Désormais, regroupe les commits."),
        ("it", "D'ora in poi unisci i commit."),
        ("pt", "A partir de agora junta os commits."),
    ],
)
def test_what_a_program_is_told_always_to_do_is_a_rule(language: str, said: str) -> None:
    (rule,) = rules({FIRST: [("user", said), ANSWER]}, language)
    assert (rule["name"], rule["times"], rule["occurrences"][0]["text"]) == (said, 1, said)


@pytest.mark.parametrize(
    "said", ["Did it always fail?", "The build has never been green.", "Squash the commits.", "It always rains here."]
)
def test_questions_reports_and_single_orders_are_none(said: str) -> None:
    assert rules({FIRST: [("user", said), ANSWER]}) == []


def test_people_among_themselves_give_no_rules() -> None:
    assert rules({FIRST: [("Ada", "Always squash the commits."), ("Bert", "Fine.")]}) == []
    assert rules({FIRST: [("user", "Thanks."), ("assistant", "Always squash the commits.")]}) == []


def test_a_rule_that_is_repeated_or_recalled_by_a_correction_is_one() -> None:
    (rule,) = rules(
        {
            FIRST: [("user", "Always squash the commits before a review."), ANSWER],
            SECOND: [("user", "You forgot to squash the commits for the review."), ANSWER],
            THIRD: [("user", "Squash the commits before the review, always."), ANSWER],
        }
    )
    assert rule["times"] == 3
    assert [one["at"].date() for one in rule["occurrences"]] == [FIRST, SECOND, THIRD]


def test_rules_that_share_one_word_are_two() -> None:
    found = rules(
        {
            FIRST: [("user", "From now on always check it before you deploy."), ANSWER],
            SECOND: [("user", "Never deploy an untested branch on Fridays."), ANSWER],
        }
    )
    assert [one["times"] for one in found] == [1, 1]


def test_different_rules_stay_apart() -> None:
    found = rules({FIRST: [("user", "Always squash the commits. Never log a password."), ANSWER]})
    assert {rule["name"] for rule in found} == {"Always squash the commits.", "Never log a password."}
