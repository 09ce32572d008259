"""Of two memories that answer one question the later one is taken for true, although no rule sees a change in it."""

import random
from typing import Any

import pytest

from brain_retrieval.knowledge.memories.asked.answer import Answer, kinds_asked
from brain_retrieval.knowledge.memories.asked.answers import (
    CONSTANT,
    LEAST,
    MOST_COMPARED,
    Answers,
    fitted_weights,
    probability,
)
from brain_retrieval.knowledge.memories.asked.overlaps import kinds_of
from brain_retrieval.knowledge.memories.facets import Facet
from brain_retrieval.knowledge.memories.matching import match_all
from brain_retrieval.knowledge.memories.supersession import ANSWER
from brain_retrieval.knowledge.memories.view import judged, view
from tests.retrieval.knowledge.memories.rows import day, row

AT = "2026-06-01"
CHOIR = row("a", "Choir rehearses Tuesdays at 19:30 in the parish hall.", "2025-01-02", values=[("time", "19:30")])
MOVED = row("b", "Choir meets on Wednesdays in the parish hall.", "2025-11-02")


def statuses(rows: list[dict[str, Any]], about: str, at: str = AT) -> dict[str, str]:
    return {seen.row["memory_id"]: seen.status for seen in view(rows, about, at=day(at))}


def pair(before: str, after: str, old: list[tuple[str, str]], new: list[tuple[str, str]]) -> list[dict[str, Any]]:
    return [row("a", before, "2024-06-02", values=old), row("b", after, "2025-11-02", values=new)]


def test_the_later_answer_holds_and_the_earlier_one_is_perhaps_outdated() -> None:
    assert statuses([CHOIR, MOVED], "choir rehearsal day") == {"a": "perhaps outdated", "b": "current"}
    earlier = next(seen for seen in view([CHOIR, MOVED], "choir rehearsal day", at=day(AT)) if seen.ended_by)
    assert [(each.memory_id, each.kind, each.sure) for each in earlier.ended_by] == [("b", ANSWER, False)]


def test_without_the_later_answer_or_before_it_the_earlier_one_holds() -> None:
    assert statuses([CHOIR], "choir rehearsal day") == {"a": "current"}
    assert statuses([CHOIR, MOVED], "choir rehearsal day", "2025-10-01") == {"a": "current"}


@pytest.mark.parametrize(
    ("about", "before", "after"),
    [
        ("how much is the rent", "The rent of the shop is 1,260 euros a month.", "We slept there for 92 euros."),
        ("where does Jonas work", "Jonas de Wit goes to Antwerp to work for Cowboy.", "De Avonden by Reve: gave up."),
    ],
)
def test_what_matches_less_and_has_nothing_else_in_common_answers_nothing(about: str, before: str, after: str) -> None:
    values = [[("EUR", "1260")], [("EUR", "92")]] if "rent" in about else [[], []]
    assert statuses(pair(before, after, *values), about)["a"] == "current"


def test_nothing_is_perhaps_outdated_without_a_question() -> None:
    assert {seen.status for seen in view([CHOIR, MOVED], None, at=day(AT))} == {"current"}


def test_the_name_of_an_event_asks_for_no_answer() -> None:
    found = judged(map(Facet, [CHOIR, MOVED]), "choir rehearsal day", at=day(AT), is_question=False)
    assert {seen.status for seen in found} == {"current"}


@pytest.mark.parametrize(
    ("about", "before", "after", "old", "new"),
    [
        ("warm rent of the flat", "The flat is 840 warm.", "Flat: 890 warm, landlord's letter.",
         [("number", "840")], [("number", "890")]),
        ("Elo im Verein", "Elo im Verein: 1480.", "Nach dem Turnier im Verein Elo 1532.",
         [("number", "1480")], [("number", "1532")]),
        ("prix de la salle", "La salle est à 60 euros par mois.", "La MJC demande 75 euros pour la salle.",
         [("EUR/mois", "60")], [("EUR/mois", "75")]),
        ("teacher of Lotte", "Teacher of Lotte is Herr Sand.", "Lotte has Frau Yilmaz as teacher in class two.",
         [], []),
    ],
)  # fmt: skip
def test_answers_of_several_forms_and_languages(
    about: str, before: str, after: str, old: list[tuple[str, str]], new: list[tuple[str, str]]
) -> None:
    found = statuses(pair(before, after, old, new), about)
    assert found["a"] in ("perhaps outdated", "ended") and found["b"] == "current", found


