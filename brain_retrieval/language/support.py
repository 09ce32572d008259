"""Whether a sentence rests on the passages it cites: all of its numbers and enough of its words stand in them."""

import re
from collections.abc import Callable, Iterable, Sequence
from datetime import datetime

# Minimum share of a sentence's content words that the cited passages must contain. It is low because a paraphrase keeps
# names and topics only: checked is that a sentence is about its passages, not its wording.
FLOOR = 0.4
STEM = 5  # letters by which two words are compared
_NUMBER = re.compile(r"\d+(?:[.,:]\d+)*")


def covers(
    said: str,
    quotes: Sequence[str],
    dates: Iterable[datetime],
    words: Callable[[str], Iterable[str]],
    ignored: str = "",
) -> bool:
    """Return whether quotes contain all numbers of a sentence and at least FLOOR of its content words.

    Args:
        said: the sentence.
        quotes: texts of the passages it cites.
        dates: of those passages; their years, months and days may stand in the sentence as numbers.
        words: returns the content words of a text.
        ignored: text whose words do not count, such as the name of what all passages are about.
    """
    cited = " ".join(quotes)
    named = {
        number for day in dates for number in (f"{day:%Y}", f"{day:%m}", f"{day:%d}", str(day.month), str(day.day))
    }
    if not set(_NUMBER.findall(said)) <= {*_NUMBER.findall(cited), *named}:
        return False
    own = stems(said, words) - stems(ignored, words)
    return bool(own) and len(own & stems(cited, words)) >= FLOOR * len(own)


def stems(text: str, words: Callable[[str], Iterable[str]]) -> frozenset[str]:
    """Return the first letters of each content word of a text."""
    return frozenset(word[:STEM] for word in words(text) if not word.isdigit())
