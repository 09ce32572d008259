"""A mention before it becomes a row, and the confidence levels by extraction method.

The confidences are for ranking and thresholds and are not probabilities. Share of exact spans, measured on news
(CoNLL04 train) and on tweets and comments (WNUT17 dev): at 0.95 .85 and .87, at 0.85 .80 and .75, at 0.7 .73 and .61,
at 0.6 .32 and .36, below that .1 at most, as those data sets do not label common noun phrases.
"""

from dataclasses import dataclass

FULL_NAME = 0.95  # a known given name, a surname and agreement of the parser, or the label of a conversation turn
NAMED = 0.85  # a known name, or one on which gazetteer and parser agree
LISTED = 0.8  # in a gazetteer, but the parser disagrees or has nothing
EVIDENT = 0.75  # the words around the name show what it is, the parser may disagree
MODEL = 0.7  # the parser alone
PATTERN = 0.95  # an address or a file name, by its form
GUESSED = 0.6  # by shape only
LARGE = 0.58  # by its large letters alone: of a thing that nothing lists, and an entity only if it recurs
QUALIFIED = 0.55  # a noun with a known type and a compound modifier: "design review"
LOWER_CASE = 0.6  # the parser alone, for a name that is not capitalised
PHRASE = 0.5  # a common noun phrase that takes part in a fact


@dataclass(frozen=True)
class Mention:
    """`text[start:end]` of the source, the clean `name` it denotes, its entity type, and a confidence 0–1."""

    start: int
    end: int
    name: str
    type: str
    confidence: float
