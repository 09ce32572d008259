"""Features from the dates and months that a question names, and from the age of a candidate among the others."""

import numpy as np

from brain_retrieval.query.features.pool import Features, Pool

DAYS_NEAR = 7.0  # days after which closeness to a date named has fallen to 1/e


def dates(pool: Pool) -> Features:
    """Return 1 on a day named, 0.5 in a month named, closeness to the next date named, and age by rank."""
    days = pool.candidates.days
    when = days.tolist()
    matched, near = np.zeros(len(pool)), np.zeros(len(pool))
    for mention in pool.question.dates:
        full = 1.0 if mention.day else 0.5
        matched = np.maximum(matched, [full if mention.matches(day) else 0.0 for day in when])
        if mention.day and mention.year:
            distance = np.abs(days - np.datetime64(f"{mention.year:04}-{mention.month:02}-{mention.day:02}"))
            near = np.maximum(near, np.exp(-distance.astype(np.float64) / DAYS_NEAR))
    distinct = np.unique(days)
    newest = np.searchsorted(distinct, days) / max(len(distinct) - 1, 1)
    return {"date": matched, "date_near": near, "newer": newest}
