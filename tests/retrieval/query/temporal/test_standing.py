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
        ("given up", False, 0.3, True),
        ("situation", False, 0.6, True),
        ("situation", False, 0.3, False),
        ("change", False, 1.0, False),
    ],
)
def test_what_replaces_an_ended_statement(rule: str, sure: bool, match: float, asked: bool) -> None:
    ender = Ender(HOLDER, rule, sure, datetime(2026, 2, 1, tzinfo=UTC))
    found = _judged(ENDED, [ENDED], {ENDED: {HOLDER: ender}}, {ENDED: 1.0, HOLDER: match})
    assert (found.holder, found.asked) == (HOLDER, asked)


@pytest.mark.parametrize(("rule", "asked"), [("change", False), ("situation", True)])
def test_a_statement_that_only_may_have_ended_still_fits_better(rule: str, asked: bool) -> None:
    """ "Babel 7 comes with changes", perhaps ended by a mere change, is what is asked for, not the end of a support."""
    when = datetime(2026, 2, 1, tzinfo=UTC)
    better, ended = 2, {ENDED: {HOLDER: Ender(HOLDER, "situation", False, when)}}
    ended[better] = {HOLDER: Ender(HOLDER, rule, False, when)}
    found = _judged(ENDED, [ENDED, better], ended, {ENDED: 0.2, HOLDER: 0.25, better: 0.5})
    assert found.asked is asked
