"""Stance of single statements, and what has to hold whatever the features are."""

from dataclasses import fields, replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from brain_retrieval.evidence.candidates.passages import placed
from brain_retrieval.evidence.stance.compared import Read, Wanted
from brain_retrieval.evidence.stance.features import StanceFeatures
from brain_retrieval.evidence.stance.judge import LEAST, WEIGHTS, judge
from brain_retrieval.evidence.stance.reading import features_of
from tests.retrieval.evidence.reading import claim_of, lines, said, stance

EXAMPLES = settings(max_examples=60, deadline=None)
_SHARE = st.floats(0, 1)
_GRADED = ("subject", "action", "object", "overlap", "anchors", "semantic", "graph")
_FLAGS = tuple(one.name for one in fields(StanceFeatures) if one.type == "bool" or one.type is bool)
ANY = st.builds(
    StanceFeatures,
    **dict.fromkeys(("action", "overlap", "anchors", "names", "graph"), _SHARE),
    **{name: st.none() | _SHARE for name in ("subject", "object", "semantic")},
    **{name: st.sampled_from(["agree", "conflict", "none"]) for name in ("amounts", "dates")},
    **{name: st.booleans() for name in _FLAGS},
)


@pytest.mark.parametrize(("label", "claim", "text"), lines("pairs.txt"))
def test_stance_of_a_statement(label: str, claim: str, text: str) -> None:
    found = stance(claim, text)
    assert found.label == label, found


@pytest.mark.parametrize("language", ["de", "es", "fr", "it", "pt"])
def test_stance_of_statements_in_other_languages(language: str) -> None:
    wrong = [one for one in lines(f"pairs_{language}.txt") if stance(*one[1:], language).label != one[0]]
    assert wrong == []


@pytest.mark.parametrize("claim", ["Rained all day.", "Not true.", "-", "Is open, but who knows.", "3", "Instead of."])
def test_claims_without_a_subject_are_judged_too(claim: str) -> None:
    for text in ("Bob, who left, said it rained; she is open except on Mondays.", "Instead of", "version 3", "…"):
        assert stance(claim, text).label in ("support", "contradict", "neither")
    assert stance("Bob left on Monday", claim).label == "neither"


def test_what_has_ended_denies_what_it_said() -> None:
    ended = stance("Bob lives in Lisbon", "Bob lives in Lisbon.", status="ended")
    assert (ended.label, ended.reason) == ("contradict", "held before and has ended")
    assert stance("Bob used to live in Lisbon", "Bob lives in Lisbon.", status="ended").label == "support"
    assert stance("Bob lives in Lisbon", "Bob lives in Lisbon.", status="perhaps outdated").label == "neither"


def test_the_one_who_speaks_is_no_other() -> None:
    asked = "Daniel asked me to lead the redesign."
    assert stance("Alice leads the redesign", asked, speaker="Alice").label != "contradict"
    assert stance("Alice leads the redesign", "Daniel leads the redesign.", speaker="Alice").label == "contradict"


def test_items_of_a_list_are_statements_of_their_own() -> None:
    text = (
        "What did I do?\n\n- moved my list onto a new site\n- saw a film - a long one - at sea\n  1. bought two kites"
    )
    found = [(own, text[start:end]) for own, (start, end), _ in placed(text, "en")]
    assert [own for own, _ in found[1:]] == [
        "moved my list onto a new site",
        "saw a film - a long one - at sea",
        "bought two kites",
    ]
    assert all(own == there for own, there in found)


def test_headings_are_no_statements() -> None:
    text = "# Solberg bridge\nIt is 412 metres long.\n\n## 1. Before. The ferry\n\nA cable ferry crossed here."
    found = [(own, text[start:end], before) for own, (start, end), before in placed(text, "en")]
    assert found == [
        ("It is 412 metres long.", "It is 412 metres long.", "Solberg bridge"),
        ("A cable ferry crossed here.", "A cable ferry crossed here.", ""),
    ]
    assert [own for own, _, _ in placed("# Launch moved to 30 March\n", "en")] == ["Launch moved to 30 March"]


@EXAMPLES
@given(ANY, st.booleans(), st.booleans())
def test_negation_of_the_claim_exchanges_support_and_contradiction(
    features: StanceFeatures, then: bool, hedged: bool
) -> None:
    affirmed = judge(features, then=then, hedged=hedged)
    denied = judge(features, negated=True, then=then, hedged=hedged)
    assert (affirmed.support, affirmed.contradict) == (denied.contradict, denied.support)
    assert affirmed.about == denied.about


@EXAMPLES
@given(ANY)
def test_all_numbers_are_bounded_and_one_side_is_zero(features: StanceFeatures) -> None:
    found = judge(features)
    assert all(0 <= number <= 1 for number in (found.support, found.contradict, found.about))
    assert min(found.support, found.contradict) == 0


@EXAMPLES
@given(ANY, st.sampled_from(_GRADED), _SHARE)
def test_no_graded_feature_turns_a_stance_into_the_opposite(features: StanceFeatures, name: str, value: float) -> None:
    if getattr(features, name) is None:
        return
    before, after = judge(features), judge(replace(features, **{name: value}))
    assert {before.label, after.label} != {"support", "contradict"}


@EXAMPLES
@given(ANY, st.sampled_from(sorted(WEIGHTS)), _SHARE)
def test_more_of_the_claim_in_a_statement_never_makes_its_stance_weaker(
    features: StanceFeatures, name: str, value: float
) -> None:
    old = getattr(features, name)
    if old is None or value < old or features.other:  # where another is named, what is missing decides
        return
    before, after = judge(features), judge(replace(features, **{name: value}))
    assert after.strength >= before.strength - 1e-9 or after.strength == before.strength == 0


@pytest.mark.parametrize("name", [*_GRADED, *_FLAGS])
def test_no_feature_alone_makes_a_stance(name: str) -> None:
    empty = StanceFeatures(subject=0.0, object=0.0, names=0.0, semantic=0.0)
    full = {name: 1.0 if name in _GRADED else True}
    for base in (empty, replace(empty, names=1.0)):
        assert judge(replace(base, **full)).strength < LEAST
    for amounts in ("agree", "conflict"):
        assert judge(replace(empty, amounts=amounts, **full)).label == "neither"


@pytest.mark.parametrize(
    ("claim", "language", "text", "label"),
    [
        ("Helga wohnt in Mailand", "de", "Helga lives in Milan.", "neither"),
        ("Helga vive a Praga", "it", "Helga lives in Prague.", "neither"),
        ("Helga wohnt in Dresden", "de", "Helga lives in Milan.", "contradict"),
        ("Helga lives in Porto", "en", "Helga wohnt in Bodø.", "contradict"),
        ("Helga lives in Bern", "en", "Helga lives in Berlin.", "contradict"),
    ],
)
def test_the_name_of_a_place_in_another_language_is_no_other_place(
    claim: str, language: str, text: str, label: str
) -> None:
    own = claim_of(claim, language).statements[0]
    found = features_of(Wanted(own), Read(said(text, language="de" if "wohnt" in text else "en")), {})
    assert judge(found, negated=own.negated, then=own.then, hedged=own.hedged).label == label, found
