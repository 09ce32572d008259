"""Rules and likes that are turned round: what is allowed, then forbidden, said in the same words."""

from typing import Any

import pytest

from brain_retrieval.knowledge.memories.facets import Facet
from brain_retrieval.knowledge.memories.later import LaterOnes
from brain_retrieval.language.content_words import content_words
from tests.retrieval.knowledge.memories.rows import row
from tests.retrieval.knowledge.memories.test_changes import ends

DENIED = {"polarity": "negated"}
OWNER = {"entity_id": "user", "name": "user", "type": "Person", "role": "speaker"}


def said(before: str, after: str, *, denied: str, language: str = "en", **changes: Any) -> list[dict[str, Any]]:
    """Return two memories, of which those of `denied` ("a", "b") deny something."""
    rows = [row("a", before, "2026-01-02", **changes), row("b", after, "2026-02-02", **changes)]
    own = [{"language": language, "anchors": [*content_words(one["text"], language)]} for one in rows]
    return [one | each | (DENIED if one["memory_id"] in denied else {}) for one, each in zip(rows, own, strict=True)]


@pytest.mark.parametrize(
    ("rule", "other", "language"),
    [
        ("No boots in the hall.", "Boots in the hall are fine.", "en"),
        ("Policy: no merges on Mondays.", "Policy: merges on Mondays are allowed.", "en"),
        ("Guests may not park in the yard.", "Guests may park in the yard.", "en"),
        ("Keine Hunde im Büro.", "Hunde sind im Büro erlaubt.", "de"),
        ("Pas de vélos dans la cour.", "Les vélos dans la cour sont permis.", "fr"),
        ("No se puede aparcar en el patio.", "Se puede aparcar en el patio.", "es"),
        ("Non si può parcheggiare nel cortile.", "Si può parcheggiare nel cortile.", "it"),
        ("Não se pode estacionar no pátio.", "Pode-se estacionar no pátio.", "pt"),
    ],
)
def test_a_rule_is_ended_by_its_opposite_in_either_order(rule: str, other: str, language: str) -> None:
    assert ends(said(rule, other, denied="a", language=language))["a"] == [("b", "opposite")]
    assert ends(said(other, rule, denied="b", language=language))["a"] == [("b", "opposite")]


def test_a_ban_denies_what_is_allowed_without_a_negation() -> None:
    assert ends(said("Dogs are welcome at the office.", "Dogs are banned at the office.", denied=""))["a"]
    assert not ends(said("Dogs are banned at the office.", "Dogs are forbidden at the office.", denied=""))["a"]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("Merges on Fridays are allowed.", "No merges on Mondays."),
        ("Guests may park in the yard.", "Guests may not park in the garage."),
        ("Pets are fine in room 3.", "No pets in room 4."),
        ("She eats meat at work.", "He eats no meat at work."),
    ],
)
def test_what_is_of_something_else_is_no_opposite(before: str, after: str) -> None:
    assert not ends(said(before, after, denied="b"))["a"]


def test_what_others_say_and_what_has_happened_are_no_opposites() -> None:
    rows = said("Guests may park in the yard.", "Guests may not park in the yard.", denied="b")
    assert not ends([rows[0] | {"speaker": "Ann"}, rows[1] | {"speaker": "Ben"}])["a"]
    assert not ends(said("Ann was at the fair.", "Ann was not at the fair.", denied="b", kind="event"))["a"]


def test_one_likes_or_dislikes_one_thing() -> None:
    liking = {"kind": "preference", "anchors": [":attitude", "user", "like", "oliv"], "entities": [OWNER]}
    before = row("a", "I like olives.", "2026-01-02", **liking)
    after = row("b", "I hate olives.", "2026-02-02", **{**liking, "anchors": [":attitude", "user", "hate", "oliv"]})
    plums = row("b", "I hate plums.", "2026-02-02", **{**liking, "anchors": [":attitude", "user", "hate", "plum"]})
    assert ends([before, after])["a"] == [("b", "attitude")]
    assert not ends([before, plums])["a"]
    # "This" is of what the sentence before names, so one word in common does not make it one thing.
    this = {**liking, "anchors": [":attitude", "user", "like", "oliv", "soap"]}
    soap = row("a", "I like this olive soap.", "2026-01-02", **this)
    bread = {**liking, "anchors": [":attitude", "user", "hate", "oliv", "bread"]}
    assert not ends([soap, row("b", "I hate this olive bread.", "2026-02-02", **bread)])["a"]


def test_denials_are_among_those_that_may_end_what_is_asserted() -> None:
    rows = said("Guests may park in the yard.", "Guests may not park in the yard.", denied="b")
    facets = [Facet(one) for one in rows]
    assert LaterOnes(facets).of(facets[0]) == [facets[1]]
