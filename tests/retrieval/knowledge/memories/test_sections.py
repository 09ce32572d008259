"""The card of an entity: a plan whose day has been is none, nor one without a day that was made long ago."""

from dataclasses import replace

import pytest

from brain_retrieval.knowledge.memories.cards import MemoryCard, card_of
from brain_retrieval.knowledge.memories.sections import distinct, sections_of
from brain_retrieval.knowledge.memories.seen import CURRENT, OUTDATED, Seen
from tests.retrieval.knowledge.memories.rows import day, row


def plan(text: str, said: str, *dates: str) -> MemoryCard:
    values = [{"dimension": "date", "value": value} for value in dates]
    made = row("a", text, said) | {"kind": "plan", "values": values, "keep": 0.9, "method": "local"}
    made |= {"uri": "inbox:note/a.md", "end": len(text), "evidence": text}
    return card_of(Seen(made, CURRENT))


@pytest.mark.parametrize(
    ("card", "at", "shown"),
    [
        (plan("Ida will test the filters on 22 January.", "2026-01-19", "2026-01-22"), "2026-01-22", True),
        (plan("Ida will test the filters on 22 January.", "2026-01-19", "2026-01-22"), "2026-01-23", False),
        (plan("Ida will be in Jena from 3 to 9 May.", "2026-01-19", "2026-05-03", "2026-05-09"), "2026-05-05", True),
        (plan("Ida will ask who signs off the icons.", "2026-01-19"), "2026-03-01", True),
        (plan("Ida will ask who signs off the icons.", "2026-01-19"), "2026-09-01", False),
    ],
)
def test_a_plan_is_open_until_its_day_has_been(card: MemoryCard, at: str, *, shown: bool) -> None:
    assert bool(sections_of([card], at=day(at)).plans) == shown


def test_a_card_says_nothing_twice() -> None:
    first = plan("Ida will move to the flat in Jena with Bo.", "2026-01-19")
    again = plan("Ida will soon move to the flat in Jena.", "2026-01-20")
    dated = plan("Ida will move to the flat in Jena on 3 May.", "2026-01-21", "2026-05-03")
    assert distinct([first, again, dated]) == [first, dated]


def said(text: str, said: str, speaker: str | None = "user", **more: str) -> MemoryCard:
    made = row("a", text, said) | {"kind": "fact", "keep": 0.9, "method": "local", "speaker": speaker}
    return card_of(Seen(made | {"uri": "inbox:note/a.md", "end": len(text), "evidence": text} | more, CURRENT))


def test_the_relation_to_the_owner_names_the_person() -> None:
    sister = said("Rob's mum Sandra is my favourite guest.", "2026-01-21")
    boss = said("My boss Greg is on leave.", "2026-01-19")
    assert sections_of([sister, boss], at=day("2026-02-01"), names=["Greg"]).relation == boss
    assert sections_of([sister], at=day("2026-02-01"), names=["Rob"]).relation is None
    assert sections_of([boss], at=day("2026-02-01"), names=["user"]).relation is None


def test_what_someone_else_does_does_not_say_who_one_is() -> None:
    slot = {"slot_subject": "He", "slot_attribute": "works_at", "slot_value": "Acme"}
    his = said("He starts at Acme.", "2026-01-19", **slot)
    hers = said("Ida works at Acme.", "2026-01-19", **(slot | {"slot_subject": "Ida"}))
    assert sections_of([his, hers], at=day("2026-02-01"), names=["Ida Lund"]).who == hers
    assert sections_of([his], at=day("2026-02-01"), names=["user"]).who is None


def test_what_happened_is_not_called_outdated_unless_a_life_turned_on_it() -> None:
    met = said("I met Ida at the weir for our regular count.", "2026-01-19", kind="event")
    moved = said("Ida has bought a house in Jena.", "2026-01-20", kind="event")
    likes = said("Ida plays chess at the club.", "2026-01-21")
    cards = [replace(card, status=OUTDATED) for card in (met, moved, likes)]
    shown = sections_of(cards, at=day("2026-02-01"), names=["Ida"]).current
    assert {card.text: card.status for card in shown} == {
        met.text: CURRENT,
        moved.text: OUTDATED,
        likes.text: OUTDATED,
    }


def test_a_card_begins_with_what_a_life_turns_on_and_leaves_out_naps_and_lunches() -> None:
    nap = said("Ida was asleep on the sofa all afternoon.", "2026-01-21")
    call = said("Ida rang from the station.", "2026-01-20")
    job = said("Ida got the job at the mill.", "2026-01-19")
    diet = said("Ida never drinks coffee.", "2026-01-18", polarity="negated")
    at = day("2026-02-01")
    assert sections_of([nap, call, job, diet], at=at).current == (job, call, diet)
    assert sections_of([nap], at=at).current == (nap,)


def test_a_card_leaves_out_what_someone_left_half_said() -> None:
    half = said("Ida: The studio in Jena was let, and …", "2026-01-19", "Ida")
    whole = said("Ida: The studio in Jena is let from May.", "2026-01-20", "Ida")
    noted = said("TODO call the studio in Jena", "2026-01-20", None)
    shown = sections_of([half, whole, noted], at=day("2026-02-01")).current
    assert [card.text for card in sorted(shown, key=lambda card: card.text)] == [whole.text, noted.text]
