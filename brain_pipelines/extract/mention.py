"""What is found in a text before it becomes rows: a mention, and the confidences given by the way it was found.

The confidences are ordered by experience on our own labelled sentences, not calibrated: 0.9 does not mean that nine
in ten are right. Consumers should use them to rank and to cut, not as probabilities.
"""

from dataclasses import dataclass

FULL_NAME = 0.95  # a known given name, a surname and the parser's consent, or the label of a conversation turn
NAMED = 0.85  # a known name, or a name that list and parser agree on
LISTED = 0.8  # in a list, the parser says otherwise or nothing
MODEL = 0.7  # the parser's word alone
PATTERN = 0.95  # an address or a file name, by its form
GUESSED = 0.6  # by shape only
QUALIFIED = 0.55  # a noun that tells its type, qualified by another: "design review"
LOWER_CASE = 0.6  # the parser's word for a name that is not capitalised
PHRASE = 0.5  # a common noun phrase that takes part in a fact


@dataclass(frozen=True)
class Mention:
    """`text[start:end]` of the source, the clean `name` it stands for, its type, and how sure we are."""

    start: int
    end: int
    name: str
    type: str
    confidence: float
