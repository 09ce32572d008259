"""The words of a clause, cut out of the parse of its sentence."""

from dataclasses import replace

from brain_pipelines.stages.extraction.memories.sentence import Sentence, Word


def with_words(whole: Sentence, clause: Sentence) -> Sentence:
    """Return a clause of `whole` with its words; one whose head lies outside is a root."""
    if clause.words or not whole.words or clause is whole:
        return clause
    start = list(whole.offsets).index(clause.offsets[0])
    end = start + len(clause.text)
    inside = [place for place, word in enumerate(whole.words) if start <= word.start and word.end <= end]
    places = {old: new for new, old in enumerate(inside)}
    words = tuple(
        _moved(whole.words[old], places.get(whole.words[old].head, new), start) for old, new in places.items()
    )
    return replace(clause, words=words)


def _moved(word: Word, head: int, start: int) -> Word:
    return replace(word, head=head, start=word.start - start, end=word.end - start)
