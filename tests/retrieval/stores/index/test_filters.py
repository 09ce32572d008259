"""A filter is checked when it is made: what cannot be a value is refused with a message."""

from datetime import UTC, datetime

import pytest

from brain_retrieval.errors import InvalidQueryError
from brain_retrieval.stores.index.filters import EVERYTHING, IndexFilter


@pytest.mark.parametrize(
    "options",
    [
        {"days": ["2026-1-5"]},
        {"days": ["2026-01-05' OR 1=1"]},
        {"day_from": "yesterday"},
        {"as_of": datetime(2026, 1, 5)},  # noqa: DTZ001
        {"sources": "note"},
        {"days": "2026-01-05"},
        {"source_ids": ["\ud800"]},
    ],
)
def test_invalid_filter_values_are_rejected(options: dict) -> None:
    with pytest.raises(InvalidQueryError):
        IndexFilter(**options)


def test_equal_conditions_are_equal_filters() -> None:
    noon = datetime(2026, 1, 5, 12, tzinfo=UTC)
    one = IndexFilter(sources=["note", "mail", "note"], days=["20260105"], as_of=noon)
    assert one == IndexFilter(sources={"mail", "note"}, days=("2026-01-05",), as_of=noon)
    assert hash(one) != hash(IndexFilter())
    assert IndexFilter() == EVERYTHING != IndexFilter(sources=[])
