"""What a change does not end: memories that share a frequent word, a light word, a unit or a day with it, no more."""

import itertools
from typing import Any

import pytest

from brain_retrieval.knowledge.memories.supersession import VALUE
from brain_retrieval.knowledge.memories.view import view
from brain_retrieval.language.content_words import content_words
from tests.retrieval.knowledge.memories.rows import day, row

AT = "2026-06-01"


def ends(rows: list[dict[str, Any]], about: str | None = None, at: str = AT) -> dict[str, list[tuple[str, str]]]:
    """Return what has ended each memory, and by which rule."""
    return {
        seen.row["memory_id"]: [(each.memory_id, each.kind) for each in seen.ended_by]
        for seen in view(rows, about, at=day(at))
    }


def named(name: str, role: str = "named") -> dict[str, str]:
    return {"entity_id": name, "name": name, "type": "person", "role": role}


def test_a_word_of_many_memories_is_no_common_subject() -> None:
    few = row("a", "The harbour museum sells tickets.", "2026-01-02")
    change = row("z", "Sellers left the harbour for good.", "2026-02-02", cue="strong")
    assert ends([few, change])["a"]
    crowd = [row(f"m{n}", f"Sight {n} near the harbour", "2026-01-03") for n in range(15)]
    assert not ends([few, *crowd, change])["a"]


def test_a_name_in_common_is_no_common_subject() -> None:
    living = row("a", "I live in Lisbon now.", "2026-01-31", entities=[named("Lisbon")])
    change = row("b", "Three things changed since the test in Lisbon.", "2026-02-03", entities=[named("Lisbon")])
    assert not ends([living, change | {"cue": "strong"}])["a"]


def test_a_paper_about_one_thing_ends_nothing_of_another() -> None:
    papers = {"source": "document", "values": [{"dimension": "second", "value": "2"}]}
    one = row("a", "The harbour album is the second album of the band.", "2026-01-02") | papers
    other = row("b", "The mountain album is the third album of the band.", "2026-01-03") | papers
    other |= {"values": [{"dimension": "second", "value": "3"}], "cue": "strong"}
    assert not ends([one, other])["a"]
    assert ends([one | {"source": "note"}, other | {"source": "note"}])["a"]
    newer = other | {"text": "The harbour album is the third album of the band."}
    assert ends([one, newer | {"anchors": content_words(newer["text"], "en")}])["a"]


def test_an_attitude_to_one_thing_ends_none_to_another() -> None:
    book = row("a", "Melanie loved Heidi.", "2026-01-02", entities=[named("Melanie", "subject"), named("Heidi")])
    painting = row("b", "Melanie loves painting.", "2026-01-03", entities=[named("Melanie", "subject")])
    hates = row("c", "Melanie hates Heidi.", "2026-01-04", entities=[named("Melanie", "subject"), named("Heidi")])
    assert ends([book, painting, hates])["a"] == [("c", "attitude")]


def test_one_common_word_settles_no_question() -> None:
    asked = row("a", "Which room was offered to the library?", "2026-01-26", modality="question")
    other = row("b", "I accepted the offer of Lumen Health.", "2026-02-09", cue="strong")
    answer = row("c", "The library got the large room.", "2026-02-10", cue="weak")
    assert ends([asked, other, answer])["a"] == [("c", "settled")]


def test_a_bound_is_no_value() -> None:
    bound = row("a", "Daniel approves changes of more than 5,000 euros.", "2026-01-07", values=[("EUR limit", "5000")])
    paid = row("b", "Daniel approved 1,450 euros for changes.", "2026-02-06", values=[("EUR", "1450")])
    raised = row("c", "Daniel approves changes of more than 8,000 euros.", "2026-03-07", values=[("EUR limit", "8000")])
    assert ends([bound, paid, raised])["a"] == [("c", "value")]


