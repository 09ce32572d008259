"""Features from the graph of passages and names, against linear algebra and hand-worked numbers."""

from math import log, log2

import numpy as np
import pytest

from brain_retrieval.query.analysis import Resolved
from brain_retrieval.query.features.names import absent_things, missing, names, pagerank, title_links, title_named
from tests.retrieval.query.pools import asking, place, pool_of, texts

DAMPING, ROUNDS, SEED_SHARE = 0.7, 15, 0.4  # written out: a change of one is a change of the ranking
CHAIN = texts("A captain was Ada Lovelace.", "Then Ada Lovelace wrecked a ship.", "the ship was wrecked")
HARBOURS = texts(
    "Sailed to Port  Royal, then to łódź.", "Nothing but Kingston.", "", "", "", "",
    titles=["", "", "Port Royal (town)", "Kingston", "Łódź", "to"],
)  # fmt: skip


def dense(fused: list[float], edges: list[tuple[int, int]], rarity: np.ndarray, asked: int) -> tuple[np.ndarray, ...]:
    """Return the transition matrix and the start of passages and names, written out."""
    passages, size = len(fused), len(fused) + len(rarity)
    weights = np.zeros((size, size))
    for row, name in edges:
        weights[row, passages + name] = weights[passages + name, row] = rarity[name]
    sums = weights.sum(axis=0)
    moves = weights / np.where(sums > 0, sums, 1.0)
    start = np.zeros(size)
    powers = np.array(fused) ** 4
    start[:passages] = SEED_SHARE * powers / powers.sum()
    held = [name in {n for _, n in edges} for name in range(asked)]
    start[passages : passages + asked] = (1 - SEED_SHARE) * rarity[:asked] * held / (rarity[:asked] * held).sum()
    return moves, start / start.sum()


def test_pagerank_is_the_solution_of_its_equation() -> None:
    fused, edges = [1.0, 0.5, 0.25, 0.8], [(0, 0), (0, 1), (1, 1), (1, 2), (2, 2), (2, 3), (3, 4), (1, 4)]
    rarity = np.array([1.5, 0.5, 1.0, 2.0, 0.7, 9.0])
    rows, columns = np.array(edges).T
    pool = pool_of({f"p{n}": place(f"s{n}", 0) for n in range(4)}, fused)
    for asked in (2, 6):  # of six, one occurs in no passage
        found = pagerank(pool, rows, columns, rarity, asked)
        moves, start = dense(fused, edges, rarity, asked)
        mass = start
        for _ in range(ROUNDS):
            mass = (1 - DAMPING) * start + DAMPING * moves @ mass
        assert found.tolist() == pytest.approx(mass[:4].tolist(), rel=1e-9)
        exact = np.linalg.solve(np.eye(10) - DAMPING * moves, (1 - DAMPING) * start)
        assert np.abs(found - exact[:4]).max() < DAMPING**ROUNDS


def test_without_names_in_the_question_the_first_passages_are_the_start() -> None:
    pool = pool_of({f"p{n}": place(f"s{n}", 0) for n in range(3)}, [0.5, 1.0, 0.5])
    rows, columns = np.array([0, 2]), np.array([0, 0])
    found = pagerank(pool, rows, columns, np.array([1.0]), 0)
    start = np.array([1 / 16, 1.0, 1 / 16]) / (1 + 2 / 16)
    assert found[1] == pytest.approx((1 - DAMPING) * start[1])  # linked to nothing, it receives nothing
    assert found[0] == pytest.approx(found[2])
    assert found[0] > (1 - DAMPING) * start[0]


def test_a_shared_name_leads_from_the_first_passage_to_the_next() -> None:
    question = asking(text="Which captain wrecked a ship?", words="captain wrecked ship")
    found = names(pool_of(CHAIN, [1.0, 0.5, 0.25], question))
    # The second holds both words that the first leaves open; the first the one that the second leaves open.
    assert found["second_hop"].tolist() == pytest.approx([0.5, 1.0, 0.0])
    assert found["pagerank"][0] == pytest.approx(1.0)
    assert found["pagerank"][2] < found["pagerank"][1] < 1.0
    assert found["pagerank_order"].tolist() == pytest.approx([1 / 5, 1 / 6, 1 / 7])
    assert found["shared_names"].tolist() == [0.0] * 3  # the question names no one


def test_a_name_that_many_passages_hold_leads_nowhere() -> None:
    question = asking(text="Which captain wrecked a ship?", words="captain wrecked ship")
    common = texts(*[row["text"] for row in CHAIN.values()], "Ada Lovelace again.")
    assert names(pool_of(common, [1.0, 0.5, 0.25, 0.1], question))["second_hop"].tolist() == [0.0] * 4


