"""Alignment of timed words with an utterance's text, for models whose timed words lack punctuation."""

from collections.abc import Sequence

from brain_retrieval.models.speech.protocol import Word


def place_words(
    text: str, timed: Sequence[tuple[str, float, float]], *, offset: float, probability: float
) -> tuple[Word, ...]:
    """Return the words of `text` with times; concatenated they are the text.

    Args:
        text: an utterance.
        timed: words in order with start and end in seconds, without the punctuation of the text.
        offset: seconds to add to each time.
        probability: assigned to each word, if the model gives only one for the utterance.

    A timed word that is not in the text is skipped; text between matches belongs to the previous word.
    """
    starts: list[tuple[int, float, float]] = []
    position, lower = 0, text.casefold()
    if len(lower) != len(text):  # rare: a letter whose lower case has two characters
        lower = text.lower() if len(text.lower()) == len(text) else text
    for word, start, end in timed:
        plain = word.strip().casefold()
        place = lower.find(plain, position) if plain else -1
        if place < 0 or place - position > 40:
            continue
        starts.append((place, start, end))
        position = place + len(plain)
    if not starts:
        return ()
    edges = [0, *(_word_start(text, place) for place, _, _ in starts[1:]), len(text)]
    return tuple(
        Word(text[edges[i] : edges[i + 1]], round(offset + start, 3), round(offset + end, 3), probability)
        for i, (_, start, end) in enumerate(starts)
        if edges[i] < edges[i + 1]
    )


def _word_start(text: str, place: int) -> int:
    """Return the start of a word including the preceding space and opening punctuation."""
    while (
        place > 0 and not text[place - 1].isspace() and not text[place - 1].isalnum() and text[place - 1] in "\"'“‘¿¡(["
    ):
        place -= 1
    while place > 0 and text[place - 1].isspace():
        place -= 1
    return place
