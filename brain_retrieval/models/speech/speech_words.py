"""Bare words with times to the words of a text: models that time words leave out the punctuation around them."""

from collections.abc import Sequence

from brain_retrieval.models.speech.protocol import Word


def place_words(
    text: str, timed: Sequence[tuple[str, float, float]], *, offset: float, probability: float
) -> tuple[Word, ...]:
    """Return the words of `text` with times; put together they are the text.

    Args:
        text: an utterance.
        timed: words in order with start and end in seconds, without the punctuation of the text.
        offset: seconds to add to each time.
        probability: of each word, where the model gives only that of the whole.

    A word that is not found in the text is left out; what follows it up to the next is part of the word before.
    """
    starts: list[tuple[int, float, float]] = []
    position, lower = 0, text.casefold()
    if len(lower) != len(text):  # rare: a letter that folds to two
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
    """Return where a word begins with the space and the opening marks before it."""
    while (
        place > 0 and not text[place - 1].isspace() and not text[place - 1].isalnum() and text[place - 1] in "\"'“‘¿¡(["
    ):
        place -= 1
    while place > 0 and text[place - 1].isspace():
        place -= 1
    return place
