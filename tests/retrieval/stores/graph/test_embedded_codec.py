"""The packed forms of keys and texts in the embedded graph: exact for any input, and small for typical rows."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from brain_retrieval.ids import content_id
from brain_retrieval.stores.graph.embedded_codec import TextCodec, pack_key, unpack_key
from brain_retrieval.stores.graph.embedded_templates import DICTIONARIES

KEY = content_id("fact", "x")
TEXTS = st.text(st.characters(exclude_categories=["Cs"]))
VALUES = st.recursive(
    st.one_of(
        st.none(), st.booleans(), st.floats(allow_nan=False), TEXTS, st.just(KEY), st.integers(0, 10**17),
        st.sampled_from([1795323693874935, "_" + "0" * 24, "_" + "a" * 25, ":1795323693874935,", "\x01", "\x02\x03"]),
    ),
    lambda inner: st.one_of(st.lists(inner), st.dictionaries(TEXTS, inner)),
)  # fmt: skip
OWN = st.lists(st.one_of(st.none(), TEXTS, st.just(KEY), st.integers(0, 10**17)), max_size=6)


@given(st.dictionaries(TEXTS, VALUES), OWN, st.sampled_from(sorted(DICTIONARIES)))
def test_any_text_comes_back(properties: dict, own: list, table: str) -> None:
    text, codec = json.dumps(properties, ensure_ascii=False, separators=(",", ":")), TextCodec(DICTIONARIES[table])
    assert codec.unpack(codec.pack(text, own), own) == text
    assert codec.later(codec.pack(text, own), own)() == text


@pytest.mark.parametrize(
    "key", [KEY, content_id("HAS_NOTE", "x"), "other_" + "0" * 24, "fact_12", "", "ü", "fact_" + "A" * 24]
)
def test_any_key_comes_back(key: str) -> None:
    assert unpack_key(pack_key(key)) == key


def test_usual_keys_take_thirteen_bytes() -> None:
    assert len(pack_key(KEY)) == len(pack_key(content_id("mentions", "x"))) == 13


def test_a_typical_mention_takes_few_bytes() -> None:
    times = (1702838880000000, 1795323693874935)
    properties = {"event_at": times[0], "mention_count": 1, "names": ["accident"], "received_at": times[1]}
    text = json.dumps({**properties, "rules": ["same_name"], "source_type": "email"}, separators=(",", ":"))
    packed = TextCodec(DICTIONARIES["edge"]).pack(text, (KEY, "mentions", times[0], None, times[1]))
    assert len(packed) < 20 < len(text)
