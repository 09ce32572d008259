"""Features from the times and types of source that a question names, and from the age of a candidate."""

import numpy as np

from brain_retrieval.query.analysis import QuestionTime
from brain_retrieval.query.features.pool import Features, Pool

WEEK, MONTH = 7, 31  # most days
DAYS_NEAR = 7.0  # days after which closeness to a date named has fallen to 1/e


def dates(pool: Pool) -> Features:
    """Return how well a candidate's day and source fit, each 0 to 1.

    `date` is 1 on a day or in a week named ("10 days ago") and 0.5 in a month, `inside` 1 in the time asked for,
    `around` the same if that time was taken from an event, `newer` the rank by age.
    """
    days = pool.candidates.days
    when = days.tolist()
    matched, near = np.zeros(len(pool)), np.zeros(len(pool))
    for mention in pool.question.dates:
        full = 1.0 if mention.day else 0.5
        matched = np.maximum(matched, [full if mention.matches(day) else 0.0 for day in when])
        if mention.day and mention.year:
            distance = np.abs(days - np.datetime64(f"{mention.year:04}-{mention.month:02}-{mention.day:02}"))
            near = np.maximum(near, np.exp(-distance.astype(np.float64) / DAYS_NEAR))
    asked = pool.question.time
    within = inside(days, asked)
    length = asked.days if asked is not None else None
    if length is not None and length <= MONTH:
        matched = np.maximum(matched, within if length <= WEEK else 0.5 * within)
    distinct = np.unique(days)
    newest = np.searchsorted(distinct, days) / max(len(distinct) - 1, 1)
    named = [source in pool.question.sources for source in pool.candidates.listed("source")]
    return {
        "date": matched,
        "date_near": near,
        "inside": within,
        "around": within if asked is not None and asked.around else np.zeros(len(pool)),
        "source_named": np.array(named, dtype=np.float64),
        "newer": newest,
    }


def inside(days: np.ndarray, asked: QuestionTime | None) -> np.ndarray:
    """Return float64 (n,): 1 for a day in the time that the question restricts itself to, both ends inclusive."""
    if asked is None or not asked.restricts:
        return np.zeros(len(days))
    first = days >= np.datetime64(asked.start) if asked.start else np.ones(len(days), dtype=bool)
    last = days <= np.datetime64(asked.end) if asked.end else np.ones(len(days), dtype=bool)
    return (first & last).astype(np.float64)
