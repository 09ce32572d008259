"""The view of memories as of a moment: what ends what, and that it is a function of the rows that exist."""

import random
import time
from itertools import islice
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from brain_retrieval.knowledge.memories import view as view_module
from brain_retrieval.knowledge.memories.facets import Facet
from brain_retrieval.knowledge.memories.matching import anchor_keys
from brain_retrieval.knowledge.memories.view import as_of, judged, view
from tests.retrieval.knowledge.memories.rows import day, row

RENT = row("a", "The rent is 1150 francs.", "2024-01-02", values=[("CHF", "1150")])
RAISED = row("b", "The rent went up to 1240 francs.", "2024-10-04", values=[("CHF", "1240")], cue="strong")


def status(rows: list, about: str, at: str, **options) -> dict[str, str]:
    return {seen.row["memory_id"]: seen.status for seen in view(rows, about, at=day(at), **options)}


def shown(rows: list, about: str, at: str, **options) -> set[str]:
    return {seen.row["memory_id"] for seen in as_of(rows, about, at=day(at), **options)}


def test_another_amount_ends_the_first_and_says_so() -> None:
    assert shown([RENT, RAISED], "rent", "2024-06-01") == {"a"}
    assert shown([RENT, RAISED], "rent", "2024-12-01") == {"b"}
    ended = next(seen for seen in view([RENT, RAISED], "rent", at=day("2024-12-01")) if seen.row["memory_id"] == "a")
    assert [(each.memory_id, each.kind, each.sure) for each in ended.ended_by] == [("b", "value", True)]


def test_deleting_a_row_reopens_what_it_had_ended() -> None:
    assert shown([RENT], "rent", "2024-12-01") == {"a"}


def test_an_announced_start_ends_nothing_before_its_day() -> None:
    announced = {**RAISED, "effective_from": day("2024-11-01"), "from_stated": True}
    assert status([RENT, announced], "rent", "2024-10-10") == {"a": "current", "b": "upcoming"}
    assert shown([RENT, announced], "rent", "2024-11-02") == {"b"}


def test_backdated_news_holds_from_its_day_unless_it_was_not_known() -> None:
    works = row("a", "Hugo works at the aquarium.", "2025-02-10")
    left = row("b", "Hugo left the aquarium.", "2025-06-18", cue="strong", from_stated=True)
    left["effective_from"] = day("2025-03-31")
    assert shown([works, left], "Hugo", "2025-05-01") == {"b"}
    assert shown([works, left], "Hugo", "2025-05-01", known_at=day("2025-06-01")) == {"a"}
    assert shown([works, left], "Hugo", "2025-03-01") == {"a"}


def test_an_end_without_a_start_held_before() -> None:
    lived = row("a", "She lived in Rome.", "2025-06-01", valid_to=day("2025-04-01"))
    assert shown([lived], "Rome", "2025-03-01") == {"a"}
    assert shown([lived], "Rome", "2025-05-01") == set()


@pytest.mark.parametrize("modality", ["reported", "possible", "conditional", "question"])
def test_what_is_not_asserted_ends_nothing_and_is_not_taken_for_true(modality: str) -> None:
    rumour = {**RAISED, "modality": modality}
    assert status([RENT, rumour], "rent", "2024-12-01") == {"a": "current", "b": modality}


def test_a_rumour_is_settled_by_what_is_asserted() -> None:
    rumour = row("a", "The bakery might close.", "2025-05-05", modality="reported")
    closes = row("b", "The bakery closed.", "2025-06-16", cue="strong")
    full = row("c", "The bakery was full.", "2025-05-06")
    assert status([rumour, full], "bakery", "2025-07-01")["a"] == "reported"
    assert status([rumour, full, closes], "bakery", "2025-07-01")["a"] == "ended"


def test_a_plain_negation_ends_only_what_it_denies() -> None:
    slot = {"slot_subject": "Ravi", "slot_attribute": "works_at", "slot_value": "Bosch"}
    works = row("a", "Ravi works at Bosch.", "2025-01-01", **slot)
    denied = row("b", "Ravi does not work at Bosch.", "2025-02-01", polarity="negated", **slot)
    other = row(
        "c", "Ravi does not work at Siemens.", "2025-02-01", polarity="negated", **{**slot, "slot_value": "Siemens"}
    )
    assert shown([works, denied], "Ravi", "2025-03-01") == {"b"}
    assert shown([works, other], "Ravi", "2025-03-01") == {"a", "c"}


def test_one_slot_has_one_value() -> None:
    slot = {"slot_subject": "Dario's manager", "slot_attribute": "is"}
    first = row("a", "Dario's manager is Helga.", "2025-01-09", slot_value="Helga", **slot)
    second = row("b", "Dario's manager is Luis.", "2025-09-15", slot_value="Luis", **slot)
    assert shown([first, second], "Dario's manager", "2025-10-01") == {"b"}