@pytest.mark.parametrize(
    ("about", "before", "after"),
    [
        ("Hugo", "Hugo likes rays.", "Hugo joined the harbour police."),
        ("Gerbergasse 8", "Gerbergasse 8 has new windows.", "The cellar of Gerbergasse 8 was flooded."),
        ("choir", "The choir sings Bach.", "The choir was in Leipzig."),
        ("component library", "The component library has a logo.", "The component library is on the third shelf."),
    ],
)
def test_a_topic_alone_has_many_answers_that_hold_together(about: str, before: str, after: str) -> None:
    assert statuses(pair(before, after, [], []), about) == {"a": "current", "b": "current"}


def test_an_answer_of_the_kind_asked_for_gives_way_only_to_another_one() -> None:
    before = "The regatta is on 4 July with 8 crews."
    rows = pair(before, "The regatta has 6 crews.", [("date", "2026-07-04"), ("crew", "8")], [("crew", "6")])
    assert statuses(rows, "regatta date")["a"] != "perhaps outdated"


@pytest.mark.parametrize("changes", [{"modality": "reported"}, {"modality": "possible"}, {"polarity": "negated"}])
def test_hearsay_plans_and_plain_negations_answer_instead_of_nothing(changes: dict[str, Any]) -> None:
    assert statuses([CHOIR, {**MOVED, **changes}], "choir rehearsal day")["a"] == "current"


