"""Whether the question names who published or wrote a document."""

import pytest

from brain_retrieval.query.features.bylines import byline, publishers
from brain_retrieval.query.features.people import people
from tests.retrieval.query.pools import asking, place, pool_of, texts

QUESTION = asking(text="What did the Wenlow Courier write about the bridge?", language="en")


@pytest.mark.parametrize(
    ("head", "names"),
    [
        ("# Bridge closed\n\nThe Wenlow Courier, Ann Lee, 2026-05-04\n\nIt is.", ("The Wenlow Courier", "Ann Lee")),
        ("Wenlow Courier | 2026-05-04 | Bridge closed\nIt is closed.", ("Wenlow Courier",)),
        ("Bridge closed\nAnn Lee · May 4, 2026\nIt is closed.", ("Ann Lee",)),
        ("Brücke gesperrt\n**Wenlower Bote**, 4. Mai 2026\n", ("Wenlower Bote",)),
        ("Ann Lee (2026-05-04)\n", ("Ann Lee",)),
        ("Ann Lee was born on 4 May 1926 in Wenlow.", ()),  # a sentence goes on
        ("The bridge in the north of Wenlow was closed, 2026-05-04", ()),  # too long for a name
        ("# Wenlow Courier, 2026-05-04\n", ()),  # a heading is the title
        ("Wenlow Courier, May 2026\n", ()),  # no day
        ("by the river, 2026-05-04\n", ()),
        ("One.\nTwo.\nThree.\nWenlow Courier, 2026-05-04\n", ()),  # not at the beginning
        (f"Wenlow Courier, 2026-05-04, {'x' * 200}\n", ()),
        ("2026-05-04\n", ()),
        ("", ()),
    ],
)
def test_a_byline_is_names_and_a_date_at_the_beginning(head: str, names: tuple[str, ...]) -> None:
    assert byline(head, "de") == names


def test_all_passages_of_a_document_whose_byline_is_named() -> None:
    rows = texts("Wenlow Courier, 2026-05-04\nIt is.", "Orr Times, 2026-05-04\nIt is.", "The Wenlow Courier came.")
    rows["p3"] = place("s0", 3, text="The last line.")
    rows["p4"] = place("s1", 3, text="The last line.")
    rows["p5"] = place("s5", 2, text="Wenlow Courier, 2026-05-04\nA quotation further down.")
    assert people(pool_of(rows, question=QUESTION))["byline"].tolist() == [1.0, 0.0, 0.0, 1.0, 0.0, 0.0]


def test_names_are_compared_as_written_and_whole() -> None:
    rows = texts("Courier, 2026-05-04\nIt is.", "Bridge, 2026-05-04\nIt is.", "Wen, 2026-05-04\nIt is.")
    assert people(pool_of(rows, question=QUESTION))["byline"].tolist() == [1.0, 0.0, 0.0]
    assert people(pool_of({}, question=QUESTION))["byline"].tolist() == []


def test_several_publishers_named_are_groups_of_passages() -> None:
    asked = asking(text="Do the Wenlow Courier by Ann Lee and the Orr Times agree?", language="en")
    heads = ("Wenlow Courier, Ann Lee, 2026-05-04\n", "Orr Times, 2026-05-04\n", "Wenlow Courier, Bo Orr, 2026-05-04\n")
    rows = texts(*heads, "The Orr Times came.")
    rows["p4"] = place("s1", 3, text="The last line.")
    groups = publishers(pool_of(rows, question=asked))
    columns = {tuple(column) for column in groups.T.tolist()}
    assert columns == {(1, 0, 1, 0, 0), (1, 0, 0, 0, 0), (0, 1, 0, 0, 1)}
    one = asking(text="Does Bo Orr say so?", language="en")
    assert publishers(pool_of(rows, question=one)).shape == (5, 0)
    same = texts(heads[0], "nothing")  # two names of the same articles are one group
    assert publishers(pool_of(same, question=asked)).shape == (2, 0)
    assert publishers(pool_of({}, question=asked)).shape == (0, 0)