def test_the_day_of_one_event_does_not_end_the_day_of_another() -> None:
    moving = row("a", "I will move to Lisbon on 30 January.", "2026-01-12", values=[("date", "2026-01-30")])
    launch = row("b", "The launch moves to 16 March.", "2026-01-21", values=[("date", "2026-03-16")], cue="strong")
    later = row("c", "The launch is put off to 30 March.", "2026-02-10", values=[("date", "2026-03-30")], cue="strong")
    found = ends([moving, launch, later])
    assert found == {"a": [], "b": [("c", "value")], "c": []}


def test_dates_of_one_thing_are_compared_however_often_it_is_spoken_of() -> None:
    march = row("a", "Daniel agreed: the launch of the portal moves to 16 March.", "2026-01-21")
    april = row("z", "The launch of the portal is on 2 April.", "2026-02-10")
    march |= {"values": [{"dimension": "date", "value": "2026-03-16"}], "cue": "strong"}
    april |= {"values": [{"dimension": "date", "value": "2026-04-02"}]}
    crowd = [row(f"m{n}", f"Word {n} on the launch of the portal", "2026-01-03") for n in range(15)]
    assert ends([march, *crowd, april])["a"] == [("z", "value")]


def test_the_next_time_does_not_end_a_day_that_has_been() -> None:
    first = row("a", "The usability test is on 16 January.", "2026-01-05", values=[("date", "2026-01-16")])
    second = row("b", "The second usability test is on 18 February.", "2026-02-02", values=[("date", "2026-02-18")])
    assert not ends([first, second])["a"]


def test_a_day_on_which_something_happened_replaces_no_planned_day() -> None:
    planned = row(
        "a", "The launch of the portal is planned for 2 March.", "2026-01-05", values=[("date", "2026-03-02")]
    )
    happened = row(
        "b", "Today Daniel showed the portal at the launch party.", "2026-01-09", values=[("date", "2026-01-09")]
    )
    assert not ends([planned, happened])["a"]


def test_a_unit_is_no_common_subject() -> None:
    salary = row("a", "The salary is 142,000 euros.", "2026-02-06", values=[("EUR", "142000")])
    deposit = row("b", "The deposit was 2,560 euros.", "2026-02-07", values=[("EUR", "2560")])
    raised = row("c", "The salary is 150,000 euros.", "2026-02-09", values=[("EUR", "150000")])
    assert ends([salary, deposit, raised]) == {"a": [("c", "value")], "b": [], "c": []}


def test_another_version_replaces_none_that_is_only_mentioned() -> None:
    stays = row("a", "The picker stays until version 4.", "2026-01-09", values=[("version", "4")])
    slips = row("b", "Version 3 slips by two weeks.", "2026-01-21", values=[("version", "3")])
    assert not ends([stays, slips])["a"]


def test_what_is_read_on_the_web_ends_nothing_of_the_user() -> None:
    mine = row("a", "The museum shop is open on Sundays.", "2026-01-02")
    page = row("b", "The museum shop closed for good.", "2026-02-02", cue="strong", source="web-page")
    assert not ends([mine, page])["a"]
    assert ends([mine, {**page, "source": "note"}])["a"]


def test_an_instruction_ends_no_fact() -> None:
    booked = row("a", "Priya booked an invitation desk.", "2026-01-02")
    task = row("b", "Withdraw the invitation.", "2026-02-02", cue="strong", kind="instruction")
    assert not ends([booked, task])["a"]


def test_a_word_of_a_name_is_no_link_to_the_same_word() -> None:
    booked = row("a", "Priya booked the lab for Wednesday.", "2026-02-04", entities=[named("Priya", "subject")])
    left = row("b", "I resigned from Northwind Labs.", "2026-02-09", cue="strong", entities=[named("Northwind Labs")])
    assert not ends([booked, left])["a"]


