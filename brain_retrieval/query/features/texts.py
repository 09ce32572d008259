"""`Texts`: texts in which many words are looked for, one after the other.

All texts lie in one array of bytes, of which NumPy compares four at a time with the first four of a word. `in` takes
more than twice as long.
"""

from collections.abc import Sequence

import numpy as np


class Texts:
    """Some texts, and where words stand in them."""

    def __init__(self, texts: Sequence[str]) -> None:
        self.texts = texts
        encoded = [text.encode("utf-8", "surrogatepass") for text in texts]
        self._bytes = b"\n".join(encoded)
        self._ends = np.cumsum([len(text) + 1 for text in encoded])
        self._of_width: dict[int, list[np.ndarray]] = {}

    def holding(self, word: str) -> list[int]:
        """Return the numbers of the texts in which a word stands, as a part of another one too, ascending.

        The word is one byte at least, without a line break.
        """
        wanted = word.encode("utf-8", "surrogatepass")
        width = next(width for width in (4, 2, 1) if width <= len(wanted))
        begins = int.from_bytes(wanted[:width], "little")
        is_at = self._bytes.startswith
        places = [
            place
            for shift, numbers in enumerate(self._numbers(width))
            for place in (np.flatnonzero(numbers == begins) * width + shift).tolist()
            if is_at(wanted, place)
        ]
        return sorted(set(np.searchsorted(self._ends, places, side="right").tolist()))

    def _numbers(self, width: int) -> list[np.ndarray]:
        """Return the bytes as numbers of `width` bytes, once from each of the first `width` bytes on."""
        if width not in self._of_width:
            parts = [self._bytes[shift:] for shift in range(width)]
            self._of_width[width] = [np.frombuffer(part, f"<u{width}", len(part) // width) for part in parts]
        return self._of_width[width]