def test_names_of_the_question_are_weighed_by_how_rare_they_are() -> None:
    passages = texts("Here Ada Lovelace met Bob Smith.", "There was Bob Smith.", "none")
    question = asking(text="Did Ada Lovelace know Bob Smith or Carl Gauss?")
    rare, common = log(1 + 3 / 1), log(1 + 3 / 2)
    whole = 2 * rare + common  # Carl Gauss, in no passage, counts as in one
    found = names(pool_of(passages, question=question))
    assert found["shared_names"].tolist() == pytest.approx([(rare + common) / whole, common / whole, 0.0])
    assert found["pagerank"].tolist()[2] < found["pagerank"].tolist()[1] < found["pagerank"].tolist()[0] == 1.0


def test_links_to_a_title_that_a_first_passage_names() -> None:
    pool = pool_of(HARBOURS, [1.0, 0.5, 0.1, 0.1, 0.1, 0.1])
    links, linkers = title_links(pool)
    assert links.tolist() == pytest.approx([0.0, 0.0, 1.0, 0.5**3, 1.0, 0.0])
    assert linkers.tolist() == [0, 0, 0, 1, 0, 0]


def test_a_title_that_many_sources_name_links_less() -> None:
    rows = texts("From Kingston.", "A market", *["About Kingston."] * 6, titles=["", "Kingston"])
    links, _ = title_links(pool_of(rows, [1.0, *[0.1] * 7]))
    assert links[1] == pytest.approx(2 / log2(1 + 7))


def test_a_source_does_not_link_to_itself() -> None:
    rows = {"a": place("s", 0, text="About Kingston."), "b": place("s", 1, title="Kingston")}
    assert title_links(pool_of(rows, [1.0, 0.5]))[0].tolist() == [0.0, 0.0]


def test_parts_of_one_article_do_not_link_to_each_other() -> None:
    rows = texts("Kingston. The harbour.", "Kingston. The market.", "About Kingston.", titles=["Kingston", "Kingston"])
    assert title_links(pool_of(rows, [1.0, 0.5, 0.25]))[0].tolist() == pytest.approx([0.25**3, 0.25**3, 0.0])


def test_a_title_that_the_question_names_counts_less_if_many_passages_name_it() -> None:
    written = ["The harbour.", "A market.", "Kingston.", "To Kingston.", "Of Kingston.", "At Kingston."]
    rows = texts(*written, titles=["Harbour walk", "Kingston (town)"])
    found = names(pool_of(rows, question=asking(text="Is Kingston on the Harbour Walk?")))
    assert found["title_named"].tolist() == [1, 1, 0, 0, 0, 0]
    assert found["title_asked"].tolist() == pytest.approx([1.0, 2 / np.log2(5), 0, 0, 0, 0])


def test_a_title_named_in_the_question() -> None:
    found = title_named(pool_of(HARBOURS, question=asking(text="From PORT ROYAL to Łódź")))
    assert found.tolist() == [0, 0, 1, 0, 1, 0]  # "to" is too short to be a title named


def test_passages_without_names_have_the_features_all_the_same() -> None:
    found = names(pool_of(texts("none", "nothing"), question=asking(text="who?")))
    assert set(found) == set(names(pool_of(CHAIN)))
    assert all(values.tolist() == [0.0, 0.0] for values in found.values())


def test_names_that_no_candidate_has_are_missing_unless_the_user_knows_them() -> None:
    pool = pool_of(texts("Then Ada wrecked a ship.", "in port", titles=["", "Kingston (town)"]), question=asking())
    for asked, share in (
        ((), 0.0),
        (("ada lovelace", "kingston"), 0.0),  # found by a part of it, and in a title
        (("ada's", "babbage's"), 0.5),
        (("wreck",), 1.0),  # no word of its own
        (("wu",), 1.0),
    ):
        assert missing(pool, asked) == share, asked
    known = Resolved("Babbage", "ent_1", "Charles Babbage", "person", "exact", 1.0)
    assert missing(pool_of(texts("Nothing."), question=asking(entities=(known,))), ("babbage", "ada")) == 0.5


def test_things_of_a_household_that_no_candidate_has_a_word_for_are_absent() -> None:
    rows = texts("Der Klempner kommt um acht.", "in port", titles=["", "Boiler"])
    for text, share in (
        ("When does the plumber come?", 0.0),  # in another language
        ("Who checks the boiler?", 0.0),  # in a title
        ("Who is the dentist?", 1.0),
        ("Does the plumber know the electrician?", 0.5),
        ("When does the ship come?", 0.0),
    ):
        asked = asking(text=text, words=text, language="en")
        assert absent_things(pool_of(rows, question=asked)) == share, text
        assert names(pool_of(rows, question=asked))["absent_things"].tolist() == [share] * len(rows)