def test_the_order_of_rows_does_not_matter() -> None:
    rows = [
        CHOIR,
        MOVED,
        row("c", "Choir sings on Thursdays in summer.", "2026-02-02"),
        row("d", "The choir rehearsal was loud.", "2026-02-02"),
        *(row(f"m{n}", f"Choir rehearsal {n} on a Monday", f"2025-03-{n:02}") for n in range(1, MOST_COMPARED // 2)),
    ]
    expected = view(rows, "choir rehearsal day", at=day(AT))
    for seed in range(12):
        shuffled = random.Random(seed).sample(rows, len(rows))
        assert view(shuffled, "choir rehearsal day", at=day(AT)) == expected


def test_of_two_equal_successors_the_later_one_is_named() -> None:
    again = {**MOVED, "memory_id": "c", "source_id": "c"}
    earlier = next(seen for seen in view([again, CHOIR, MOVED], "choir day", at=day(AT)) if seen.ended_by)
    assert [each.memory_id for each in earlier.ended_by] == ["c"]


def test_the_fit_knows_every_feature_and_no_other() -> None:
    facets = [Facet(CHOIR), Facet(MOVED)]
    about = "choir rehearsal day"
    answers = Answers(about, list(zip(facets, match_all(about, facets), strict=True)), facets, day(AT))
    ((later, features),) = answers.pairs(facets[0])
    assert later.facet is facets[1] and probability(features) >= LEAST
    assert features.keys() | {CONSTANT} == fitted_weights().keys()
    assert not answers.pairs(facets[1])


@pytest.mark.parametrize(
    ("about", "kinds"),
    [
        ("when is the launch", {"moment"}),
        ("who cleans the flat", {"person"}),
        ("quanto costa", {"amount"}),
        ("wo wohnt Oma", {"name", "place"}),
        ("my day rate", {"amount"}),
        ("Bruno", set()),
    ],
)
def test_what_a_question_asks_for(about: str, kinds: set[str]) -> None:
    assert kinds_asked(about) == kinds


def test_a_request_with_the_words_of_the_question_answers_it() -> None:
    before = row("a", "Preschool pickup is at 14:30.", "2024-06-02", values=[("time", "14:30")])
    after = "Preschool pickup has changed: we have to be there by 13:45."
    later = row("b", after, "2025-11-02", values=[("time", "13:45")], kind="instruction")
    assert statuses([before, later], "preschool pickup time") == {"a": "perhaps outdated", "b": "current"}


def test_what_someone_else_has_is_no_answer_without_a_word_of_the_question() -> None:
    before = row("a", "Work laptop is a ThinkPad T14, asset no. 20871.", "2024-01-18", values=[("number", "20871")])
    after = row(
        "b",
        "Ilse's MacBook had to go to repair, she borrows asset 19002.",
        "2024-04-08",
        kind="event",
        values=[("number", "19002")],
        entities=[{"name": "MacBook", "type": "Product", "role": "subject"}],
    )
    assert statuses([before, after], "work laptop")["a"] == "current"
    spare = {**after, "text": "The MacBook had to go to repair, asset 19002 stands in for it."}
    assert statuses([before, spare], "work laptop")["a"] == "perhaps outdated"


def test_a_denial_leaves_what_another_part_of_its_sentence_affirms() -> None:
    values = [("number", "0.5")]
    half = row("a", "Half a tablet of Felimox twice daily for Miso.", "2024-02-12", values=values)
    whole = row("b", "Blood of Miso not good enough, a whole tablet twice a day.", "2024-04-30", polarity="negated")
    assert statuses([half, whole], "Miso tablets")["a"] == "perhaps outdated"
    none = row("b", "No tablet of Felimox was left for Miso.", "2024-04-30", polarity="negated")
    assert statuses([half, none], "Miso tablets")["a"] == "current"


def test_a_reply_is_compared_with_what_later_answers_the_same_question() -> None:
    reply = row("a", "Jonty: Heron4417", "2024-02-03", speaker="Jonty", anchors=["heron4417", "wifi", "password"])
    later = row("b", "Jonty: Wifi password is now plum-9", "2024-08-30", speaker="Jonty", cue="weak")
    assert statuses([reply, later], "wifi password")["a"] == "perhaps outdated"


def test_a_word_that_begins_a_compound_asks_for_nothing_of_its_kind() -> None:
    def asked(about: str, *texts: str) -> frozenset[str]:
        return kinds_of(
            about, [Answer(Facet(row(str(n), text, "2025-01-02")), {}, frozenset()) for n, text in enumerate(texts)]
        )

    assert asked("date picker", "The date picker breaks the booking page.") == frozenset()
    assert asked("launch date", "The launch date is open.") == {"moment"}
    assert asked("date of the launch", "The date of the launch is open.") == {"moment"}
    assert asked("when is the date picker fixed", "The date picker breaks the booking page.") == {"moment"}


@pytest.mark.parametrize(
    ("after", "changes", "status"),
    [
        ("The rowing club has bought blankets.", {}, "current"),
        ("The rowing club trains under Odile Marchand now.", {"cue": "weak"}, "perhaps outdated"),
    ],
)
def test_what_matches_less_needs_a_change_or_another_answer(after: str, changes: dict[str, Any], status: str) -> None:
    coach = row("a", "Coach of the rowing club is Tove Lind.", "2024-06-02")
    assert statuses([coach, row("b", after, "2025-11-02", **changes)], "coach of the rowing club")["a"] == status


def test_what_has_another_name_than_what_is_asked_for_answers_nothing() -> None:
    def ships(memory_id: str, name: str, text: str, said: str, value: str) -> dict[str, Any]:
        entities = [{"name": name, "type": "Product", "role": "subject"}]
        return row(memory_id, text, said, values=[("date", value)], entities=entities)

    ours = ships("a", "Brightmoor", "Brightmoor has the ship date 14 November.", "2025-06-02", "2025-11-14")
    theirs = ships("b", "Emberwood", "Emberwood ships on 3 October.", "2025-08-02", "2025-10-03")
    assert statuses([ours, theirs], "Brightmoor ship date", "2025-09-01")["a"] == "current"
    again = ships("b", "Brightmoor", "Brightmoor ships on 3 October.", "2025-08-02", "2025-10-03")
    assert statuses([ours, again], "Brightmoor ship date", "2025-09-01")["a"] != "current"


def test_a_sentence_that_points_back_is_outdated_with_the_one_before_it() -> None:
    first = row("a", "The spare key of the barn is under the flowerpot.", "2024-01-05")
    moved = row("b", "Took the spare key of the barn in, too many people about.", "2024-06-18")
    hangs = row(
        "c",
        "It hangs inside the meter cupboard.",
        "2024-06-18",
        source_id="b",
        start=60,
        end=95,
        anchors=["hang", "insid", "meter", "cupboard", "spar", "key", "barn"],
    )
    given = row("d", "Gave the spare key of the barn to Mrs Adler, she is home all day.", "2025-02-02")
    before = statuses([first, moved, hangs], "spare key of the barn", "2025-01-01")
    assert before["c"] == "current"
    after = statuses([first, moved, hangs, given], "spare key of the barn", "2025-03-01")
    assert (after["c"], after["d"]) == ("perhaps outdated", "current")


@pytest.mark.parametrize(
    ("about", "before", "after", "later"),
    [
        ("when is regatta day", "Regatta Day is Saturday [2024-06-08].",
         "The first day of the course is Monday [2024-08-12].", {"values": [("date", "2024-08-12")]}),
        ("who is Milo's uncle", "This is Milo with his uncle Rafe.", "Bela will be there for Milo's birthday.",
         {"kind": "plan"}),
        ("which allergies are in the troop", "Troop allergies: two of the cubs must not have nuts.",
         "The troop is all so settled.", {"cue": "strong"}),
    ],
)  # fmt: skip
def test_what_has_only_the_commonest_word_of_the_question_answers_nothing_instead(
    about: str, before: str, after: str, later: dict[str, Any]
) -> None:
    day_of = [("date", "2024-06-08")] if "[" in before else []
    rows = [row("a", before, "2024-06-02", values=day_of), row("b", after, "2024-07-10", **later)]
    rows += [row(f"o{n}", f"Milo and the troop had a day {n} at the lake.", f"2024-05-{n + 1:02}") for n in range(9)]
    rows.append(row("z", "Milo and the troop sang by the fire.", "2024-08-01"))
    assert statuses(rows, about)["a"] == "current"


def test_a_page_that_was_saved_does_not_answer_instead_of_ones_own_note() -> None:
    page = "The average rent in town is 1,100 euros a month."
    rows = pair("The rent is 910 euros a month.", page, [("EUR/month", "910")], [("EUR/month", "1100")])
    assert statuses(rows, "how much is the rent")["a"] != "current"
    rows[1] = rows[1] | {"source": "document", "uri": "inbox:document/rents.html"}
    assert statuses(rows, "how much is the rent")["a"] == "current"
    rows[1] = rows[1] | {"uri": "inbox:document/lease.pdf"}
    assert statuses(rows, "how much is the rent")["a"] != "current"


def test_what_who_is_asked_for_only_says_is_no_answer() -> None:
    before = row("a", "Ruth 17 May", "2024-06-02", values=[("date", "2025-05-17")], anchors=["ruth", ":title:birthday"])
    ruth = [{"name": "Ruth", "type": "Person", "role": "speaker"}]
    after = row("b", "Ruth: 3,150 since October", "2025-11-02", speaker="Ruth", values=[("month", "2025-10")])
    rows = [before | {"entities": [ruth[0] | {"role": "subject"}]}, after | {"entities": ruth}]
    assert statuses(rows, "When is Ruth's birthday?")["a"] == "current"
