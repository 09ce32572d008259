"""What is shown first: what only says what a thing is comes behind what happened to a person."""

from datetime import UTC, datetime
from typing import Any

import pytest

from brain_retrieval.knowledge.memories.seen import CURRENT, ENDED, OUTDATED, UPCOMING, Seen
from brain_retrieval.knowledge.memories.shown.display import (
    may_stand_in_front,
    mixed,
    one_a_topic,
    rank_parts,
    rank_score,
    says_what_something_is,
)
from brain_retrieval.knowledge.memories.supersession import Ending

NOW = datetime(2026, 6, 1, tzinfo=UTC)


def fact(text: str, subject: str, kind: str = "Tool", **changes: object) -> dict[str, object]:
    entity = {"entity_id": "e", "name": subject, "type": kind, "role": "subject"}
    return {
        "text": text,
        "kind": "fact",
        "method": "local",
        "keep": 0.9,
        "entities": [entity],
        "values": [],
        "slot_attribute": None,
        "effective_from": NOW,
        "anchors": [],
        **changes,
    }


@pytest.mark.parametrize(
    ("row", "general"),
    [
        (fact("Etherpad is a self-hostable editor.", "Etherpad"), True),
        (fact("The DocFest is the largest festival of the town.", "DocFest", "Event"), True),
        (fact("Etherpad (a pad) is an editor.", "Etherpad"), True),
        (fact("Etherpad, as I wrote last week, is an editor.", "Etherpad"), True),
        (fact("Etherpad is broken since Monday.", "Etherpad"), False),
        (fact("Kestrel is a rewrite of our billing.", "Kestrel", "Project"), False),
        (fact("Priya is a nurse.", "Priya", "Person"), False),
        (fact("Etherpad is a server of 9 euros a month.", "Etherpad", values=[{"dimension": "EUR"}]), False),
        (fact("We moved the notes; Etherpad is a good home.", "Etherpad"), False),
        (fact("Etherpad is a self-hostable editor.", "Etherpad", method="owner"), False),
    ],
)
def test_a_definition_is_told_from_news(row: dict[str, object], general: bool) -> None:
    assert says_what_something_is(row) is general


def test_a_definition_ranks_behind_news_of_less_certainty() -> None:
    definition, news = fact("Etherpad is an editor.", "Etherpad"), fact("Etherpad broke down.", "Etherpad", keep=0.6)
    scores = [rank_score(rank_parts(row, at=NOW, support=1, salience=0.0)) for row in (definition, news)]
    assert scores[0] < scores[1]


def ranks(row: dict[str, object]) -> float:
    return rank_score(rank_parts(row, at=NOW, support=1, salience=0.0))


def test_people_and_a_life_come_before_counts_and_identifiers() -> None:
    home = fact("Priya moved to Jena.", "Priya", "Person", anchors=["jena", ":residence"])
    news = fact("Priya sang in Jena.", "Priya", "Person")
    count = fact("Etherpad has 88 plugins.", "Etherpad", values=[{"dimension": "plugin"}])
    code = fact("Etherpad reads settings_file at start.", "Etherpad")
    assert ranks(home) > ranks(news) > ranks(count) > ranks(code)


def test_what_every_meeting_says_comes_behind() -> None:
    decided = fact("Ann sold the hall.", "Ann", "Person", keep=0.7)
    formal = [
        fact("Ann presented the agenda.", "Ann", "Person"),
        fact("Ann stellte die Tagesordnung vor.", "Ann", "Person"),
    ]
    assert all(ranks(decided) > ranks(row) for row in formal)


def test_one_source_does_not_fill_the_list() -> None:
    rows = [{"source_id": source, "place": place} for place, source in enumerate("aaaabc")]
    assert [row["place"] for row in mixed(rows)] == [0, 1, 2, 4, 5, 3]


@pytest.mark.parametrize(
    ("kind", "attribute", "status", "in_front"),
    [
        ("fact", None, CURRENT, True),
        ("fact", None, OUTDATED, False),
        ("event", None, OUTDATED, True),  # "I visited Hull" stays so
        ("event", "lives_in", OUTDATED, False),
        ("event", None, ENDED, False),
        ("event", None, UPCOMING, False),
    ],
)
def test_what_happened_stays_true_after_a_change(kind: str, attribute: str | None, status: str, in_front: bool) -> None:
    row = {**fact("Ann visited Hull.", "Ann", "Person", slot_attribute=attribute), "kind": kind}
    assert may_stand_in_front(Seen(row, status)) is in_front


def test_a_title_is_not_what_a_meeting_says_of_itself() -> None:
    said, title = "Ann sold the hall", "Ann sold the hall [Agenda]."
    assert not rank_parts(fact(title, "Ann", "Person", evidence=said), at=NOW, support=1, salience=0.0)["routine"]
    assert rank_parts(fact("Ann read the agenda.", "Ann", "Person"), at=NOW, support=1, salience=0.0)["routine"]


@pytest.mark.parametrize(("rules", "in_front"), [(["aside", "aside"], True), (["aside", "change"], False)])
def test_what_changes_of_other_subjects_touch_stays_in_front(rules: list[str], in_front: bool) -> None:
    ended = tuple(Ending(f"m{n}", rule, sure=False) for n, rule in enumerate(rules))
    assert may_stand_in_front(Seen(fact("Ann works in Hull.", "Ann", "Person"), OUTDATED, ended)) is in_front


def test_an_amount_that_two_people_state_alike_stands_once() -> None:
    grant = {"dimension": "EUR", "value": "900"}
    day, other = {"dimension": "date", "value": "2026-05-02"}, {"dimension": "EUR", "value": "800"}
    shared: dict[str, Any] = {"speaker": None, "polarity": "affirmed", "slot_subject": None}
    words = ["council", "granted", "euro"]
    letter = fact("The council has granted the club 900 euros for the roof.", "Council", values=[grant, day], **shared)
    letter |= {"speaker": "Council", "anchors": [*words, "club", "roof"]}
    minutes = fact("The council granted 900 euros.", "Ann", values=[grant], anchors=words, **shared)
    less = fact("The council granted 800 euros.", "Bo", values=[other], anchors=words, **shared)
    assert [one["text"] for one in one_a_topic([letter, minutes, less])] == [letter["text"], less["text"]]
