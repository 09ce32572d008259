"""What is shown first: what only says what a thing is comes behind what happened to a person."""

from datetime import UTC, datetime

import pytest

from brain_retrieval.knowledge.memories.display import rank_parts, rank_score, says_what_something_is

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
        **changes,
    }


@pytest.mark.parametrize(
    ("row", "general"),
    [
        (fact("Etherpad is a self-hostable editor.", "Etherpad"), True),
        (fact("The DocFest is the largest festival of the town.", "DocFest", "Event"), True),
        (fact("Etherpad (a pad) is an editor.", "Etherpad"), True),
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