def test_the_best_outlives_what_is_worse() -> None:
    best = row("a", "My best 10 km is 50:05.", "2024-07-13", values=[("duration", "50:05")])
    worse = row("b", "Bad race, 10 km in 54:10.", "2024-10-19", values=[("duration", "54:10")])
    assert "a" in shown([best, worse], "10 km", "2024-12-01")


def test_a_compound_matches_its_parts_and_a_concept_what_speaks_of_it() -> None:
    rows = [row("a", "Mietvertrag unterschrieben.", "2024-01-01"), row("b", "Helga lives in Oslo.", "2024-01-01")]
    assert shown(rows, "Miete", "2024-02-01") == {"a"}
    assert shown(rows, "address", "2024-02-01") == {"b"}


def test_rows_without_a_key_do_not_match() -> None:
    rows = [RENT, row("c", "Nora washed the car.", "2024-01-01"), row("d", "Mietvertrag unterschrieben.", "2024-01-01")]
    words = {word for each in rows for word in each["anchors"]}
    for about in ("rent", "Miete", "car", "money"):
        keys = anchor_keys(about, words)
        matched = {seen.row["memory_id"] for seen in view(rows, about, at=day("2025-01-01"))}
        assert matched <= {each["memory_id"] for each in rows if keys & set(each["anchors"])}


def test_a_score_is_the_sum_of_its_parts() -> None:
    for seen in view([RENT, RAISED], "rent", at=day("2024-12-01")):
        assert seen.score == pytest.approx(sum(seen.parts.values()), abs=1e-5)


TEXTS = (
    "The rent is high.",
    "Nora drives a Volvo.",
    "Nora sold the Volvo.",
    "Nora has a new car.",
    "No rent any more.",
)
ROWS = st.lists(
    st.builds(
        lambda text, month, start, cue, modality, polarity, amount: (
            text,
            month,
            start,
            cue,
            modality,
            polarity,
            amount,
        ),
        st.sampled_from(TEXTS),
        st.integers(1, 12),
        st.integers(1, 12),
        st.sampled_from(("none", "weak", "strong")),
        st.sampled_from(("asserted", "reported", "possible")),
        st.sampled_from(("affirmed", "negated")),
        st.sampled_from(((), (("EUR", "1"),), (("EUR", "2"),))),
    ),
    max_size=8,
)


def made(drawn: list) -> list:
    rows = []
    for number, (text, month, start, cue, modality, polarity, values) in enumerate(drawn):
        changes = {"cue": cue, "modality": modality, "polarity": polarity, "values": list(values)}
        begins = day(f"2024-{start:02}-01")
        changes |= {"effective_from": begins, "from_stated": True} if start != month else {}
        rows.append(row(f"m{number}", text, f"2024-{month:02}-01", **changes))
    return rows


@settings(deadline=None)  # the first example also reads the word lists
@given(ROWS, st.randoms(use_true_random=False), st.sampled_from(("rent", "Nora car", "Volvo", None)))
def test_the_order_of_the_rows_does_not_matter(drawn: list, chance: random.Random, about: str | None) -> None:
    rows = made(drawn)
    shuffled = list(rows)
    chance.shuffle(shuffled)
    assert view(rows, about, at=day("2024-07-01")) == view(shuffled, about, at=day("2024-07-01"))


@settings(deadline=None)  # the first example also reads the word lists
@given(ROWS, st.integers(0, 7))
def test_no_two_memories_end_each_other(drawn: list, _: int) -> None:
    seen = {each.row["memory_id"]: each for each in view(made(drawn), None, at=day("2024-12-31"))}
    for one in seen.values():
        for end in one.ended_by:
            assert one.row["memory_id"] not in {back.memory_id for back in seen[end.memory_id].ended_by}


@settings(deadline=None)  # the first example also reads the word lists
@given(ROWS)
def test_a_removed_row_is_as_if_it_had_never_been(drawn: list) -> None:
    rows = made(drawn)
    for gone in rows:
        rest = [each for each in rows if each is not gone]
        ends = {each.row["memory_id"]: each.ended_by for each in view(rest, None, at=day("2024-07-01"))}
        for each in view(rows, None, at=day("2024-07-01")):
            if each.row["memory_id"] != gone["memory_id"]:
                left = tuple(end for end in each.ended_by if end.memory_id != gone["memory_id"])
                assert ends[each.row["memory_id"]] == left


def test_a_few_hundred_candidates_take_little_time() -> None:
    many = [
        row(f"m{n}", f"The rent of flat {n} is {n} euros.", "2024-01-02", values=[("EUR", str(n))]) for n in range(300)
    ]
    began = time.process_time()
    as_of(many, "rent", at=day("2024-12-01"))
    assert time.process_time() - began < 10


def test_facets_of_a_note_begin_with_its_subject() -> None:
    assert Facet(row("a", "The choir concert is on Monday.", "2024-01-01")).heads == {"choir", "concert"}


