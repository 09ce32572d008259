"""Changes after which an earlier memory holds as before: for a time that has passed, of plans, of other amounts."""

from typing import Any

import pytest

from brain_retrieval.knowledge.memories.endings import Endings, Moment
from brain_retrieval.knowledge.memories.view import answered, view
from tests.retrieval.knowledge.memories.rows import day, row
from tests.retrieval.knowledge.memories.test_index import index_of


def statuses(rows: list[dict[str, Any]], about: str | None, at: str) -> dict[str, str]:
    return {seen.row["memory_id"]: seen.status for seen in view(rows, about, at=day(at))}


def stand_in() -> list[dict[str, Any]]:
    kiosk, until = [{"name": "kiosk", "role": "subject"}], day("2026-04-01")
    return [
        row("a", "The kiosk key is with Agnes", "2026-01-02", entities=kiosk),
        row(
            "b",
            "The kiosk key is now with Bruno",
            "2026-03-02",
            cue="strong",
            entities=kiosk,
            valid_to=until,
        ),
    ]


@pytest.mark.parametrize(("at", "status"), [("2026-03-10", "perhaps outdated"), ("2026-04-10", "current")])
def test_what_a_bounded_change_replaced_holds_again_when_it_has_passed(at: str, status: str) -> None:
    assert statuses(stand_in(), "kiosk key", at)["a"] == status
    assert {one.row["memory_id"]: one.status for one in answered(stand_in(), "kiosk key", at=day(at))}["a"] == status


def test_kept_endings_are_those_of_the_moment() -> None:
    endings = Endings(index_of(stand_in()))
    place = endings.index.rows["memory_id"].to_list().index("a")
    during, after = (endings.of(place, Moment(day(at))) for at in ("2026-03-10", "2026-04-10"))
    assert during and not after


def test_what_is_only_said_to_have_ended_still_ends_it() -> None:
    rows = stand_in()
    rows[1] |= {"valid_to": day("2026-02-20")}
    assert statuses(rows, "kiosk key", "2026-04-10")["a"] == "perhaps outdated"


@pytest.mark.parametrize(
    ("before", "after", "language"),
    [
        ("The florist is Bloom & Co", "We thought about another florist but dropped the idea", "en"),
        ("Der Florist ist Blatt und Co", "Wir wollten den Florist wechseln, doch nicht", "de"),
        ("La florista es Rosal", "Pensábamos cambiar de florista, al final no", "es"),
        ("La fleuriste est Rosier", "On pensait changer de fleuriste, abandonné", "fr"),
    ],
)
def test_a_plan_given_up_changes_nothing(before: str, after: str, language: str) -> None:
    rows = [
        row("a", before, "2026-01-02", language=language),
        row("b", after, "2026-03-02", cue="strong", language=language),
    ]
    word = {"en": "florist", "de": "Florist", "es": "florista", "fr": "fleuriste"}[language]
    assert statuses(rows, word, "2026-04-10")["a"] == "current"


def test_a_change_of_an_amount_leaves_what_has_none() -> None:
    rows = [
        row("a", "The bakehouse roof leaks", "2026-01-02"),
        row("b", "Gas for the bakehouse rises to 12 cents", "2026-03-02", cue="strong", values=[("cent", "12")]),
    ]
    assert statuses(rows, None, "2026-04-10")["a"] == "current"


def test_what_is_also_so_at_a_sisters_is_hers() -> None:
    rows = [
        row("a", "The creche fee is 60 a month", "2026-01-02", values=[("number", "60")]),
        row("b", "The creche fee also went up at my sister's", "2026-03-02", cue="strong", values=[("number", "82")]),
    ]
    assert statuses(rows, "creche fee", "2026-04-10")["a"] == "current"
