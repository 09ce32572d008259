"""Every count word with every unit in every form that an expression of time may have. No parser."""

from datetime import UTC, date, datetime
from itertools import product

import pytest

from brain_pipelines.stages.extraction.local.time.date_ranges import _NUMBERS, ago, count_of, period_of, shifted
from brain_pipelines.stages.extraction.local.time.time_expressions import find_phrases, stated_between

SAID = datetime(2026, 3, 4, 9, tzinfo=UTC)
COUNTS = [*_NUMBERS, "1", "3", "12"]
UNITS = ("day", "week", "month", "year", "decade")
PAST = ("{} ago", "the past {}", "the last {}", "last {}", "past {}")
LASTING = ("for {}", "for the past {}", "for the last {}", "for over {}", "For The Past {}", "FOR {}")


@pytest.mark.parametrize("count", COUNTS)
def test_each_count_of_each_unit_is_a_period(count: str) -> None:
    for unit, plural, form in product(UNITS, ("", "s"), (*PAST, "{} from now", "in {} from now")):
        text = form.format(f"{count} {unit}{plural}")
        period = period_of(text, SAID.date(), -1)
        assert period is not None and period.start < period.end, text
        assert (period.end > SAID.date()) == ("now" in text or "ago" not in text), text


@pytest.mark.parametrize("count", COUNTS)
def test_what_has_lasted_for_a_length_of_time_began_then(count: str) -> None:
    for unit, plural, form in product(UNITS, ("", "s"), LASTING):
        text = f"Ann has lived in Oslo {form.format(f'{count} {unit}{plural}')} now."
        start, end = stated_between(list(find_phrases(text)), "live in", SAID, UTC)
        assert start is not None and start.date() == shifted(SAID.date(), -count_of(count), unit) and end is None, text


@pytest.mark.parametrize(
    ("text", "since"),
    [
        ("the past three years", "2023-03-04"),
        ("the past year", "2025-03-04"),
        ("last week", "2026-02-25"),
        ("a couple of weeks", "2026-02-18"),
        ("the past few months", "2025-12-04"),
        ("Three Years", "2023-03-04"),
        ("ſix dayſ", "2026-02-26"),
    ],
)
def test_since_when(text: str, since: str) -> None:
    assert ago(text, SAID.date()) == date.fromisoformat(since)


@pytest.mark.parametrize(
    "text",
    ["March 2020", "next week", "the week", "Friday", "the 5th of May", "umpteen days", "9999 years", ""],
)
def test_what_is_no_length_of_time_says_nothing_after_for(text: str) -> None:
    with pytest.raises((ValueError, OverflowError)):
        ago(text, SAID.date())
    phrases = list(find_phrases(f"It has been planned for {text}."))
    assert stated_between(phrases, "plan", SAID, UTC) == (None, None)


def test_other_words_are_no_counts_and_no_units() -> None:
    for word in ("the past three", "umpteen", "", "²"):
        with pytest.raises(ValueError, match="no count"):
            count_of(word)
    with pytest.raises(ValueError, match="no unit"):
        shifted(SAID.date(), 1, "fortnight")