def test_saying_the_same_again_ends_nothing() -> None:
    slot = {"slot_subject": "redesign", "slot_attribute": "leads", "slot_value": "Priya"}
    leads = row("a", "Priya leads the redesign.", "2026-02-02", **slot)
    again = row("b", "From today Priya leads the redesign.", "2026-02-03", cue="strong", **slot)
    other = row("c", "Jon took over the redesign.", "2026-03-03", cue="strong", **{**slot, "slot_value": "Jon"})
    assert ends([leads, again, other]) == {"a": [("c", "slot")], "b": [("c", "slot")], "c": []}


@pytest.mark.parametrize(
    ("language", "old", "change"),
    [
        ("en", "Marta keeps bees on the first day of the week.", "The first parcel left the week after."),
        ("de", "Marta hält seit letztem Jahr Bienen.", "Seit letztem Jahr ist die Brücke gesperrt."),
        ("es", "Marta tiene abejas desde el último año.", "Desde el último año el puente está cerrado."),
        ("fr", "Marta garde des abeilles depuis cette année.", "Depuis cette année, le pont reste fermé."),
        ("it", "Marta tiene api ogni settimana.", "Il ponte chiude ogni settimana."),
        ("pt", "Marta tem abelhas todas as semanas desde o último ano.", "Desde o último ano a ponte fechou."),
    ],
)
def test_light_words_are_no_common_subject(language: str, old: str, change: str) -> None:
    rows = [
        row("a", old, "2026-01-02", anchors=content_words(old, language)),
        row("b", change, "2026-02-02", cue="strong", anchors=content_words(change, language)),
    ]
    common = set(rows[0]["anchors"]) & set(rows[1]["anchors"])
    assert common, language
    assert not ends(rows)["a"]


HINT = row(
    "b", "Moritz takes care of it from now on.", "2026-03-02", cue="strong", ends_hint=["a"], method="llm", keep=0.8
)


def test_a_memory_ends_what_it_names_also_without_a_common_word() -> None:
    ended = row("a", "Jana waters the plants.", "2026-01-02")
    untouched = row("c", "Jana feeds the cat.", "2026-01-02")
    for rows in itertools.permutations([ended, untouched, HINT]):
        assert ends(list(rows)) == {"a": [("b", "stated")], "b": [], "c": []}
        assert ends(list(rows), "plants") == {"a": [("b", "stated")], "b": []}  # what ended it stands in its place
    assert ends([ended, untouched])["a"] == []
    assert ends([ended, untouched, HINT], at="2026-02-01")["a"] == []


@pytest.mark.parametrize("modality", ["reported", "possible", "conditional", "question"])
def test_what_is_not_asserted_states_no_end(modality: str) -> None:
    assert not ends([row("a", "Jana waters the plants.", "2026-01-02"), {**HINT, "modality": modality}])["a"]


def test_no_memory_states_the_end_of_a_later_one() -> None:
    assert not ends([row("a", "Jana waters the plants.", "2026-04-02"), HINT])["a"]


def test_what_holds_since_an_earlier_day_corrects_what_was_said_meanwhile() -> None:
    before = row("a", "My rent is 840 euros.", "2026-03-02", values=[("EUR", "840")])
    raised = row("b", "My rent has been 910 euros since February.", "2026-03-09", values=[("EUR", "910")])
    raised |= {"effective_from": day("2026-02-01"), "from_stated": True}
    assert ends([before, raised]) == {"a": [("b", "value")], "b": []}
    once = raised | {"text": "My rent was 910 euros in February."}
    assert ends([before, once])["b"] == [("a", "value")]


def test_a_price_is_no_change_of_another_price() -> None:
    gym = row("a", "The gym costs 30 euros a month.", "2026-03-02", values=[("EUR/month", "30")])
    bike = row("b", "The new bike cost 900 euros.", "2026-03-09", values=[("EUR", "900")], cue="weak")
    assert not ends([gym, bike])["a"]


