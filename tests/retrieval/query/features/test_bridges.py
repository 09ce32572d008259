"""Bridges from the page that the question names to pages that share a rare name with it."""

import numpy as np
import pytest

from brain_retrieval.query.features.names import names
from brain_retrieval.query.features.pool import Pool
from tests.retrieval.query.pools import asking, pool_of, texts

QUESTION = asking(text="Which county borders the one that Ashby Mill lies in?")
OTHERS = [f"Nothing of it, number {n}." for n in range(60)]
TITLES = ["Ashby Mill", "Old Tavern", "Far Away", "Second Tavern", *(f"Page {n}" for n in range(60))]
FUSED = [1.0, 0.2, 0.3, 0.25, *60 * [0.5]]


def pool(*written: str, question: object = QUESTION, others: int = 60) -> Pool:
    """Return a pool of four passages, the first of which is the best one, and others."""
    rows = texts(*written, *OTHERS[:others], titles=TITLES[: 4 + others])
    return pool_of(rows, FUSED[: 4 + others], question=question)  # pyright: ignore[reportArgumentType]


def test_a_rare_name_of_the_page_asked_about_leads_to_other_pages() -> None:
    found = names(pool("Ashby Mill is in Wenlow County.", "It stands in Wenlow County.", "In Orr.", "Wenlow had it."))
    # Two other pages have "wenlow", as a word of the name or alone; one has the whole name.
    assert found["bridge"][:4].tolist() == pytest.approx([0.0, 1.0, 0.0, 0.5])
    assert found["bridge"][4:].tolist() == 60 * [0.0]
    assert found["bridger"].tolist() == 64 * [0.0]


def test_a_name_of_the_question_or_of_many_pages_leads_nowhere() -> None:
    written = ["Ashby Mill is in Wenlow.", "Ashby Mill was sold.", "Wenlow.", "Wenlow."]
    assert names(pool(*written[:2], "", ""))["bridge"].tolist() == 64 * [0.0]
    assert names(pool(*written))["bridge"].any()
    assert not names(pool(*written, others=30))["bridge"].any()  # three of 34 pages: more than 5 %


def test_without_a_page_that_the_question_names_there_are_no_bridges() -> None:
    written = ("It is in Wenlow County.", "Between Wenlow County and Orr.", "", "")
    assert names(pool(*written))["bridge"].any()
    elsewhere = names(pool(*written, question=asking(text="Which county borders the one of the mill?")))
    assert not elsewhere["bridge"].any()


def test_the_start_is_not_its_own_page_and_order_does_not_matter() -> None:
    rows = texts(
        "Ashby Mill is in Wenlow.", "Wenlow again.", "Wenlow.", *OTHERS, titles=["Ashby Mill"] * 2 + TITLES[3:]
    )
    fused = [1.0, 0.4, 0.3, *60 * [0.5]]
    found = names(pool_of(rows, fused, question=QUESTION))
    assert np.flatnonzero(found["bridge"]).tolist() == [2]
    reversed_rows = dict(reversed(list(rows.items())))
    again = names(pool_of(reversed_rows, fused[::-1], question=QUESTION))
    assert again["bridge"][::-1].tolist() == found["bridge"].tolist()
