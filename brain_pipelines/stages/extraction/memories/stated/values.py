"""Values that a sentence states, its dates among them."""

from brain_pipelines.stages.extraction.memories.sentence import Sentence, StatedDate
from brain_pipelines.stages.extraction.memories.stated.day_order import slashed_spans
from brain_retrieval.language.values import Value, find_values


def read_values(sentence: Sentence, dates: tuple[StatedDate, ...]) -> tuple[Value, ...]:
    """Return the values of a sentence from left to right, its dates among them."""
    found = [Value(_date_dimension(each.iso), each.iso, each.start, each.end) for each in dates]
    taken = [*((each.start, each.end) for each in dates), *slashed_spans(sentence.text)]
    found += find_values(sentence.text, sentence.language, taken)
    return tuple(sorted(found, key=lambda value: value.start))


def _date_dimension(iso: str) -> str:
    return "date" if len(iso) >= 10 else "month" if len(iso) == 7 else "year"
