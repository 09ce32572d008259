"""The search for needles: both engines find what a plain comparison finds, in bytes and in rows of any type."""

import datetime as dt

import pyarrow as pa
import pytest

from brain_pipelines.knowledge.forgetting.patterns import GROUP_CHARS, MOST_GROUPS, Patterns

TEXTS = ("marzipan", "Wilhelmina Zwart", "straße 7 [a+b].*", "žluťoučký kůň", "note_0a1b2c3d4e5f60718293a4b5")
PACKED = ("\x00a\xffz\x7f(", "")
MANY = tuple(f"{number:x} is not there" for number in range(GROUP_CHARS * MOST_GROUPS // 10))


@pytest.mark.parametrize("more", [(), MANY], ids=["RE2", "Polars"])
def test_each_needle_is_found_whatever_lies_around_it(more: tuple[str, ...]) -> None:
    patterns = Patterns((*TEXTS, *more), PACKED)
    assert bool(patterns._groups) is (more == ())
    noise = bytes(range(256)) * 3
    for text in TEXTS:
        upper = "".join(one.upper() if one.isascii() else one for one in text)
        for said in (text, upper):
            assert patterns.found(noise + said.encode() + noise) == 1
            assert patterns.found(noise + said.encode()[:-1]) == 0
    assert patterns.found(b"\xfe\x00A\xffZ\x7f(\xfe") == 1
    assert patterns.found("STRASSE 7 [a+b].* \u017dluťoučký kůň".encode()) == 0  # only A to Z are folded
    assert patterns.found(" ".join(TEXTS).encode()) == len(TEXTS)
    assert Patterns(()).found(noise) == patterns.found(b"") == 0


def test_needles_are_found_in_columns_of_every_type_and_not_across_values() -> None:
    schema = {
        "number": pa.array([1, 2, 3]),
        "day": pa.array([dt.date(2026, 1, 1)] * 3),
        "nothing": pa.nulls(3),
        "vector": pa.array([[0.5, 1.0]] * 3, pa.list_(pa.float32(), 2)),
    }
    holding = (
        pa.array(["a", None, "the Marzipan"]),
        pa.array(["a", None, "the Marzipan"], pa.large_string()),
        pa.array(["a", "b", "the marzipan"]).dictionary_encode(),
        pa.array([["a"], [], ["b", "the MARZIPAN"]]),
        pa.array([None, {"of": ["b"]}, {"of": ["marzipan"]}]),
    )
    patterns = Patterns(TEXTS)
    for column in holding:
        rows = pa.RecordBatch.from_pydict({**schema, "text": column})
        assert patterns.found_in_rows(rows) == patterns.found_in_rows(rows.slice(2)) == 1
        assert patterns.found_in_rows(rows.slice(0, 2)) == 0
    apart = pa.RecordBatch.from_pydict({"text": ["marz", "ipan"]})
    assert patterns.found_in_rows(apart) == 0
