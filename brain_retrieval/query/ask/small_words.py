"""Words that a question writes with a small letter, which are no names where it writes others with a capital."""

from brain_retrieval.language.content_words import WORD, content_words


def small_words(text: str, language: str | None) -> frozenset[str]:
    """Return the words that a question writes with a small letter, if it writes any with a capital; else none.

    >>> sorted(small_words("Who is Ben's vet?", "en")), small_words("who is ben's vet?", "en")
    (['vet'], frozenset())
    """
    written = WORD.findall(text)
    if not any(word[0].isupper() and len(word) > 1 for word in written[1:]):
        return frozenset()
    small, large = (
        frozenset(word for one in written if one[0].islower() == is_small for word in content_words(one, language))
        for is_small in (True, False)
    )
    return small - large