def test_what_was_paid_once_stays_true() -> None:
    bought = row("a", "I bought a pump for 400 euros.", "2026-03-02", values=[("EUR", "400")], kind="event")
    repair = row("b", "The repair of the pump cost 120 euros.", "2026-03-09", values=[("EUR", "120")])
    assert not ends([bought, repair])["a"]


@pytest.mark.parametrize(
    ("before", "after", "ended"),
    [
        ("The choir has 40,000 euros in its account.", "In May the choir had a deficit of 14,000 euros.", False),
        ("The choir got a grant of 6,000 euros.", "The choir has a debt of 4,000 euros.", False),
        ("The rent of the hall is 840 euros.", "The hall has a rent of 910 euros.", True),
        ("The rent of the hall is 840 euros.", "For the hall it is 910 euros.", True),
    ],
)
def test_an_amount_ends_only_an_amount_of_the_same(before: str, after: str, ended: bool) -> None:
    numbers = [next(word for word in text.replace(",", "").split() if word.isdigit()) for text in (before, after)]
    rows = [
        row("a", before, "2026-01-02", values=[("EUR", numbers[0])]),
        row("b", after, "2026-02-02", values=[("EUR", numbers[1])], cue="weak"),
    ]
    assert (("b", "value") in ends(rows)["a"]) is ended


def test_a_change_of_another_person_ends_nothing_of_what_one_does() -> None:
    one = row("a", "Joseph works on tables for the club.", "2026-01-02", entities=[person("Joseph")])
    other = row("b", "Ann now works on tables of birds.", "2026-02-02", entities=[person("Ann")], cue="weak")
    own = row("c", "Joseph now works on maps, no longer on tables.", "2026-03-02", entities=[person("Joseph")])
    assert not ends([one, other])["a"]
    left = row("b", "Ann no longer works on tables.", "2026-02-02", entities=[person("Ann")], cue="strong")
    assert not ends([one, left])["a"]
    assert {kind for _, kind in ends([one, own | {"cue": "strong"}])["a"]} == {"situation"}


def person(name: str) -> dict[str, str]:
    return {**named(name, "subject"), "type": "Person"}


def test_a_new_day_leaves_a_price_and_a_new_price_a_day() -> None:
    price = row("a", "Agreed on 90,000 for the Gull Bay cabin.", "2026-01-02", values=[("number", "90000")])
    day_of = row(
        "b", "The handover of the Gull Bay cabin is on 3 March.", "2026-01-03", values=[("date", "2026-03-03")]
    )
    moved = row("c", "The handover of the Gull Bay cabin was moved to 9 March.", "2026-01-04", cue="strong")
    moved |= {"values": [{"dimension": "date", "value": "2026-03-09"}]}
    found = ends([price, day_of, moved])
    assert not found["a"]
    assert found["b"] == [("c", "value")]


def test_a_label_of_several_texts_is_no_common_subject() -> None:
    said = [
        row("a", "Workshop log: the saw is set to 500.", "2026-01-02"),
        row("b", "Workshop log: the vent is broken.", "2026-01-03"),
        row("c", "Workshop log: the door was replaced.", "2026-01-04", cue="strong"),
    ]
    assert not any(ends(said).values())


def test_what_is_sold_ends_with_its_mileage() -> None:
    mileage = row("a", "Nora's Volvo has 90,000 km.", "2026-01-02", values=[("km", "90000")], entities=[named("Nora")])
    sold = row(
        "b", "Nora sold the Volvo to a neighbour.", "2026-02-02", cue="strong", entities=[named("Nora", "subject")]
    )
    assert ends([mileage, sold])["a"] == [("b", "change")]


def test_another_price_of_a_named_place_ends_none_here() -> None:
    here = row("a", "The fee is 25 euros.", "2026-01-02", values=[("EUR", "25")])
    there = row("b", "The club of Vannes asks a fee of 32 euros.", "2026-01-03", values=[("EUR", "32")])
    there |= {"entities": [named("Vannes")]}
    raised = row("c", "The fee is now 30 euros.", "2026-01-04", values=[("EUR", "30")], cue="weak")
    assert ends([here, there, raised])["a"] == [("c", "value")]


