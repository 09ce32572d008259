"""Ranking features: boosts that are added to the fused score of a candidate and shown in `why_ranked.boosts`.

A feature sees one candidate's row, the analysed question and the settings; it reads no store. To add one, write a
function here, list it in `FEATURES`, and give it a weight in `RetrievalSettings` that may be 0.
"""

from collections.abc import Callable, Mapping, Sequence
from datetime import date

from brain_retrieval.query.analysis import Question
from brain_retrieval.query.retrievers import Row
from brain_retrieval.settings import RetrievalSettings

Feature = Callable[[Row, Question, RetrievalSettings], Mapping[str, float]]


def date_boost(row: Row, question: Question, settings: RetrievalSettings) -> dict[str, float]:
    """Return {"date": boost} for a chunk of a day that the question names, half of it for a month, else {}.

    Several dates in one question do not add up: the largest boost counts.
    """
    full = settings.date_boost
    when = date.fromisoformat(row["day"])
    matched = [full if mention.day else full / 2 for mention in question.dates if mention.matches(when)]
    return {"date": max(matched)} if matched and full else {}


FEATURES: tuple[Feature, ...] = (date_boost,)


def boosts_of(
    row: Row, question: Question, settings: RetrievalSettings, features: Sequence[Feature] = FEATURES
) -> dict[str, float]:
    """Return the boosts of all features for one candidate by their names."""
    return {name: boost for feature in features for name, boost in feature(row, question, settings).items()}
