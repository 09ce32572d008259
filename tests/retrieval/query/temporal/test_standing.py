"""Which endings put another passage before a hit: sure ones, and changes of one situation that answer as well."""

from datetime import UTC, datetime

import pytest

from brain_retrieval.knowledge.memories.endings import Ender
from brain_retrieval.query.temporal.standing import _judged

ENDED, HOLDER = 0, 1


@pytest.mark.parametrize(
    ("rule", "sure", "match", "asked"),
    [
        ("slot", True, 0.3, True),
        ("value", True, 0.1, False),
        ("situation", False, 0.6, True),
        ("situation", False, 0.3, False),
        ("change", False, 1.0, False),
    ],
)
def test_what_replaces_an_ended_statement(rule: str, sure: bool, match: float, asked: bool) -> None:
    ender = Ender(HOLDER, rule, sure, datetime(2026, 2, 1, tzinfo=UTC))
    found = _judged(ENDED, [ENDED], {ENDED: {HOLDER: ender}}, {ENDED: 1.0, HOLDER: match})
    assert (found.holder, found.asked) == (HOLDER, asked)
