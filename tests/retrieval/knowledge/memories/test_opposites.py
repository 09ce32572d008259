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
    ("rule", "other", "language"),
    [
        ("Always print labels in colour.", "Never print labels in colour.", "en"),
        ("Always invite Greta to budget talks.", "Do not invite Greta to budget talks.", "en"),
        ("I take milk in my porridge.", "I don't take milk in my porridge.", "en"),
        ("Helmets are mandatory in the hall.", "Helmets are not mandatory in the hall.", "en"),
        ("Etiketten immer farbig drucken.", "Etiketten nie farbig drucken.", "de"),
        ("Toujours fermer la grille le soir.", "Ne jamais fermer la grille le soir.", "fr"),
        ("Imprimir siempre las etiquetas en color.", "No imprimir nunca las etiquetas en color.", "es"),
        ("Stampare sempre le etichette a colori.", "Non stampare mai le etichette a colori.", "it"),
        ("Imprimir sempre as etiquetas a cores.", "Nunca imprimir as etiquetas a cores.", "pt"),
    ],
)
def test_always_and_never_are_about_the_same(rule: str, other: str, language: str) -> None:
    assert ends(said(rule, other, denied="b", language=language))["a"] == [("b", "opposite")]
    assert ends(said(other, rule, denied="a", language=language))["a"] == [("b", "opposite")]


def test_what_is_optional_is_no_longer_required_but_may_be_allowed() -> None:
    rules = ("Helmets are required in the hall.", "Helmets are optional in the hall.")
    assert ends(said(*rules, denied=""))["a"] == [("b", "opposite")]
    assert ends(said(*reversed(rules), denied=""))["a"] == [("b", "opposite")]
    assert not ends(said("Helmets are allowed in the hall.", "Helmets are not required in the hall.", denied="b"))["a"]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("Always print labels in colour.", "Never print maps in colour."),
        ("Always lock the shed at night.", "Never lock the greenhouse at night."),
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
