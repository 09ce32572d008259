"""JSON as readable lines."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from brain_pipelines.readers.document.json_text import read_json, read_json_lines
from brain_retrieval.errors import BadInputError


def test_leaves_are_paths() -> None:
    found = read_json(
        '{"title": "Bill", "paid": true, "to": {"city": "Bern", "tags": ["a", "b"]}, "items": [{"n": 1}, {"n": null}]}'
    )
    assert found.title == "Bill"
    assert [(block.section, block.text) for block in found.blocks] == [
        (None, "title: Bill\npaid: yes"),
        ("to", "to.city: Bern\nto.tags: a, b"),
        ("items", "items[0].n: 1\nitems[1].n: none"),
    ]


@pytest.mark.parametrize(("text", "expected"), [("[1, 2]", "[0]: 1\n[1]: 2"), ('"x"', "x"), ("{}", ""), ("3", "3")])
def test_any_value_is_readable(text: str, expected: str) -> None:
    assert "\n".join(block.text for block in read_json(text).blocks) == expected


@pytest.mark.parametrize(
    ("text", "reason"),
    [("{", "line 1, column 2"), ("[" * 3000 + "]" * 3000, "nested too deeply"), ("1" * 5000, "not valid JSON")],
)
def test_invalid_json_gives_a_reason(text: str, reason: str) -> None:
    with pytest.raises(BadInputError, match=reason):
        read_json(text)


def test_broken_line_is_left_out_and_reported_by_number() -> None:
    found = read_json_lines('{"a": 1}\nbroken\n{"a": 2}')
    assert [block.text for block in found.blocks] == ["a: 1", "a: 2"]
    assert found.repairs[0].startswith("line 2 left out: not valid JSON")


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=4),
    max_leaves=20,
)


@given(JSON)
def test_every_leaf_is_in_the_text(value: object) -> None:
    import json

    text = "\n".join(block.text for block in read_json(json.dumps(value)).blocks)

    def leaves(entry: object) -> list[str]:
        if isinstance(entry, dict):
            return [leaf for inner in entry.values() for leaf in leaves(inner)]
        if isinstance(entry, list):
            return [leaf for inner in entry for leaf in leaves(inner)]
        return [entry] if isinstance(entry, str) else []

    assert all(leaf in text for leaf in leaves(value))