def test_a_date_asked_for_outlives_another_number_of_guests() -> None:
    invited = row("a", "The regatta is on 4 July with 8 crews.", "2026-01-02")
    invited |= {"values": [{"dimension": "date", "value": "2026-07-04"}, {"dimension": "crew", "value": "8"}]}
    fewer = row("b", "The regatta has 6 crews now.", "2026-01-03", values=[("crew", "6")], cue="weak")
    assert not ends([invited, fewer], "regatta date")["a"]
    assert ends([invited, fewer], "crews of the regatta")["a"] == [("b", "value")]


def test_what_one_has_left_costs_nothing_any_more() -> None:
    club = {**named("Rowing Club"), "type": "organization"}
    fee = row("a", "The Rowing Club costs £38 a month.", "2026-01-02", entities=[club])
    left = row("b", "Left the Rowing Club, swimming is nicer.", "2026-02-02", entities=[club], cue="strong")
    assert ends([fee, left])["a"]
    other = row("b", "Oona left the Rowing Club early.", "2026-02-02", entities=[named("Oona", "subject"), club])
    assert not ends([fee, other | {"cue": "strong"}])["a"]
    sold = row("b", "Oona's bike was stolen.", "2026-02-02", entities=[named("Oona")], cue="strong")
    assert not ends([row("a", "Rolf is Oona's manager.", "2026-01-02", entities=[named("Oona")]), sold])["a"]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("Plot 7 for Samir.", "Samir has plot 9."),
        ("Oona walks the dog, 12 a walk.", "Oona gets 14 a walk."),
        ("Parcela 7 para Samir.", "Samir tiene la parcela 9."),
    ],
)
def test_numbers_of_one_thing_are_compared(before: str, after: str) -> None:
    numbers = [next(word for word in text.replace(".", "").split() if word.isdigit()) for text in (before, after)]
    old, new = (
        row(name, text, said, values=[("number", number)])
        for name, text, said, number in zip("ab", (before, after), ("2026-01-02", "2026-02-02"), numbers, strict=True)
    )
    assert ends([old, new])["a"] == [("b", "value")]
    other = row("b", "The tram is number 9.", "2026-02-02", values=[("number", "9")])
    assert not ends([old, other])["a"]


def test_a_thing_someone_loses_ends_nothing_else_of_the_person() -> None:
    bruno, olga = ({**named(name), "type": "Person"} for name in ("Bruno", "Olga Brandt"))
    lead = row("a", "Bruno's manager is Olga Brandt.", "2026-01-02", kind="relationship", entities=[bruno, olga])
    lost = row("b", "Bruno's bike was stolen.", "2026-02-02", kind="event", cue="strong", entities=[bruno])
    assert not ends([lead, lost], "Bruno's manager")["a"]


def test_what_both_leave_to_a_heading_is_no_matter_in_common() -> None:
    fee = row("a", "The fee is 25 euros.", "2026-01-02")
    left = row("b", "Oona left early.", "2026-02-02", cue="strong", entities=[named("Oona", "subject")])
    anchors = [[*one["anchors"], "general", "assembly"] for one in (fee, left)]
    headed = [one | {"anchors": own} for one, own in zip((fee, left), anchors, strict=True)]
    assert not ends(headed)["a"]


def test_a_value_named_alone_ends_the_one_before() -> None:
    before = row("a", "Ferritin still 47.", "2026-01-02", values=[("number", "47")])
    after = row("b", "Ferritin 64!", "2026-02-02", values=[("number", "64")])
    assert ends([before, after])["a"] == [("b", "value")]