def test_memories_are_judged_when_they_are_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever shows ten of a thousand matches does not wait for the other ones; what is shown does not change."""
    rows = [RENT, RAISED, *(row(f"m{n}", f"The rent of shed {n} is low.", "2024-03-01") for n in range(30))]
    judge, judged_ones = view_module._ended, list[str]()

    def counting(facet: Facet, *rest: Any) -> Any:
        judged_ones.append(facet.row["memory_id"])
        return judge(facet, *rest)

    monkeypatch.setattr(view_module, "_ended", counting)
    seen = view(rows, "rent", at=day("2024-12-01"))
    judged_ones.clear()
    facets = [Facet(each) for each in rows]
    assert list(islice(judged(facets, "rent", at=day("2024-12-01")), 3)) == seen[:3]
    assert len(judged_ones) == 3
    chosen = judged(facets, "rent", at=day("2024-12-01"), wanted=lambda facet: facet.row["memory_id"] in "ab")
    assert list(chosen) == [each for each in seen if each.row["memory_id"] in "ab"]
    assert len(judged_ones) == 5


def test_what_has_only_an_end_replaces_what_began_before_and_is_not_replaced_by_it() -> None:
    slot = {"slot_subject": "Lena", "slot_attribute": "works_at"}
    globex = row("a", "Lena works at Globex since 2019.", "2026-01-02", slot_value="Globex", **slot)
    globex |= {"effective_from": day("2019-01-01"), "from_stated": True}
    acme = row("b", "Lena worked at Acme until March 2025.", "2026-01-03", slot_value="Acme", **slot)
    acme |= {"valid_to": day("2025-04-01")}
    statuses = {
        at: {seen.row["memory_id"]: seen.status for seen in view([globex, acme], "Lena", at=day(at))}
        for at in ("2010-06-01", "2024-06-01", "2026-06-01")
    }
    assert statuses["2010-06-01"] == {"b": "possible"}  # nothing says that it had begun
    assert statuses["2024-06-01"]["b"] == "current"
    assert statuses["2026-06-01"] == {"a": "ended", "b": "ended"}


DOCTOR = row(
    "a", "Our doctor is Mrs Ott.", "2024-01-02", entities=[{"name": "Mrs Ott", "type": "Person", "role": "object"}]
)
RETIRED = row(
    "b",
    "Mrs Ott has retired.",
    "2025-03-04",
    cue="strong",
    source_id="s",
    ends_hint=["a"],
    entities=[{"name": "Mrs Ott", "type": "Person", "role": "subject"}],
)
SUCCESSOR = row("c", "From April we go to Mr Quist.", "2025-03-04", cue="weak", source_id="s", start=40)


def test_what_ended_an_answer_and_the_sentence_after_it_stand_in_its_place() -> None:
    rows = [DOCTOR, RETIRED, SUCCESSOR, row("d", "The doctor in Ulm is dear.", "2024-02-02")]
    for shuffled in (rows, rows[::-1]):
        seen = view(shuffled, "our doctor", at=day("2025-05-01"))
        assert [(one.row["memory_id"], one.status) for one in seen] == [
            ("d", "current"),
            ("a", "ended"),
            ("b", "current"),
            ("c", "current"),
        ]
    assert shown(rows, "our doctor", "2024-06-01") == {"a", "d"}


def test_a_sentence_without_a_change_does_not_stand_in_for_an_answer() -> None:
    rows = [DOCTOR, RETIRED, {**SUCCESSOR, "cue": "none"}]
    assert shown(rows, "our doctor", "2025-05-01") == {"b"}


def test_a_name_is_not_answered_by_what_follows_on_what_ended_a_match() -> None:
    rumour = row("a", "Tam says Finlay might get the Leeds job.", "2026-02-03", modality="possible")
    rumour |= {"entities": [{"name": "Tam", "role": "named"}, {"name": "Finlay", "role": "subject"}]}
    settled = row("b", "Finlay did not get the Leeds job.", "2026-02-18", polarity="negated", cue="strong")
    settled |= {"source_id": "n", "entities": [{"name": "Finlay", "role": "subject"}]}
    after = row("c", "The router is new.", "2026-02-18", source_id="n", start=60, cue="weak")
    rows = [rumour, settled, after]
    assert [seen.row["memory_id"] for seen in view(rows, "Tam", at=day("2026-06-01"))] == ["a"]
    found = view(rows, "Tam's job", at=day("2026-06-01"))
    assert {seen.row["memory_id"] for seen in found} == {"a", "b"}  # the second matches, so its next one is no answer


def test_a_wedding_is_no_other_day_in_the_calendar() -> None:
    wedding = row("a", "The wedding is on 19 September.", "2026-05-18")
    other = row("b", "The meeting of the board is cancelled.", "2026-06-01")
    assert {seen.row["memory_id"] for seen in view([wedding, other], "wedding", at=day("2026-07-01"))} == {"a"}
    assert {seen.row["memory_id"] for seen in view([other], "wedding", at=day("2026-07-01"))} == {"b"}
