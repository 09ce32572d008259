"""Word lists as they are easiest to read and to change: words in a row, order and line breaks without meaning."""


def words(text: str) -> frozenset[str]:
    """Return the words of `text` as a set."""
    return frozenset(text.split())
