"""Query analysis: what a question asks for, about which people and times. `rules.py` has the entry point `analyse`."""

from brain_retrieval.query.analysis.dates import DateMention, find_dates
from brain_retrieval.query.analysis.known_names import Known, KnownNames, NameIndex
from brain_retrieval.query.analysis.question import Name, Question, QuestionTime, Resolved
from brain_retrieval.query.analysis.rules import analyse
from brain_retrieval.query.analysis.words import clean, content_words

__all__ = [
    "DateMention",
    "Known",
    "KnownNames",
    "Name",
    "NameIndex",
    "Question",
    "QuestionTime",
    "Resolved",
    "analyse",
    "clean",
    "content_words",
    "find_dates",
]