def test_a_word_of_a_name_that_no_entity_tells_is_no_common_matter() -> None:
    booked = row("a", "18 May 2026, lab in Porto.", "2026-01-04", entities=[named("Porto")])
    leaves = row("b", "Ada leaves Halden Labs on 27 May, so she flies to Porto.", "2026-01-10")
    leaves |= {"entities": [named("Ada"), named("Porto")]}
    for one, value in ((booked, "2026-05-18"), (leaves, "2026-05-27")):
        one["anchors"] = [*content_words(one["text"], "en"), ":schedule"]
        one["values"] = [{"dimension": "date", "value": value}]
    assert not ends([booked, leaves])["a"]


def test_the_price_of_another_named_thing_ends_nothing() -> None:
    ours = row("a", "Rent 1,900.", "2023-03-01", values=[("number", "1900")], anchors=["rent", "shop"])
    theirs = row("b", "The shop across the street pays 2,400.", "2023-04-14", values=[("number", "2400")])
    assert not ends([ours, theirs])["a"]


def test_what_two_people_pay_concerns_only_the_same_thing() -> None:
    raised = row("a", "Tam got a pay rise.", "2026-02-02", speaker="Tam", entities=[named("Tam", "speaker")])
    paid = row("b", "A cottage in Bamburgh instead, the deposit is paid on Tam's card.", "2026-04-06", cue="strong")
    assert not ends([raised, paid | {"entities": [named("Tam"), named("Bamburgh")]}])["a"]
    less = row("c", "The pay rise of Tam was cancelled.", "2026-05-06", cue="strong", entities=[named("Tam")])
    assert ends([raised, less])["a"]


def test_what_the_owner_plans_does_not_concern_all_other_plans() -> None:
    owner = {"speaker": "user", "entities": [named("user", "speaker")], "cue": "strong"}
    cottage = row("a", "Cottage in Bamburgh instead, booked for the week.", "2026-02-06") | owner
    other = row("b", "Cancelled Netflix, the subscription was due.", "2026-03-05") | owner
    assert not ends([cottage, other])["a"]
    given_up = row("c", "Cancelled the cottage in Bamburgh.", "2026-03-06") | owner
    assert ends([cottage, given_up])["a"]


def test_the_word_of_a_concept_alone_settles_nothing() -> None:
    told = row("a", "Bill of 410, insurance covers 60% supposedly.", "2026-02-18", modality="reported")
    other = row("b", "The cat has an insurance excess of 120.", "2026-03-09")
    assert not ends([told, other])["a"]


@pytest.mark.parametrize(
    ("change", "cue", "ended"),
    [
        ("Ott agreed to lower the rent: from April we pay 1,260 euros instead of 1,340.", "strong", True),
        ("The rent went down from €1 340 to 1,260.", "strong", True),
        ("The rent is 1,260 euros instead of 1,430.", "strong", False),  # another amount
        ("The deposit is 1,260 euros instead of 1,340.", "strong", False),  # of something else
        ("The rent is not 1,340 euros a week.", "none", False),  # states no change
    ],
)
def test_an_amount_that_is_given_up_has_ended(change: str, cue: str, ended: bool) -> None:
    old = row("old", "Rent goes up to 1,340 euros a month.", "2026-01-05", values=[("EUR/month limit", "1340")])
    new = row("new", change, "2026-03-18", values=[("EUR", "1260")], cue=cue)
    assert (("new", VALUE) in ends([old, new])["old"]) is ended


def test_a_price_of_something_else_settles_no_offer() -> None:
    offer = row("a", "Offer of Hale & Sons 11,400 euros", "2026-01-02", modality="possible", values=[("EUR", "11400")])
    hens = row("b", "Since today we have hens, 8 euros each", "2026-02-02", cue="weak", values=[("EUR", "8")])
    roof = row("c", "Hale & Sons do it for 10,900 euros", "2026-02-03", cue="strong", values=[("EUR", "10900")])
    assert ends([offer, hens]).get("a", []) == []
    assert [by for by, _ in ends([offer, roof])["a"]] == ["c"]
