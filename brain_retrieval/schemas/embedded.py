"""What an index holds of a text that was embedded."""

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import numpy as np


class KnownVector(NamedTuple):
    """The text as it was indexed, float32 (dim,), its vector, and the codes of its words, None without any."""

    search_text: str
    vector: "np.ndarray"
    word_codes: bytes | None
