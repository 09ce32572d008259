"""What members of a group announce to one another, and what only sounds like it."""

from datetime import UTC, datetime
from typing import Any

import pytest

from brain_retrieval.knowledge.memories.shown.announced import DAY, KIN, NOT_EATEN, WEEKLY, announced

SAID = datetime(2026, 3, 2, 9, tzinfo=UTC)


def row(text: str, *people: str, day: str | None = None, **changes: object) -> dict[str, Any]:
    made: dict[str, Any] = {
        "evidence": text, "text": text, "kind": "fact", "keep": 0.3, "modality": "asserted", "polarity": "affirmed",
        "said_at": SAID, "self_contained": True, "values": [{"dimension": "date", "value": day}] if day else [],
        "entities": [{"name": name, "type": "Person", "role": "named"} for name in people],
    }  # fmt: skip
    return made | changes


@pytest.mark.parametrize(
    "text",
    [
        "Two boys of our troop are allergic to bee stings and sesame.",
        "Not everyone in the choir can eat gluten, so please label the cakes.",
        "In der Gruppe gibt es eine Erdnussallergie.",
        "Mi hija no puede comer huevo.",
        "Dans la classe, deux enfants sont allergiques aux œufs.",
        "Il mio bimbo è intollerante al lattosio.",
        "A Rita é alérgica a camarão.",
    ],
)
def test_what_someone_must_not_eat(text: str) -> None:
    assert announced(row(text)) == NOT_EATEN


@pytest.mark.parametrize(
    "text",
    ["I can't eat any more, that was great.", "I can't eat that 😂", "Ya no puedo comer más.", "Hm, allergic to it?"],
)
def test_being_full_is_no_allergy(text: str) -> None:
    assert announced(row(text)) is None


@pytest.mark.parametrize(
    "text",
    [
        "Please bring the shin pads every Tuesday.",
        "Bitte jeden Montag die Hausschuhe mitgeben.",
        "Traed el chándal todos los martes.",
        "Merci d'apporter le carnet chaque vendredi.",
        "Portate la tuta ogni giovedì.",
        "Mandem o caderno às quartas.",
    ],
)
def test_what_is_to_be_done_every_week(text: str) -> None:
    assert announced(row(text, kind="instruction", keep=0.2)) == WEEKLY
    assert announced(row(text, kind="event", keep=0.2)) is None


@pytest.mark.parametrize(
    ("text", "people"),
    [
        ("I'm Nora and my husband is Paul.", ("Nora", "Paul")),
        ("Our youngest daughter Ida starts in autumn", ("Ida",)),
        ("Mein Sohn heißt Emil.", ("Emil",)),
        ("Mi hijo se llama Bruno", ("Bruno",)),
        ("This is Leo 😊 we are Ann and Tom", ("Leo", "Ann", "Tom")),
        ("Esta es Vera, somos Lola y Juan!", ("Vera", "Lola", "Juan")),
    ],
)
def test_a_family_is_introduced(text: str, people: tuple[str, ...]) -> None:
    assert announced(row(text, *people)) == KIN


@pytest.mark.parametrize(
    ("text", "people"),
    [
        ("We are Ann and Tom.", ("Ann", "Tom")),  # parents of whom
        ("My husband is late again", ()),
        ("We are Leeds fans and proud of Leo", ("Leo",)),
    ],
)
def test_no_family_is_introduced(text: str, people: tuple[str, ...]) -> None:
    assert announced(row(text, *people)) is None


def test_a_day_some_way_ahead() -> None:
    text = "The summer fair is on 13 March."
    assert announced(row(text, day="2026-03-13")) == DAY
    assert announced(row(text, day="2026-03-03")) is None  # tomorrow
    assert announced(row(text, day="2026-02-13")) is None
    assert announced(row(text, day="2026-03-09/2026-03-15")) is None
    assert announced(row(text, day="2026-03-13", kind="event")) is None
    assert announced(row(text, day="2026-03-13", polarity="negated")) is None
    assert announced(row(text, day="2026-03-13", modality="conditional")) is None
    assert announced(row(text, day="2026-03-13", self_contained=False)) is None


def test_a_long_text_that_was_passed_on_announces_nothing() -> None:
    assert announced(row("Allergic to peanuts? " + "Read this book about a life without nuts. " * 10)) is None
