"""Stored rules, wishes and decisions: another value ends the earlier one, another matter does not."""

from typing import Any

import pytest

from tests.retrieval.knowledge.memories.test_changes import ends
from tests.retrieval.knowledge.memories.test_opposites import said

STORED = {"method": "agent", "kind": "instruction", "speaker": "user"}


def stored(before: str, after: str, language: str, **changes: Any) -> list[dict[str, Any]]:
    return said(before, after, denied="", language=language, **{**STORED, **changes})


@pytest.mark.parametrize(
    ("before", "after", "language"),
    [
        ("The bins are emptied on Wednesdays.", "The bins are emptied on Saturdays.", "en"),
        ("Choir practice ends at 20:15.", "Choir practice ends at 21:00.", "en"),
        ("Each order needs 2 signatures.", "Each order needs 3 signatures.", "en"),
        ("Use Inkscape for drawings.", "Use Krita for drawings.", "en"),
        ("Set page titles in bold with Pandoc.", "Set page titles in bold with Typst.", "en"),
        ("Water the plants before breakfast.", "Water the plants after breakfast.", "en"),
        ("Ivo maintains the parts list.", "Lena maintains the parts list.", "en"),
        ("Choose trains over buses.", "Choose buses over trains.", "en"),
        ("Call me Noor.", "Call me Eleanor.", "en"),
        ("Die Werkstatt wird montags gereinigt.", "Die Werkstatt wird samstags gereinigt.", "de"),
        ("Nutze Inkscape für Zeichnungen.", "Nutze Krita für Zeichnungen.", "de"),
        ("Usa Inkscape para los dibujos.", "Usa Krita para los dibujos.", "es"),
        ("Le courrier est distribué par Ivo.", "Le courrier est distribué par Lena.", "fr"),
        ("Le verdure sono consegnate il lunedì.", "Le verdure sono consegnate il sabato.", "it"),
        ("Usa o Inkscape para os desenhos.", "Usa o Krita para os desenhos.", "pt"),
    ],
)
def test_another_value_ends_the_earlier_one(before: str, after: str, language: str) -> None:
    assert ends(stored(before, after, language))["a"]
    assert not ends(stored(before, after, language))["b"]


@pytest.mark.parametrize(
    ("before", "after", "language"),
    [
        ("Use Inkscape for drawings.", "Use Audacity for recordings.", "en"),
        ("Use commas in lists.", "Use commas in addresses.", "en"),
        ("The Delft depot opens at seven.", "The Ghent depot opens at nine.", "en"),
        ("Locker 12 is kept for visitors.", "Locker 14 is kept for visitors.", "en"),
        ("Mention the weather in the diary.", "Mention the mood in the diary.", "en"),
        ("Feed the cat before leaving.", "Feed the hens before leaving.", "en"),
        ("Schreibe Briefe auf Papier.", "Schreibe Briefe in kurzen Sätzen.", "de"),
        ("El taller de Lugo abre a las seis.", "El taller de Vigo abre a las diez.", "es"),
        ("Utilise Inkscape pour les dessins.", "Utilise Audacity pour les sons.", "fr"),
        ("Rispondi ai soci in francese.", "Rispondi ai soci con calma.", "it"),
    ],
)
def test_another_matter_ends_nothing(before: str, after: str, language: str) -> None:
    assert not ends(stored(before, after, language))["a"]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("Never print on Mondays.", "Never print on Sundays."),
        ("Do not sing in the library.", "Do not sing in the chapel."),
    ],
)
def test_prohibitions_add_up(before: str, after: str) -> None:
    assert not ends(stored(before, after, "en", polarity="negated"))["a"]


def test_permissions_add_up() -> None:
    assert not ends(stored("Visitors may wait in the hall.", "Visitors may wait in the garden.", "en"))["a"]


def test_what_a_stored_rule_allows_ends_what_forbade_it() -> None:
    before, after = stored("Never photograph the vault.", "The vault may be photographed.", "en")
    rows = [{**before, "polarity": "negated"}, {**after, "modality": "possible"}]
    assert ends(rows)["a"] == [("b", "opposite")]


def test_a_verb_may_have_another_form_where_it_is_denied() -> None:
    before, after = stored("Annaffia sempre le rose.", "Non annaffiare mai le rose.", "it")
    assert ends([before, {**after, "polarity": "negated"}])["a"]


@pytest.mark.parametrize("changes", [{"method": "local"}, {"kind": "fact"}, {"kind": "event"}])
def test_what_is_said_and_no_stored_rule_ends_nothing_by_its_form(changes: dict[str, Any]) -> None:
    assert not ends(stored("Ivo works on the lathe.", "Ivo works on the press.", "en", **changes))["a"]
