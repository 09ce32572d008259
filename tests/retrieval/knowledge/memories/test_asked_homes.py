"""Questions about a home, and words that are no matter in common."""

import pytest

from brain_retrieval.knowledge.memories.facets import Facet
from brain_retrieval.knowledge.memories.matching import match_all
from tests.retrieval.knowledge.memories.rows import row


@pytest.mark.parametrize("question", ["where do I live", "Where does Olga live?", "where did we live"])
def test_a_question_about_a_home_matches_what_speaks_of_one(question: str) -> None:
    home, other = (
        row(key, text, "2026-01-02") for key, text in (("a", "Living at 14 Mill Lane still."), ("b", "A mug."))
    )
    found, none = match_all(question, [Facet(home), Facet(other)])
    assert found and not none


@pytest.mark.parametrize(
    ("earlier", "later"),
    [
        ("The rent at Mrs Moss's is 795 pounds.", "The new quote for Mrs Reed is 2,840 pounds."),
        ("Frau Moss wohnt in Kiel.", "Frau Reed ist jetzt im Urlaub."),
        ("The ballot closes on the 12th.", "The parade is now on the 12th."),
    ],
)
def test_a_form_of_address_and_a_day_are_no_matter_in_common(earlier: str, later: str) -> None:
    old, new = Facet(row("a", earlier, "2026-01-02")), Facet(row("b", later, "2026-02-02", cue="weak"))
    assert not {"mrs", "frau", "12th"} & (old.telling | new.telling)
